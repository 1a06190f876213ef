"""How fast the rules are on one core: `python tests/bench/hands.py [--json] [--seconds S]`.

A measurement, not a test; in time of the processor, so that others on the machine count little, and in short turns, so
that all have the same of what is left; figures are medians of the turns. Matches are whole, of pots at four seats.

A *decision* is one question answered by a seat. In the rows `rules` everybody plays by whim: each question comes with
the view of the seat, one of its legal actions is drawn, and every event is looked at. OpenSpiel, whose core is C++,
plays its poker so beside it if it is installed: the same loop, without and with a view (its tensor) for each decision.
The rows `arena` play whole matches through the loop that arenas use; the trivial player swaps a card under 7 and
answers no ask.
"""

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from random import Random
from statistics import median
from time import process_time
from typing import Final, TypeAlias

from kille_net.arena.play import Packs, play_match
from kille_net.bots import BUILT_IN, Bot, as_bot
from kille_net.cli.columns import columns
from kille_net.game import hand as rules_module
from kille_net.game.actions import Action, Phase
from kille_net.game.cards import Card
from kille_net.game.events import Showdown
from kille_net.game.match import Match
from kille_net.game.rules import Ruleset
from kille_net.game.shuffle import Seeded, match_id_of
from kille_net.game.views import View, observe

SEATS: Final = 4
RULES: Final = Ruleset.for_seats(SEATS)
SEED: Final = "bench"
TURNS: Final = 7
"""Of each case, in which all take part one after the other."""
PEER: Final = "leduc_poker"
"""The game of OpenSpiel, without views, to which decisions are compared."""

Played: TypeAlias = tuple[int, int]
"""Decisions, or 0 where they are not counted; hands, or 0 likewise."""
Case: TypeAlias = Callable[[int], Played]
"""Plays the match of that number."""


@dataclass(frozen=True, slots=True)
class Found:
    """A second; 0: not counted."""

    decisions: float
    hands: float
    of_peer: float | None = None
    """Decisions, to those of the PEER in the same turn."""


def shuffled_now(number: int) -> Packs:
    return Seeded(SEED, match_id_of(SEED, number)).pack


POOL: Final = [Seeded(SEED, match_id_of(SEED, 0)).pack(hand, 0) for hand in range(5_000)]


def shuffled_before(number: int) -> Packs:
    return lambda hand, redeal: POOL[(37 * number + hand + 4_001 * redeal) % len(POOL)]


def by_whim(packs_of: Callable[[int], Packs], number: int) -> Played:
    """Everybody answers by whim, through the rules alone."""
    decisions = hands = 0
    packs = packs_of(number)
    whim = Random(number).random
    match = Match(RULES, SEATS, number % SEATS)
    while (seat := match.to_act) is not None or match.wants_pack:
        if seat is None:
            events = match.deal(packs(*match.next_pack))
        else:
            legal = observe(match, seat).legal
            events = match.act(seat, legal[int(whim() * len(legal))])
            decisions += 1
        for event in events:
            if isinstance(event, Showdown):
                hands += 1
    return decisions, hands


def trivial(view: View) -> Action:
    if view.phase is not Phase.TURN:
        return Action.REFUSE
    return Action.SWAP if view.card < Card.N7 else Action.STAND


def through_arena(make: Callable[[], list[Bot]], packs_of: Callable[[int], Packs], number: int) -> Played:
    match = Match(RULES, SEATS, number % SEATS)
    play_match(match, make(), packs_of(number))
    return 0, match.number


def peers() -> dict[str, Case]:
    """What OpenSpiel has, where it is installed."""
    try:
        import pyspiel  # noqa: PLC0415  an extra, see pyproject.toml
    except ImportError:
        return {}

    def episodes(name: str, number: int, *, views: bool) -> Played:
        """As many as a match of ours has hands, or so."""
        decisions = 0
        game = pyspiel.load_game(name)
        whim = Random(number).random
        for _ in range(60):
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    chances = state.chance_outcomes()
                    state.apply_action(chances[int(whim() * len(chances))][0])
                    continue
                if views:
                    state.information_state_tensor()
                legal = state.legal_actions()
                state.apply_action(legal[int(whim() * len(legal))])
                decisions += 1
        return decisions, 0

    games = (PEER, "kuhn_poker")
    return {
        **{f"OpenSpiel, {name}": partial(episodes, name, views=False) for name in games},
        **{f"OpenSpiel, {name}, with views": partial(episodes, name, views=True) for name in games},
    }


def cases() -> dict[str, Case]:
    def trivials() -> list[Bot]:
        return [as_bot(trivial)] * SEATS

    def built_in(name: str) -> list[Bot]:
        return [BUILT_IN[name](Random(seat)) for seat in range(SEATS)]

    return {
        "rules, packs shuffled before": partial(by_whim, shuffled_before),
        "rules, with the shuffle": partial(by_whim, shuffled_now),
        **peers(),
        "arena, packs shuffled before": partial(through_arena, trivials, shuffled_before),
        "arena, with the shuffle": partial(through_arena, trivials, shuffled_now),
        **{
            f"arena, with the shuffle, {name}": partial(through_arena, partial(built_in, name), shuffled_now)
            for name in BUILT_IN
        },
    }


def a_turn(play: Case, first: int, seconds: float) -> Found:
    """From the match of that number on."""
    decisions = hands = 0
    number = first
    began = process_time()
    while (took := process_time() - began) < seconds:
        more_decisions, more_hands = play(number)
        decisions += more_decisions
        hands += more_hands
        number += 1
    return Found(decisions / took, hands / took)


def report(*, seconds: float) -> dict[str, Found]:
    """By what plays; `seconds`: for each, in all turns together."""
    playing = cases()
    turns = [
        {name: a_turn(play, 1_000 * turn, seconds / TURNS) for name, play in playing.items()} for turn in range(TURNS)
    ]
    peer = f"OpenSpiel, {PEER}"

    def found(name: str) -> Found:
        decisions = median(turn[name].decisions for turn in turns)
        of_peer = None
        if decisions and peer in playing:
            of_peer = median(turn[name].decisions / turn[peer].decisions for turn in turns)
        return Found(decisions, median(turn[name].hands for turn in turns), of_peer)

    return {name: found(name) for name in playing}


def lines(found: dict[str, Found]) -> list[str]:
    """As a table."""

    def shown(number: float) -> str:
        return f"{number:,.0f}" if number else ""

    rows = [
        (name, shown(one.decisions), shown(one.hands), "" if one.of_peer is None else f"{one.of_peer:.2f}")
        for name, one in found.items()
    ]
    return [f"rules: {how_run()}", *columns([("", "decisions/s", "hands/s", f"of {PEER}"), *rows])]


def how_run() -> str:
    return "Python" if str(rules_module.__file__).endswith(".py") else "compiled"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.add_argument("--seconds", type=float, default=2.0, help="for each row")
    given = parser.parse_args()
    found = report(seconds=given.seconds)
    if given.json:
        told = {"seats": SEATS, "rules": how_run(), "found": {name: asdict(one) for name, one in found.items()}}
        sys.stdout.write(json.dumps(told, indent=2) + "\n")
    else:
        sys.stdout.write("".join(f"{line}\n" for line in lines(found)))


if __name__ == "__main__":
    main()
