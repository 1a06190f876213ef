"""The matches in a server's store, read while it may be in use: a page of them, one, its record, standings, ratings.

Owns the questions that are asked of the store. Refuses to change it, to show how they are answered, and to let out
anything of a match that is still played but who plays and what all at the table know.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Annotated, Any, Final, TypeAlias

import msgspec

from kille_net.game.reading import parse_line
from kille_net.game.record import By, EndLine, MatchLine, to_json
from kille_net.game.shuffle import ID_SIZE, again
from kille_net.server.rating import Rating, Result, Unrated, ratings, why_unrated
from kille_net.server.reader import Reader
from kille_net.server.store import record_of
from kille_net.wire.text import name_key

__all__ = ["Entry", "History", "Kind", "Rated", "Several", "Standing", "StillPlayed", "Taken"]


_Moment: TypeAlias = Annotated[float, msgspec.Meta(ge=0.0, le=250_000_000_000.0)]
"""Seconds since 1970, before the year 9892, so that every clock can show it."""


class Kind(StrEnum):
    PERSON = "person"
    BOT = "bot"
    COMPUTER = "computer"


@dataclass(frozen=True, slots=True)
class Taken:
    """A seat of a match."""

    name: str
    kind: Kind
    level: str
    """Of a computer."""
    points: int
    """So far, or at the end."""
    place: int | None
    """From 1, ties sharing one; None: the match is still played, or was broken off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A match."""

    n: int
    id: str
    """32 hex digits."""
    room: str
    format: str
    length: str
    pots: int
    began: _Moment
    is_closed: bool
    """Whether nothing but who plays may be told of it yet, whether or not it is over: it looks like one that has just
    begun."""
    ended: _Moment | None
    """None: it is still played, or closed."""
    reason: str | None
    """Why it was broken off."""
    hands: int
    """That were played to their end."""
    seats: tuple[Taken, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How one player, or all computers of one level, have done in matches that were played to their end."""

    rank: int
    """From 1; who have done equally well share one."""
    name: str
    """Empty: computers."""
    player: int | None
    """Their own for ever, whoever else has the name; None: computers."""
    kind: Kind
    level: str
    matches: int
    wins: int
    points: int
    mean_place: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Rated:
    """How strong one player, or all computers of one level, are in one format."""

    rank: int
    """From 1, in the format; who are shown alike share one."""
    format: str
    name: str
    """Empty: computers."""
    player: int | None
    """Their own for ever, whoever else has the name; None: computers."""
    kind: Kind
    level: str
    rating: Rating


class StillPlayed(Exception):
    """Its record would tell the cards, of this match or of others that are played with the same packs."""


class Several(Exception):
    """More than one match has an id that begins so."""


_COLUMNS: Final = "n, id, room_name, header, began, closed, ended, reason, hands"
_IS_OPEN: Final = "ended IS NOT NULL AND NOT closed"
"""Whether all of a match may be read."""
_SEAT: Final = "name, player, is_bot, level, points, place"
_STANDINGS: Final = f"""
    SELECT max(name), player, is_bot, level, count(*), sum(place = 1), sum(points), avg(place)
    FROM seat JOIN match ON n = match
    WHERE {_IS_OPEN} AND place IS NOT NULL AND (player IS NOT NULL AND NOT is_bot OR :bots)
        AND (:format IS NULL OR format = :format) AND (:since IS NULL OR ended >= :since)
    GROUP BY player, is_bot, level
    ORDER BY 6 DESC, 7 DESC, 8, 1, level, player
"""


class History(Reader):
    def last(self, most: int, *, room: str | None = None, player: str | None = None) -> list[Entry]:
        """The matches that began last, the last one first; `player`: whoever, or whatever, of that name sat there."""
        tables, tests, values = "match", ["1"], []
        if player is not None:  # the order of the join and of its index is that of the answer
            tables = "seat CROSS JOIN match ON n = match"
            tests.append("key = ?")
            values.append(name_key(player))
        if room is not None:
            tests.append("room = ?")
            values.append(name_key(room))
        order = "n" if player is None else "match"
        sql = f"SELECT {_COLUMNS} FROM {tables} WHERE {' AND '.join(tests)} ORDER BY {order} DESC LIMIT ?"
        return self._entries(self._rows(sql, (*values, most)))

    def find(self, prefix: str) -> Entry | None:
        """The match whose id begins with these hex digits. Raises Several."""
        digits = 2 * ID_SIZE
        try:
            bounds = (bytes.fromhex(prefix.ljust(digits, "0")), bytes.fromhex(prefix.ljust(digits, "f")))
        except ValueError:
            return None
        if not prefix or len(prefix) > digits:
            return None
        found = self._entries(self._rows(f"SELECT {_COLUMNS} FROM match WHERE id BETWEEN ? AND ? LIMIT 2", bounds))
        if len(found) > 1:
            raise Several
        return found[0] if found else None

    def over(self) -> Iterator[tuple[int, str]]:
        """All matches that are over and not closed, by `n` and id, the first one first."""
        for number, match in self._rows(f"SELECT n, id FROM match WHERE {_IS_OPEN} ORDER BY n"):
            with self._understanding():
                digits = _hex(match)
            yield number, digits

    @property
    def playing(self) -> int:
        """How many matches are still played, or closed."""
        ((number,),) = self._rows(f"SELECT count(*) FROM match WHERE NOT ({_IS_OPEN})")
        assert isinstance(number, int)
        return number

    def record(self, n: int) -> str:
        """The lines of the match's record (protocol/record.md). Raises StillPlayed."""
        sql = f"SELECT {_IS_OPEN}, header, secret, reason, record FROM match WHERE n = ?"
        ((is_open, header, secret, reason, kept),) = self._rows(sql, (n,))
        if not is_open:
            raise StillPlayed
        with self._understanding():
            text = record_of(kept)
            if json.loads(text.rstrip("\n").rpartition("\n")[2])["type"] == "end":
                return text
            line = parse_line(header)
            if not isinstance(line, MatchLine):
                raise TypeError(line)
            points = self._rows("SELECT points FROM seat WHERE match = ? ORDER BY seat", (n,))
            end = EndLine(
                winner=None,
                points=tuple(own for (own,) in points),
                reason=reason,
                revealed=again(line.id, line.shuffle, secret).revealed(),
            )
        return f"{text}{to_json(end)}\n"

    def standings(
        self, *, bots: bool = False, format_: str | None = None, since: float | None = None
    ) -> list[Standing]:
        """Of persons, the best one first; or of `bots` and computers, too."""
        rows = self._rows(_STANDINGS, {"bots": bots, "format": format_, "since": since})
        standings: list[Standing] = []
        for _, equals in groupby(rows, key=lambda row: row[5:]):
            rank = len(standings) + 1
            for name, player, is_bot, level, matches, wins, points, mean in equals:
                found = {
                    "rank": rank,
                    "name": "" if player is None else name,
                    "player": player,
                    "kind": _kind(player, is_bot),
                    "level": level,
                    "matches": matches,
                    "wins": wins,
                    "points": points,
                    "mean_place": mean,
                }
                with self._understanding():
                    standings.append(msgspec.convert(found, Standing))
        return standings

    def ratings(self, *, bots: bool = False, format_: str | None = None) -> tuple[list[Rated], Counter[Unrated]]:
        """Of persons, or of `bots` and computers, too, by format, the best one first; how many results are not rated,
        and why. Whoever is shown, all results count.
        """
        numbers = self._rows(f"SELECT n FROM match WHERE {_IS_OPEN} ORDER BY ended, n")
        results = [result for (n,) in numbers if (result := self.result(n)) and format_ in {None, result.format}]
        unrated = Counter(why for result in results if (why := why_unrated(result)) is not None)
        who = self._everybody()
        found: list[Rated] = []
        for of_format, of_all in sorted(ratings(results).items()):
            shown = [(rating, *who[one]) for one, rating in of_all.items() if bots or who[one][2] is Kind.PERSON]
            shown.sort(key=lambda one: (-one[0].low, one[1], one[2] or 0, *one[3:]))
            for rating, name, player, kind, level in shown:
                rank = 1 + sum(other.low > rating.low for other, *_ in shown)
                found.append(
                    Rated(
                        rank=rank,
                        format=of_format,
                        name=name,
                        player=player,
                        kind=kind,
                        level=level,
                        rating=rating,
                    )
                )
        return found, unrated

    def result(self, n: int) -> Result | None:
        """How a match went, for the ratings; None: it is still played, or closed."""
        ((is_open, format_, record),) = self._rows(f"SELECT {_IS_OPEN}, format, record FROM match WHERE n = ?", (n,))
        if not is_open:
            return None
        seats = self._rows("SELECT seat, player, level, place FROM seat WHERE match = ? ORDER BY seat", (n,))
        with self._understanding():
            stood_in = _stood_in(record_of(record))
            sittings = [
                {"who": _who(player, level), "place": place, "stood_in": seat in stood_in, "computer": player is None}
                for seat, player, level, place in seats
            ]
            return msgspec.convert({"format": format_, "sittings": sittings}, Result)

    def _everybody(self) -> dict[str, tuple[str, int | None, Kind, str]]:
        """The last name of each, their number, what they are, and the level of computers."""
        rows = self._rows("SELECT player, is_bot, level, name FROM seat ORDER BY match")
        with self._understanding():
            return {
                _who(player, level): msgspec.convert(
                    ("" if player is None else name, player, _kind(player, is_bot), level),
                    tuple[str, int | None, Kind, str],
                )
                for player, is_bot, level, name in rows
            }

    # --- rows -----------------------------------------------------------------------------------------------------

    def _entries(self, rows: Iterable[Any]) -> list[Entry]:
        entries = []
        for n, match, room, header, began, is_closed, ended, reason, hands in rows:
            seats = self._rows(f"SELECT {_SEAT} FROM seat WHERE match = ? ORDER BY seat", (n,))
            with self._understanding():
                rules = json.loads(header)["rules"]
                found = {
                    "n": n,
                    "id": _hex(match),
                    "room": room,
                    "format": rules["format"],
                    "length": rules["length"],
                    "pots": rules["pots"],
                    "began": began,
                    "is_closed": bool(is_closed),
                    "ended": None if is_closed else ended,
                    "reason": None if is_closed else reason,
                    "hands": 0 if is_closed else hands,
                    "seats": [
                        {
                            "name": name,
                            "kind": _kind(player, is_bot),
                            "level": level,
                            "points": 0 if is_closed else points,
                            "place": None if is_closed else place,
                        }
                        for name, player, is_bot, level, points, place in seats
                    ],
                }
                entries.append(msgspec.convert(found, Entry))
        return entries


def _who(player: int | None, level: str) -> str:
    return f"level {level}" if player is None else f"player {player}"


def _stood_in(record: str) -> set[int]:
    """The seats that a computer has played for."""
    if f'"{By.STAND_IN.value}"' not in record:
        return set()
    hands = [line for line in map(json.loads, record.splitlines()) if line["type"] == "hand"]
    return {one["seat"] for hand in hands for one in hand["actions"] if one.get("by") == By.STAND_IN.value}


def _hex(match: object) -> str:
    if not isinstance(match, bytes):
        raise TypeError(match)
    return match.hex()


def _kind(player: int | None, is_bot: int) -> Kind:
    if player is None:
        return Kind.COMPUTER
    return Kind.BOT if is_bot else Kind.PERSON
