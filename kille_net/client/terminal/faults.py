"""What goes wrong while a terminal is ours: one that is gone ends the client quietly, a bug ends it and is told later.

Owns the first bug. Refuses to know what leaving takes.
"""

import asyncio
import errno
from collections.abc import Callable
from typing import Any, Final

from kille_net.client.effects import Quit
from kille_net.client.endings import SIGHUP

__all__ = ["Faults"]

_GONE: Final = frozenset({errno.EIO, errno.EPIPE, errno.EBADF, errno.ENXIO})


class Faults:
    def __init__(self, leave: Callable[[Quit], None]) -> None:
        self._leave = leave
        self._failure: BaseException | None = None

    def write_failed(self, error: OSError) -> None:
        """The terminal took no more."""
        if error.errno in _GONE:
            self._leave(Quit(SIGHUP))
        else:
            self.fail(error)

    def crashed(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """What asyncio calls for an exception that nobody waits for."""
        error = context.get("exception")
        self.fail(error if isinstance(error, BaseException) else RuntimeError(str(context.get("message"))))

    def fail(self, error: BaseException) -> None:
        """A bug: leave, and tell it when the terminal is whole again."""
        if self._failure is None:
            self._failure = error
        self._leave(Quit(1))

    def tell(self) -> None:
        """Raise the bug, if there was one."""
        if self._failure is not None:
            raise self._failure
