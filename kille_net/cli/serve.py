"""`kille serve`: host a server until told to stop. Owns its options and what it prints; the rest is `server`'s."""

import errno
import ipaddress
import logging
import signal
import socket
import sys
import tempfile
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from kille_net.cli.errors import CliError
from kille_net.cli.exit_codes import Exit
from kille_net.cli.settings import Lang, Settings

if TYPE_CHECKING:
    import trio

    from kille_net.server.serve import Config

__all__ = ["command"]

_ALL_ADDRESSES: Final = ("0.0.0.0", "::")
_ELSEWHERE: Final = ("192.0.2.1", 9)
"""A documentation address: what would go there, and is not sent, would leave by the address that others see."""

_TEXTS: Final = {
    Lang.SV: {
        "needs_flag": "att servera {host} utan kryptering kräver --insecure-plaintext",
        "no_records": "det går inte att skriva i {folder}: {why}; välj en annan mapp med --records",
        "taken": "port {port} är upptagen; välj en annan med --port",
        "forbidden": "port {port} får bara administratören öppna; välj en annan med --port",
        "no_host": "den här maskinen har ingen adress {host}",
        "other": "det går inte att lyssna på port {port}: {why}",
    },
    Lang.EN: {
        "needs_flag": "serving {host} without encryption needs --insecure-plaintext",
        "no_records": "cannot write in {folder}: {why}; choose another folder with --records",
        "taken": "port {port} is taken; choose another with --port",
        "forbidden": "port {port} is the administrator's to open; choose another with --port",
        "no_host": "this machine has no address {host}",
        "other": "cannot listen on port {port}: {why}",
    },
}


@click.command("serve")
@click.option("--host", metavar="ADDRESS", show_default="this machine only", help="Where to listen.")
@click.option("--port", type=click.IntRange(0, 65535), default=4747, help="The TCP port; 0 takes any free one.")
@click.option("--name", default="", metavar="TEXT", help="What the server is called.")
@click.option(
    "--records",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep the record of every finished match in this folder.",
)
@click.option(
    "--insecure-plaintext",
    is_flag=True,
    help="Serve other machines too, although everybody on the way can read and change what is said.",
)
@click.pass_obj
def command(
    settings: Settings, *, host: str | None, port: int, name: str, records: Path | None, insecure_plaintext: bool
) -> Exit:
    """Host a server that others join.

    It prints what they type to join it, and runs until Ctrl-C.
    """
    import trio

    from kille_net.server.serve import LOOPBACK, Config
    from kille_net.wire.text import safe_text

    texts = _TEXTS[settings.lang]
    if host is not None and not insecure_plaintext and not _is_this_machine(host):
        raise CliError(texts["needs_flag"].format(host=host), code=Exit.WRONG_USE)
    if records is not None:
        _make_folder(records, texts)
    everywhere = _ALL_ADDRESSES if insecure_plaintext else LOOPBACK
    config = Config(hosts=everywhere if host is None else (host,), port=port, name=safe_text(name, 32), records=records)
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(levelname)s: %(message)s")
    return trio.run(_run, config, texts, restrict_keyboard_interrupt_to_checkpoints=True)


async def _run(config: "Config", texts: dict[str, str]) -> Exit:
    """Serve until a signal comes: the first says goodbye to everybody, the second ends at once."""
    import trio

    from kille_net.server.serve import Server, open_listeners

    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        try:
            listeners = await open_listeners(config)
        except OSError as error:
            raise CliError(_why_not(error, config, texts), code=Exit.WRONG_USE) from error
        async with trio.open_nursery() as nursery:
            server = await nursery.start(Server(config).run, listeners)
            for address in _addresses(server.addresses):
                click.echo(f"kille join {address}")
            sys.stdout.flush()
            first = await anext(signals)
            nursery.start_soon(_cancel_at, signals, nursery.cancel_scope)
            await server.shut_down()
            nursery.cancel_scope.cancel()
    return Exit.DONE if first == signal.SIGTERM else Exit.SIGINT


async def _cancel_at(signals: AsyncIterator[int], scope: "trio.CancelScope") -> None:
    await anext(signals)
    scope.cancel()


def _make_folder(folder: Path, texts: dict[str, str]) -> None:
    """Be sure that records can be kept there, before there are any."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        text = texts["no_records"].format(folder=click.format_filename(folder), why=error.strerror)
        raise CliError(text, code=Exit.WRONG_USE) from error


def _is_this_machine(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _addresses(bound: Iterable[tuple[str, int]]) -> list[str]:
    """What others type: the first address that they reach us by, with its port."""
    addresses = []
    for host, port in bound:
        shown = _seen_by_others(host) if ipaddress.ip_address(host).is_unspecified else host
        if shown is not None:
            addresses.append(f"[{shown}]:{port}" if ":" in shown else f"{shown}:{port}")
    return addresses[:1]


def _seen_by_others(host: str) -> str | None:
    """The address by which this machine goes out, or its loopback; None for IPv6, which goes beside IPv4."""
    if ":" in host:
        return None
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        try:
            sock.connect(_ELSEWHERE)
            return str(sock.getsockname()[0])
        except OSError:  # no network
            return "127.0.0.1"


def _why_not(error: OSError, config: "Config", texts: dict[str, str]) -> str:
    host = " ".join(config.hosts)
    match error:
        case OSError(errno=errno.EADDRINUSE):
            return texts["taken"].format(port=config.port)
        case OSError(errno=errno.EACCES):
            return texts["forbidden"].format(port=config.port)
        case OSError(errno=errno.EADDRNOTAVAIL) | socket.gaierror():
            return texts["no_host"].format(host=host)
    return texts["other"].format(port=config.port, why=error.strerror)
