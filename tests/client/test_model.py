"""The model follows the server's messages, and believes nothing that cannot be true."""

import random
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from kille_net.client.model import Model, in_lobby, reduce
from kille_net.game.actions import Action, actions_of
from kille_net.game.cards import FULL_PACK
from kille_net.game.rules import Format
from kille_net.game.views import observe
from kille_net.translate import to_view
from kille_net.wire import messages as wire
from kille_net.wire.errors import RemoteProtocolError
from kille_net.wire.states import Place
from tests.catalogue.rows import row
from tests.client.fake_server import NAMES, OPTIONS, Outlet, Table, room

WELCOME = wire.Welcome(version=1, agent="srv", name="Ada", settings={}, ticket=None, resumed=wire.Resumed.NO, last_id=0)


def entered(outlet: Outlet, state: wire.RoomState | None = None) -> Model:
    model = reduce(Model(), WELCOME, 0.0)
    snapshot = wire.Snapshot(seq=outlet.seq, room=state or room(*NAMES[:3]), view=None, match=0, open=None, rest=None)
    return reduce(model, snapshot, 0.0)


def fed(model: Model, outlet: Outlet, now: float = 0.0) -> Model:
    for message in outlet.take():
        model = reduce(model, message, now)
    return model


@pytest.mark.parametrize("game", list(wire.Format))
@pytest.mark.parametrize("seats", [2, 3, 5])
def test_the_folded_view_is_what_every_question_holds(game: wire.Format, seats: int) -> None:
    options = msgspec.structs.replace(OPTIONS, seats=seats, format=game, pots=4)
    chance = random.Random(seats)
    outlet = Outlet()
    model = entered(outlet, room(*NAMES[:seats], options=options))
    table = Table(outlet, seats, NAMES[:seats], options)
    table.begin()
    questions = 0
    while table.step():
        sent = outlet.take()
        for message in sent[:-1]:
            model = reduce(model, message, 0.0)
        assert model.view == observe(table.match, 0)
        model = reduce(model, sent[-1], 0.0)
        assert model.view == observe(table.match, 0)
        assert model.asked is not None
        assert model.asked.legal == actions_of(table.match.legal(0))
        assert model.turn is not None
        assert model.turn.seat == 0
        questions += 1
        table.act(chance.choice([a for a in model.asked.legal if a is not Action.ASK or chance.random() < 0.3]))
    model = fed(model, outlet)
    assert questions > 3
    assert model.asked is None
    assert model.view is not None
    assert model.view.points == table.match.points


def test_a_second_match_begins_with_a_new_view() -> None:
    outlet = Outlet()
    model = entered(outlet)
    for seed in (1, 2):
        table = Table(outlet, seed)
        table.begin()
        while table.step():
            table.act(Action.STAND if table.match.phase.value == "turn" else Action.REFUSE)
        model = fed(model, outlet)
        assert model.view == observe(table.match, 0)


def test_a_spectator_has_a_view_without_a_seat() -> None:
    outlet = Outlet()
    state = room("Bo", "Cilla", "Doris")
    model = entered(outlet, state)
    table = Table(outlet, 1, ("Bo", "Cilla", "Doris"), seat=None)
    table.tell(table.match.deal(FULL_PACK))
    model = fed(model, outlet)
    assert model.place is Place.WATCHING
    assert model.view == observe(table.match, None)


def test_a_snapshot_brings_a_late_client_to_where_the_match_is() -> None:
    outlet = Outlet()
    table = Table(outlet, 3)
    table.begin()
    assert table.step()
    outlet.take()
    model = reduce(Model(), WELCOME, 0.0)
    view = to_view(observe(table.match, 0))
    state = room(*NAMES[:3], status=wire.RoomStatus.PLAYING)
    model = reduce(model, wire.Snapshot(seq=outlet.seq, room=state, view=view, match=0, open=None, rest=None), 0.0)
    assert model.view == observe(table.match, 0)
    table.ask(0)
    table.act(Action.STAND)
    model = fed(model, outlet)
    assert model.view == observe(table.match, 0)


def test_deadlines_count_from_when_the_message_came() -> None:
    outlet = Outlet()
    model = entered(outlet)
    table = Table(outlet, 3)
    table.begin()
    table.step(ms=20_000)
    model = fed(model, outlet, now=100.0)
    assert model.turn is not None
    assert model.turn.deadline == 120.0
    paused = room(*NAMES[:3], status=wire.RoomStatus.PAUSED)
    outlet.send(outlet.event(wire.RoomChanged, news=wire.News.PAUSED, who="", room=paused))
    model = fed(model, outlet, now=105.0)
    assert model.turn is not None
    assert model.turn.deadline is None


@pytest.mark.parametrize(
    ("news", "who"), [(wire.News.KICKED, "Ada"), (wire.News.LEFT, "Ada"), *((news, "") for news in sorted(wire.GONE))]
)
def test_who_is_sent_away_is_in_the_lobby(news: wire.News, who: str) -> None:
    outlet = Outlet()
    model = entered(outlet)
    assert model.place is Place.SEATED
    outlet.send(outlet.event(wire.RoomChanged, news=news, who=who, room=room("Bo", "Cilla", "Doris")))
    assert fed(model, outlet).place is Place.LOBBY


def test_somebody_else_is_sent_away() -> None:
    outlet = Outlet()
    model = entered(outlet)
    outlet.send(outlet.event(wire.RoomChanged, news=wire.News.KICKED, who="Bo", room=room("Ada", "", "Cilla")))
    model = fed(model, outlet)
    assert model.place is Place.SEATED
    assert model.names == ("Ada", "-", "Cilla")


def line(name: str) -> wire.RoomLine:
    return wire.RoomLine(
        name=name,
        seats=4,
        taken=1,
        format=wire.Format.POTS,
        length=wire.Length.LONG,
        locked=False,
        status=wire.RoomStatus.OPEN,
        watching=wire.Watching.EVERYONE,
    )


def test_pages_of_the_list_are_joined() -> None:
    model = reduce(Model(), wire.Rooms(id=1, page=0, pages=2, rooms=(line("a"),)), 0.0)
    model = reduce(model, wire.Rooms(id=2, page=1, pages=2, rooms=(line("b\x1b"),)), 0.0)
    assert [one.name for one in model.rooms] == ["a", "b\ufffd"]
    model = reduce(model, wire.Rooms(id=3, page=0, pages=1, rooms=(line("c"),)), 0.0)
    assert [one.name for one in model.rooms] == ["c"]


@pytest.mark.parametrize(
    ("lang", "order"), [("sv", ["Ada", "Zeta", "Åsa", "Öl"]), ("en", ["Ada", "Åsa", "Öl", "Zeta"])]
)
def test_rooms_stand_by_name_whatever_page_they_were_on(lang: str, order: list[str]) -> None:
    model = Model(lang=lang)
    for page, names in enumerate((["Öl", "Ada"], ["Åsa", "Zeta"])):
        model = reduce(model, wire.Rooms(id=page, page=page, pages=2, rooms=tuple(map(line, names))), 0.0)
    assert [one.name for one in model.rooms] == order


def test_texts_of_peers_are_cleaned_before_they_are_kept() -> None:
    evil = "B\x1b]52;c;x\x07"
    model = reduce(
        Model(),
        wire.Welcome(
            version=1, agent="\x9bsrv", name="A\u202eda", settings={}, ticket=None, resumed=wire.Resumed.NO, last_id=0
        ),
        0.0,
    )
    state = msgspec.structs.replace(room("A\u202eda", evil, "</b>%s"), name="\x1b[2J", host=evil)
    model = reduce(model, wire.Snapshot(seq=0, room=state, view=None, match=0, open=None, rest=None), 0.0)
    assert model.server == "\ufffdsrv"
    assert model.names == ("A\ufffdda", "B\ufffd]52;c;x\ufffd", "</b>%s")
    assert model.room is not None
    assert model.room.name == "\ufffd[2J"
    assert model.room.host == model.names[1]
    assert model.seat == 0


# --- what cannot be true ---------------------------------------------------------------------------------------------


def playing() -> tuple[Model, Outlet, Table]:
    outlet = Outlet()
    model = entered(outlet)
    table = Table(outlet, 3)
    table.begin()
    assert table.step()
    return fed(model, outlet), outlet, table


LIVES = (3, 3, 3)


@row(26)
@pytest.mark.parametrize(
    ("kind", "fields", "place"),
    [
        (wire.Stood, {"seat": 3}, "seat"),
        (wire.Swapped, {"seat": 0, "target": 7, "gave": None, "got": None}, "target"),
        (wire.CardRefused, {"seat": 1, "asker": 3, "card": 17}, "asker"),
        (wire.CardRefused, {"seat": 1, "asker": 0, "card": 3}, ""),
        (wire.Drew, {"seat": 0, "card": None, "kept": False}, ""),
        (wire.Drew, {"seat": 0, "card": 3, "kept": False}, ""),
        (wire.SwapsUndone, {"path": (0, 5), "cards": (None, None, None)}, "path"),
        (wire.Dealt, {"cards": (1, None)}, "cards"),
        (wire.HandBegan, {"hand": 2, "pot": 1, "dealer": 0, "lives": (3, 3), "points": LIVES}, "lives"),
        (wire.HandBegan, {"hand": 2, "pot": 1, "dealer": 4, "lives": LIVES, "points": LIVES}, "dealer"),
        (
            wire.Showdown,
            {"cards": (1, 2, 3), "struck": 8, "low": (False,) * 3, "lost": 1, "lives": LIVES},
            "struck",
        ),
        (wire.PotWon, {"pot": 1, "seat": 3, "points": LIVES}, "seat"),
        (wire.MatchEnded, {"winner": 5, "points": LIVES, "reason": ""}, "winner"),
        (wire.Turn, {"turn": 9, "seat": 3, "phase": wire.Phase.TURN, "ms": 0, "window": 0}, "seat"),
        (wire.Turn, {"turn": 9, "seat": 0, "phase": wire.Phase.OVER, "ms": 0, "window": 0}, "phase"),
        (wire.Turn, {"turn": 9, "seat": 0, "phase": wire.Phase.DEAL, "ms": 0, "window": 0}, "phase"),
        (wire.KukuCalled, {"seat": 4, "by_rule": False}, "seat"),
        (wire.Late, {"seat": 1}, "seat"),
        (wire.Late, {"seat": 3}, "seat"),
    ],
)
def test_events_that_cannot_be_are_the_servers_fault(kind: Any, fields: dict[str, Any], place: str) -> None:  # noqa: ANN401  a column of a table
    model, outlet, _ = playing()
    with pytest.raises(RemoteProtocolError) as error:
        reduce(model, outlet.event(kind, **fields), 0.0)
    assert (error.value.code, error.value.place) == (wire.ByeCode.BAD_FIELD, place)


@pytest.mark.parametrize("step", [0, 2, -1])
def test_a_gap_in_the_events_is_the_servers_fault(step: int) -> None:
    model, outlet, _ = playing()
    with pytest.raises(RemoteProtocolError) as error:
        reduce(model, wire.Stood(seq=outlet.seq + step, seat=0), 0.0)
    assert (error.value.code, error.value.place) == (wire.ByeCode.UNEXPECTED, "seq")


def test_an_event_of_a_match_that_never_began_is_the_servers_fault() -> None:
    outlet = Outlet()
    model = entered(outlet)
    with pytest.raises(RemoteProtocolError):
        reduce(model, outlet.event(wire.Stood, seat=0), 0.0)


def test_a_question_to_nobody_is_the_servers_fault() -> None:
    _, outlet, table = playing()
    question = wire.Question(
        seq=outlet.seq, turn=9, legal=3, ms=0, view=to_view(replace(observe(table.match, 0), seat=None))
    )
    model, _, _ = playing()
    for wrong in (reduce(Model(), WELCOME, 0.0), model):
        with pytest.raises(RemoteProtocolError):
            reduce(wrong, question, 0.0)


def asked() -> tuple[Model, wire.Question]:
    """A model before a question that is true."""
    outlet = Outlet()
    model = entered(outlet)
    table = Table(outlet, 3)
    table.begin()
    assert table.step()
    *before, question = outlet.take()
    for message in before:
        model = reduce(model, message, 0.0)
    assert isinstance(question, wire.Question)
    return model, question


@row(26)
@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"cards": (None, None, None)}, "view.cards"),
        ({"to_act": None}, "view.to_act"),
        ({"to_act": 1}, "view.to_act"),
        ({"seat": None}, "view.seat"),
        ({"seat": 1, "cards": (None, 3, None)}, "view.seat"),
        ({"phase": wire.Phase.DEAL}, "view.phase"),
        ({"phase": wire.Phase.OVER}, "view.phase"),
        ({"origins": (None, 1, 2), "cards": (None, None, None)}, "view.to_act"),
        ({"origins": (0, None, None), "cards": (3, None, None)}, "view.phase"),
        ({"origins": (0, 1, 4)}, "view.origins"),
        ({"origins": (0, 1, None), "cards": (2, None, 7)}, "view.cards"),
    ],
)
def test_a_question_with_a_view_that_cannot_be_is_the_servers_fault(fields: dict[str, Any], place: str) -> None:
    model, question = asked()
    view = msgspec.structs.replace(question.view, **fields)
    with pytest.raises(RemoteProtocolError) as error:
        reduce(model, msgspec.structs.replace(question, view=view), 0.0)
    assert (error.value.code, error.value.place) == (wire.ByeCode.BAD_FIELD, place)
    assert reduce(model, question, 0.0).asked is not None


def test_legal_actions_that_are_not_those_of_the_view_are_the_servers_fault() -> None:
    model, question = asked()
    for legal in range(128):
        if legal != question.legal:
            with pytest.raises(RemoteProtocolError) as error:
                reduce(model, msgspec.structs.replace(question, legal=legal), 0.0)
            assert error.value.place == "legal"


@pytest.mark.parametrize(("in_hand", "phase"), [(2, wire.Phase.MIDDLE), (1, wire.Phase.ASKED), (1, wire.Phase.TURN)])
def test_a_phase_that_so_few_seats_do_not_have_is_the_servers_fault(in_hand: int, phase: wire.Phase) -> None:
    model, question = asked()
    origins = tuple(seat if seat < in_hand else None for seat in range(3))
    view = msgspec.structs.replace(question.view, origins=origins, cards=(3, None, None), phase=phase)
    with pytest.raises(RemoteProtocolError) as error:
        reduce(model, msgspec.structs.replace(question, view=view), 0.0)
    assert error.value.place == "view.phase"
    snapshot = wire.Snapshot(seq=1, room=room(*NAMES[:3]), view=view, match=0, open=None, rest=None)
    with pytest.raises(RemoteProtocolError):
        reduce(in_lobby(model), snapshot, 0.0)


def test_a_snapshot_with_somebody_elses_view_is_the_servers_fault() -> None:
    model, question = asked()
    view = msgspec.structs.replace(question.view, seat=1, cards=(None, 3, None))
    with pytest.raises(RemoteProtocolError) as error:
        reduce(
            in_lobby(model), wire.Snapshot(seq=1, room=room(*NAMES[:3]), view=view, match=0, open=None, rest=None), 0.0
        )
    assert error.value.place == "view.seat"


def test_a_room_that_changes_its_size_is_the_servers_fault() -> None:
    outlet = Outlet()
    model = entered(outlet)
    options = msgspec.structs.replace(OPTIONS, seats=2)
    with pytest.raises(RemoteProtocolError):
        reduce(
            model,
            outlet.event(wire.RoomChanged, news=wire.News.LEFT, who="", room=room("Ada", "Bo", options=options)),
            0.0,
        )
    with pytest.raises(RemoteProtocolError):
        reduce(
            in_lobby(model), wire.Snapshot(seq=0, room=room("Ada", "Bo"), view=None, match=0, open=None, rest=None), 0.0
        )


def test_events_for_who_is_in_no_room_are_passed_over() -> None:
    model = reduce(Model(), WELCOME, 0.0)
    assert reduce(model, wire.Stood(seq=7, seat=0), 0.0) == model


def test_formats_are_those_of_the_game() -> None:
    assert {game.value for game in Format} == {game.value for game in wire.Format}


def shown(**fields: Any) -> wire.HandShown:  # noqa: ANN401  fields of the message
    return wire.HandShown(**{"hand": 1, "deal": 1, "cards": (1, 2, 3), "moves": (), **fields})


def moved(**fields: Any) -> tuple[wire.Move, ...]:  # noqa: ANN401  the same
    return (wire.Move(**{"seat": 0, "do": wire.Do.SWAP, "target": 1, "cards": (2, 1, 3), **fields}),)


def test_open_cards_of_a_hand_that_is_over_change_nothing() -> None:
    model = entered(Outlet(), room("Bo", "Cilla", "Doris"))
    assert reduce(model, shown(moves=moved()), 0.0) == model
    assert reduce(model, shown(moves=moved(target=3)), 0.0) == model, "the talon"


@pytest.mark.parametrize(
    ("message", "place"),
    [
        (shown(cards=(1, 2)), "cards"),
        (shown(moves=moved(seat=3)), "moves"),
        (shown(moves=moved(target=4)), "moves"),
        (shown(moves=moved(cards=(1, 2))), "moves"),
    ],
)
def test_open_cards_of_no_such_table_are_a_fault(message: wire.HandShown, place: str) -> None:
    with pytest.raises(RemoteProtocolError) as caught:
        reduce(entered(Outlet(), room("Bo", "Cilla", "Doris")), message, 0.0)
    assert (caught.value.code, caught.value.place) == (wire.ByeCode.BAD_FIELD, place)


@pytest.mark.parametrize("is_seated", [True, False])
def test_open_cards_are_for_those_who_watch_alone(*, is_seated: bool) -> None:
    model = entered(Outlet()) if is_seated else reduce(Model(), WELCOME, 0.0)
    with pytest.raises(RemoteProtocolError) as caught:
        reduce(model, shown(), 0.0)
    assert caught.value.code is wire.ByeCode.UNEXPECTED
