"""`kille join`: a seat at a server's table, or a place to watch from."""

import getpass
import unicodedata

import click

from kille_net.cli.address import DEFAULT_PORT, SERVER, Address
from kille_net.cli.errors import CliError
from kille_net.cli.exit_codes import Exit
from kille_net.cli.settings import Settings

__all__ = ["command"]

_NOBODY = "Spelare"


@click.command("join")
@click.argument("server", type=SERVER, metavar="[HOST[:PORT]]", required=False)
@click.option("--name", metavar="NAME", help="What you are called at the table.  [default: your user name]")
@click.option("--room", metavar="ROOM", help="The room to enter at once.  [default: the lobby is shown]")
@click.option("--watch", is_flag=True, help="Look on instead of taking a seat.")
@click.option("--plain", is_flag=True, help="Lines in, lines out: nothing is redrawn. For screen readers and pipes.")
@click.pass_obj
def command(
    settings: Settings, *, server: Address | None, name: str | None, room: str | None, watch: bool, plain: bool
) -> Exit:
    """Take a seat at a server's table, or watch one.

    HOST is what the one who hosts was shown; without it, a server on this machine. At the table, type 'help' to see
    what you can do. Should a terminal ever look odd after a crash, type 'reset'.
    """
    from kille_net.client.invitation import Invitation
    from kille_net.client.run import run
    from kille_net.wire.text import valid_name

    if name is None:
        called = _user_name()
    else:
        called = valid_name(name) or ""
        if not called:
            msg = "a name has 1 to 16 letters, digits, spaces and -_'"
            raise CliError(msg, code=Exit.WRONG_USE)
    invitation = Invitation(
        host=None if server is None else server.host,
        port=DEFAULT_PORT if server is None else server.port,
        name=called,
        room=room,
        watch=watch,
        plain=plain,
        lang=settings.lang.value,
    )
    return Exit(run(invitation))


def _user_name() -> str:
    """The user's name on this machine as far as it makes a player's name."""
    from kille_net.wire.text import MAX_NAME, valid_name

    try:
        user = unicodedata.normalize("NFC", getpass.getuser())
    except (KeyError, OSError):  # a user without a name
        return _NOBODY
    kept = "".join(char for char in user if valid_name(char))[:MAX_NAME]
    return valid_name(kept) or _NOBODY
