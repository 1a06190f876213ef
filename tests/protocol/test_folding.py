"""§7.2, §7.3, §7.5: events folded by the text alone give the views that are sent; and who sees what (§7.6)."""

import json
import random
from typing import TypeAlias

import msgspec
import pytest

from kille_net import translate
from kille_net.game.actions import Action, actions_of
from kille_net.game.cards import FULL_PACK
from kille_net.game.match import Match, Stage
from kille_net.game.rules import Format, HarlekinRank, Ruleset
from kille_net.game.views import observe, redact
from kille_net.wire import EVENTS, MESSAGE_TYPES, GameEvent, Role, encode
from tests.protocol.documents import Talk, plain, talks
from tests.protocol.folding import FOLDS, UNCHANGED, Fields, fold

TABLE = {"short": 6, "standard": 12, "long": 18}
THREE = {"short": 4, "standard": 8, "long": 12}
FOUR = {"short": 3, "standard": 6, "long": 9}
POTS = {2: TABLE, 3: THREE, 4: FOUR}
"""§11.7, as far as the sessions go."""


def test_every_event_of_the_game_has_a_fold() -> None:
    assert set(FOLDS) == {tag for tag, kind in MESSAGE_TYPES.items() if kind in EVENTS} - UNCHANGED


def rules_of(options: Fields) -> Fields:
    names = ("format", "length", "dealt_harlekin")
    pots = options["pots"] or POTS[options["seats"]][options["length"]]
    return {**{name: options[name] for name in names}, "pots": pots}


@pytest.mark.parametrize(
    "talk",
    [talk for talk in talks() if any(line.message and line.message["t"] == "hand" for line in talk.lines)],
    ids=lambda talk: talk.name,
)
def test_a_session_asks_with_the_view_that_its_events_give(talk: Talk) -> None:
    view: Fields | None = None
    rules: Fields = {}
    name = ""
    is_back = False
    seat: int | None = None
    for line in talk.lines:
        message = line.message
        if not message or line.sender is not Role.SERVER:
            continue
        match message["t"]:
            case "welcome":
                name = message["name"]
                is_back = message["resumed"] == "room"
            case "snapshot":
                view = message["view"] if is_back else view
                assert message["view"] == view
                rules = rules_of(message["room"]["options"])
                names = [state["name"] for state in message["room"]["seats"]]
                seat = names.index(name) if name in names else None
            case "ask":
                assert message["view"] == view
            case _ if "seq" in message:
                view = fold(view, message, rules=rules, seat=seat)
    assert view is not None


Step: TypeAlias = tuple[list[list[GameEvent]], list[Fields]]
"""Per event its forms by viewer, a spectator last; and each viewer's view after all of them."""


def play(seed: int) -> tuple[Fields, list[Step]]:
    """The rules of a random match, and its steps."""
    rng = random.Random(seed)
    seats = rng.randint(2, 8)
    ruleset = Ruleset.for_seats(
        seats, format=rng.choice([*Format]), dealt_harlekin=rng.choice([*HarlekinRank]), pots=rng.randint(1, 3)
    )
    match = Match(ruleset, seats, rng.randrange(seats))
    viewers: list[int | None] = [*range(seats), None]
    steps: list[Step] = []
    while match.stage is not Stage.OVER and len(steps) < 300:
        if match.wants_pack:
            events = match.deal(tuple(rng.sample(FULL_PACK, 42)))
        else:
            seat = match.to_act
            assert seat is not None
            callers = [s for s in range(seats) if match.legal(s) >> Action.KUKU & 1]
            if callers and rng.random() < 0.2:
                seat = callers[0]
            events = match.act(seat, rng.choice(actions_of(match.legal(seat))))
        told = [[translate.to_event(redact(event, viewer), 0) for viewer in viewers] for event in events]
        steps.append((told, [view_of(match, viewer) for viewer in viewers]))
    rules: Fields = view_of(match, None)["rules"]
    return rules, steps


def view_of(match: Match, viewer: int | None) -> Fields:
    found: Fields = json.loads(msgspec.json.encode(translate.to_view(observe(match, viewer))))
    return found


@pytest.mark.parametrize("seed", range(60))
def test_folded_events_give_the_view(seed: int) -> None:
    rules, steps = play(seed)
    seats = len(steps[0][1]) - 1
    views: list[Fields | None] = [None] * (seats + 1)
    for told, after in steps:
        for viewer, expected in enumerate(after):
            for forms in told:
                views[viewer] = fold(
                    views[viewer], plain(forms[viewer]), rules=rules, seat=viewer if viewer < seats else None
                )
            folded = views[viewer]
            assert folded is not None
            if expected["to_act"] is not None:  # the turn that follows sets them
                folded["phase"], folded["to_act"] = expected["phase"], expected["to_act"]
            assert folded == expected


@pytest.mark.parametrize("seed", range(60))
def test_all_forms_of_an_event_have_one_length(seed: int) -> None:
    """§7.6"""
    for told, _ in play(seed)[1]:
        for forms in told:
            assert len({len(encode(form)) for form in forms}) == 1
