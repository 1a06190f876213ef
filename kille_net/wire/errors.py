"""What can go wrong on a connection, split by whose fault it is (protocol/v1/protocol.md §10).

Carries codes and places, never text from a peer: words are made where they are shown.
"""

from kille_net.wire.messages import ByeCode


class ProtocolError(Exception):
    """Either side broke the protocol."""


class LocalProtocolError(ProtocolError):
    """This side tried to send what it may not: a bug here. Nothing was sent and nothing changed."""


class RemoteProtocolError(ProtocolError):
    """The other side sent what it may not; final for the connection.

    `code` and `place` are fit to be sent in a `bye`: `place` is empty or a path of field names and indexes of ours,
    such as `cards[2]`.
    """

    def __init__(self, code: ByeCode, place: str = "") -> None:
        super().__init__(f"{code.value} at {place}" if place else code.value)
        self.code = code
        self.place = place
