"""Whole matches by whim, with their records: material for tests of records, referees and replays."""

from random import Random

from kille_net.game.actions import Action, actions_of
from kille_net.game.events import Event
from kille_net.game.match import Match, Stage
from kille_net.game.record import By, Line, MatchLine, Recorder, SeatLabel
from kille_net.game.rules import Format, HarlekinRank, Ruleset, Seat
from kille_net.game.shuffle import Seeded, match_id_of

SEED = "by whim"


def header(ruleset: Ruleset, seats: int, number: int = 0, packs_of: bytes | None = None) -> MatchLine:
    chance = Seeded(SEED, match_id_of(SEED, number), packs_of)
    labels = (SeatLabel("Åsa"), *(SeatLabel(f"Bot {seat}", "random") for seat in range(1, seats)))
    return MatchLine(
        id=chance.match_id,
        rules=ruleset,
        seats=labels,
        first_dealer=chance.first_dealer(seats),
        shuffle=chance.told(),
    )


def whim_of(number: int) -> Random:
    return Random(number)


def choose(match: Match, whim: Random) -> tuple[Seat, Action]:
    """Any legal action of any seat that has one; an ask is declined now and then."""
    open_to = [(seat, action) for seat in range(match.seats) for action in actions_of(match.legal(seat))]
    return whim.choice(open_to)


def played(
    number: int, seats: int, ruleset: Ruleset, *, hands: int | None = None, packs_of: bytes | None = None
) -> tuple[list[Line], list[list[Event]], Match]:
    """A match, played to its end or broken off after so many hands; its lines, its events step by step, its end."""
    first = header(ruleset, seats, number, packs_of)
    recorder = Recorder(first)
    seeded = Seeded(SEED, first.id, packs_of)
    match = Match(ruleset, seats, first.first_dealer)
    whim = whim_of(number)
    lines: list[Line] = [first]
    steps: list[list[Event]] = []
    while match.stage is not Stage.OVER:
        if match.wants_pack:
            pack = seeded.pack(*match.next_pack)
            steps.append(match.deal(pack))
            lines += recorder.dealt(pack, steps[-1])
        elif match.number == hands:
            lines += recorder.broken_off("the power went")
            break
        else:
            seat, action = choose(match, whim)
            steps.append(match.act(seat, action))
            lines += recorder.acted(seat, action, steps[-1], t=whim.randrange(90) / 4, by=whim.choice(list(By)))
    return lines, steps, match


def some_matches(number: int) -> tuple[list[Line], list[list[Event]], Match]:
    """The same match for the same number, of all formats, sizes and options in turn."""
    ruleset = Ruleset(
        format=list(Format)[number % 2], dealt_harlekin=list(HarlekinRank)[number // 2 % 2], pots=1 + number % 3
    )
    return played(number, 2 + number % 7, ruleset)
