"""What rude bots do, a class each, and what a server has to make of it.

Owns the manners. Refuses to know which server it is.
"""

import socket
import threading
from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from examples.raw_client import EndedError, Line, Message, Player

__all__ = ["DONE", "MANNERS", "Ear", "Rude"]

DONE: Final = "the table is done"
"""How a manner ends that waits for nothing else."""

_STILL: Final = 0.5
"""Seconds."""
_FLOOD: Final = 2_000
"""Commands."""
_HALF: Final = b"\x00\x00\x01\x00\x83"
"""The beginning of a frame of 256 bytes."""


class Ear(Line):
    """A line that remembers what was refused."""

    def __init__(self, host: str, port: int, pin: str | None) -> None:
        super().__init__(host, port, pin)
        self.refused: Counter[str] = Counter()

    def receive(self) -> Message:
        message = super().receive()
        if message["t"] == "no":
            self.refused[message["code"]] += 1
        return message


class Rude(Player):
    """An honest player but for its manner. It plays until its line ends or the match is over."""

    may_end: frozenset[str] = frozenset()
    """With which goodbyes a server may part from it, where it may."""
    must_refuse: frozenset[str] = frozenset()
    """With one of these codes a server has to refuse something that it does."""

    def __init__(self, line: "Ear", name: str, stop: threading.Event) -> None:
        """`stop` is set when the table is done."""
        super().__init__(line, name)
        self.refused = line.refused
        self.ended = ""
        """What the server said at the end of the line, if that was before the match's."""
        self._stop = stop

    def run(self) -> None:
        """Play as it does, and note what came of it."""
        try:
            self.play(1, watch=False, tournament=False)
        except (EndedError, OSError) as end:
            self.ended = str(end) or type(end).__name__

    def tell(self, end: Message) -> None:
        pass

    def await_end(self) -> None:
        """Do nothing more, until the table is done without it."""
        self._stop.wait(120)
        raise EndedError(DONE)

    def try_command(self, t: str, **fields: object) -> None:
        """Send one of which nothing is expected but that it is refused."""
        self.parts.add(self.command(t, **fields))  # whose refusal the honest part does not take amiss


class Hang(Rude):
    """Answers pings, and no question."""

    def act(self) -> None:
        pass


class StopReading(Rude):
    """At its first question it reads no more, and says nothing."""

    may_end = frozenset({"silent", "too_slow"})

    def act(self) -> None:
        self.await_end()


class StopAndGoOn(Rude):
    """Stands still for a while at each question, and goes on as if nothing had been."""

    def act(self) -> None:
        self._stop.wait(_STILL)
        super().act()


class HalfClose(Rude):
    """Closes its half of the line at its first question, and reads on."""

    may_end = frozenset({"line is lost"})

    def act(self) -> None:
        self.line.socket.shutdown(socket.SHUT_WR)


class Partial(Rude):
    """Sends half a frame at its first question, and the rest never."""

    may_end = frozenset({"too_slow", "silent"})

    def act(self) -> None:
        self.line.socket.sendall(_HALF)
        self.await_end()


class Flood(Rude):
    """Sends commands by the thousand, at its first question, before it answers."""

    may_end = frozenset({"flood"})
    has_flooded = False

    def act(self) -> None:
        if not self.has_flooded:
            self.has_flooded = True
            for _ in range(_FLOOD):
                self.try_command("pause", paused=True)
        super().act()


class AnswerTwice(Rude):
    """Answers each question twice, the second time otherwise."""

    must_refuse = frozenset({"already_answered", "old_turn", "not_your_turn", "wrong_answer", "overtaken", "no_hand"})

    def act(self) -> None:
        turn = self.question.get("turn")
        super().act()
        if turn is not None:
            self.try_command("act", turn=turn, do="swap")


class AnswerOld(Rude):
    """Answers the question before, and the one to come, before its own."""

    must_refuse = frozenset({"old_turn"})

    def act(self) -> None:
        if self.question:
            turn = self.question["turn"]
            for other in (turn - 1, turn + 1, 0):
                self.try_command("act", turn=max(0, other), do="stand")
        super().act()


class OtherSeat(Rude):
    """Answers for the others, and calls a Kuku that it has not."""

    must_refuse = frozenset({"not_your_turn", "no_kuku", "old_turn"})

    def draw(self, message: Message) -> None:
        super().draw(message)
        if message["t"] == "turn" and message["seat"] != self.table.seat():
            self.try_command("act", turn=message["turn"], do="swap")
            if self.table.card() != 19:  # a Kuku
                self.try_command("kuku", seq=self.table.seq)


class Spectator(Rude):
    """Claims to look on at its own table, and to be seated at others."""

    must_refuse = frozenset({"wrong_place"})
    has_claimed = False

    def act(self) -> None:
        if not self.has_claimed:
            self.has_claimed = True
            self.try_command("watch", room=self.table.room["name"], password=None)
            self.try_command("join", room=self.table.room["name"], password=None)
        super().act()


MANNERS: Final[Mapping[str, type[Rude]]] = MappingProxyType(
    {
        "hang": Hang,
        "stop-reading": StopReading,
        "stop-and-go-on": StopAndGoOn,
        "half-close": HalfClose,
        "partial": Partial,
        "flood": Flood,
        "answer-twice": AnswerTwice,
        "answer-old": AnswerOld,
        "other-seat": OtherSeat,
        "spectator": Spectator,
    }
)
