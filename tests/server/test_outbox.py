"""The outbox: at once what the line takes, the rest bounded, and nothing after a failure."""

from collections.abc import Iterator
from random import Random

import pytest
import trio
import trio.testing

from kille_net.server.limits import Limits
from kille_net.server.line import LineLost
from kille_net.server.outbox import Outbox
from kille_net.wire import FrameSplitter
from kille_net.wire.frames import join
from tests.catalogue.rows import row
from tests.deep import size

LIMITS = Limits(outbox_messages=8, write=5.0)


class FakeLine:
    """A line that takes what it is told to take."""

    def __init__(self, takes: int = 0, *, is_stuck: bool = False) -> None:
        self.takes = takes
        self.is_stuck = is_stuck
        self.is_lost = False
        self.sent = b""
        self.writers = 0

    def seal(self, data: bytes) -> bytes:
        return data

    def send_now(self, data: bytes) -> int:
        if self.is_lost:
            raise LineLost
        taken = data[: self.takes]
        self.takes -= len(taken)
        self.sent += taken
        return len(taken)

    async def send_all(self, data: bytes) -> None:
        assert self.writers == 0, "one writer"
        self.writers += 1
        try:
            if self.is_stuck:
                await trio.sleep_forever()
            for byte in data:
                await trio.lowlevel.checkpoint()
                if self.is_lost:
                    raise LineLost
                self.sent += bytes((byte,))
        finally:
            self.writers -= 1

    async def receive(self) -> bytes:
        raise NotImplementedError

    async def end(self) -> None:
        raise NotImplementedError

    async def close(self) -> None:
        raise NotImplementedError


def fail(error: Exception) -> None:
    raise error


class Watched:
    """An outbox, and how often it said that its peer is too slow."""

    def __init__(self, line: FakeLine, nursery: trio.Nursery, max_bytes: int = 1000) -> None:
        self.complaints = 0
        self.box = Outbox(
            line,
            LIMITS,
            max_bytes,
            spawn=lambda: nursery.start_soon(self.box.flush),
            too_slow=self._complain,
            failed=fail,
        )

    def _complain(self) -> None:
        self.complaints += 1


def frames(count: int, size: int = 10) -> list[bytes]:
    return [join(bytes([65 + k]) * size) for k in range(count)]


def whole(data: bytes) -> Iterator[bytes]:
    splitter = FrameSplitter(1000)
    splitter.feed(data)
    while (payload := splitter.next_payload()) is not None:
        yield payload


async def test_sends_at_once_what_the_line_takes(nursery: trio.Nursery) -> None:
    line = FakeLine(takes=1000)
    watched = Watched(line, nursery)
    watched.box.send(frames(3))
    assert line.sent == b"".join(frames(3))
    await watched.box.drain()


@pytest.mark.parametrize("takes", range(43))
async def test_leaves_the_rest_to_one_writer_in_order(takes: int, nursery: trio.Nursery) -> None:
    line = FakeLine(takes=takes)
    watched = Watched(line, nursery)
    watched.box.send(frames(3))
    watched.box.send(frames(2))
    await watched.box.drain()
    assert line.sent == b"".join(frames(3) + frames(2))
    assert watched.complaints == 0


@pytest.mark.parametrize("takes", [0, 5, 14])
async def test_too_many_messages_end_it_with_a_last_word(takes: int, nursery: trio.Nursery) -> None:
    line = FakeLine(takes=takes)
    watched = Watched(line, nursery)
    for frame in frames(9 + takes // 14):
        watched.box.send([frame])
    assert watched.complaints == 1
    watched.box.send(frames(1))
    watched.box.end(join(b"bye"))
    watched.box.send(frames(1))
    await watched.box.drain()
    begun = [payload for payload in whole(frames(1)[0]) if takes]
    assert list(whole(line.sent)) == [*begun, b"bye"], "what was begun is whole, and the rest dropped"
    assert watched.complaints == 1


async def test_too_many_bytes_end_it(autojump_clock: trio.testing.MockClock, nursery: trio.Nursery) -> None:
    watched = Watched(FakeLine(is_stuck=True), nursery, max_bytes=100)
    watched.box.send(frames(1, 96))
    assert watched.complaints == 0
    watched.box.send(frames(1, 1))
    assert watched.complaints == 1


@row(14)
async def test_a_write_that_takes_too_long_ends_it(
    autojump_clock: trio.testing.MockClock, nursery: trio.Nursery
) -> None:
    line = FakeLine(is_stuck=True)
    watched = Watched(line, nursery)
    start = trio.current_time()
    watched.box.send(frames(1))
    await watched.box.drain()
    assert trio.current_time() - start == 5.0
    assert watched.complaints == 1
    line.is_stuck = False
    watched.box.send(frames(1))
    watched.box.end(join(b"bye"))
    assert line.sent == b"", "after a send that was given up, nothing more is sent"


async def test_a_lost_line_is_sent_nothing_more(nursery: trio.Nursery) -> None:
    line = FakeLine(takes=1000)
    watched = Watched(line, nursery)
    line.is_lost = True
    watched.box.send(frames(1))
    line.is_lost = False
    watched.box.send(frames(1))
    watched.box.end(join(b"bye"))
    await watched.box.drain()
    assert line.sent == b""
    assert watched.complaints == 0


@row(11)
@pytest.mark.parametrize("seed", range(size(200, 1_000)))
async def test_a_cancelled_write_leaves_a_beginning_of_what_was_to_be_sent(seed: int) -> None:
    random = Random(seed)
    line = FakeLine(takes=random.randrange(30))
    expected = b"".join(frames(5))
    async with trio.open_nursery() as nursery:
        watched = Watched(line, nursery)
        watched.box.send(frames(5))
        for _ in range(random.randrange(80)):
            await trio.lowlevel.checkpoint()
        nursery.cancel_scope.cancel()
    assert expected.startswith(line.sent)
    if line.sent != expected:
        watched.box.send(frames(1))
        watched.box.end(join(b"bye"))
        assert expected.startswith(line.sent)


@row(12)
@pytest.mark.parametrize("seed", range(size(100, 1_000)))
async def test_whatever_is_sent_when_frames_stay_whole_and_in_order(seed: int, nursery: trio.Nursery) -> None:
    random = Random(seed)
    line = FakeLine()
    watched = Watched(line, nursery, max_bytes=10_000)
    sent = []
    for number in range(100):
        batch = [join(bytes([number]) * random.randrange(1, 30)) for _ in range(random.randrange(1, 3))]
        line.takes = random.randrange(60) if random.random() < 0.5 else 0
        watched.box.send(batch)
        sent += batch
        for _ in range(random.randrange(60)):
            await trio.lowlevel.checkpoint()
        if watched.complaints:
            break
    await watched.box.drain()
    assert b"".join(sent).startswith(line.sent)
    if not watched.complaints:
        assert b"".join(sent) == line.sent
