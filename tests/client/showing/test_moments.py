"""`?`: at every moment it tells where one is, what can be done now, and what it would mean."""

from dataclasses import replace

import msgspec
import pytest

from kille_net.client.commands import Verb
from kille_net.client.model import Model, OpenRest
from kille_net.client.showing.moments import Moment, Open, guide_lines, moment_of
from kille_net.game.actions import Phase
from kille_net.game.cards import Card
from kille_net.game.hand import Deed
from kille_net.wire import messages as wire
from tests.client.fake_server import OPTIONS, room
from tests.client.test_core import Client, at_table, holding, in_lobby, in_room


def model_of(client: Client) -> Model:
    return client.core.model


def at(client: Client, *, is_sent: bool = False, is_unsure: bool = False) -> Moment:
    return moment_of(model_of(client), Open(is_sent, is_unsure))


def test_every_moment_of_the_lobby_and_a_table() -> None:
    assert at(in_lobby()) is Moment.LOBBY
    client = in_room()
    assert at(client) is Moment.OPEN
    client.core.model = replace(model_of(client), seat=None)
    assert at(client) is Moment.WATCHING
    assert at(in_room(status=wire.RoomStatus.GATHERING)) is Moment.GATHERING


def test_every_moment_of_a_hand() -> None:
    client, _, _ = at_table()
    model = model_of(client)
    view, state = model.view, model.room
    assert view is not None
    assert state is not None
    assert at(client) is Moment.TURN
    assert at(client, is_sent=True) is Moment.SENT
    assert at(client, is_unsure=True) is Moment.UNSURE

    def then(**changes: object) -> Moment:
        return moment_of(replace(model, asked=None, view=replace(view, **changes)), Open())  # type: ignore[arg-type]  # what a match tells

    assert moment_of(replace(model, view=replace(view, phase=Phase.MIDDLE)), Open()) is Moment.ASKED
    assert then(deeds=(Deed.WAITS,) * 3) is Moment.WAITS
    assert then(deeds=(Deed.STOOD,) * 3) is Moment.SPOKEN
    assert then(phase=Phase.OVER) is Moment.BETWEEN
    assert then(phase=Phase.OVER, lives=(0, 1, 1)) is Moment.OUT
    assert then(origins=(None, 1, 2), cards=(None,) * 3) is Moment.OUT
    paused = msgspec.structs.replace(state, status=wire.RoomStatus.PAUSED)
    assert moment_of(replace(model, room=paused), Open()) is Moment.PAUSED


@pytest.mark.parametrize("lang", ["sv", "en"])
@pytest.mark.parametrize("plain", [True, False])
@pytest.mark.parametrize("moment", list(Moment))
def test_there_is_something_to_say_at_every_moment(moment: Moment, lang: str, *, plain: bool) -> None:
    client, _, _ = at_table()
    model, open_ = model_of(client), Open()
    view, state = model.view, model.room
    assert view is not None
    assert state is not None
    match moment:
        case Moment.LOBBY:
            model = Model(name="Ada")
        case Moment.OPEN:
            model = Model(name="Ada", seat=0, room=room("Ada", "Bo", "Cilla"))
        case Moment.OVER:
            model = replace(model, room=room("Ada", "Bo", "Cilla"))
        case Moment.GATHERING:
            model = Model(name="Ada", seat=0, room=room("Ada", "", "", status=wire.RoomStatus.GATHERING))
        case Moment.PAUSED:
            model = replace(model, room=msgspec.structs.replace(state, status=wire.RoomStatus.PAUSED))
        case Moment.WATCHING:
            model = replace(model, seat=None)
        case Moment.BETWEEN:
            model = replace(model, view=replace(view, phase=Phase.OVER))
        case Moment.OUT:
            model = replace(model, view=replace(view, phase=Phase.OVER, lives=(0, 1, 1)))
        case Moment.LOST | Moment.LEAVING:
            open_ = Open(is_lost=moment is Moment.LOST, is_leaving=moment is Moment.LEAVING)
        case Moment.SENT | Moment.UNSURE:
            open_ = Open(is_sent=moment is Moment.SENT, is_unsure=moment is Moment.UNSURE)
        case Moment.ASKED:
            model = replace(model, view=replace(view, phase=Phase.ASKED, dealer=0, to_act=0))
        case Moment.WAITS | Moment.SPOKEN:
            deed = Deed.WAITS if moment is Moment.WAITS else Deed.STOOD
            model = replace(model, asked=None, view=replace(view, deeds=(deed,) * 3))
    assert moment_of(model, open_) is moment
    lines = guide_lines(model, open_, lang, plain=plain)
    assert len(lines) in range(3, 12)
    assert all(line.isprintable() for line in lines)
    assert any("help all" in line or "hjälp allt" in line for line in lines)
    assert ("F3" in lines[-1]) is (model.seat is not None and not plain)


def test_after_a_match_again_comes_first() -> None:
    client, _, _ = at_table()
    model = replace(model_of(client), room=room("Ada", "Bo", "Cilla"))
    lines = guide_lines(model, Open(), "en", plain=True)
    assert lines[0].startswith("The match is over: again plays once more with the same people; ")
    assert lines[1].startswith("  again: ")


@pytest.mark.parametrize("word", ["?", "help", "hjälp", "h"])
def test_on_turn_each_answer_comes_with_its_meaning(word: str) -> None:
    client, _, _ = at_table()
    holding(client, Card.N4)
    lines = client.forget().type(word).lines
    assert lines[0] == "It is your turn, and you hold a 4."
    swap = next(line for line in lines if line.startswith("  swap, b: "))
    assert "you get what " in swap or "draw from the talon" in swap
    assert any(line.startswith("  stand, s: you keep your card") for line in lines)
    assert not client.sent


def test_between_hands_everybody_is_told_how_the_next_one_comes() -> None:
    client, _, _ = at_table()
    model = model_of(client)
    assert model.view is not None
    for lives, what in (((1, 1, 1), "when everybody has said next"), ((0, 1, 1), "You are out of")):
        over = replace(
            model,
            asked=None,
            rest=OpenRest(hand=1, seats=(0, 1), deadline=None),
            view=replace(model.view, phase=Phase.OVER, lives=lives),
        )
        lines = guide_lines(over, Open(), "en", plain=True)
        assert what in lines[0]
        assert any(line.startswith("  next") for line in lines)


def test_what_is_known_of_the_others_is_said_first() -> None:
    client, _, _ = at_table()
    model = model_of(client)
    assert model.view is not None
    view = replace(model.view, cards=(Card.N4, Card.N9, Card.HARLEKIN), low_harlekins=(2,))
    client.core.model = replace(model, view=view)
    assert client.forget().type("?").lines[1] == "You know: Bo 9, Cilla Harlequin (low)."


def test_who_holds_a_kuku_is_told_what_a_call_means_also_when_others_are_on_turn() -> None:
    client, _, _ = at_table()
    holding(client, Card.KUKU)
    model = model_of(client)
    assert model.view is not None
    view = replace(model.view, to_act=1, deeds=(Deed.WAITS,) * 3)
    client.core.model = replace(model, asked=None, view=view)
    lines = client.forget().type("?").lines
    assert "  kuku, k: the hand ends here, and all turn up. A Cuckoo never loses as the lowest." in lines
    assert "Whoever asks you gets nothing, and the hand ends." in lines


def test_after_a_swap_that_waits_for_a_yes_yes_and_no_are_explained() -> None:
    client, _, _ = at_table()
    holding(client, Card.HUSAR)
    client.type("swap").forget().type("?")
    assert client.lines[0].startswith("You said that you would give a Hussar away. Yes: you do.")
    client.type("yes")
    assert [type(message) for message in client.sent] == [wire.Decide]


def test_who_is_out_of_the_last_pot_is_out_of_the_match() -> None:
    client, _, _ = at_table()
    model = model_of(client)
    assert model.view is not None
    view = replace(model.view, phase=Phase.OVER, lives=(0, 1, 1))
    for pot, what in ((1, "until the next"), (2, "out of the match"), (None, "out of the match")):
        told = guide_lines(replace(model, view=replace(view, pot=pot)), Open(), "en", plain=True)
        assert what in told[0]
    assert view.rules.pots == OPTIONS.pots == 1


def test_a_card_that_a_server_kept_from_us_breaks_nothing() -> None:
    client, _, _ = at_table()
    model = model_of(client)
    assert model.view is not None
    client.core.model = replace(model, view=replace(model.view, cards=(None,) * 3))
    assert client.forget().type("?").lines[0] == "It is your turn, and you hold ?."


def test_a_key_does_what_its_command_does() -> None:
    client, _, _ = at_table()
    holding(client, Card.N4)
    by_line = client.forget().type("?").lines
    assert client.forget().took(client.core.press(Verb.HELP)).lines == by_line


@pytest.mark.parametrize("way", ["key", "line"])
@pytest.mark.parametrize("card", [Card.KUKU, Card.VARDSHUS, Card.HUSU, Card.HARLEKIN])
def test_no_way_to_swap_gives_a_precious_card_away_at_once(way: str, card: Card) -> None:
    client, _, _ = at_table()
    holding(client, card)
    client.forget()
    for _ in range(3):  # saying it again is no yes
        client.took(client.core.press(Verb.SWAP)) if way == "key" else client.type("swap")
    assert not client.sent
    assert sum("really" in line for line in client.lines) == 3


def test_a_low_harlekin_is_given_away_at_once() -> None:
    client, _, _ = at_table()
    holding(client, Card.HARLEKIN, low=True)
    client.forget().took(client.core.press(Verb.SWAP))
    assert [type(message) for message in client.sent] == [wire.Decide]
