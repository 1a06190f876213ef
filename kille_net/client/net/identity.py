"""Who a user is, in one file: the tickets and known servers of a data folder, to be carried to another machine.

Owns the file, and how what is in it joins what a folder has. Refuses to know what a ticket opens.
"""

import errno
import os
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from kille_net.client.net.tickets import BOTS_FOLDER, FOLDER, Slot, entries
from kille_net.client.net.trust import FILE, Trust, address_of
from kille_net.files import read_file
from kille_net.wire.text import valid_name

__all__ = ["BadIdentity", "Carried", "Fault", "export_identity", "import_identity"]

_VERSION: Final = 1
_MOST: Final = 10_000
_MOST_BYTES: Final = 4 << 20


class Fault(Enum):
    """Why an identity is not carried; nothing was changed."""

    NOTHING = "nothing"
    """There is none."""
    TOO_BIG = "too_big"
    FOREIGN = "foreign"
    """No file of ours, or a broken one."""
    NEWER = "newer"
    """A later version of ours has made it."""
    DIFFERS = "differs"
    """The folder has another ticket or key for the same."""
    IN_USE = "in_use"
    """A client is running that has the ticket."""
    UNKEPT = "unkept"
    """It cannot be written."""


class BadIdentity(Exception):
    """`about`: where in the file, or what of it; from outside, and not clean."""

    def __init__(self, fault: Fault, about: str = "") -> None:
        super().__init__(fault.value)
        self.fault = fault
        self.about = about


@dataclass(frozen=True, slots=True)
class Carried:
    """How much went from one place to the other."""

    tickets: int
    servers: int


_Text = Annotated[str, Meta(min_length=1, max_length=300)]


class _Ticket(Struct, frozen=True, omit_defaults=True):
    server: _Text
    """Host and port."""
    name: _Text
    ticket: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
    bot: bool = False


class _Server(Struct, frozen=True):
    address: _Text
    key: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]


class _Head(Struct, frozen=True):
    kille_identity: int


class _Identity(Struct, frozen=True):
    kille_identity: int
    tickets: Annotated[tuple[_Ticket, ...], Meta(max_length=_MOST)]
    servers: Annotated[tuple[_Server, ...], Meta(max_length=_MOST)]


def export_identity(folder: Path, file: Path) -> Carried:
    """Write what the data folder has to a new file. Raises BadIdentity, BadKnownServers and OSError."""
    tickets = tuple(
        _Ticket(entry.server, entry.name, entry.ticket, bot)
        for below, bot in ((FOLDER, False), (BOTS_FOLDER, True))
        for entry in entries(folder / below)
    )
    known = Trust(file=folder / FILE).all_known()
    servers = tuple(_Server(address, key.hex()) for address, key in sorted(known.items()))
    if not tickets and not servers:
        raise BadIdentity(Fault.NOTHING)
    data = msgspec.json.format(msgspec.json.encode(_Identity(_VERSION, tickets, servers)), indent=1)
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(descriptor, "wb") as stream:
            stream.write(data + b"\n")
            stream.flush()
            os.fsync(descriptor)
    except OSError:
        file.unlink(missing_ok=True)
        raise
    return Carried(len(tickets), len(servers))


def import_identity(file: Path, folder: Path, *, replace: bool) -> Carried:
    """Add what is in the file to the data folder; what that has already is not counted.

    `replace`: the file's counts where the folder has another. Raises BadIdentity, BadKnownServers and OSError.
    """
    identity = _read(file)
    trust = Trust(file=folder / FILE)
    known = trust.all_known()
    servers = {server.address: bytes.fromhex(server.key) for server in identity.servers}
    new = {address: key for address, key in servers.items() if known.get(address) != key}
    for address in new:
        if address in known and not replace:
            raise BadIdentity(Fault.DIFFERS, address)
    tickets = [ticket for ticket in identity.tickets if _is_new(ticket, folder, replace=replace)]
    for address, key in new.items():
        trust.keep(address, key)
    for ticket in tickets:
        slot = _slot(ticket, folder)
        slot.keep(ticket.ticket)
        slot.close()
        if slot.problem and not slot.is_broken:
            raise BadIdentity(Fault.UNKEPT, slot.problem)
    return Carried(len(tickets), len(new))


def _is_new(ticket: _Ticket, folder: Path, *, replace: bool) -> bool:
    slot = _slot(ticket, folder)
    slot.close()
    if slot.problem and not slot.is_broken:
        raise BadIdentity(Fault.UNKEPT, slot.problem)
    who = f"{ticket.name} @ {ticket.server}"
    if not slot.is_ours:
        raise BadIdentity(Fault.IN_USE, who)
    if slot.ticket not in {None, ticket.ticket} and not replace:
        raise BadIdentity(Fault.DIFFERS, who)
    return slot.ticket != ticket.ticket


def _slot(ticket: _Ticket, folder: Path) -> Slot:
    host, _, port = ticket.server.rpartition(":")
    return Slot(folder / (BOTS_FOLDER if ticket.bot else FOLDER), host, int(port), ticket.name)


def _read(file: Path) -> _Identity:
    """What the file holds, all of which makes sense. Raises BadIdentity and OSError."""
    try:
        data = read_file(file, _MOST_BYTES)
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise BadIdentity(Fault.TOO_BIG) from error
        raise
    try:
        version = msgspec.json.decode(data, type=_Head).kille_identity
        if version > _VERSION:
            raise BadIdentity(Fault.NEWER)
        identity = msgspec.json.decode(data, type=_Identity)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:  # ValueError: no UTF-8
        raise BadIdentity(Fault.FOREIGN, str(error)) from error
    for number, ticket in enumerate(identity.tickets):
        if not _is_place(ticket.server) or valid_name(ticket.name) is None:
            raise BadIdentity(Fault.FOREIGN, f"tickets[{number}]")
    for number, server in enumerate(identity.servers):
        if not _is_place(server.address) or address_of(*_parts(server.address)) != server.address:
            raise BadIdentity(Fault.FOREIGN, f"servers[{number}]")
    return identity


def _is_place(text: str) -> bool:
    """Whether it is a host and a port, and nothing that would break a line."""
    host, _, port = text.rpartition(":")
    is_host = bool(host) and host.isprintable() and not any(char.isspace() for char in host) and host[0] != "#"
    return is_host and port.isascii() and port.isdigit() and str(int(port)) == port and int(port) < 1 << 16


def _parts(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    return host.removeprefix("[").removesuffix("]"), int(port)
