"""What a load is to do, and what was measured: the values that go between processes, as JSON.

Owns their shapes and the arithmetic of quantiles. Refuses to know how anything is measured.
"""

from collections.abc import Sequence
from math import ceil
from typing import ClassVar, Final

from msgspec import Struct

__all__ = ["SEATS", "Plan", "Result", "Shape", "Spread", "quantile", "spread"]

SEATS: Final = 4
"""At every table."""
_BUSY: Final = 0.9
"""Of the time that it was given: a load that has worked longer than that had no time left to ask for more."""
_DISTURBED: Final = 0.1
"""Of all time: a process that has waited longer than that for a processor shared it with others."""
_BORNE: Final = frozenset({"cannot_save", "not_shuffling"})
"""What a server may refuse when it, or its disk, is slower than it wants to be. The first is said again when it can be
saved (protocol/v1/protocol.md §6.11), and without the second, a number for a shuffle that came too late, the match
begins all the same (§7.8): nothing is lost."""


class Plan(Struct, frozen=True, kw_only=True):
    port: int
    """Of 127.0.0.1."""
    tables: int
    seconds: float
    """To measure…"""
    warming: float
    """…after so many more, which begin when all are seated."""
    rate: float = 0.0
    """Actions a second, at all tables together, in even steps; 0: each as soon as it is asked for."""
    tls: bool = False
    server: int | None = None
    """The process that serves, so that its time and memory can be read; None: they are not."""
    core: int | None = None
    """The processor that the load keeps to; None: whichever it is given."""


class Spread(Struct, frozen=True):
    """Quantiles of times, in milliseconds."""

    count: int
    p50: float
    p99: float
    p999: float
    most: float


class Shape(Struct, frozen=True, kw_only=True):
    """What a server sends for one action, on the average."""

    events: float
    """To each seat."""
    event_bytes: float
    ask_bytes: float
    """Each with its header."""

    NONE: ClassVar["Shape"]


Shape.NONE = Shape(events=1.0, event_bytes=0.0, ask_bytes=0.0)


class Result(Struct, frozen=True, kw_only=True):
    plan: Plan
    seconds: float
    """That were measured in fact."""
    actions: int
    """That were answered in that time."""
    messages: int
    """From the server, and all their bytes."""
    octets: int
    matches: int
    """That ended."""
    pings: int
    """That were answered: at many tables each player acts seldom, and is asked whether it is there."""
    delays: Spread
    """From an action (with a rate: from when it was due) to an event that follows from it, at each of the seats."""
    lateness: Spread | None
    """With a rate: how late the load itself was."""
    shape: Shape
    gaps: int
    """Events that were missing among those that came, from beginning to end…"""
    unheard: int
    """…actions of which some seat heard nothing…"""
    unanswered: int
    """…and actions without an answer."""
    refused: dict[str, int]
    """Commands by the code of their refusal."""
    load_busy: float
    """Share of the time that the load was given in which it worked."""
    load_waited: float | None
    """Share of all time in which it waited for a processor; None: this system does not say."""
    server_seconds: float | None
    """Of a processor, all threads together."""
    server_waited: float | None
    memory: tuple[int, int, int] | None
    """Of the server, in bytes: before, with all connected, and at the end."""

    @property
    def is_limited(self) -> bool:
        """Whether the load itself may have been what was too slow."""
        is_late = self.lateness is not None and self.lateness.p99 > max(1.0, self.delays.p99 / 2)
        return self.load_busy > _BUSY or is_late

    @property
    def is_disturbed(self) -> bool:
        """Whether others took the processors away."""
        return max(self.load_waited or 0.0, self.server_waited or 0.0) > _DISTURBED

    @property
    def is_whole(self) -> bool:
        """Whether every action was answered, and every event came."""
        return not (self.gaps or self.unheard or self.unanswered or self.refused.keys() - _BORNE)

    @property
    def is_overloaded(self) -> bool:
        """Whether the server or its disk was so slow that it refused for it."""
        return not _BORNE.isdisjoint(self.refused)

    @property
    def rate(self) -> float:
        """Actions a second."""
        return self.actions / self.seconds

    @property
    def cost(self) -> float | None:
        """Microseconds of the server's processor for an action."""
        return None if self.server_seconds is None or not self.actions else 1e6 * self.server_seconds / self.actions

    @property
    def idle_memory(self) -> float | None:
        """KiB for a connection that does nothing…"""
        return None if self.memory is None else (self.memory[1] - self.memory[0]) / 1024 / (SEATS * self.plan.tables)

    @property
    def playing_memory(self) -> float | None:
        """…and for one at a table."""
        return None if self.memory is None else (self.memory[2] - self.memory[0]) / 1024 / (SEATS * self.plan.tables)


def quantile(ordered: Sequence[float], share: float) -> float:
    """The least value that so great a share of all does not exceed (the nearest rank); NaN: there are none."""
    return ordered[max(ceil(share * len(ordered)), 1) - 1] if ordered else float("nan")


def spread(seconds: Sequence[float]) -> Spread:
    """Of times in seconds, in any order; of none, all is 0."""
    ordered = sorted(seconds) or [0.0]
    p50, p99, p999, most = (round(1000 * quantile(ordered, share), 4) for share in (0.5, 0.99, 0.999, 1.0))
    return Spread(len(seconds), p50, p99, p999, most)
