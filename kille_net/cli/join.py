"""`kille join`: a seat at a server's table, or a place to watch from."""

from pathlib import Path

import click

from kille_net.cli.address import SERVER, Address
from kille_net.cli.choosing import choose
from kille_net.cli.exit_codes import Exit
from kille_net.cli.password import password_option, read_password
from kille_net.cli.person import NAME, own_name
from kille_net.cli.settings import Settings
from kille_net.cli.trust import trust_of, trust_options

__all__ = ["command"]


@click.command("join")
@click.argument("server", type=SERVER, metavar="[HOST[:PORT]]", required=False)
@click.option("--name", type=NAME, help="What you are called at the table.  [default: your user name]")
@click.option("--room", metavar="ROOM", help="The room to enter at once.  [default: the lobby is shown]")
@click.option("--watch", is_flag=True, help="Look on instead of taking a seat.")
@click.option("--plain", is_flag=True, help="Lines in, lines out: nothing is redrawn. For screen readers and pipes.")
@password_option("The server's password, where it has one; you are asked for it otherwise")
@trust_options
@click.pass_obj
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
) -> Exit:
    """Take a seat at a server's table, or watch one.

    HOST is what the one who hosts was shown. Without it you choose among the servers on your network, the one on this
    machine and the one that you joined last; in a pipe they are listed. The first time you also see the words of a
    server's key: the one who hosts sees the same, unless somebody is in between. At the table, type 'help' to see what
    you can do. When the line is lost, your seat is kept for a while and taken again by itself, or when you join
    again under the same name. Should a terminal ever look odd after a crash, type 'reset'.
    """
    from kille_net.client import recent, tickets
    from kille_net.client.invitation import TYPED, Invitation
    from kille_net.client.run import run

    password = read_password(password_file, settings.lang)
    trusted = trust_of(settings, trust=trust, tls=tls, insecure_plaintext=insecure_plaintext)
    last = settings.folder() / recent.FILE
    if server is None:
        server = choose(settings.lang, last)
        if server is None:
            return Exit.DONE
    invitation = Invitation(
        host=server.host,
        port=server.port,
        name=name or own_name(),
        room=room,
        watch=watch,
        plain=plain,
        trust=trusted,
        lang=settings.lang,
        returns=True,
        typed=settings.folder() / TYPED,
        server_password=password,
        tickets=settings.folder() / tickets.FOLDER,
        recent=last,
    )
    return Exit(run(invitation))
