"""The oracles see what goes wrong: each world has one thing broken in it on purpose."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import trio

from kille_net.game.views import redact
from kille_net.server import herald
from kille_net.server.answers import Answers
from kille_net.server.journal import Journal
from kille_net.server.outbox import Outbox
from kille_net.server.people import Player
from kille_net.server.room import Room
from kille_net.server.running import RunningMatch
from kille_net.server.saving import Change
from kille_net.server.serve import Server
from tests.simulation.world import simulate

Break = Callable[[pytest.MonkeyPatch], None]


def leak(patch: pytest.MonkeyPatch) -> None:
    """Who watches sees what seat 0 sees."""
    patch.setattr(herald, "redact", lambda event, viewer: redact(event, 0 if viewer is None else viewer))


def do_again(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Answers, "is_new", lambda *_: True)


def lose_an_event(patch: pytest.MonkeyPatch) -> None:
    send = Outbox.send

    def lossy(self: Outbox, frames: list[bytes]) -> None:
        send(self, frames[1:] if len(frames) > 6 else frames)

    patch.setattr(Outbox, "send", lossy)


def wait_too_long(patch: pytest.MonkeyPatch) -> None:
    init = Room.__init__

    def patient(self: Room, *args: Any, away: float, **options: Any) -> None:  # noqa: ANN401  all there are
        init(self, *args, away=away + 1.0, **options)

    patch.setattr(Room, "__init__", patient)


def ask_without_end(patch: pytest.MonkeyPatch) -> None:
    pose = RunningMatch._pose

    def timeless(self: RunningMatch, window: float, time: float) -> None:
        pose(self, window, time)
        assert self._open is not None
        self._open.deadline = None

    patch.setattr(RunningMatch, "_pose", timeless)


def cross_seats(patch: pytest.MonkeyPatch) -> None:
    """Each seat is told what the next one may see."""
    listen = herald.Herald.listen

    def crossed(self: herald.Herald, watchers: list[Player]) -> None:
        listen(self, watchers)
        players = [player for _, player in self._seats]
        self._seats = tuple((seat, players[k - 1]) for k, (seat, _) in enumerate(self._seats))

    patch.setattr(herald.Herald, "listen", crossed)


def tell_late(patch: pytest.MonkeyPatch) -> None:
    flush = Outbox.flush

    async def slow(self: Outbox) -> None:
        await trio.sleep(0.2)
        await flush(self)

    patch.setattr(Outbox, "flush", slow)


def come_back_though_replaced(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("kille_net.client.conversation.is_passing", lambda _: True)
    patch.setattr("kille_net.client.bot.is_passing", lambda _: True)


def forget_a_session(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Server, "lose", lambda *_, **__: None)


def tell_before_it_is_kept(patch: pytest.MonkeyPatch) -> None:
    add = Journal.add

    def hasty(self: Journal, changes: Sequence[Change], tell: Callable[[], None], spoil: Any) -> None:  # noqa: ANN401  the same
        tell()
        add(self, changes, lambda: None, spoil)

    patch.setattr(Journal, "add", hasty)


def forget_what_was_done(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Answers, "restore", lambda *_: None)


BREAKS: tuple[Break, ...] = (
    leak,
    do_again,
    lose_an_event,
    wait_too_long,
    ask_without_end,
    cross_seats,
    tell_late,
    come_back_though_replaced,
    forget_a_session,
    tell_before_it_is_kept,
    forget_what_was_done,
)


@pytest.mark.parametrize("what", BREAKS)
def test_what_is_broken_is_seen(what: Break, monkeypatch: pytest.MonkeyPatch) -> None:
    what(monkeypatch)
    with pytest.raises((AssertionError, ExceptionGroup, KeyError)):
        _simulate_some()


def _simulate_some() -> None:
    """Until the break is met, which the rarest of them is in one world of ten."""
    for seed in range(80):
        simulate(seed)
