"""Cuts a stream of bytes into frames and puts frames together (protocol/v1/protocol.md §2).

Owns the length header and the limits on it. Refuses to know what is inside a frame, and who sends it.
"""

from typing import Final

from kille_net.wire.errors import RemoteProtocolError
from kille_net.wire.messages import ByeCode

HEADER_SIZE: Final = 4
GREETING_LIMIT: Final = 512
"""Bytes in a client's frame before the welcome, the header not counted."""
CLIENT_LIMIT: Final = 2048
"""Bytes in a client's frame after the welcome."""
SERVER_LIMIT: Final = 65_536
"""Bytes in a server's frame."""


def join(payload: bytes) -> bytes:
    """Put the header before `payload`, whose size the caller answers for."""
    return len(payload).to_bytes(HEADER_SIZE, "big") + payload


class FrameSplitter:
    """Takes bytes as they come and gives whole payloads in order.

    Holds at most what one call of `feed` brought and the beginning of one frame that is within `limit`. The fault of a
    header is raised where the frame would have come, after all frames before it; nothing after it is kept.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        """Holds for the headers that are completed from now on."""
        self._whole: list[bytes] = []
        self._rest = bytearray()
        self._fault: ByeCode | None = None

    @property
    def is_mid_frame(self) -> bool:
        """Whether the beginning of a frame waits for the rest of it."""
        return bool(self._rest)

    def feed(self, data: bytes) -> None:
        """Take bytes of any number, none included."""
        if self._fault is not None:
            return
        self._rest += data
        start = 0
        while len(self._rest) - start >= HEADER_SIZE:
            end_of_header = start + HEADER_SIZE
            size = int.from_bytes(self._rest[start:end_of_header], "big")
            if size == 0 or size > self.limit:
                self._fault = ByeCode.FRAME_TOO_BIG if size else ByeCode.FRAME_EMPTY
                self._rest = bytearray()
                return
            end = end_of_header + size
            if end > len(self._rest):
                break
            self._whole.append(bytes(self._rest[end_of_header:end]))
            start = end
        del self._rest[:start]

    def next_payload(self) -> bytes | None:
        """Give the next whole payload, or None when more bytes are needed.

        Raises RemoteProtocolError, now and at every later call, when a bad header has been reached.
        """
        if self._whole:
            return self._whole.pop(0)
        if self._fault is not None:
            raise RemoteProtocolError(self._fault)
        return None
