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
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from click.core import ParameterSource

from kille_net.cli.address import parse_address
from kille_net.cli.config import config_options, limits_of, show, tournaments_of
from kille_net.cli.errors import CliError
from kille_net.cli.exit_codes import Exit
from kille_net.cli.hosting import explain, in_words
from kille_net.cli.password import password_option, read_password
from kille_net.cli.speaking import Command, option, tell, tell_error
from kille_net.cli.tournaments import Described, plan_at

if TYPE_CHECKING:
    import trio

    from kille_net.cli.settings import Settings
    from kille_net.server.channel import Channel
    from kille_net.server.clerk import Memory
    from kille_net.server.key import Key
    from kille_net.server.serve import Config, Server
    from kille_net.wire.messages import Plan

__all__ = ["command"]

_HERE: Final = "127.0.0.1"
_ELSEWHERE: Final = ("192.0.2.1", 9)
"""A documentation address: what would go there, and is not sent, would leave by the address that others see."""


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
            self.fail(tell("serve.bad_address"), param, ctx)
        return text


_METRICS: Final = _Metrics()


_ENDING: Final = (signal.SIGINT, signal.SIGTERM)


@click.command("serve", cls=Command)
@option("--host", metavar="ADDRESS")
@option("--port", type=click.IntRange(0, 65535), default=4747)
@option("--name", default="", metavar="NAME")
@option("--records", type=click.Path(file_okay=False, path_type=Path), metavar="DIR")
@option("--data", type=click.Path(file_okay=False, path_type=Path), metavar="DIR")
@password_option
@option("--insecure-plaintext", is_flag=True)
@option("--metrics", type=_METRICS)
@option("--no-discovery", is_flag=True)
@option("--log-format", type=click.Choice(["text", "json"]), default="text")
@option("--tournament", type=click.Path(dir_okay=False, path_type=Path), multiple=True, metavar="FILE")
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
    tournament: tuple[Path, ...],
    limit: tuple[str, ...],
    show_config: bool,
) -> Exit:
    import trio

    from kille_net.server.addresses import is_private
    from kille_net.server.collecting import looking_at_what_is_new
    from kille_net.server.logs import LogFormat, open_log
    from kille_net.server.passwords import Trial, prove
    from kille_net.server.serve import EVERYWHERE, Config
    from kille_net.wire.announcement import NAME_CELLS
    from kille_net.wire.text import safe_text

    settings: Settings = ctx.obj
    limits = limits_of(ctx, limit)
    tournaments = tournaments_of(ctx, tournament)
    folder = settings.server_folder(data)
    if show_config:
        click.echo(show(ctx, limits, tournaments, {"data": folder}))
        return Exit.DONE
    password = read_password(password_file)
    if records is not None:
        _make_folder(records)
    config = Config(
        hosts=EVERYWHERE if host is None else (host,),
        port=port,
        name=safe_text(name, 32),
        records=records,
        key=_open_key(folder),
        lock=None if password is None else prove(Trial(password, None)),
        limits=limits,
        takes_plain=insecure_plaintext,
    )
    if host is None:
        config = replace(config, serves=is_private)
    if metrics is not None:
        _need_metrics()
    is_chosen = ctx.get_parameter_source("log_format") is not ParameterSource.DEFAULT
    open_log(LogFormat(log_format), None if is_chosen or not sys.stderr.isatty() else in_words)
    known_as = None if no_discovery else config.name or safe_text(socket.gethostname(), NAME_CELLS)
    with looking_at_what_is_new():
        return trio.run(
            _run, config, folder, metrics, known_as, tournaments, restrict_keyboard_interrupt_to_checkpoints=True
        )


def _open_key(folder: Path) -> "Key":
    from kille_net.server.key import BadKeyFile, open_key

    try:
        return open_key(folder)
    except BadKeyFile as error:
        raise CliError(tell(f"serve.{error.fault.value}", file=error.path), code=Exit.WRONG_USE) from error
    except OSError as error:
        raise CliError(tell("serve.no_key", folder=folder, why=tell_error(error)), code=Exit.WRONG_USE) from error


async def _run(
    config: "Config", folder: Path, metrics: str | None, name: str | None, tournaments: Sequence[Described]
) -> Exit:
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

    early = _noted()
    with trio.open_signal_receiver(*_ENDING) as signals, ExitStack() as stack:
        try:
            listeners = await open_listeners(config.hosts, config.port)
        except (OSError, UnicodeError) as error:  # the second: what no name of a machine can be
            raise CliError(_why_not(error, config), code=Exit.WRONG_USE) from error
        for listener in listeners:
            stack.enter_context(listener)
        async with (
            _open_memory(folder) as memory,  # the folder is ours from here on
            _admin_channel(folder) as channel,
            trio.open_nursery() as nursery,
        ):
            server = Server(config, memory)
            if metrics is not None:  # before anybody is let in, since it may fail
                await _show_metrics(nursery, server, metrics)
            await nursery.start(server.run, listeners)
            _open_tournaments(server, tournaments)
            nursery.start_soon(serve_channel, channel, answerer(server))
            _tell(config, server.addresses, name)
            nursery.start_soon(heed, server, nursery.cancel_scope)
            if early:
                server.stop_asked.set()
            withdraw = stack.enter_context(_made_known(config, server.addresses, name))
            await server.stop_asked.wait()
            withdraw()
            await drain(server)
            nursery.cancel_scope.cancel()
    for number in _ENDING:  # what comes now comes too late to change anything, also while Python takes itself down
        signal.signal(number, signal.SIG_IGN)
    return code


def _open_tournaments(server: "Server", tournaments: Iterable[Described]) -> None:
    """Those that are still to come; what hinders one hinders nothing else."""
    from kille_net.server.effects import Refusing
    from kille_net.server.logs import log

    for one in tournaments:
        plan = plan_at(one, datetime.now())
        if plan is None:
            log.info("tournament_not_opened", tournament=one.name, code="past")
            continue
        try:
            _open_one(server, one.name, plan)
        except Refusing as refusing:
            log.info("tournament_not_opened", tournament=one.name, code=refusing.code)


def _open_one(server: "Server", name: str, plan: "Plan") -> None:
    server.schedule(lambda calendar, now: calendar.open(name, plan, now))


def _noted() -> list[int]:
    """The signals that come before trio listens, or after: it hands what it has not told to whoever listened before,
    and that a second one comes while the server ends must not end it otherwise.
    """
    noted: list[int] = []
    for number in _ENDING:
        signal.signal(number, lambda number, _frame: noted.append(number))
    return noted


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
async def _open_memory(folder: Path) -> "AsyncIterator[Memory]":
    """What the server remembers, as long as the context."""
    from kille_net.server.clerk import open_memory
    from kille_net.server.schema import StoreFault

    async with AsyncExitStack() as stack:
        try:
            memory = await stack.enter_async_context(open_memory(folder))
        except StoreFault as error:
            text = tell(f"serve.{error.fault.value}", file=error.path, folder=folder)
            raise CliError(text, code=Exit.WRONG_USE) from error
        except (OSError, sqlite3.Error) as error:
            why = tell_error(error) if isinstance(error, OSError) else str(error)
            raise CliError(tell("serve.no_store", folder=folder, why=why), code=Exit.WRONG_USE) from error
        yield memory


@asynccontextmanager
async def _admin_channel(folder: Path) -> "AsyncIterator[Channel]":
    from kille_net.server.channel import open_channel

    with ExitStack() as stack:
        try:
            channel = stack.enter_context(open_channel(folder))
        except OSError as error:
            text = tell("serve.no_channel", folder=click.format_filename(folder), why=tell_error(error))
            raise CliError(text, code=Exit.WRONG_USE) from error
        yield channel


def _need_metrics() -> None:
    try:
        importlib.import_module("prometheus_client")
    except ModuleNotFoundError:
        raise CliError(tell("serve.no_prometheus"), code=Exit.WRONG_USE) from None


async def _show_metrics(nursery: "trio.Nursery", server: "Server", metrics: str) -> None:
    from kille_net.server.metrics import serve_metrics

    address = parse_address(metrics)
    try:
        await nursery.start(serve_metrics, server, address.host, address.port)
    except OSError as error:
        text = tell("serve.no_metrics", address=metrics, why=tell_error(error))
        raise CliError(text, code=Exit.WRONG_USE) from error


def _tell(config: "Config", bound: Sequence[tuple[str, int]], name: str | None) -> None:
    """What others type, and by what they know that it is this server; for programs, the fingerprint."""
    from kille_net.server.announcing import is_for_others
    from kille_net.wire.fingerprint import words

    assert config.key is not None
    addresses, is_reached = _addresses(bound, config.serves)
    lines = [f"kille join {address}" for address in addresses]
    lines += [f"{tell('serve.key')}: {words(config.key.fingerprint)}", f"pin: {config.key.fingerprint.hex()}"]
    click.echo("\n".join(lines))
    sys.stdout.flush()
    if sys.stdout.isatty() and sys.stderr.isatty():
        click.echo("\n".join(explain(name if is_for_others(bound) else None)), err=True)
    if not is_reached:
        click.echo(f"kille: {tell('serve.public')}", err=True)


def _make_folder(folder: Path) -> None:
    """Be sure that records can be kept there, before there are any."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        text = tell("serve.no_records", folder=click.format_filename(folder), why=tell_error(error))
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


def _why_not(error: OSError | UnicodeError, config: "Config") -> str:
    host = " ".join(config.hosts)
    match error:
        case OSError(errno=errno.EADDRINUSE):
            return tell("serve.taken", port=config.port)
        case OSError(errno=errno.EACCES):
            return tell("serve.forbidden", port=config.port)
        case OSError(errno=errno.EADDRNOTAVAIL) | socket.gaierror() | UnicodeError():
            return tell("serve.no_host", host=host)
    return tell("serve.other", port=config.port, why=tell_error(error))
