"""`kille play`: a match against the computers, here and now. Owns the options; server and client do the rest."""

import os
from random import SystemRandom
from typing import Final

import click

from kille_net.cli.exit_codes import Exit
from kille_net.cli.person import NAME, own_name
from kille_net.cli.preferences import with_preferences
from kille_net.cli.settings import Settings
from kille_net.cli.speaking import Command, Words, option
from kille_net.client.preferences import Preferences

__all__ = ["command"]

_AUTOPILOT: Final = "sharp"


@click.command("play", cls=Command)
@option("--seats", type=click.IntRange(2, 8), default=4)
@option("--level", type=Words(["random", "easy", "careful", "sharp", "deep"]), default="careful", show_default=True)
@option("--format", "format_", type=Words(["pots", "sticks"]), default="pots")
@option("--length", type=Words(["short", "standard", "long"]), default="long")
@option("--pots", type=click.IntRange(1, 99))
@option("--dealt-harlekin", type=Words(["high", "low"]), default="high")
@option("--autopilot", is_flag=True)
@option("--plain", is_flag=True)
@option("--name", type=NAME)
@click.pass_obj
@with_preferences
def command(
    settings: Settings,
    *,
    seats: int,
    level: str,
    format_: str,
    length: str,
    pots: int | None,
    dealt_harlekin: str,
    autopilot: bool,
    plain: bool,
    name: str | None,
    preferences: Preferences,
) -> Exit:
    from kille_net.bots import BUILT_IN
    from kille_net.client.invitation import TYPED, Invitation
    from kille_net.client.options import Fault, read_options
    from kille_net.client.run import run
    from kille_net.client.showing.texts import say
    from kille_net.server.embedded import embedded

    nobody_looks = not (os.isatty(0) and os.isatty(1))
    given = {
        "seats": str(seats),
        "computers": str(seats - 1),
        "level": level,
        "format": format_,
        "length": length,
        "pots": str(pots or 0),
        "dealt_harlekin": dealt_harlekin,
        "clock": "0",
        "watching": "nobody",
    }
    if nobody_looks:
        given |= {"pace": "0", "window": "0", "rest": "0"}
    options = read_options(given)
    assert not isinstance(options, Fault)  # the choices above are those of the options
    bot = BUILT_IN[_AUTOPILOT](SystemRandom()) if autopilot or nobody_looks else None
    if nobody_looks and not autopilot:
        click.echo(say(settings.lang, "no_terminal"))
    with embedded() as port:
        invitation = Invitation(
            host="127.0.0.1",
            port=port,
            name=name or own_name(),
            create=options,
            private=True,
            start=True,
            autopilot=bot,
            plain=plain or nobody_looks,
            lang=settings.lang,
            preferences=preferences,
            typed=settings.folder() / TYPED,
        )
        return Exit(run(invitation))
