"""How many hands a second one core plays: `python tests/bench/hands.py [--json] [--seconds S]`.

A measurement, not a test; in time of the processor, so that others on the machine count little. The trivial player
swaps a card under 7 and answers no ask; it plays whole matches of pots at four seats, through the loop that arenas use
and through the engine alone, with the shuffle and from packs that are shuffled beforehand.
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from random import Random
from time import process_time

from kille_net.arena.play import Packs, play_match
from kille_net.bots import BUILT_IN, Bot, as_bot
from kille_net.game.actions import Action, Phase
from kille_net.game.cards import Card
from kille_net.game.match import Match, Stage
from kille_net.game.rules import Ruleset
from kille_net.game.shuffle import Seeded, match_id_of
from kille_net.game.views import View

SEATS = 4
RULES = Ruleset.for_seats(SEATS)
SEED = "bench"


def trivial(view: View) -> Action:
    if view.phase is not Phase.TURN:
        return Action.REFUSE
    card = view.card
    assert card is not None
    return Action.SWAP if card < Card.N7 else Action.STAND


def through_arena(match: Match, bots: list[Bot], packs: Packs) -> None:
    play_match(match, bots, packs)


def through_engine(match: Match, _bots: list[Bot], packs: Packs) -> None:
    """The same play, by one who sees the table: no view is made."""
    while match.stage is not Stage.OVER:
        if match.wants_pack:
            match.deal(packs(*match.next_pack))
            continue
        hand = match.hand
        assert hand is not None
        callers = hand.kuku_seats()
        if callers:
            match.act(callers[0], Action.KUKU)
            continue
        seat = hand.to_act
        assert seat is not None
        if hand.phase is not Phase.TURN:
            match.act(seat, Action.REFUSE)
        else:
            card = hand.table.card(seat)
            assert card is not None
            match.act(seat, Action.SWAP if card < Card.N7 else Action.STAND)


def shuffled_now(number: int) -> Packs:
    return Seeded(SEED, match_id_of(SEED, number)).pack


POOL = [Seeded(SEED, match_id_of(SEED, 0)).pack(hand, 0) for hand in range(5_000)]


def shuffled_before(number: int) -> Packs:
    return lambda hand, redeal: POOL[(37 * number + hand + 4_001 * redeal) % len(POOL)]


def measure(
    play: Callable[[Match, list[Bot], Packs], None],
    packs_of: Callable[[int], Packs],
    bots: Callable[[], list[Bot]],
    seconds: float,
) -> float:
    """Hands a second."""
    hands = number = 0
    began = process_time()
    while (took := process_time() - began) < seconds:
        match = Match(RULES, SEATS, number % SEATS)
        play(match, bots(), packs_of(number))
        hands += match.number
        number += 1
    return hands / took


def report(*, seconds: float) -> dict[str, float]:
    """Hands a second, by what plays them; `seconds`: for each measurement."""

    def trivials() -> list[Bot]:
        return [as_bot(trivial)] * SEATS

    def built_in(name: str) -> Callable[[], list[Bot]]:
        return lambda: [BUILT_IN[name](Random(seat)) for seat in range(SEATS)]

    cases = {
        "engine alone, packs shuffled before": (through_engine, shuffled_before, trivials),
        "engine alone, with the shuffle": (through_engine, shuffled_now, trivials),
        "arena, packs shuffled before": (through_arena, shuffled_before, trivials),
        "arena, with the shuffle": (through_arena, shuffled_now, trivials),
        **{f"arena, with the shuffle, {name}": (through_arena, shuffled_now, built_in(name)) for name in BUILT_IN},
    }
    return {name: measure(*case, seconds) for name, case in cases.items()}


def lines(hands_per_second: Mapping[str, float]) -> list[str]:
    return [f"{name:40} {hands:10,.0f} hands/s" for name, hands in hands_per_second.items()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.add_argument("--seconds", type=float, default=2.0, help="for each measurement")
    given = parser.parse_args()
    found = report(seconds=given.seconds)
    if given.json:
        sys.stdout.write(json.dumps({"seats": SEATS, "hands_per_second": found}, indent=2) + "\n")
    else:
        sys.stdout.write("".join(f"{line}\n" for line in lines(found)))


if __name__ == "__main__":
    main()
