"""A table at which one is rude and two are not, and what came of it."""

import secrets
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from examples.raw_client import OPTIONS, Line, Message, Player
from tests.rude.manners import ENDS, MANNERS, Ear, said

__all__ = ["Outcome", "Server", "sit"]

L = TypeVar("L", bound=Line)
P = TypeVar("P", bound=Player)

OPTIONS_HERE = OPTIONS | {
    "seats": 3, "format": "pots", "length": "short", "pots": 1, "clock": 1, "pace": 0, "window": 0, "rest": 0
}  # fmt: skip
_SECONDS = 60.0
"""For a table to be played to its end, and again until the rude one has seen what comes of it."""
_THINKS = 0.25
"""Seconds, at each of its first…"""
_THOUGHTS = 4
"""…questions."""
_DOOR = threading.Lock()
"""One comes in at a time: a server has few places for those who are not welcomed yet."""


class Honest(Player):
    """Thinks at first, which leaves time to be rude, and says nothing aloud."""

    thoughts = _THOUGHTS

    def act(self) -> None:
        if self.thoughts:
            self.thoughts -= 1
            time.sleep(_THINKS)
        super().act()

    def tell(self, end: Message) -> None:
        pass


@dataclass(frozen=True)
class Server:
    host: str
    port: int
    pin: str | None = None
    """The fingerprint of its key, where it speaks TLS."""

    def knock(self) -> None:
        """Come and go. Raises `ENDS`."""
        line = self.line(Line)
        try:
            Player(line, f"R{secrets.token_hex(2)} knock")
        finally:
            line.bye("done")

    def line(self, kind: Callable[[str, int, str | None], L]) -> L:
        """A new one. Raises `ENDS`."""
        return kind(self.host, self.port, self.pin)


@dataclass
class Outcome:
    faults: list[str] = field(default_factory=list)
    """What the server has done wrong; none: it held."""
    refused: dict[str, int] = field(default_factory=dict)
    ended: str = ""
    """How the server has parted from the rude one, if it has."""
    note: str = ""
    """What could not be seen of it."""


def sit(server: Server, manner: str) -> Outcome:
    """Play a match with one of that manner."""
    kind, outcome = MANNERS[manner], Outcome()
    table = f"{secrets.token_hex(2)} {manner}"[:15].strip()  # a server keeps the names of those whom it parted from
    with ExitStack() as lines:

        def enter(player_of: Callable[[L, str], P], line: L, name: str) -> P:
            lines.callback(line.bye, "done")
            player = player_of(line, f"{name}{table}")
            player.enter(table, OPTIONS_HERE, watch=False)
            return player

        try:
            with _DOOR:
                honest = [enter(Honest, server.line(Line), name) for name in ("A", "B")]
                rude = enter(kind, server.line(partial(Ear, is_narrow=kind.is_narrow)), "R")
        except ENDS as end:
            outcome.faults.append(f"let nobody sit down: {said(end)}")
            return outcome
        players = [threading.Thread(target=_play, args=(player, outcome.faults), daemon=True) for player in honest]
        boor = threading.Thread(target=rude.run, daemon=True)
        for thread in (*players, boor):
            thread.start()
        until = time.monotonic() + _SECONDS
        for thread in players:
            thread.join(max(0.0, until - time.monotonic()))
        if any(thread.is_alive() for thread in players):
            outcome.faults.append("the table was not played to its end")
        boor.join(0.0 if outcome.faults else _SECONDS)
        outcome.faults += rude.faults()
        outcome.refused, outcome.ended, outcome.note = dict(rude.refused), rude.ended, rude.note
    return outcome


def _play(player: Player, faults: list[str]) -> None:
    """As anybody does, to the end of one match."""
    try:
        player.play(1, watch=False, tournament=False)
    except ENDS as end:
        faults.append(f"an honest player could not play on: {said(end)}")
    faults += [f"an honest player was told two things: {difference}" for difference in player.table.differences]
