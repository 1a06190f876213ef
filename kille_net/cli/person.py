"""What a person at this machine is called.

Owns which name is taken where none was given. Refuses to ask where nobody can answer.
"""

import getpass
import sys
import unicodedata
from pathlib import Path
from typing import Final

import click

from kille_net.cli.address import Address
from kille_net.cli.speaking import spoken, tell

__all__ = ["NAME", "name_there", "own_name"]

_NOBODY: Final = "Spelare"


class _Name(click.ParamType[str]):
    name = "NAME"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        from kille_net.wire.text import valid_name

        name = valid_name(str(value))
        if name is None:
            self.fail(tell("cli.bad_name"), param, ctx)
        return name


NAME: Final = _Name()
"""The type of an option that names a player."""


def own_name() -> str:
    """The user's name on this machine as far as it makes a player's name."""
    from kille_net.wire.text import MAX_NAME, valid_name

    try:
        user = unicodedata.normalize("NFC", getpass.getuser())
    except (KeyError, OSError):  # a user without a name
        return _NOBODY
    kept = "".join(char for char in user if valid_name(char))[:MAX_NAME]
    return valid_name(kept) or _NOBODY


def name_there(tickets: Path, server: Address) -> str | None:
    """Who played on that server last, and does not now, or else the user; None: whoever was asked does not say.

    Asked is where somebody at this machine plays there already, since the next to come is likely to be another.
    """
    from kille_net.client.net.tickets import names
    from kille_net.client.terminal.asking import ask_name

    user = own_name()
    known = names(tickets, server.host, server.port)
    free = next((name for name, is_free in known if is_free), None)
    if free is not None or not known or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return free or user
    others = ", ".join(name for name, _ in known)
    return ask_name(spoken(), "second", others=others)
