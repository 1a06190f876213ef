"""Whether a tournament's plan makes sense, and what follows from it.

Owns what contradicts what. Refuses to know who takes part.
"""

from typing import Final

from kille_net.wire.messages import Options, Plan, TournamentKind, Watching

__all__ = ["is_sound", "options_of_table", "waits_for_start"]

_FEWEST: Final = 2


def is_sound(plan: Plan) -> bool:
    """Whether nothing in it contradicts anything else, and no table of it could last for ever."""
    options, kind = plan.options, plan.kind
    return (
        options.clock > 0
        and plan.number <= plan.most
        and options.computers <= plan.most
        and (kind is not TournamentKind.KNOCK_OUT or plan.through <= max(1, options.seats // 2))
        and not (kind is TournamentKind.LADDER and (plan.number or plan.start or plan.check_in or plan.duplicate))
        and not (kind is TournamentKind.KNOCK_OUT and plan.duplicate)
        and not (plan.start and plan.check_in > plan.start)
    )


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
