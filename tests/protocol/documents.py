"""The files of protocol/ as the tests read them."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias, cast

import msgspec

from kille_net.wire import (
    MESSAGE_TYPES,
    AnyMessage,
    ByeCode,
    ClientConnection,
    Connection,
    Hello,
    Resumed,
    Role,
    ServerConnection,
    State,
    Welcome,
    frame,
)

ROOT = Path(__file__).parent.parent.parent
V1 = ROOT / "protocol" / "v1"
VECTORS = V1 / "vectors"

Json: TypeAlias = Any
"""What JSON holds; it has no type before it is looked at."""

HELLO = Hello(versions=(1,), agent="test", name="Ada", bot=False, ticket=None, password=None)
WELCOME = Welcome(version=1, agent="test", name="Ada", settings={}, ticket=None, resumed=Resumed.NO, last_id=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Vector:
    """An entry of `valid`, `tolerated` or `rejected`; what its folder does not have is empty."""

    name: str
    section: str
    frame: bytes
    message: dict[str, Any]
    sender: Role
    state: State
    code: ByeCode | None
    place: str

    @property
    def payload(self) -> bytes:
        return self.frame[4:]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    sender: Role
    frame: bytes
    message: dict[str, Any] | None
    code: ByeCode | None
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """An entry of `sessions`."""

    name: str
    section: str
    lines: tuple[Line, ...]


def read(path: Path) -> Json:
    return json.loads(path.read_text(encoding="utf-8"))


def entries(folder: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for file in manifest()[folder]:
        for number, entry in enumerate(read(VECTORS / folder / file)):
            yield f"{folder}/{file}[{number}] {entry['comment']}", entry


@cache
def manifest() -> dict[str, Any]:
    found: dict[str, Any] = read(VECTORS / "manifest.json")
    return found


@cache
def schema() -> dict[str, Any]:
    found: dict[str, Any] = read(V1 / "schema.json")
    return found


@cache
def prose() -> str:
    return (V1 / "protocol.md").read_text(encoding="utf-8")


@cache
def sections() -> dict[str, str]:
    """Heading number → the text under it, without its subsections."""
    parts = re.split(r"^#{2,3} §(\d+(?:\.\d+)?) .*$", prose(), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@cache
def vectors(folder: str) -> tuple[Vector, ...]:
    return tuple(
        Vector(
            name=name,
            section=entry["section"],
            frame=bytes.fromhex(entry["frame"]),
            message=entry.get("message", {}),
            sender=Role(entry["from"]) if "from" in entry else direction(entry["message"]["t"]),
            state=State(entry.get("state", "open")),
            code=ByeCode(entry["error"]["code"]) if "error" in entry else None,
            place=entry["error"]["place"] if "error" in entry else "",
        )
        for name, entry in entries(folder)
    )


def direction(tag: str) -> Role:
    """Who sends the message; of those that both send, the client."""
    found = schema()["$defs"][f"message_{tag}"]["x-direction"]
    return Role.SERVER if found == "server" else Role.CLIENT


@cache
def talks() -> tuple[Talk, ...]:
    return tuple(
        Talk(
            name=name,
            section=entry["section"],
            lines=tuple(
                Line(
                    sender=Role(line["from"]),
                    frame=bytes.fromhex(line["frame"]),
                    message=line.get("message"),
                    code=ByeCode(line["error"]["code"]) if "error" in line else None,
                    place=line["error"]["place"] if "error" in line else "",
                )
                for line in entry["lines"]
            ),
        )
        for name, entry in entries("sessions")
    )


def plain(message: AnyMessage) -> dict[str, Any]:
    """A message as the vectors write it."""
    found: dict[str, Any] = json.loads(msgspec.json.encode(message))
    return found


def typed(fields: dict[str, Any]) -> AnyMessage:
    """A message from what the vectors write."""
    return cast("AnyMessage", msgspec.convert(fields, MESSAGE_TYPES[fields["t"]]))


def receiver(sender: Role, state: State) -> ServerConnection | ClientConnection:
    """The other end of `sender`, as far as `state`."""
    if sender is Role.CLIENT:
        server = Connection(Role.SERVER)
        if state is not State.GREETING:
            server.receive_data(frame(HELLO))
            server.next_message()
        if state is State.OPEN:
            server.send(WELCOME)
        return server
    client = Connection(Role.CLIENT)
    if state is not State.GREETING:
        client.send(HELLO)
    if state is State.OPEN:
        client.receive_data(frame(WELCOME))
        client.next_message()
    return client
