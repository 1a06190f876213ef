"""A computer that searches: on its own view, in another process, and within a time that tells nothing."""

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest
import trio

from kille_net.bots.deep import DeepBot
from kille_net.bots.sharp import SharpBot
from kille_net.game.actions import Action
from kille_net.game.cards import Card
from kille_net.game.views import View, observe
from kille_net.server import searching
from kille_net.server.effects import Search
from kille_net.server.running import SEARCH
from kille_net.server.searching import Searchers
from kille_net.server.serve import Config
from kille_net.wire import messages as m
from tests.bots.hands import view
from tests.server.house import Guest, House, Stacked, options, pack
from tests.server.streams import hall

SEATS = 4
FIVE = view("5 9 9 10", SEATS)
"""With it `deep` stands, and `sharp` swaps."""


# --- at a table -------------------------------------------------------------------------------------------------------


def table(*cards: Card, pace: int = 0) -> tuple[House, Guest]:
    """Somebody who deals last, and three that search; the first of them speaks."""
    house = House(shuffle=lambda: Stacked([pack(*cards)], 0), computer=lambda _: DeepBot())
    house.match(options(SEATS, computers=SEATS - 1, pace=pace), "Ada")
    (ada,) = house.guests.values()
    return house, ada


def sought(house: House) -> Search:
    house.wait(0)
    (search,) = house.searches
    return search


def test_it_is_given_just_what_its_seat_sees() -> None:
    house, _ = table(Card.N5, Card.N9, Card.N9, Card.N10)
    search = sought(house)
    running = next(iter(house.lobby._rooms)).play.match
    assert running is not None
    assert search.view == observe(running.match, 1)
    assert [card for card in search.view.cards if card is not None] == [Card.N5]


@pytest.mark.parametrize("pace", [0, 200, 3000])
@pytest.mark.parametrize("found", [None, Action.STAND, Action.SWAP])
def test_what_it_finds_is_done_when_its_time_is_over_and_else_what_sharp_does(found: Action | None, pace: int) -> None:
    house, ada = table(Card.N5, Card.N9, Card.N9, Card.N10, pace=pace)
    search = sought(house)
    assert search.seconds == max(SEARCH, pace / 1000)
    if found is not None:
        search.take(found)
    house.wait(search.seconds - 0.001)
    assert not ada.all(m.Stood)
    assert not ada.all(m.Swapped)
    house.wait(0.001)
    assert bool(ada.all(m.Swapped)) == (found is not Action.STAND)
    assert SharpBot().decide(search.view) is Action.SWAP


def test_what_comes_too_late_changes_nothing() -> None:
    house, ada = table(Card.N5, Card.N9, Card.N9, Card.N10)
    search = sought(house)
    house.wait(SEARCH)
    heard = len(ada.heard)
    search.take(Action.STAND)
    house.wait(SEARCH - 0.001)
    assert len(ada.heard) == heard
    assert not house.faults


# --- in a process -----------------------------------------------------------------------------------------------------


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Why the log says that no search came to anything."""
    lines: list[str] = []

    class Log:
        def error(self, event: str, *, why: str) -> None:
            assert event == "cannot_search"
            lines.append(why)

    monkeypatch.setattr(searching, "log", Log())
    return lines


def searched(work: Callable[[Searchers], Awaitable[Any]]) -> Any:  # noqa: ANN401  whatever comes of it
    async def run() -> Any:  # noqa: ANN401  as above
        searchers = Searchers()
        try:
            with trio.fail_after(60):
                return await work(searchers)
        finally:
            await searchers.close()
            assert not searchers._idle

    return trio.run(run)


def test_another_process_finds_the_same(said: list[str]) -> None:
    async def work(searchers: Searchers) -> list[Action | None]:
        found = [await searchers.search(one, 60) for one in (FIVE, view("3 9 9 10", SEATS), FIVE)]
        assert len(searchers._idle) == 1
        return found

    assert searched(work) == [Action.STAND, Action.SWAP, Action.STAND]
    assert DeepBot().decide(FIVE) is Action.STAND
    assert said == []


def test_one_that_is_lost_is_told_once_and_another_one_comes(said: list[str]) -> None:
    async def work(searchers: Searchers) -> list[Action | None]:
        found = []
        for _ in range(2):
            await searchers.search(FIVE, 60)
            (process,) = searchers._idle
            process.kill()
            await process.wait()
            found.append(await searchers.search(FIVE, 60))
        return [*found, await searchers.search(FIVE, 60)]

    assert searched(work) == [None, None, Action.STAND]
    assert said == ["lost"]


@pytest.mark.parametrize(
    "command", [("/no/such/program",), (sys.executable, "-c", "input()"), (sys.executable, "-c", "")]
)
def test_one_that_never_answers_is_given_up(
    command: tuple[str, ...], said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "_COMMAND", command)
    monkeypatch.setattr(searching, "_HUNG", 1.0)
    assert searched(lambda searchers: searchers.search(FIVE, 60)) is None
    assert said == ["lost"]


def test_who_has_to_wait_too_long_for_one_goes_without(said: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "_COMMAND", (sys.executable, "-c", "import time; time.sleep(60)"))
    monkeypatch.setattr(searching, "_HUNG", 2.0)
    found: list[Action | None] = []

    async def work(searchers: Searchers) -> None:
        async def one() -> None:
            found.append(await searchers.search(FIVE, 0.1))

        async with trio.open_nursery() as nursery:
            for _ in range(3):
                nursery.start_soon(one)
            await trio.sleep(0.5)
            assert found == [None]
            assert said == ["busy"]

    searched(work)
    assert found == [None] * 3
    assert said == ["busy"]


def test_one_that_is_late_is_told_and_goes_on(said: list[str]) -> None:
    async def work(searchers: Searchers) -> None:
        await searchers.search(FIVE, 0.001)  # it has to be started first
        assert said == []
        assert await searchers.search(view("4 9 9 10", SEATS), 0.0001) is not None

    searched(work)
    assert said == ["late"]


def test_a_server_that_stops_ends_them() -> None:
    """…also in the middle of a match, in which it has done what was found."""

    async def run() -> None:
        async with hall(Config()) as place:
            ada = await place.guest("Ada", bot=True)
            room = msgspec.structs.replace(options(SEATS, computers=SEATS - 1), level=m.Level.DEEP)
            await ada.ask(lambda k: m.Create(id=k, room="Room", options=room, password=None))
            await ada.send(m.Ready(id=2, ready=True))
            while not place.server._searchers._idle:
                message = await ada.next()
                await ada.take_part(message, 0)
                if isinstance(message, m.Question):
                    do = m.Do.STAND if message.legal & 1 else m.Do.REFUSE
                    await ada.send(m.Decide(id=1000 + message.seq, turn=message.turn, do=do))
            (process,) = place.server._searchers._idle
            assert process.poll() is None
            await place.server.shut_down()
        assert process.poll() is not None

    trio.run(_within, 60.0, run)


async def _within(seconds: float, run: Callable[[], Awaitable[None]]) -> None:
    with trio.fail_after(seconds):
        await run()


STARTS_ONE: str = """
import sys, trio
from kille_net.server.searching import Searchers
from kille_net.server.serve import Config
from tests.bots.hands import view

async def main():
    searchers = Searchers()
    await searchers.search(view("5 9 9 10", 4), 60)
    print(searchers._idle[0].pid, flush=True)
    await trio.sleep_forever()

trio.run(main)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")
def test_a_killed_server_leaves_none_behind() -> None:
    """Its standard error is at its end when nobody holds it any more."""
    with subprocess.Popen(
        [sys.executable, "-c", STARTS_ONE], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        assert server.stderr is not None
        searcher = int(server.stdout.readline())
        os.kill(searcher, 0)
        server.send_signal(signal.SIGKILL)
        server.wait(10)
        assert server.communicate(timeout=20)[1] == ""


def test_a_view_goes_to_it_whole() -> None:
    """Nothing that belongs to the table goes with it."""
    packed = pickle.dumps(FIVE)
    assert pickle.loads(packed) == FIVE
    assert type(pickle.loads(packed)) is View
