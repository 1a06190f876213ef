"""The one writer to the terminal or pipe: a thread of its own, so that a reader who stops stops nothing else.

Owns the bytes that are not yet written. Refuses to know what they mean.
"""

import os
import threading
from collections import deque
from collections.abc import Callable
from typing import Final

__all__ = ["Writer"]

_CHUNK: Final = 65_536


class Writer:
    """Writes to a file descriptor in order.

    `on_drained` and `on_failed` are called in the writer's thread: when nothing waits any more after something had to
    be dropped, and when writing fails, after which everything is dropped.
    """

    def __init__(
        self, fd: int, most: int, *, on_drained: Callable[[], object], on_failed: Callable[[OSError], object]
    ) -> None:
        self._fd = fd
        self._most = most
        self._on_drained = on_drained
        self._on_failed = on_failed
        self._waiting: deque[bytes] = deque()
        self._size = 0
        self._has_dropped = False
        self._is_closed = False
        self._has_failed = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    @property
    def size(self) -> int:
        """Bytes that wait."""
        return self._size

    def write(self, data: bytes) -> bool:
        """Queue the bytes; whether they were taken, all or none."""
        with self._changed:
            if self._has_failed or self._is_closed:
                return False
            if self._size + len(data) > self._most:
                self._has_dropped = True
                return False
            self._waiting.append(data)
            self._size += len(data)
            self._changed.notify_all()
            return True

    def wait(self, seconds: float) -> bool:
        """Block until all is written, or for so long; whether it is."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._size or self._has_failed, seconds)

    def close(self) -> None:
        """Take no more; the thread ends when all is written."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._is_closed)
                if not self._waiting:
                    return
                data = b"".join(self._waiting)
                self._waiting.clear()
            try:
                self._write_all(data)
            except OSError as error:
                with self._changed:
                    self._has_failed = True
                    self._waiting.clear()
                    self._changed.notify_all()
                self._on_failed(error)
                return
            with self._changed:
                is_relieved = self._has_dropped and not self._size
                if is_relieved:
                    self._has_dropped = False
                self._changed.notify_all()
            if is_relieved:
                self._on_drained()

    def _write_all(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            try:
                written = os.write(self._fd, view[:_CHUNK])
            except BlockingIOError:  # somebody else made the terminal non-blocking
                _wait_writable(self._fd)
                continue
            view = view[written:]
            with self._changed:
                self._size -= written


def _wait_writable(fd: int) -> None:
    import select  # noqa: PLC0415  needed in this odd case only

    select.select([], [fd], [])
