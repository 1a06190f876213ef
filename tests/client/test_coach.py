"""The coach: silent unless it is wanted and allowed; what it says is what is counted and what `sharp` would do."""

from dataclasses import replace
from fractions import Fraction

import msgspec
import pytest

from kille_net.bots.counting import Count, Outcome
from kille_net.bots.sharp import SharpBot
from kille_net.client.effects import Print, Style
from kille_net.client.invitation import Invitation
from kille_net.client.preferences import Preferences
from kille_net.client.showing.coaching import advice, percent
from kille_net.game.actions import Action
from kille_net.game.cards import Card
from kille_net.game.rules import Format, HarlekinRank, Ruleset
from kille_net.game.views import View, observe
from kille_net.wire import messages as wire
from tests.bots.hands import Noting, play, view
from tests.client.fake_server import OPTIONS, Table
from tests.client.test_core import PLAN, Client, at_table, holding, in_lobby, in_room

NAMES = ("Ada", "Bo", "Cilla", "Doris")
ON: Invitation = replace(PLAN, preferences=Preferences(coach=True))
NO_COACH = msgspec.structs.replace(OPTIONS, coach=wire.Coach.OFF)
STICKS = Ruleset(format=Format.STICKS)


def coached(client: Client) -> list[str]:
    return [line for line in client.lines if line.startswith("Coach: ")]


def wish(client: Client, coach: wire.Coach) -> None:
    """The room's wish, from now on."""
    model = client.core.model
    assert model.room is not None
    options = msgspec.structs.replace(model.room.options, coach=coach)
    client.core.model = replace(model, room=msgspec.structs.replace(model.room, options=options))


# --- whether it speaks ------------------------------------------------------------------------------------------------


def test_it_is_off_until_it_is_turned_on() -> None:
    client, _, _ = at_table()
    assert not coached(client)
    assert client.forget().type("coach").lines == ["The coach is off. coach on turns it on."]
    client.forget().type("coach on")
    assert "speaks when you are asked" in client.lines[0]
    assert coached(client)  # the question is open
    assert all(effect.style is Style.QUIET for effect in client.effects[1:] if isinstance(effect, Print))
    client.forget().type("coach off")
    assert client.lines == ["The coach is off. coach on turns it on."]
    assert not client.sent


@pytest.mark.parametrize(("line", "lang"), [("coach på", "sv"), ("COACH ON", "en"), ("/coach på", "en")])
def test_it_is_turned_on_in_any_language(line: str, lang: str) -> None:
    client = in_lobby(plan=replace(PLAN, lang=lang)).type(line)
    assert client.lines[0].startswith({"sv": "Coachen talar", "en": "The coach speaks"}[lang])


def test_what_is_neither_on_nor_off_changes_nothing() -> None:
    client, _, _ = at_table(plan=ON)
    assert client.forget().type("coach maybe").lines == ["Type on or off after it."]
    assert "speaks" in client.forget().type("coach").lines[0]


def test_a_question_comes_with_one_to_three_lines() -> None:
    client, _, _ = at_table(plan=ON)
    assert 1 <= len(coached(client)) <= 3


def test_a_room_that_wishes_no_coach_has_none() -> None:
    client, outlet, table = at_table(plan=ON)
    wish(client, wire.Coach.OFF)
    assert client.forget().type("coach on").lines == [
        "This table wishes that nobody is coached, so the coach is silent."
    ]
    table.act(Action.STAND if table.match.legal(0) & 1 else Action.REFUSE)
    table.step()
    client.forget().hear(*outlet.take())
    assert not coached(client)
    wish(client, wire.Coach.ALLOWED)
    assert coached(client.forget().type("coach on"))


def test_on_entering_such_a_room_it_says_once_that_it_is_silent() -> None:
    client = in_lobby(plan=ON).type("join Bordet")
    client.hear(wire.Ok(id=client.sent[-1].id))
    state = in_room().core.model.room
    assert state is not None
    state = msgspec.structs.replace(state, options=msgspec.structs.replace(state.options, coach=wire.Coach.OFF))
    client.forget().hear(wire.Snapshot(seq=0, room=state, view=None, match=0, open=None, rest=None))
    assert sum("wishes that nobody is coached" in line for line in client.lines) == 1
    client = in_lobby().type("join Bordet")
    client.hear(wire.Ok(id=client.sent[-1].id))
    client.forget().hear(wire.Snapshot(seq=0, room=state, view=None, match=0, open=None, rest=None))
    assert not any("wishes that nobody" in line for line in client.lines)


def test_an_autopilot_needs_no_coach() -> None:
    client, _, _ = at_table(plan=replace(ON, autopilot=SharpBot()))
    assert not coached(client)


# --- what it says -----------------------------------------------------------------------------------------------------


def test_the_figures_are_those_that_are_counted() -> None:
    seen = view("4 7 9 2", 4)
    swap, lose, _ = advice(seen, NAMES, "en")
    odds = Count(seen).swap()
    assert swap == (
        f"Coach: swapping with Bo: better {percent(odds[Outcome.BETTER])}%, same {percent(odds[Outcome.SAME])}%, "
        f"worse {percent(odds[Outcome.WORSE])}%, refused {percent(odds[Outcome.KEPT] + odds[Outcome.STRUCK])}% "
        f"(you are struck: {percent(odds[Outcome.STRUCK])}%)."
    )
    assert f"lose a life in {percent(Count(seen).stand())}% of the deals" in lose


def test_the_dealer_is_told_what_standing_and_drawing_lose() -> None:
    seen = view("7 2 9", 3, [(0, Action.STAND), (1, Action.STAND)])
    drawing, ends, _ = advice(seen, NAMES, "en")
    assert drawing.startswith("Coach: drawing: better ")
    assert ends == f"Coach: standing loses a life in {percent(Count(seen).stand())}% of the deals, " + (
        f"drawing in {percent(Count(seen).draw())}%."
    )


@pytest.mark.parametrize(
    ("seen", "what"),
    [
        (view("kuku 7 9", 3), "would stand: the card never loses as the lowest."),
        (view("4 2 9 3", 4, [(0, Action.SWAP)]), "would stand: by what is known, standing costs nothing."),
        (view("2 7 9", 3), "would ask for better cards: with so few left it asks with all below a 7."),
        (
            view("2 7 9", 3, [(0, Action.ASK)]),
            "would refuse: as dealer of three it never leaves it to the middle seat.",
        ),
        (view("2 7", 2, [(0, Action.ASK)]), "would accept: here it accepts from a 6 to a 12: "),
        (view("9 7", 2), "would stand: as the first of two it swaps all below a 6."),
        (
            view("9 7", 2, [(0, Action.STAND)]),
            "would swap: as the dealer of two, after the other stood, it draws with all",
        ),
        (view("2 7", 2, [(0, Action.SWAP)]), "would swap: it knows the other card. From -100, a lost hand, to 100"),
        (view("kuku 7", 2, rules=STICKS), "would call Kuku: of two, the other would only get a chance to escape."),
        (view("4 7 9 2", 4), "would swap: by its own estimate of the whole hand, with what others "),
    ],
)
def test_each_reason_is_told(seen: View, what: str) -> None:
    assert what in advice(seen, NAMES, "en")[-1]


DOING = {
    Action.STAND: "stand",
    Action.SWAP: "swap",
    Action.ASK: "ask for better cards",
    Action.ACCEPT: "accept",
    Action.REFUSE: "refuse",
}


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("rules", [Ruleset(), STICKS, Ruleset(dealt_harlekin=HarlekinRank.LOW)])
def test_it_advises_what_sharp_does_at_every_question_of_a_match(seats: int, rules: Ruleset) -> None:
    bots = [Noting(SharpBot()) for _ in range(seats)]
    play(bots, rules)
    asked = [asked for bot in bots for asked in bot.asked][:80]
    assert asked
    for seen, action in asked:
        lines = advice(seen, NAMES, "en")
        assert len(lines) in {2, 3}, "the odds of a real view can always be counted"
        is_call = Action.KUKU in seen.legal and SharpBot().calls_kuku(seen)
        assert f"would {'call Kuku' if is_call else DOING[action]}: " in lines[-1]
        assert all(line.isprintable() for line in [*lines, *advice(seen, NAMES, "sv")])


def test_of_a_view_that_cannot_be_true_nothing_is_counted() -> None:
    seen = view("4 7 9 2", 4)
    assert len(advice(replace(seen, gone=(Card.N4,) * 3), NAMES, "en")) == 1
    assert len(advice(replace(seen, origins=(0, 0, 2, 3)), NAMES, "en")) == 1


@pytest.mark.parametrize(
    ("chance", "shown"),
    [
        (Fraction(0), "0"),
        (Fraction(1, 1000), "<1"),
        (Fraction(1, 200), "0"),
        (Fraction(1, 3), "33"),
        (Fraction(999, 1000), ">99"),
        (Fraction(1), "100"),
    ],
)
def test_what_may_happen_is_not_said_to_be_impossible(chance: Fraction, shown: str) -> None:
    assert percent(chance) == shown


# --- why --------------------------------------------------------------------------------------------------------------


def stood_to_the_end(client: Client, table: Table, outlet: object) -> int:
    """Stand or refuse at every question until a hand has ended; how many answers it took."""
    answers = 0
    hand = table.match.number
    while table.match.number == hand:
        stands = bool(table.match.legal(0) & 1)
        client.type("stand" if stands else "no")
        table.act(Action.STAND if stands else Action.REFUSE)
        client.hear(wire.Ok(id=client.sent[-1].id))
        answers += 1
        table.step()
        client.hear(*outlet.take())  # type: ignore[attr-defined]  # an Outlet
    return answers


def test_after_a_hand_every_decision_of_it_is_explained() -> None:
    client, outlet, table = at_table()
    first = observe(table.match, 0)
    answers = stood_to_the_end(client, table, outlet)
    lines = client.forget().type("why").lines
    assert sum(line.startswith("You held ") for line in lines) == answers
    assert sum("a sharp computer would" in line for line in lines) == answers
    assert lines[-1] in {"At the end you lost a life.", "At the end you lost no life."}
    assert [line.strip() for line in lines[1:3]] == [
        line.removeprefix("Coach: ") for line in advice(first, client.core.model.names, "en")[:2]
    ]
    assert not client.sent


def test_the_last_hand_is_explained_also_when_we_have_left() -> None:
    client, outlet, table = at_table()
    stood_to_the_end(client, table, outlet)
    told = client.forget().type("why").lines
    client.type("leave").type("leave")
    client.hear(wire.Ok(id=client.sent[-1].id))
    assert client.core.model.room is None
    assert client.forget().type("why").lines == told


def test_in_a_hand_the_last_decision_is_explained_unless_the_room_wishes_no_coach() -> None:
    client, outlet, table = at_table()
    stands = bool(table.match.legal(0) & 1)
    client.type("stand" if stands else "no")
    assert client.forget().type("varför").lines[0].startswith("You held ")
    wish(client, wire.Coach.OFF)
    assert client.forget().type("why").lines == ["There is no decision of yours to explain."]
    assert outlet is not None


def test_where_no_coach_is_wished_a_hand_that_is_over_is_still_explained() -> None:
    client, outlet, table = at_table()
    wish(client, wire.Coach.OFF)
    stood_to_the_end(client, table, outlet)
    wish(client, wire.Coach.OFF)
    assert client.forget().type("why").lines[0].startswith("You held ")


def test_an_answer_that_did_not_count_is_none() -> None:
    client, _, table = at_table()
    client.type("stand" if table.match.legal(0) & 1 else "no")
    client.hear(wire.Refused(id=client.sent[-1].id, code=wire.RefusalCode.OLD_TURN))
    assert client.forget().type("why").lines == ["There is no decision of yours to explain."]


def test_what_came_of_a_swap_is_told() -> None:
    client, outlet, table = at_table()
    while not table.match.legal(0) & 1 << Action.SWAP or table.match.hand is None or table.match.to_act != 0:
        table.act(Action.REFUSE)
        table.step()
    client.hear(*outlet.take())
    holding(client, Card.N4)
    client.type("swap")
    table.act(Action.SWAP)
    client.hear(wire.Ok(id=client.sent[-1].id))
    table.step()
    client.hear(*outlet.take())
    lines = client.forget().type("why").lines
    assert any(line.startswith("  What came of it: ") for line in lines)


def test_who_looks_on_is_told_that_the_coach_speaks_to_players_only() -> None:
    client = in_room()
    assert len(client.type("coach on").lines) == 1
    client.core.model = replace(client.core.model, seat=None)
    assert client.forget().type("coach on").lines[-1] == "It speaks to players only, and you are watching."
    assert client.forget().type("coach off").lines == ["The coach is off. coach on turns it on."]


def test_before_anything_is_decided_there_is_nothing_to_explain() -> None:
    assert in_lobby().type("why").lines == ["There is no decision of yours to explain."]
    assert in_lobby(plan=replace(PLAN, lang="sv")).type("varför").lines == [
        "Det finns inget beslut av dig att förklara."
    ]
