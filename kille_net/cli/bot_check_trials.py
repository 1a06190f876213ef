"""The matches that `kille bot check --tcp` has a bot play, and who makes the tables of them on the server.

Owns what is made. Refuses to know the bot, and what it is to be blamed for.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Final

from kille_net.client.net.middle import Manner
from kille_net.wire import messages as wire
from kille_net.wire.options import DEFAULT_OPTIONS, DEFAULT_PLAN

if TYPE_CHECKING:
    from kille_net.client.steps import Told

__all__ = ["HOST", "PLACE", "TRIALS", "Trial", "make"]

HOST: Final = "127.0.0.1"
PLACE: Final = "Krogen"
"""What the room is called, or the tournament."""
_MAKER: Final = "Host"
_CALL: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One match at a table, or two in a tournament, each of which begins with a snapshot that nobody asked for."""

    key: str
    manner: Manner = Manner.PLAIN
    seats: int
    format: wire.Format = wire.Format.POTS
    pots: int = 1
    is_called: bool = False
    """By a tournament (§6.13)."""

    @property
    def matches(self) -> int:
        return 2 if self.is_called else 1

    def options(self, clock: int) -> wire.Options:
        """With `clock` seconds for a decision, and computers wherever nobody else sits."""
        return wire.Options(
            seats=self.seats,
            format=self.format,
            length=wire.Length.SHORT,
            dealt_harlekin=DEFAULT_OPTIONS.dealt_harlekin,
            pots=self.pots,
            computers=self.seats - (1 if self.is_called else 2),
            level=wire.Level.EASY,
            clock=clock,
            pace=0,
            window=0,
            rest=0,
            watching=wire.Watching.NOBODY,
            coach=DEFAULT_OPTIONS.coach,
        )


TRIALS: Final = (
    Trial(key="tcp.pots", seats=4, pots=2),
    Trial(key="tcp.two", seats=2, pots=3),
    Trial(key="tcp.three", seats=3, pots=2),
    Trial(key="tcp.eight", seats=8),
    Trial(key="tcp.sticks", seats=3, format=wire.Format.STICKS, pots=4),
    Trial(key="tcp.pieces", manner=Manner.PIECES, seats=3),
    Trial(key="tcp.pings", manner=Manner.PINGS, seats=3),
    Trial(key="tcp.settings", manner=Manner.SETTINGS, seats=2),
    Trial(key="tcp.too_fast", manner=Manner.TOO_FAST, seats=2),
    Trial(key="tcp.unsaved", manner=Manner.UNSAVED, seats=2),
    Trial(key="tcp.news", manner=Manner.NEWS, seats=3),
    Trial(key="tcp.lost", manner=Manner.LOST, seats=3, pots=2),
    Trial(key="tcp.called", seats=3, is_called=True),
)


async def make(trial: Trial, port: int, clock: int, made: Callable[[], None]) -> None:
    """Make what it is played at on the server of this machine, say so, and stay."""
    if trial.is_called:
        await _hold_tournament(trial, port, clock, made)
    else:
        await _sit_along(trial, port, clock, made)


async def _sit_along(trial: Trial, port: int, clock: int, made: Callable[[], None]) -> None:
    from kille_net.bots import BUILT_IN
    from kille_net.bots.guard import Complaints
    from kille_net.client.bot import Engagement, play_on_server
    from kille_net.client.steps import Entered

    def tell_step(step: "Told") -> None:
        if isinstance(step, Entered):
            made()

    engagement = Engagement(
        host=HOST,
        port=port,
        name=_MAKER,
        make=BUILT_IN["easy"],
        is_ours=True,
        room=PLACE,
        options=trial.options(clock),
        matches=trial.matches,
    )
    await play_on_server(engagement, Random(trial.key), tell_step, Complaints())  # noqa: S311  it plays by whim


async def _hold_tournament(trial: Trial, port: int, clock: int, made: Callable[[], None]) -> None:
    """One that begins as soon as somebody signs up, against computers."""
    import msgspec

    from kille_net.client.net.connecting import connect
    from kille_net.client.net.session import open_session
    from kille_net.client.net.trust import Trust

    options = trial.options(clock)
    plan = msgspec.structs.replace(
        DEFAULT_PLAN,
        kind=wire.TournamentKind.ROUND_ROBIN,
        options=options,
        rounds=trial.matches,
        number=options.computers + 1,
        call=_CALL,
        pause=0,
        late=0,
    )
    stream = await connect(HOST, port, Trust(), lambda _: None)
    async with open_session(stream) as session:
        await session.greet(_MAKER, bot=True)
        session.send(wire.OpenTournament(id=1, tournament=PLACE, plan=plan))
        while True:
            if isinstance(await session.receive(), wire.Ok):
                made()
