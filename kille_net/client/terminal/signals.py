"""The one owner of the signals that end the client.

A signal is noted and somebody is woken; no exception is thrown into whatever runs, so that neither loop is torn.
"""

import signal
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Final, Self

__all__ = ["Signals"]

_ENDING: Final = tuple(
    number for name in ("SIGINT", "SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None
)  # Windows has no SIGHUP


class Signals:
    """Entered before any loop starts, in the main thread."""

    wake: Callable[[], object] | None
    """Called at each signal; must do nothing but hand on to a loop."""

    def __init__(self) -> None:
        self.caught: int | None = None
        """The first that came."""
        self.wake = None
        self._before: dict[int, signal._HANDLER] = {}

    def __enter__(self) -> Self:
        for number in _ENDING:
            self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give the signals back, but not SIGINT to who keeps on pressing it while the process ends."""
        self.wake = None
        for number, handler in self._before.items():
            keep = number == signal.SIGINT and self.caught is not None
            signal.signal(number, signal.SIG_IGN if keep else handler)

    @property
    def exit_code(self) -> int | None:
        """What the shell is told about it."""
        return None if self.caught is None else 128 + self.caught

    def _note(self, number: int, _frame: FrameType | None) -> None:
        if self.caught is None:
            self.caught = number
        if self.wake is not None:
            self.wake()
