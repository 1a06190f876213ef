"""Round robin over tables of so many seats: everybody meets everybody, and sits everywhere, as evenly as can be.

Owns the schedule. Refuses to know of results, or of who drops out.

*The bounds.* A round of one layout has m pairs that meet, of the P = n(n-1)/2 that there are, so R rounds have mR
meetings. If P divides mR every pair may meet equally often; if not, no schedule has less than a difference of one
(`least_difference`). The same with places: T tables that have a place give RT sittings there to n players.
That of the places is always reached (`places`). That of the meetings is reached by constructions where one is known:
the circle method at tables of two, and else starters: tables of one round, which by adding 1, 2, … modulo the order of
a cyclic group give the others, so that all pairs with one difference meet equally often (`starters`). Where the players
are one fewer than fills the tables, one is left out of a schedule that fills them. Where no schedule is known to us
that reaches it, the best one that we know is taken; the test names them all.
"""

from collections.abc import Sequence
from math import gcd

from kille_net.server.pairing.mixing import Meetings, Tables, count, mixed
from kille_net.server.pairing.places import in_places
from kille_net.server.pairing.starters import LETTERS, STARTERS
from kille_net.server.pairing.tables import FEWEST, Entrant, Layout, Round, layout

__all__ = ["MOST_PLAYERS", "least_difference", "round_robin", "rounds_needed"]

MOST_PLAYERS = 64


def least_difference(things: int, among: int) -> int:
    """Between the most and the least that one of so many gets of so many things, however they are handed out."""
    return 0 if things % among == 0 else 1


def rounds_needed(players: int, seats: int) -> int:
    """For everybody to meet everybody: in the shortest schedule that we know and that is as even as can be."""
    return len(_whole(_checked(players), layout(players, seats)))


def round_robin(entrants: Sequence[Entrant], seats: int, rounds: int | None = None) -> tuple[Round, ...]:
    """So many rounds, `rounds_needed` if not said; the order of the entrants decides all of it."""
    players = _checked(len(entrants))
    plan = layout(players, seats)
    whole = _whole(players, plan)
    chosen = whole if rounds is None else _of_length(rounds, players, plan, whole)
    return tuple(
        Round(
            tuple(tuple(entrants[player] for player in table) for table in tables),
            tuple(entrants[player] for player in sorted(set(range(players)).difference(*tables))),
        )
        for tables in in_places(chosen)
    )


def _checked(players: int) -> int:
    if not FEWEST <= players <= MOST_PLAYERS:
        raise ValueError(f"a round robin is for {FEWEST} to {MOST_PLAYERS} players, not {players}")
    return players


def _of_length(rounds: int, players: int, plan: Layout, whole: list[Tables]) -> list[Tables]:
    """The whole schedule as often as it goes in, then its beginning or what a search finds, whichever is more even."""
    if rounds < 1:
        raise ValueError("a round robin has at least one round")
    times, rest = divmod(rounds, len(whole))
    if not rest:
        return whole * times
    beginning, searched = _none(players), _none(players)
    for meetings in (beginning, searched):
        count(meetings, whole, times)
    count(beginning, whole[:rest])
    if _difference(beginning) <= least_difference(plan.pairs * rounds, players * (players - 1) // 2):
        return whole * times + whole[:rest]
    found = mixed(plan, rest, searched)
    return whole * times + (found if _difference(searched) < _difference(beginning) else whole[:rest])


def _none(players: int) -> Meetings:
    return [[0] * players for _ in range(players)]


def _difference(meetings: Meetings) -> int:
    all_ = [row[other] for one, row in enumerate(meetings) for other in range(one)]
    return max(all_) - min(all_)


# --- whole schedules --------------------------------------------------------------------------------------------------


def _whole(players: int, plan: Layout) -> list[Tables]:
    widest = plan.sizes[0]
    if widest == players:
        return [[list(range(players))]]
    if widest == FEWEST:
        return _circle(players)
    if (players, widest) not in STARTERS and not (players + 1) % widest:
        return _without_last(_whole(players + 1, layout(players + 1, widest)))
    return _developed(players, plan)


def _circle(players: int) -> list[Tables]:
    """Everybody but the last goes round in a circle, and meets whoever is opposite; the last meets the one at the top,
    who sits out if the number is odd.
    """
    circle = players - 1 + players % 2
    return [
        [
            *([[turn, circle]] if circle < players else []),
            *([(turn + step) % circle, (turn - step) % circle] for step in range(1, circle // 2 + 1)),
        ]
        for turn in range(circle)
    ]


def _without_last(schedule: list[Tables]) -> list[Tables]:
    last = max(player for table in schedule[0] for player in table)
    return [
        sorted(([player for player in table if player != last] for table in tables), key=len, reverse=True)
        for tables in schedule
    ]


def _developed(players: int, plan: Layout) -> list[Tables]:
    """A starter's players are orbits of the group, one after the other, and then who stays where he is."""
    order, starters = STARTERS[players, plan.sizes[0]]
    moving = players // order * order
    return [
        _table_by_table(
            [
                one if one >= moving else one - one % order + (one + shift) % order
                for one in map(LETTERS.index, starter)
            ],
            plan,
        )
        for starter in starters
        for shift in _shifts(order, plan.byes)
    ]


def _table_by_table(players: Sequence[int], plan: Layout) -> Tables:
    """Who is left sits out."""
    tables, first = [], 0
    for size in plan.sizes:
        tables.append(list(players[first : first + size]))
        first += size
    return tables


def _shifts(order: int, byes: int) -> list[int]:
    """All of them, so ordered that neighbours who sit out do so one after the other round the circle."""
    common = gcd(order, byes)
    return [(turn * byes + turn // (order // common)) % order for turn in range(order)] if byes else list(range(order))
