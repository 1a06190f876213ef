"""`kille join`: a seat at a server's table, or a place to watch from."""

from pathlib import Path

import click

from kille_net.cli.address import SERVER, Address
from kille_net.cli.choosing import choose
from kille_net.cli.exit_codes import Exit
from kille_net.cli.password import password_option, read_password
from kille_net.cli.person import NAME, name_there
from kille_net.cli.preferences import with_preferences
from kille_net.cli.settings import Settings
from kille_net.cli.speaking import Command, argument, option
from kille_net.cli.trust import trust_of, trust_options
from kille_net.client.preferences import Preferences

__all__ = ["command"]


@click.command("join", cls=Command)
@argument("server", type=SERVER, metavar="[HOST[:PORT]]", required=False)
@option("--name", type=NAME)
@option("--room", metavar="ROOM")
@option("--watch", is_flag=True)
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
    plain: bool,
    password_file: Path | None,
    trust: bool,
    tls: bool,
    insecure_plaintext: bool,
    preferences: Preferences,
) -> Exit:
    from kille_net.client.invitation import TYPED, Invitation
    from kille_net.client.net import recent, tickets
    from kille_net.client.run import run

    password = read_password(password_file)
    trusted = trust_of(settings, trust=trust, tls=tls, insecure_plaintext=insecure_plaintext)
    last = settings.folder() / recent.FILE
    if server is None:
        server = choose(settings.lang, last)
        if server is None:
            return Exit.DONE
    name = name or name_there(settings.folder() / tickets.FOLDER, server)
    if name is None:
        return Exit.DONE
    invitation = Invitation(
        host=server.host,
        port=server.port,
        name=name,
        room=room,
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
    return Exit(run(invitation))
