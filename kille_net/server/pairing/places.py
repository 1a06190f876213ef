"""Who sits in which place of a table, once it is known who sits at it.

Owns that everybody has every place alike. Refuses to change who meets whom.

The tables and the players are the two sides of a bipartite graph, a seat at a table an edge, and a place its colour.
Take every player's matches in groups of as many as there are places, in the order of the rounds: then no table and no
group has more edges than there are colours, so by Kőnig's theorem the edges can be coloured with no colour twice at a
table or in a group. So everybody has each place once in every whole group, and at most once in the one that is not
whole yet: after every round the places of a player differ by at most one. If some tables lack the last place, who has
it at the others is chosen first, and the other places are coloured after that.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from kille_net.server.pairing.tables import Entrant

__all__ = ["in_places", "most_even_places"]

_Edge: TypeAlias = tuple[int, int]


def in_places(rounds: Sequence[Sequence[Sequence[int]]]) -> list[list[tuple[int, ...]]]:
    """The same tables, each in the order of its seats; they are of one size, or of two that differ by one."""
    tables = [table for tables in rounds for table in tables]
    if not tables:
        return [[] for _ in rounds]
    most = max(map(len, tables))
    fewest = min(map(len, tables))
    edges = [(at, player) for at, table in enumerate(tables) for player in table]
    seats = [[-1] * len(table) for table in tables]
    if fewest < most:
        full = [at for at, table in enumerate(tables) if len(table) == most]
        last = set(zip(full, _evenly([tables[at] for at in full]), strict=True))
        for at, player in last:
            seats[at][most - 1] = player
        edges = [edge for edge in edges if edge not in last]
    for (at, player), place in zip(edges, _colours(edges, fewest), strict=True):
        seats[at][place] = player
    ordered = iter(seats)
    return [[tuple(next(ordered)) for _ in tables] for tables in rounds]


def _evenly(tables: Sequence[Sequence[int]]) -> list[int]:
    """One from each table, everybody as often as anybody, within one if that can be: an optimal semi-matching, which is
    there as soon as nobody can hand on a table, along others, to somebody with two fewer.
    """
    times: Counter[int] = Counter()
    chosen: list[int] = []
    for table in tables:
        chosen.append(min(table, key=lambda player: times[player]))
        times[chosen[-1]] += 1
    players = sorted({player for table in tables for player in table})
    for player in players:
        while times[player] >= min(times[other] for other in players) + 2 and (
            path := _to_fewer(tables, chosen, times, player)
        ):
            for at, heir in path:
                times[chosen[at]] -= 1
                times[heir] += 1
                chosen[at] = heir
    return chosen


def _to_fewer(
    tables: Sequence[Sequence[int]], chosen: Sequence[int], times: Counter[int], player: int
) -> list[tuple[int, int]]:
    """Tables with who shall have each from now on, the last of them somebody who has two fewer than the player."""
    paths: dict[int, list[tuple[int, int]]] = {player: []}
    reached = [player]
    for giver in reached:
        for at, table in enumerate(tables):
            if chosen[at] != giver:
                continue
            for heir in table:
                if heir not in paths:
                    paths[heir] = [*paths[giver], (at, heir)]
                    reached.append(heir)
                    if times[heir] <= times[player] - 2:
                        return paths[heir]
    return []


def _colours(edges: Sequence[_Edge], colours: int) -> list[int]:
    """A colour for each edge (table, player), in the order of the rounds; each table has at most so many edges."""
    seen: Counter[int] = Counter()
    groups: dict[tuple[int, int], int] = {}
    ends: list[_Edge] = []
    tables = 1 + max((at for at, _ in edges), default=0)
    for at, player in edges:
        group = groups.setdefault((player, seen[player] // colours), tables + len(groups))
        seen[player] += 1
        ends.append((at, group))
    at_vertex: list[list[int | None]] = [[None] * colours for _ in range(tables + len(groups))]
    """Which edge has a colour at a vertex."""
    coloured = [-1] * len(ends)
    for edge, (table, group) in enumerate(ends):
        free, other = at_vertex[table].index(None), at_vertex[group].index(None)
        if at_vertex[group][free] is not None:
            _swap(at_vertex, coloured, ends, start=group, colours=(free, other))
        coloured[edge] = free
        at_vertex[table][free] = at_vertex[group][free] = edge
    return coloured


def _swap(
    at_vertex: list[list[int | None]],
    coloured: list[int],
    ends: Sequence[_Edge],
    *,
    start: int,
    colours: tuple[int, int],
) -> None:
    """Change the two colours for each other along the path that begins at `start` with the first of them."""
    path: list[int] = []
    vertex, (colour, other) = start, colours
    while (edge := at_vertex[vertex][colour]) is not None:
        path.append(edge)
        vertex = sum(ends[edge]) - vertex
        colour, other = other, colour
    for edge in path:
        for end in ends[edge]:
            at_vertex[end][coloured[edge]] = None
    for edge in path:
        coloured[edge] = sum(colours) - coloured[edge]
        for end in ends[edge]:
            at_vertex[end][coloured[edge]] = edge


def most_even_places(table: Sequence[Entrant], had: Mapping[tuple[Entrant, int], int]) -> tuple[Entrant, ...]:
    """The table in an order of its seats in which each sits where they have sat seldom; `had`: how often who sat where.

    By the cheapest of all orders, found by the sets of players who sit in the first places.
    """
    best: dict[int, tuple[int, tuple[int, ...]]] = {0: (0, ())}
    for place in range(len(table)):
        longer: dict[int, tuple[int, tuple[int, ...]]] = {}
        for seated, (cost, order) in best.items():
            for player, entrant in enumerate(table):
                if not seated >> player & 1:
                    key = seated | 1 << player
                    candidate = (cost + 2 * had.get((entrant, place), 0) + 1, (*order, player))
                    longer[key] = min(longer.get(key, candidate), candidate)
        best = longer
    ((_, order),) = best.values()
    return tuple(table[player] for player in order)
