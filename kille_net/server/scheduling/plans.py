"""Whether a tournament's plan makes sense, and what follows from it.

Refuses to know what contradicts what (`wire.plans` does), and who takes part.
"""

from typing import Final

from kille_net.wire.messages import Options, Plan, TournamentKind, Watching
from kille_net.wire.plans import contradiction

__all__ = ["is_sound", "options_of_table", "waits_for_start"]

_FEWEST: Final = 2


def is_sound(plan: Plan) -> bool:
    return contradiction(plan) is None


def options_of_table(plan: Plan, seats: int) -> Options:
    """What a table of so many seats plays: whoever sits there was called, and nobody sees duplicates before time."""
    options = plan.options
    return Options(
        seats=max(seats, _FEWEST),
        format=options.format,
        length=options.length,
        dealt_harlekin=options.dealt_harlekin,
        pots=options.pots,
        computers=0,
        level=options.level,
        clock=options.clock,
        pace=options.pace,
        window=options.window,
        rest=options.rest,
        watching=Watching.NOBODY if plan.duplicate else options.watching,
        coach=options.coach,
    )


def waits_for_start(plan: Plan) -> bool:
    """Whether there is a time of signing up before it begins."""
    return plan.kind is not TournamentKind.LADDER
