"""A server is chosen among those that are found, where nobody has typed an address.

Owns what is asked and what may be answered. Refuses to look for servers, and to know which of them are one.
"""

import os
import sys
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from kille_net.cli.address import DEFAULT_PORT, Address, parse_address
from kille_net.cli.errors import CliError
from kille_net.cli.exit_codes import Exit

if TYPE_CHECKING:
    from kille_net.client.net.servers import Servers

__all__ = ["choose"]

_SECONDS: Final = 2.0
_CELLS: Final = 40
_MOST_DIGITS: Final = 6


class _Key(Enum):
    """What may be answered instead of a server."""

    LEAVE = "q"
    AGAIN = "r"


def choose(lang: str, last: Path) -> Address | None:
    """The server that the person chooses; None: none. `last`: the file that names the one that was joined last.

    Without a terminal all are listed, and nothing is chosen. Raises CliError where there is none to list.
    """
    from kille_net.client.showing.texts import say

    is_asked = _is_asked()
    while True:
        if is_asked:
            _show(say(lang, "find.looking"))
        servers = _find(lang, last, lists_last=is_asked)
        if not is_asked and not servers.shown:
            raise CliError(say(lang, "find.none_here"), code=Exit.NO_SERVER)
        if not is_asked:
            return None
        if not servers.shown:
            _show(say(lang, "find.none"))
        match _ask(servers, lang):
            case _Key.AGAIN:
                continue
            case _Key.LEAVE:
                return None
            case address:
                return address


def _is_number(answer: str) -> bool:
    """Whether it may be one of the list."""
    return answer.isdecimal() and len(answer) <= _MOST_DIGITS


def _is_asked() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _show(text: str) -> None:
    from kille_net.client.run import speaks_utf8
    from kille_net.client.showing.layout import to_ascii

    click.echo(text if speaks_utf8(os.environ) else to_ascii(text))


def _find(lang: str, last: Path, *, lists_last: bool) -> "Servers":
    """Look for a while, and show what is found as it is found."""
    from kille_net.client.net import looking
    from kille_net.client.net.recent import recall
    from kille_net.client.net.servers import Server, Servers, Sighting, server_line
    from kille_net.client.showing.texts import say

    servers = Servers(
        looking.own_networks(),
        here=DEFAULT_PORT if looking.answers_here(DEFAULT_PORT) else None,
        last=recall(last) if lists_last else None,
    )
    number = 0

    def show(found: list[Server]) -> None:
        nonlocal number
        for server in found:
            number += 1
            _show(server_line(number, server, lang))

    def hear(sighting: Sighting) -> None:
        show(servers.hear(sighting))

    is_heard = looking.look(_SECONDS, hear)
    show(servers.rest())
    if servers.left_out:
        _show(say(lang, "find.more", count=servers.left_out))
    if not is_heard and lists_last:
        _show(say(lang, "find.no_network"))
    return servers


def _ask(servers: "Servers", lang: str) -> Address | _Key:
    from kille_net.client.showing.texts import say
    from kille_net.wire.text import safe_text

    default = servers.default
    question = say(lang, "find.ask_address") if default is None else say(lang, "find.ask", number=default)
    while True:
        try:
            answer = input(question).strip()
        except EOFError:
            click.echo()
            return _Key.LEAVE
        if answer.lower() == _Key.LEAVE.value:
            return _Key.LEAVE
        if answer.lower() == _Key.AGAIN.value or (not answer and default is None):
            return _Key.AGAIN
        if not answer or answer.lstrip("+-").isdecimal():  # no host is called -1
            number = default or 0 if not answer else int(answer) if _is_number(answer) else 0
            if 1 <= number <= len(servers.shown):
                return Address(*servers.shown[number - 1].place)
            _show(say(lang, "find.no_number", number=safe_text(answer, _CELLS)))
            continue
        try:
            return parse_address(answer)
        except ValueError:
            _show(say(lang, "find.no_address"))
