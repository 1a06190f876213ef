"""`kille serve`: host a server until told to stop. Owns its options and what it prints; the rest is `server`'s."""

import errno
import importlib
import ipaddress
import signal
import socket
import sqlite3
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AbstractContextManager, AsyncExitStack, ExitStack, asynccontextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from kille_net.cli.address import parse_address
from kille_net.cli.config import config_options, limits_of, show
from kille_net.cli.errors import CliError
from kille_net.cli.exit_codes import Exit
from kille_net.cli.password import password_option, read_password

if TYPE_CHECKING:
    import trio

    from kille_net.cli.settings import Settings
    from kille_net.server.channel import Channel
    from kille_net.server.clerk import Memory
    from kille_net.server.key import Key
    from kille_net.server.serve import Config, Server

__all__ = ["command"]

_HERE: Final = "127.0.0.1"
_ELSEWHERE: Final = ("192.0.2.1", 9)
"""A documentation address: what would go there, and is not sent, would leave by the address that others see."""

_TEXTS: Final = {
    "sv": {
        "no_records": "det går inte att skriva i {folder}: {why}; välj en annan mapp med --records",
        "key": "nyckel",
        "open_to_others": "andra kan läsa {file}; kör chmod 600 på den, eller ta bort den så görs en ny nyckel",
        "broken": "{file} är ingen nyckel; lägg tillbaka den rätta, eller ta bort den så görs en ny",
        "no_key": "det går inte att ha en nyckel i {folder}: {why}; välj en annan mapp med --data",
        "no_channel": "det går inte att öppna kille admins väg in i {folder}: {why}; välj en annan mapp med --data",
        "no_prometheus": "för --metrics behövs prometheus-client: pip install 'kille-net[metrics]'",
        "no_metrics": "det går inte att visa siffror på {address}: {why}; välj en annan adress med --metrics",
        "newer": "{file} är gjord av en senare version av kille; uppgradera, eller välj en annan mapp med --data",
        "damaged": "{file} är skadad eller inte vår; lägg tillbaka en kopia, eller flytta bort den så görs en ny",
        "store_open_to_others": "andra kan läsa {file}; kör chmod 600 på den",
        "in_use": "en annan server använder {folder}; stoppa den, eller välj en annan mapp med --data",
        "no_store": "det går inte att spara i {folder}: {why}; välj en annan mapp med --data",
        "public": "bara den här maskinen kan ansluta: den har ingen privat adress, och andra väljs med --host",
        "taken": "port {port} är upptagen; välj en annan med --port",
        "forbidden": "port {port} får bara administratören öppna; välj en annan med --port",
        "no_host": "den här maskinen har ingen adress {host}",
        "other": "det går inte att lyssna på port {port}: {why}",
    },
    "en": {
        "no_records": "cannot write in {folder}: {why}; choose another folder with --records",
        "key": "key",
        "open_to_others": "others can read {file}; chmod 600 it, or remove it and a new key is made",
        "broken": "{file} is no key; put back the right one, or remove it and a new one is made",
        "no_key": "cannot keep a key in {folder}: {why}; choose another folder with --data",
        "no_channel": "cannot open the way in for kille admin in {folder}: {why}; choose another folder with --data",
        "no_prometheus": "--metrics needs prometheus-client: pip install 'kille-net[metrics]'",
        "no_metrics": "cannot show numbers at {address}: {why}; choose another address with --metrics",
        "newer": "{file} was made by a later version of kille; upgrade, or choose another folder with --data",
        "damaged": "{file} is damaged, or not ours; put back a backup, or move it away and a new one is made",
        "store_open_to_others": "others can read {file}; chmod 600 it",
        "in_use": "another server uses {folder}; stop it, or choose another folder with --data",
        "no_store": "cannot save in {folder}: {why}; choose another folder with --data",
        "public": "only this machine can join: it has no private address, and others are chosen with --host",
        "taken": "port {port} is taken; choose another with --port",
        "forbidden": "port {port} is the administrator's to open; choose another with --port",
        "no_host": "this machine has no address {host}",
        "other": "cannot listen on port {port}: {why}",
    },
}


class _Metrics(click.ParamType[str]):
    name = "[HOST:]PORT"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = str(value)
        text = f"{_HERE}:{text}" if text.isdigit() else text
        host = text.rpartition(":")[0]
        try:
            if not host or (":" in host and not host.startswith("[")):  # without a port
                raise ValueError(text)
            parse_address(text)
        except ValueError:
            self.fail("an address is PORT, HOST:PORT or [IPV6]:PORT, with a port from 1 to 65535", param, ctx)
        return text


_METRICS: Final = _Metrics()


@click.command("serve")
@click.option(
    "--host", metavar="ADDRESS", show_default="all private addresses of this machine", help="Where to listen."
)
@click.option("--port", type=click.IntRange(0, 65535), default=4747, help="The TCP port; 0 takes any free one.")
@click.option("--name", default="", metavar="TEXT", help="What the server is called.")
@click.option(
    "--records",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep the record of every finished match in this folder.",
)
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    show_default="'server' in that of kille --data",
    help="The folder of what the server is to remember: its key, who is known, and all that is played.",
)
@password_option("What others have to know to join")
@click.option(
    "--insecure-plaintext",
    is_flag=True,
    help="Take plain text from other machines too, although everybody on the way can read and change what is said.",
)
@click.option(
    "--metrics",
    type=_METRICS,
    help="Show numbers for Prometheus at this address; without HOST on this machine alone.",
)
@click.option("--no-discovery", is_flag=True, help="Do not let the server be found on its network without an address.")
@click.option("--log-format", type=click.Choice(["text", "json"]), default="text", help="Of the log on standard error.")
@config_options
@click.pass_context
def command(
    ctx: click.Context,
    *,
    host: str | None,
    port: int,
    name: str,
    records: Path | None,
    data: Path | None,
    password_file: Path | None,
    insecure_plaintext: bool,
    metrics: str | None,
    no_discovery: bool,
    log_format: str,
    limit: tuple[str, ...],
    show_config: bool,
) -> Exit:
    """Host a server that others join.

    It prints what they type to join it, and the words of its key, which they see the first time: if theirs are others,
    somebody is in between. It runs until Ctrl-C, which lets the hands end that are
    under way; a second one ends it at once.
    """
    import trio

    from kille_net.server.addresses import is_private
    from kille_net.server.logs import LogFormat, open_log
    from kille_net.server.passwords import Trial, prove
    from kille_net.server.serve import EVERYWHERE, Config
    from kille_net.wire.announcement import NAME_CELLS
    from kille_net.wire.text import safe_text

    settings: Settings = ctx.obj
    texts = _TEXTS[settings.lang]
    limits = limits_of(ctx, limit, settings.lang)
    folder = data or settings.folder() / "server"
    if show_config:
        click.echo(show(ctx, limits, {"data": folder}))
        return Exit.DONE
    password = read_password(password_file, settings.lang)
    if records is not None:
        _make_folder(records, texts)
    config = Config(
        hosts=EVERYWHERE if host is None else (host,),
        port=port,
        name=safe_text(name, 32),
        records=records,
        key=_open_key(folder, texts),
        lock=None if password is None else prove(Trial(password, None)),
        limits=limits,
        takes_plain=insecure_plaintext,
    )
    if host is None:
        config = replace(config, serves=is_private)
    if metrics is not None:
        _need_metrics(texts)
    open_log(LogFormat(log_format))
    known_as = None if no_discovery else config.name or safe_text(socket.gethostname(), NAME_CELLS)
    return trio.run(_run, config, folder, metrics, known_as, texts, restrict_keyboard_interrupt_to_checkpoints=True)


def _open_key(folder: Path, texts: dict[str, str]) -> "Key":
    from kille_net.server.key import BadKeyFile, open_key

    try:
        return open_key(folder)
    except BadKeyFile as error:
        raise CliError(texts[error.fault.value].format(file=error.path), code=Exit.WRONG_USE) from error
    except OSError as error:
        raise CliError(texts["no_key"].format(folder=folder, why=error.strerror), code=Exit.WRONG_USE) from error


async def _run(config: "Config", folder: Path, metrics: str | None, name: str | None, texts: dict[str, str]) -> Exit:
    """Serve until told to stop, which lets the hands end and says goodbye; a signal after that ends at once.

    `name`: what the server is found as on its network; None: it is not.
    """
    import trio

    from kille_net.server.admin import answerer
    from kille_net.server.channel import serve_channel
    from kille_net.server.drain import drain
    from kille_net.server.listening import open_listeners
    from kille_net.server.serve import Server

    code = Exit.DONE

    async def heed(server: Server, scope: trio.CancelScope) -> None:
        nonlocal code
        async for number in signals:
            if server.stop_asked.is_set():  # also by kille admin
                code = Exit.SIGTERM if number == signal.SIGTERM else Exit.SIGINT
                server.halt()
                scope.cancel()
            server.stop_asked.set()

    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals, ExitStack() as stack:
        try:
            listeners = await open_listeners(config.hosts, config.port)
        except (OSError, UnicodeError) as error:  # the second: what no name of a machine can be
            raise CliError(_why_not(error, config, texts), code=Exit.WRONG_USE) from error
        for listener in listeners:
            stack.enter_context(listener)
        async with (
            _open_memory(folder, texts) as memory,  # the folder is ours from here on
            _admin_channel(folder, texts) as channel,
            trio.open_nursery() as nursery,
        ):
            server = Server(config, memory)
            if metrics is not None:  # before anybody is let in, since it may fail
                await _show_metrics(nursery, server, metrics, texts)
            await nursery.start(server.run, listeners)
            nursery.start_soon(serve_channel, channel, answerer(server))
            _tell(config, server.addresses, texts)
            nursery.start_soon(heed, server, nursery.cancel_scope)
            withdraw = stack.enter_context(_made_known(config, server.addresses, name))
            await server.stop_asked.wait()
            withdraw()
            await drain(server)
            nursery.cancel_scope.cancel()
    return code


def _made_known(
    config: "Config", bound: Sequence[tuple[str, int]], name: str | None
) -> AbstractContextManager[Callable[[], None]]:
    """That the server is found on its network, as long as the context, or until what it gives is called."""
    from kille_net.server.announcing import announcing, is_for_others
    from kille_net.wire.announcement import ID_DIGITS, Announcement
    from kille_net.wire.messages import VERSIONS

    if name is None or not is_for_others(bound):
        return nullcontext(lambda: None)
    assert config.key is not None
    announcement = Announcement(
        id=config.key.fingerprint.hex()[:ID_DIGITS],
        name=name,
        versions=VERSIONS,
        wants_password=config.lock is not None,
        in_tls=True,
    )
    return announcing(announcement, bound, config.serves)


@asynccontextmanager
async def _open_memory(folder: Path, texts: dict[str, str]) -> "AsyncIterator[Memory]":
    """What the server remembers, as long as the context."""
    from kille_net.server.clerk import open_memory
    from kille_net.server.schema import StoreFault

    async with AsyncExitStack() as stack:
        try:
            memory = await stack.enter_async_context(open_memory(folder))
        except StoreFault as error:
            text = texts[error.fault.value].format(file=error.path, folder=folder)
            raise CliError(text, code=Exit.WRONG_USE) from error
        except (OSError, sqlite3.Error) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise CliError(texts["no_store"].format(folder=folder, why=why), code=Exit.WRONG_USE) from error
        yield memory


@asynccontextmanager
async def _admin_channel(folder: Path, texts: dict[str, str]) -> "AsyncIterator[Channel]":
    from kille_net.server.channel import open_channel

    with ExitStack() as stack:
        try:
            channel = stack.enter_context(open_channel(folder))
        except OSError as error:
            text = texts["no_channel"].format(folder=click.format_filename(folder), why=error.strerror)
            raise CliError(text, code=Exit.WRONG_USE) from error
        yield channel


def _need_metrics(texts: dict[str, str]) -> None:
    try:
        importlib.import_module("prometheus_client")
    except ModuleNotFoundError:
        raise CliError(texts["no_prometheus"], code=Exit.WRONG_USE) from None


async def _show_metrics(nursery: "trio.Nursery", server: "Server", metrics: str, texts: dict[str, str]) -> None:
    from kille_net.server.metrics import serve_metrics

    address = parse_address(metrics)
    try:
        await nursery.start(serve_metrics, server, address.host, address.port)
    except OSError as error:
        text = texts["no_metrics"].format(address=metrics, why=error.strerror)
        raise CliError(text, code=Exit.WRONG_USE) from error


def _tell(config: "Config", bound: Iterable[tuple[str, int]], texts: dict[str, str]) -> None:
    """What others type, and by what they know that it is this server; for programs, the fingerprint."""
    from kille_net.wire.fingerprint import words

    assert config.key is not None
    addresses, is_reached = _addresses(bound, config.serves)
    lines = [f"kille join {address}" for address in addresses]
    lines += [f"{texts['key']}: {words(config.key.fingerprint)}", f"pin: {config.key.fingerprint.hex()}"]
    click.echo("\n".join(lines))
    sys.stdout.flush()
    if not is_reached:
        click.echo(f"kille: {texts['public']}", err=True)


def _make_folder(folder: Path, texts: dict[str, str]) -> None:
    """Be sure that records can be kept there, before there are any."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        text = texts["no_records"].format(folder=click.format_filename(folder), why=error.strerror)
        raise CliError(text, code=Exit.WRONG_USE) from error


def _addresses(bound: Iterable[tuple[str, int]], serves: Callable[[str], bool]) -> tuple[list[str], bool]:
    """What others type: the first address that they reach us by, with its port; and whether it is served."""
    for host, port in bound:
        shown = _seen_by_others(host) if ipaddress.ip_address(host.partition("%")[0]).is_unspecified else host
        if shown is not None:
            is_reached = serves(shown)
            shown = shown if is_reached else _HERE
            return [f"[{shown}]:{port}" if ":" in shown else f"{shown}:{port}"], is_reached
    return [], True


def _seen_by_others(host: str) -> str | None:
    """The address by which this machine goes out, or its loopback; None for IPv6, which goes beside IPv4."""
    if ":" in host:
        return None
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        try:
            sock.connect(_ELSEWHERE)
            return str(sock.getsockname()[0])
        except OSError:  # no network
            return _HERE


def _why_not(error: OSError | UnicodeError, config: "Config", texts: dict[str, str]) -> str:
    host = " ".join(config.hosts)
    match error:
        case OSError(errno=errno.EADDRINUSE):
            return texts["taken"].format(port=config.port)
        case OSError(errno=errno.EACCES):
            return texts["forbidden"].format(port=config.port)
        case OSError(errno=errno.EADDRNOTAVAIL) | socket.gaierror() | UnicodeError():
            return texts["no_host"].format(host=host)
    return texts["other"].format(port=config.port, why=error.strerror)
