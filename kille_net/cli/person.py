"""What a person at this machine is called."""

import getpass
import unicodedata
from typing import Final

import click

from kille_net.cli.speaking import tell

__all__ = ["NAME", "own_name"]

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
