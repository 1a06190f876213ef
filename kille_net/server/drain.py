"""How a server stops on purpose: it begins nothing new, lets the hands that are under way end, and says goodbye.

Owns how long that may take and how often it is announced. Refuses to know who told it to stop.
"""

from typing import Final

import trio

from kille_net.server.logs import log
from kille_net.server.serve import Server
from kille_net.wire import messages as m

__all__ = ["drain"]

_LOOK_EVERY: Final = 0.1
_SAY_EVERY: Final = 10.0
"""Seconds."""
_MOST_MS: Final = 3_600_000
"""What a notice can tell."""


async def drain(server: Server) -> None:
    """Takes as long as the last hand, at most `limits.drain`, and what `Server.shut_down` takes."""
    server.lobby.drain()
    ends_at = trio.current_time() + server.limits.drain
    log.info("draining", seconds=server.limits.drain, hands=server.lobby.hands)
    say_at = trio.current_time()
    while server.lobby.hands and (now := trio.current_time()) < ends_at:
        if now >= say_at:
            say_at = now + _SAY_EVERY
            left = max(1, round((ends_at - now) * 1000))
            server.carrier.tell_everyone(m.Notice(code=m.NoticeCode.DRAINING, text="", ms=min(left, _MOST_MS)))
        await trio.sleep(min(_LOOK_EVERY, ends_at - now))
    log.info("drained", hands=server.lobby.hands)
    await server.shut_down()
