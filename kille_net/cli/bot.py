"""`kille bot`: bots that play at a server's table. Owns the options and what is printed; the rest is `client`'s."""

import sys
from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING, Final

import click

from kille_net.cli import bot_check, bot_new, bot_step
from kille_net.cli.address import SERVER, Address
from kille_net.cli.apart import go_apart
from kille_net.cli.errors import CliError
from kille_net.cli.exit_codes import Exit
from kille_net.cli.password import password_option, read_password
from kille_net.cli.ranges import Range
from kille_net.cli.settings import Settings
from kille_net.cli.speaking import Group, Words, argument, option, tell, tell_error
from kille_net.cli.trust import trust_of, trust_options

if TYPE_CHECKING:
    from kille_net.bots.guard import Complaint
    from kille_net.cli.bot_faults import ToldComplaints
    from kille_net.client.bot import Engagement
    from kille_net.client.steps import MatchOver, Placed, Told
    from kille_net.client.terminal.signals import Signals

__all__ = ["command"]

_MOST_BOTS: Final = 64
_AT_ONCE: Final = 4
"""Bots that come in at a time."""
_MOST_NAME: Final = 16
_SEATS: Final = 4
_MOST_SEATS: Final = 8
_PROBLEM_CELLS: Final = 400


@click.group("bot", cls=Group)
def command() -> None:
    """Only its commands do something."""


for part in (bot_new, bot_check, bot_step):
    command.add_command(part.command)


@command.command("run")
@argument("bot", metavar="BOT")
@argument("server", type=SERVER, metavar="HOST[:PORT]")
@option("--room", metavar="NAME")
@option("--count", type=click.IntRange(1, _MOST_BOTS), default=1)
@option("--name", metavar="NAME")
@option("--matches", type=click.IntRange(min=1))
@option("--tournament", metavar="NAME")
@option("--seats", type=click.IntRange(2, 8))
@option("--format", "format_", type=Words(["pots", "sticks"]), default="pots")
@option("--length", type=Words(["short", "standard", "long"]), default="standard")
@option("--computers", type=click.IntRange(0, 7), default=0)
@option("--budget", type=Range(0.001, 3600), default=5.0)
@option("--ready", type=Range(0.001, 3600), default=10.0)
@option("--log", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@password_option
@trust_options
@click.pass_obj
def run(
    settings: Settings,
    *,
    bot: str,
    server: Address,
    room: str | None,
    count: int,
    name: str | None,
    matches: int | None,
    tournament: str | None,
    seats: int | None,
    format_: str,
    length: str,
    computers: int,
    budget: float,
    ready: float,
    log: Path | None,
    password_file: Path | None,
    trust: bool,
    tls: bool,
    insecure_plaintext: bool,
) -> Exit:
    go_apart([bot])
    import trio

    from kille_net.bots import BUILT_IN, BotError, load_within
    from kille_net.bots.guard import Budget
    from kille_net.bots.printing import diverted, log_of
    from kille_net.cli.bot_faults import ToldComplaints
    from kille_net.client.bot import Engagement
    from kille_net.client.net.tickets import BOTS_FOLDER, Slot
    from kille_net.client.options import Fault, read_options
    from kille_net.client.showing.texts import say
    from kille_net.client.terminal.signals import Signals
    from kille_net.wire.fingerprint import words
    from kille_net.wire.options import DEFAULT_OPTIONS

    names = _names(bot, name, count)
    try:
        if log is not None:
            log.mkdir(parents=True, exist_ok=True)
        logs = {own: log_of(own, log, *_around(own)) for own in names}
        with diverted():
            make = load_within(bot, ready, logs[names[0]])
    except BotError as error:
        raise CliError(tell_error(error), code=Exit.WRONG_USE) from error
    except OSError as error:
        raise CliError(tell("arena.not_written", folder=log, why=tell_error(error)), code=Exit.WRONG_USE) from error
    if tournament is not None and (room is not None or matches is not None):
        raise CliError(tell("bot.tournament_alone"), code=Exit.WRONG_USE)
    if room is None and count > 1:
        room = names[0]
    seats = seats or min(max(count, _SEATS), _MOST_SEATS)
    given = {"seats": str(seats), "format": format_, "length": length, "computers": str(computers)}
    options = read_options(given, DEFAULT_OPTIONS)
    assert not isinstance(options, Fault)  # the choices above are those of the options
    trusted = trust_of(settings, trust=trust, tls=tls, insecure_plaintext=insecure_plaintext)

    def met(fingerprint: bytes) -> None:
        text = say(settings.lang, "new_key", address=server, words=words(fingerprint))
        click.echo(f"kille: {text}", err=True)

    password = read_password(password_file)
    door = trio.CapacityLimiter(_AT_ONCE)
    engagements = [
        Engagement(
            host=server.host,
            port=server.port,
            name=own,
            make=make,
            is_ours=bot in BUILT_IN,
            budget=Budget(start=ready, decision=budget),
            log=logs[own],
            room=room,
            options=options,
            matches=matches,
            tournament=tournament,
            trust=trusted,
            met=met,
            door=door,
            password=password,
            slot=Slot(settings.folder() / BOTS_FOLDER, server.host, server.port, own),
        )
        for own in names
    ]
    shown: set[Complaint] = set()
    complaints = [ToldComplaints(one.name, one.log, shown) for one in engagements]
    with Signals() as signals, diverted():
        codes = trio.run(_run, engagements, settings, complaints, signals)
    for engagement, faults in zip(engagements, complaints, strict=True):
        engagement.slot.close()
        faults.end()
    if signals.exit_code is not None:
        return Exit(signals.exit_code)
    return max(codes)


async def _run(
    engagements: "list[Engagement]", settings: Settings, complaints: "list[ToldComplaints]", signals: "Signals"
) -> list[Exit]:
    """All of them at once, until they are done or a signal comes."""
    import trio

    codes = [Exit.DONE]
    told: set[int] = set()

    async def one(engagement: "Engagement", faults: "ToldComplaints") -> None:
        codes.append(await _play(engagement, settings, faults, told))

    async with trio.open_nursery() as nursery:
        token = trio.lowlevel.current_trio_token()
        signals.wake = lambda: token.run_sync_soon(nursery.cancel_scope.cancel)
        if signals.caught is not None:
            nursery.cancel_scope.cancel()
        for engagement, faults in zip(engagements, complaints, strict=True):
            nursery.start_soon(one, engagement, faults)
    return codes


async def _play(engagement: "Engagement", settings: Settings, complaints: "ToldComplaints", told: set[int]) -> Exit:
    """`told`: the matches whose ends are printed already."""
    from kille_net.client.bot import play_on_server
    from kille_net.client.endings import distrusted, ending
    from kille_net.client.net.session import NoServer, SessionEnded
    from kille_net.client.net.trust import Distrust
    from kille_net.client.showing.texts import say
    from kille_net.client.steps import MatchOver, Placed, TurnedAway
    from kille_net.wire.messages import News
    from kille_net.wire.text import safe_text

    if (slot := engagement.slot).problem:
        key = "ticket_broken" if slot.is_broken else "ticket_unkept"
        text = say(settings.lang, key, what=safe_text(slot.problem, _PROBLEM_CELLS))
        click.echo(f"kille: {engagement.name}: {text}", err=True)

    def tell(step: "Told") -> None:
        if isinstance(step, Placed):
            _print(_placed(step, engagement.name, settings.lang))
        elif isinstance(step, MatchOver):
            if engagement.tournament is not None or step.number not in told:
                told.add(step.number)
                _print(_match(step))
        elif text := _remark(step, settings.lang, is_called=engagement.tournament is not None):
            click.echo(f"kille: {engagement.name}: {text}", err=True)

    address = Address(engagement.host, engagement.port)
    try:
        finished = await play_on_server(engagement, SystemRandom(), tell, complaints)
    except NoServer:
        return _give_up(engagement, say(settings.lang, "no_server", address=address), Exit.NO_SERVER)
    except TurnedAway as error:
        return _give_up(engagement, say(settings.lang, f"refused.{error.code.value}"), Exit.REFUSED)
    except Distrust as error:
        end = distrusted(error, settings.lang)
        return _give_up(engagement, end.text, Exit(end.code))
    except SessionEnded as error:
        end = ending(error, str(address), settings.lang)
        return _give_up(engagement, end.text, Exit(end.code))
    if finished.removed is not None:
        key = "bot_kicked" if finished.removed is News.KICKED else f"news.{finished.removed.value}"
        return _give_up(engagement, say(settings.lang, key), Exit.REFUSED)
    return Exit.DONE


def _give_up(engagement: "Engagement", why: str, code: Exit) -> Exit:
    click.echo(f"kille: {engagement.name}: {why}", err=True)
    return code


def _remark(step: "Told", lang: str, *, is_called: bool) -> str:
    """What goes to whoever runs the bot, beside the results; empty: nothing.

    `is_called`: a tournament seats it, at one table after the other, all night.
    """
    from kille_net.client.showing.listing import waits_for
    from kille_net.client.showing.texts import reason, say
    from kille_net.client.shuffling import Remark
    from kille_net.client.steps import Awaits, CalledOff, Entered, Rejected, SignedUp

    match step:
        case Remark():
            return say(lang, f"shuffle.{step.key}", who="", hand=step.hand) if step.is_fault else ""
        case Entered() if not is_called:
            waits = waits_for(step.room, lang, besides=step.name)
            return say(lang, "bot_made" if step.is_made else "bot_joined", room=step.room.name, waits=waits)
        case Rejected():
            return say(lang, "bot_rejected", code=step.code.value)
        case SignedUp():
            return say(lang, "bot_signed_up", tournament=step.tournament)
        case Awaits():
            key = "bot_awaits_beside" if step.others else "bot_awaits"
            return say(lang, key, tournament=step.tournament, others=", ".join(step.others))
        case CalledOff():
            key = "tournament.cancelled_why" if step.why else "tournament.cancelled"
            return say(lang, key, name=step.tournament, text=reason(lang, step.why))
    return ""


def _placed(step: "Placed", name: str, lang: str) -> str:
    from kille_net.client.showing.texts import say_many
    from kille_net.client.showing.tournaments import score

    row = step.row
    shown, tables = score(row, lang, is_ladder=step.kind == "ladder"), say_many(lang, "tables_played", row.played)
    return tell("bot.place", tournament=step.tournament, name=name, rank=row.rank, score=shown, tables=tables)


def _match(step: "MatchOver") -> str:
    points = ", ".join(f"{who}: {number}" for who, number in zip(step.names, step.points, strict=True))
    return tell("bot.match", number=step.number, points=points, winner=step.winner or tell("bot.nobody"))


def _print(text: str) -> None:
    click.echo(text)
    sys.stdout.flush()


def _around(name: str) -> tuple[str, str]:
    """What stands before and after what a bot prints, where that is among other things."""
    return f"kille: {name}: {tell('bot.prints')}", f"kille: {name}: {tell('bot.prints_more')}"


def _names(bot: str, name: str | None, count: int) -> list[str]:
    """A name for each of them at the table, the bot's own where none is given."""
    from kille_net.wire.text import valid_name

    stem = Path(bot.rpartition(":")[2] if ":" in bot else bot).stem.replace("_", " ")
    first = name or valid_name(stem[:_MOST_NAME].strip()) or "bot"
    others = (f" {number}" for number in range(2, count + 1))
    return [first, *(first[: _MOST_NAME - len(end)].rstrip() + end for end in others)]
