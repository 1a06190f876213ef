"""`kille doctor`: what is worth knowing where something is wrong, for who reads a report of it.

Owns how it is shown. Refuses to know how it is found (`facts`, and the client's `widths`).
"""

import json
import os
from typing import TYPE_CHECKING, Final

import click

from kille_net.cli.settings import Settings
from kille_net.cli.speaking import Command, option, tell
from kille_net.systems import EDITS_LINES

if TYPE_CHECKING:
    from kille_net.cli.facts import Fact

__all__ = ["command"]

_SECONDS: Final = 2.0
_CELLS: Final = 400


@click.command("doctor", cls=Command)
@option("--json", "as_json", is_flag=True)
@option("--look", is_flag=True)
@click.pass_obj
def command(settings: Settings, *, as_json: bool, look: bool) -> None:
    from kille_net.cli.facts import facts

    found = facts(settings, os.environ, _measured())
    if look:
        found["network.servers"] = _servers()
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False))
        return
    for name, fact in found.items():
        _show(f"{tell(f'doctor.{name}')}: {_shown(fact)}")


def _measured() -> dict[str, int] | None:
    if not EDITS_LINES:
        return None
    from kille_net.client.terminal.widths import measure

    return measure()


def _show(line: str) -> None:
    """Clean: what the environment says, and the network, can be anything."""
    from kille_net.client.run import speaks_utf8
    from kille_net.client.showing.layout import to_ascii
    from kille_net.wire.text import safe_text

    line = safe_text(line, _CELLS)
    click.echo(line if speaks_utf8(os.environ) else to_ascii(line))


def _shown(fact: "Fact") -> str:
    match fact:
        case None:
            return tell("doctor.unknown")
        case bool():
            return tell("cli.yes" if fact else "cli.no")
        case list():
            return ", ".join(fact) or tell("doctor.none")
        case dict():
            return _widths(fact)
    return str(fact)


def _widths(found: dict[str, int]) -> str:
    """Only what is not as it is counted with is worth reading."""
    from kille_net.client.terminal.widths import expected

    odd = [
        tell("doctor.width", text=text, found=found[text], expected=width)
        for text, width in expected().items()
        if found.get(text) != width
    ]
    return ", ".join(odd) or tell("doctor.as_expected")


def _servers() -> list[str]:
    from kille_net.client.net import looking
    from kille_net.client.net.servers import Servers, Sighting
    from kille_net.client.net.trust import address_of

    servers = Servers(looking.own_networks(), here=None, last=None)

    def hear(sighting: Sighting) -> None:
        servers.hear(sighting)

    looking.look(_SECONDS, hear)
    servers.rest()
    names = ("" if server.announcement is None else server.announcement.name for server in servers.shown)
    return [f"{name} {address_of(*server.place)}".strip() for name, server in zip(names, servers.shown, strict=True)]
