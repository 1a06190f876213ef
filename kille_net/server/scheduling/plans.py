"""Whether a tournament's plan makes sense, and what follows from it.

Owns what contradicts what. Refuses to know who takes part.
"""

from collections.abc import Callable
from typing import Final

from kille_net.wire.messages import Options, Plan, TournamentKind, Watching

__all__ = ["contradiction", "is_sound", "options_of_table", "waits_for_start"]

_FEWEST: Final = 2


def _is_too_many_through(plan: Plan) -> bool:
    return plan.kind is TournamentKind.KNOCK_OUT and plan.through > max(1, plan.options.seats // 2)


def _is_for_no_ladder(plan: Plan) -> bool:
    return plan.kind is TournamentKind.LADDER and bool(plan.number or plan.start or plan.check_in or plan.duplicate)


_CONTRADICTIONS: Final[tuple[tuple[str, Callable[[Plan], bool]], ...]] = (
    ("clock", lambda plan: plan.options.clock == 0),
    ("number", lambda plan: plan.number > plan.most or 0 < plan.number <= plan.options.computers),
    ("computers", lambda plan: plan.options.computers > plan.most),
    ("through", _is_too_many_through),
    ("kind", _is_for_no_ladder),
    ("duplicate", lambda plan: plan.kind is TournamentKind.KNOCK_OUT and plan.duplicate),
    ("check_in", lambda plan: 0 < plan.start < plan.check_in),
)
"""Each setting → when it cannot be so: others contradict it, nobody could play, or a table could last for ever."""


def contradiction(plan: Plan) -> str | None:
    """The first setting that cannot be so; None: the plan makes sense."""
    return next((setting for setting, is_wrong in _CONTRADICTIONS if is_wrong(plan)), None)


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
