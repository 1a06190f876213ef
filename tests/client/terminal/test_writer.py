"""The writer keeps order, bounds what waits, and tells of a reader who is gone or back."""

import os
import threading

from kille_net.client.terminal.writer import Writer

SECONDS = 10.0


class Watched:
    """A writer to a pipe, and what it told."""

    def __init__(self, most: int) -> None:
        self.reader, self.fd = os.pipe()
        self.drained = threading.Event()
        self.failed = threading.Event()
        self.error: OSError | None = None
        self.writer = Writer(self.fd, most, on_drained=self.drained.set, on_failed=self._fail)

    def _fail(self, error: OSError) -> None:
        self.error = error
        self.failed.set()

    def read(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            data += os.read(self.reader, count - len(data))
        return data

    def close(self) -> None:
        self.writer.close()
        os.close(self.reader)
        os.close(self.fd)


def test_bytes_come_in_order() -> None:
    watched = Watched(1_000_000)
    pieces = [str(number).encode() for number in range(5_000)]
    for piece in pieces:
        assert watched.writer.write(piece)
    whole = b"".join(pieces)
    assert watched.read(len(whole)) == whole
    assert watched.writer.wait(SECONDS)
    assert watched.writer.size == 0
    assert not watched.drained.is_set()
    watched.close()


def test_what_is_too_much_is_refused_whole_and_its_end_is_told() -> None:
    watched = Watched(200_000)
    piece = b"x" * 50_000
    taken = 0
    while watched.writer.write(piece):  # more than a pipe keeps, since nobody reads
        taken += 1
    assert taken >= 4
    assert not watched.writer.wait(0)
    assert watched.read(taken * len(piece)) == piece * taken
    assert watched.drained.wait(SECONDS)
    assert watched.writer.write(b"more")
    assert watched.read(4) == b"more"
    assert watched.writer.wait(SECONDS)
    watched.close()


def test_a_reader_who_is_gone_is_told_once_and_nothing_is_kept() -> None:
    watched = Watched(1_000)
    os.close(watched.reader)
    watched.writer.write(b"x")
    assert watched.failed.wait(SECONDS)
    assert isinstance(watched.error, BrokenPipeError)
    assert not watched.writer.write(b"x")
    assert watched.writer.wait(0)
    os.close(watched.fd)


def test_a_non_blocking_terminal_is_waited_for() -> None:
    watched = Watched(1_000_000)
    os.set_blocking(watched.fd, False)
    piece = bytes(range(256)) * 2_000
    assert watched.writer.write(piece)
    assert watched.read(len(piece)) == piece
    assert watched.writer.wait(SECONDS)
    watched.close()
    assert not watched.writer.write(b"after the end")
