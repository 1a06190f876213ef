"""What rude bots do, a class each, and what a server has to make of it.

Owns the manners. Refuses to know which server it is, which is held to the protocol and to what it says of its limits.
"""

import socket
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Final

from examples.raw_client import EndedError, FaultError, Line, Message, Player, decode, secured

__all__ = ["ENDS", "MANNERS", "Ear", "Rude", "said"]

ENDS: Final = (EndedError, FaultError, OSError, LookupError, TypeError, ValueError)
"""How a line ends for whoever plays: the last four also where the server breaks the protocol (`raw_client.main`)."""

_LOST: Final = "the line is lost"
_PATIENCE: Final = 10.0
"""Seconds in which a server parts from whom it must not keep; a frame has half of them (§8.2)."""
_DEAF: Final = 45.0
"""Seconds for which more and more is asked for, and nothing read."""
_LATE: Final = 0.3
"""Seconds after the clock's…"""
_BEAT: Final = 0.5
"""…and from one byte of a frame to the next."""
_FLOOD: Final = 5_000
"""Commands."""
_TRIES: Final = 8
"""Commands that a server takes at once, whatever its rates."""
_UNBOUND: Final = 500
"""Commands a second where there is no rate."""
_HALF: Final = b"\x00\x00\x01\x00\x83"
"""The beginning of a frame of 256 bytes."""
_MUCH: Final = 200_000
"""Bytes that a server should not keep, with its kernel, for one who does not read."""
_BUFFER: Final = 1024
_SEGMENT: Final = 100
"""Bytes, so that the kernels keep little of what is not read."""


def said(end: BaseException) -> str:
    """One of the `ENDS` in words."""
    match end:
        case FaultError():
            return f"the protocol is broken: {' '.join(end.args)}".rstrip()
        case EndedError():
            return str(end)
        case OSError():
            return str(end) or type(end).__name__
    return f"the protocol is broken: {type(end).__name__}: {end}"


def _narrow(host: str, port: int) -> socket.socket:
    """As `socket.create_connection`, with buffers at both ends that are soon full."""
    error = OSError(f"no address of {host}")
    for family, kind, protocol, _, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        sock = socket.socket(family, kind, protocol)
        try:
            sock.settimeout(15.0)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER)
            if hasattr(socket, "TCP_MAXSEG"):
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, _SEGMENT)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sock.connect(address)
        except OSError as failed:
            error = failed
            sock.close()
        else:
            return sock
    raise error


class Ear(Line):
    """A line that remembers what was answered."""

    def __init__(self, host: str, port: int, pin: str | None, *, is_narrow: bool = False) -> None:
        plain = _narrow(host, port) if is_narrow else socket.create_connection((host, port), timeout=15.0)
        self.socket = plain if pin is None else secured(plain, pin)
        self.ping_s, self.silence_s = 0.0, 15.0
        self.settings: dict[str, int] = {}
        self.refused: Counter[str] = Counter()
        self.tried: set[int] = set()
        """Ids of commands that have to be refused…"""
        self.taken = 0
        """…of which so many were not…"""
        self.looked_at = 0
        """…and so many not for being too many…"""
        self.looked_until = 0.0
        """…the last of them then."""
        self.unread = 0
        """Bytes that the server had kept for us at the end."""

    def open(self, settings: dict[str, int]) -> None:
        super().open(settings)
        self.settings = settings

    def receive(self) -> Message:
        message = super().receive()
        if message["t"] == "no":
            self.refused[message["code"]] += 1
            if message["id"] in self.tried and message["code"] != "too_fast":
                self.looked_at += 1
                self.looked_until = time.monotonic()
        elif message["t"] == "ok":
            self.taken += message["id"] in self.tried
        return message

    def last_word(self, seconds: float, meanwhile: Callable[[], None] = lambda: None) -> str:
        """How it ends from the other end within so many seconds, whatever comes before that; empty: it does not."""
        until, taken = time.monotonic() + seconds, bytearray()
        with suppress(OSError):  # it is closed, by the table's end
            self.socket.settimeout(_BEAT)
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _MUCH)
        while time.monotonic() < until:
            try:
                part = self.socket.recv(65_536)
            except TimeoutError:
                part = None
            except OSError:  # cut, which may lose the last word
                part = b""
            if part == b"":
                return _bye_in(bytes(taken))
            taken += part or b""
            self.unread = len(taken)
            with suppress(OSError):
                meanwhile()
        return ""


def _bye_in(taken: bytes) -> str:
    """What the last of these frames says, if it is a `bye`."""
    payload, at = b"", 0
    while len(taken) >= (end := at + 4 + int.from_bytes(taken[at : at + 4])) > at + 4:
        payload, at = taken[at + 4 : end], end
    last = decode(payload) if payload else {"t": ""}
    return f"the server says bye: {last['code']}" if last["t"] == "bye" else _LOST


class Rude(Player):
    """An honest player but for its manner. It plays until its line ends or the match is over."""

    line: Ear
    is_narrow = False
    """Its line."""
    may_end: frozenset[str] = frozenset()
    """With which goodbyes a server may part from it, where it may…"""
    must_end = False
    """…and whether it has to."""
    must_refuse: tuple[frozenset[str], ...] = ()
    """With a code of each a server has to refuse something that it does."""

    def __init__(self, line: Ear, name: str) -> None:
        super().__init__(line, name)
        self.refused = line.refused
        self.ended = ""
        """How the line ended, if that was before the match's end."""
        self.is_done = False
        self.note = ""
        """What could not be seen here."""
        self._tries = _TRIES

    def run(self) -> None:
        """Play as it does, and note what came of it."""
        try:
            self.play(1, watch=False, tournament=False)
        except OSError:  # what was said before may still be there
            self.ended = self.line.last_word(_BEAT) or _LOST
        except ENDS as end:
            self.ended = said(end)
        self.is_done = True

    def faults(self) -> Iterator[str]:
        """What the server has done wrong, after all."""
        if self.ended and not any(code in self.ended for code in self.may_end):
            yield f"parted from the rude one: {self.ended}"
        if self.must_end and self.is_done and not self.ended:
            yield "did not part from the rude one"
        if self.line.taken:
            yield f"took {self.line.taken} commands that it has to refuse"
        for codes in self.must_refuse:
            if not codes & self.refused.keys():
                yield f"refused nothing with any of {', '.join(sorted(codes))}"

    def tell(self, end: Message) -> None:
        pass

    def until_parted(self, seconds: float, meanwhile: Callable[[], None] = lambda: None) -> None:
        """Do nothing more but that, until the server has had enough, or it should have had."""
        raise EndedError(self.line.last_word(seconds, meanwhile))

    def try_command(self, t: str, **fields: object) -> None:
        """Send one of which nothing is expected but that it is refused; not so many that it is for being too many."""
        if self._tries:
            self._tries -= 1
            number = self.command(t, **fields)
            self.line.tried.add(number)
            self.parts.add(number)  # whose refusal the honest part does not take amiss

    @property
    def rate(self) -> int:
        """Commands a second that the server takes from here; 0: any number."""
        return self.line.settings.get("commands_per_s", 10)


class Hang(Rude):
    """Answers pings, and no question."""

    def act(self) -> None:
        pass


class FallSilent(Rude):
    """At its first question it reads no more, and says nothing."""

    may_end = frozenset({"silent", "too_slow", _LOST})
    must_end = True

    def act(self) -> None:
        time.sleep(self.line.silence_s)
        self.until_parted(_PATIENCE)


class StopReading(Rude):
    """At its first question it reads no more, and asks for more and more."""

    is_narrow = True
    may_end = frozenset({"too_slow", _LOST})

    def act(self) -> None:
        until = time.monotonic() + _DEAF
        while time.monotonic() < until:
            self.command("rooms", page=0)
            time.sleep(1.25 / (self.rate or _UNBOUND))
        word = self.line.last_word(_PATIENCE)
        self.must_end = self.line.unread > _MUCH
        if not word and not self.must_end:
            self.note = "its rate lets nobody ask for too much"
        raise EndedError(word)


class StopAndGoOn(Rude):
    """Stands still at each question for longer than the clock, and goes on as if nothing had been."""

    must_refuse = (frozenset({"old_turn", "no_hand", "not_playing"}),)

    def act(self) -> None:
        if self.question:
            time.sleep(self.question["ms"] / 1_000 + _LATE)
            super().act()
            self.line.tried.add(self.id)


class HalfClose(Rude):
    """Closes its half of the line at its first question, and reads on."""

    may_end = frozenset({_LOST})
    must_end = True

    def act(self) -> None:
        self.line.socket.shutdown(socket.SHUT_WR)
        self.until_parted(_PATIENCE)


class Partial(Rude):
    """Begins a frame at its first question, and sends a byte of it now and then."""

    may_end = frozenset({"too_slow", _LOST})
    must_end = True

    def act(self) -> None:
        self.line.socket.sendall(_HALF)
        self.until_parted(_PATIENCE, lambda: self.line.socket.sendall(b"\x00"))


class Flood(Rude):
    """Sends commands by the thousand, at its first question, before it answers."""

    may_end = frozenset({"flood", "too_slow", "too_fast", _LOST})
    began: float | None = None

    def act(self) -> None:
        if self.began is None:
            self.began = time.monotonic()
            self._tries = _FLOOD
            for _ in range(_FLOOD):
                self.try_command("pause", paused=True)
        super().act()

    def faults(self) -> Iterator[str]:
        yield from super().faults()
        if not self.rate:
            self.note = "it sets no rate to those who come from here"
        elif self.began is not None:
            most = self.line.settings.get("commands_burst", 20) + self.rate * (self.line.looked_until - self.began)
            if self.line.looked_at > most:
                yield f"looked at {self.line.looked_at} commands, and says that it takes {self.rate} a second"


class AnswerTwice(Rude):
    """Answers each question twice, the second time otherwise."""

    must_refuse = (
        frozenset({"already_answered", "old_turn", "not_your_turn", "wrong_answer", "overtaken", "no_hand"}),
    )

    def act(self) -> None:
        turn = self.question.get("turn")
        super().act()
        if turn is not None:
            self.try_command("act", turn=turn, do="swap")


class AnswerOld(Rude):
    """Answers the question before, and the one to come, before its own."""

    must_refuse = (frozenset({"old_turn"}),)

    def act(self) -> None:
        if self.question:
            turn = self.question["turn"]
            for other in {max(0, turn - 1), turn + 1, 0} - {turn}:
                self.try_command("act", turn=other, do="stand")
        super().act()


class OtherSeat(Rude):
    """Answers for the others while they think, and calls a Kuku that it has not."""

    must_refuse = (frozenset({"not_your_turn"}), frozenset({"no_kuku"}))

    def draw(self, message: Message) -> None:
        super().draw(message)
        if message["t"] == "turn" and message["seat"] != self.table.seat():
            self.try_command("act", turn=message["turn"], do="swap")
            if self.table.card() not in {None, 19}:  # a Kuku
                self.try_command("kuku", seq=self.table.seq)


class Spectator(Rude):
    """Claims to look on at its own table, and to be seated at others."""

    must_refuse = (frozenset({"wrong_place"}),)
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
        "fall-silent": FallSilent,
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
