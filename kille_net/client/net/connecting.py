"""The way to a server: TCP, and TLS inside it where it has to be, with a key that is the one it was.

Owns the connecting, up to where the first word may be said. Refuses to know what is said, and which keys are trusted.
"""

import ssl
from collections.abc import Callable
from typing import Final

import trio

from kille_net.client.net.session import Lost, NoServer, ServerBye, Stranger
from kille_net.client.net.trust import NotEncrypted, Trust, address_of
from kille_net.wire.connection import ClientConnection, Connection
from kille_net.wire.errors import RemoteProtocolError
from kille_net.wire.fingerprint import fingerprint
from kille_net.wire.messages import Bye, ByeCode
from kille_net.wire.states import Role

__all__ = ["connect"]

_SECONDS: Final = 10.0
_MOST_PLAIN: Final = 512
"""Bytes of a bye in plain text."""
_OF_TLS: Final = (b"\x15", b"\x16")
"""How what TLS says before it is agreed begins: alerts, and the handshake."""
_TURNED_AWAY: Final = frozenset({ByeCode.BUSY, ByeCode.SHUTTING_DOWN})
"""What a server that speaks TLS may say in plain text before the handshake."""


async def connect(host: str, port: int, trust: Trust, met: Callable[[bytes], None]) -> trio.abc.Stream:
    """A stream to whoever listens there; `met` is told the fingerprint of a key that is new.

    Raises NoServer, SessionEnded and Distrust.
    """
    in_tls = trust.wants_tls(host, port)
    try:
        with trio.fail_after(_SECONDS):
            stream = await trio.open_tcp_stream(host, port)
            if not in_tls:
                return stream
            try:
                return await _secured(stream, host, port, trust, met)
            except BaseException:
                await trio.aclose_forcefully(stream)
                raise
    except (OSError, ValueError, trio.TooSlowError) as error:  # ValueError: what is no name of a host, or no port
        raise NoServer(str(error)) from error


async def _secured(
    transport: trio.SocketStream, host: str, port: int, trust: Trust, met: Callable[[bytes], None]
) -> trio.abc.Stream:
    """TLS, once the key is known to be the right one: nothing is said before."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE  # the key is compared, whatever the certificate says
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    beginning = _Beginning(transport)
    stream = trio.SSLStream(beginning, context, https_compatible=True)
    try:
        await stream.do_handshake()
    except trio.BrokenResourceError as error:
        if not beginning.heard or beginning.heard.startswith(_OF_TLS):
            raise Lost from error
        if not beginning.heard.startswith(b"\x00"):
            raise Stranger(ByeCode.FRAME_TOO_BIG, "") from error
        bye = _plain_bye(beginning.heard)
        if bye is not None and bye.code in _TURNED_AWAY:
            raise ServerBye(bye) from error
        is_known = trust.known(host, port) is not None
        raise NotEncrypted(address_of(host, port), is_known=is_known) from error
    beginning.is_over = True
    found = _fingerprint(stream.getpeercert(binary_form=True))
    if trust.check(host, port, found):
        met(found)
    return stream


def _fingerprint(certificate: bytes) -> bytes:
    from cryptography import x509  # noqa: PLC0415  only where there is TLS
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415  only where it is needed
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat  # noqa: PLC0415  only where it is needed

    try:
        key = x509.load_der_x509_certificate(certificate).public_key()
    except (ValueError, UnsupportedAlgorithm, x509.InvalidVersion) as error:
        raise Lost from error
    return fingerprint(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))


def _plain_bye(data: bytes) -> Bye | None:
    """What was said in place of a handshake; nobody vouches for it."""
    connection: ClientConnection = Connection(Role.CLIENT)
    connection.receive_data(data)
    try:
        message = connection.next_message()
    except RemoteProtocolError:
        return None
    return message if isinstance(message, Bye) else None


class _Beginning(trio.abc.Stream):
    """A stream that remembers what came first, until that is over."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self.heard = b""
        self.is_over = False
        self._stream = stream

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        await self._stream.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        await self._stream.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        data = await self._stream.receive_some(max_bytes)
        if not self.is_over and len(self.heard) < _MOST_PLAIN:
            self.heard += data[:_MOST_PLAIN]
        return data

    async def aclose(self) -> None:
        await self._stream.aclose()
