"""How the entrants of a tournament stand, as JSON has it for programs.

Owns the names of the fields, and that scores are told in points. Refuses to know who asks.
"""

from typing import Any, Final

from kille_net.server.tournament.saved import TournamentSaved
from kille_net.server.tournament.scoring import POINT
from kille_net.server.tournament.standings import occupant, standings
from kille_net.wire.messages import TournamentKind

__all__ = ["DECIMALS", "told"]

_RATING: Final = 100
"""A rating is told in hundredths."""
DECIMALS: Final = 4
"""Enough to tell all scores apart."""


def told(saved: TournamentSaved) -> list[dict[str, Any]]:
    """The best one first."""
    unit = _RATING if saved.state.plan.kind is TournamentKind.LADDER else POINT

    def points(units: float | None) -> float | None:
        return None if units is None else round(units / unit, DECIMALS)

    return [
        {
            "rank": one.rank,
            "number": one.entry.number,
            "name": one.entry.name,
            "kind": occupant(one.entry).value,
            "level": one.entry.level,
            "status": one.entry.status.value,
            "score": points(one.score),
            "played": one.played,
            "wins": one.wins,
            "opponents": points(one.opponents),
            "mean": points(one.mean),
            "margin": points(one.margin),
            "plain_margin": points(one.plain_margin),
        }
        for one in standings(saved)
    ]
