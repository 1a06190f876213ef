"""`kille join`: a seat at a server's table, or a place to watch from."""

from pathlib import Path

import click

from kille_net.cli.address import SERVER, Address
from kille_net.cli.choosing import choose
from kille_net.cli.errors import CliError
from kille_net.cli.exit_codes import Exit
from kille_net.cli.password import password_option, read_password
from kille_net.cli.person import NAME, name_there
from kille_net.cli.preferences import with_preferences
from kille_net.cli.settings import Settings
from kille_net.cli.speaking import Command, argument, option, tell
from kille_net.cli.trust import trust_of, trust_options
from kille_net.client.preferences import Preferences

__all__ = ["command"]


@click.command("join", cls=Command)
@argument("server", type=SERVER, metavar="[HOST[:PORT]]", required=False)
@option("--name", type=NAME)
@option("--room", metavar="ROOM")
@option("--watch", is_flag=True)
@option("--quick", is_flag=True)
@option("--seats", type=click.IntRange(2, 8))
@option("--format", "format_", type=click.Choice(["pots", "sticks"]))
@option("--length", type=click.Choice(["short", "standard", "long"]))
@option("--plain", is_flag=True)
@password_option
@trust_options
@click.pass_obj
@with_preferences
def command(
    settings: Settings,
    *,
    server: Address | None,
    name: str | None,
    room: str | None,
    watch: bool,
    quick: bool,
    seats: int | None,
    format_: str | None,
    length: str | None,
    plain: bool,
    password_file: Path | None,
    trust: bool,
    tls: bool,
    insecure_plaintext: bool,
    preferences: Preferences,
) -> Exit:
    from kille_net.client.invitation import TYPED, Invitation
    from kille_net.client.net import recent, tickets
    from kille_net.client.options import Fault, read_wish
    from kille_net.client.run import run

    given = {"seats": seats, "format": format_, "length": length}
    wishes = {name: str(value) for name, value in given.items() if value is not None}
    if quick and (room is not None or watch):
        raise CliError(tell("join.quick_alone"), code=Exit.WRONG_USE)
    if wishes and not quick:
        raise CliError(tell("join.only_quick"), code=Exit.WRONG_USE)
    wish = read_wish(wishes)
    assert not isinstance(wish, Fault)  # the choices above are those of the options
    password = read_password(password_file)
    trusted = trust_of(settings, trust=trust, tls=tls, insecure_plaintext=insecure_plaintext)
    last = settings.folder() / recent.FILE
    code = Exit.DONE
    for there in (server,) if server is not None else iter(lambda: choose(settings.lang, last), None):
        called = name or name_there(settings.folder() / tickets.FOLDER, there)
        if called is None:
            return Exit.DONE
        invitation = Invitation(
            host=there.host,
            port=there.port,
            name=called,
            room=room,
            quick=wish if quick else None,
            watch=watch,
            plain=plain,
            trust=trusted,
            lang=settings.lang,
            preferences=preferences,
            returns=True,
            typed=settings.folder() / TYPED,
            server_password=password,
            tickets=settings.folder() / tickets.FOLDER,
            recent=last,
        )
        code = Exit(run(invitation))
        if code is not Exit.NO_SERVER:  # of which the client has told; another of the list may be there
            break
    return code
