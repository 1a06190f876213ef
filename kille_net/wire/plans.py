"""What of a tournament's plan contradicts the rest of it (protocol/v1/protocol.md §6.13).

For servers, which refuse such a plan, and for clients, which say what is wrong with it before they ask. Refuses to know
who takes part.
"""

from collections.abc import Callable
from typing import Final

from kille_net.wire.messages import Plan, TournamentKind

__all__ = ["contradiction"]


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
