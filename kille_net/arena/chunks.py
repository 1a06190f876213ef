"""Some blocks of an arena, played wherever this same Kille is: what is sent there, and what comes back.

Owns the form of both, bytes, and the processes that play: ones of their own, since whoever carries chunks may have many
threads, and throws the die of its process, too, as Dask does. Nobody plays who is another Kille. Refuses to know who
carries them, and to need a file of the one who asks: the bots' own are sent along (what they import is not).
"""

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from queue import Empty, SimpleQueue
from secrets import token_hex
from typing import Final

from kille_net.arena.blocks import Block, BlockPlayer, WorkerLost
from kille_net.arena.kept import fingerprints
from kille_net.arena.plan import Plan
from kille_net.bots import BUILT_IN, BotError, file_of

__all__ = ["KILLE", "Chunk", "OtherKille", "order", "play", "played", "rest", "work"]

KILLE: Final = "{}.{} {}".format(*sys.version_info[:2], *fingerprints(()))
"""What the numbers depend on beside the plan: this Python, of whose dice a bot may make use, and this Kille."""
_LIVES: Final = 3
"""Processes that may be lost over one chunk, before its bots are taken to end them."""
_LAST: Final = 1.0
"""Seconds for a process that says nothing more to end, too."""
_IDLE_SECONDS: Final = 60.0
"""After which a process ends that plays nothing."""


class OtherKille(Exception):
    """Somebody was to play who is not KILLE; the text names them, or is empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    blocks: tuple[Block, ...]
    records: dict[int, str]
    """By the number of the match; empty unless they were asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Order:
    plan: Plan
    texts: tuple[bytes | None, ...]
    """Of the bots' files."""
    is_recorded: bool
    run: str
    """Another for each, so that no run finds bots of one before it."""


def order(plan: Plan, *, is_recorded: bool) -> bytes:
    """What `play` takes. Raises OSError when a bot's file cannot be read."""
    texts = tuple(None if name in BUILT_IN else file_of(name).read_bytes() for name in plan.bots)
    bots = tuple(name if name in BUILT_IN else str(Path(name).absolute()) for name in plan.bots)
    plan = replace(plan, bots=bots, logs=None)
    return pickle.dumps(_Order(plan=plan, texts=texts, is_recorded=is_recorded, run=token_hex(8)))


def play(kille: str, asked: bytes, first: int, last: int) -> bytes:
    """The blocks from `first` up to, but without, `last`, for `played`; `asked` is an `order` by this `kille`."""
    if kille != KILLE:
        return b""  # before anything is read that another has written
    status = None
    for _ in range(_LIVES):
        process = _rested(asked) or _Process(asked)
        try:
            answer = process.play(first, last)
        except (EOFError, OSError, pickle.UnpicklingError):
            status = process.end(_LAST)
        else:
            _RESTING.append(process)
            return answer
    return pickle.dumps(WorkerLost(status))


def played(answer: bytes) -> Chunk:
    """Raises OtherKille, BotError, WorkerLost."""
    if not answer:
        raise OtherKille
    outcome = pickle.loads(answer)
    if isinstance(outcome, BotError | WorkerLost):
        raise outcome
    assert isinstance(outcome, Chunk)
    return outcome


# --- processes --------------------------------------------------------------------------------------------------------


class _Process:
    """One that plays what was ordered."""

    def __init__(self, asked: bytes) -> None:
        self.asked = asked
        # No `multiprocessing`, since Dask's workers are daemons of it, which may have no children.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", f"from {__name__} import work; work()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )

    def play(self, first: int, last: int) -> bytes:
        """Raises EOFError, OSError when it has ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        pickle.dump((self.asked, first, last), self._process.stdin)
        self._process.stdin.flush()
        answer = pickle.load(self._process.stdout)
        assert isinstance(answer, bytes)
        return answer

    def end(self, seconds: float = 0.0) -> int | None:
        """With which status it has ended, if it does so by itself in that time."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        status = self._process.returncode
        self._process.kill()
        with suppress(OSError), self._process:  # which closes what it has not read
            pass
        return status


_RESTING: Final[list[_Process]] = []


def _rested(asked: bytes) -> _Process | None:
    """One that has played of this order and waits; those of others are ended."""
    with suppress(IndexError):  # another thread may take the last
        while _RESTING:
            process = _RESTING.pop()
            if process.asked == asked:
                return process
            process.end()
    return None


def rest() -> None:
    """End the processes that wait."""
    _rested(b"")


def work() -> None:
    """The life of a process: chunks that are asked for on standard input, answers on standard output."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who asks
    asking, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # a bot may read and print
    os.dup2(2, 1)
    orders: SimpleQueue[tuple[bytes, int, int]] = SimpleQueue()

    def listen() -> None:
        with suppress(EOFError, OSError):
            while True:
                orders.put(pickle.load(asking))
        os._exit(0)  # whoever asks has gone

    threading.Thread(target=listen, daemon=True).start()
    player: _ChunkPlayer | None = None
    with suppress(Empty):
        while True:
            asked, first, last = orders.get(timeout=_IDLE_SECONDS)
            try:
                player = player or _ChunkPlayer(pickle.loads(asked))
                outcome: Chunk | BotError = player.play(range(first, last))
            except BotError as error:
                outcome = error
            pickle.dump(pickle.dumps(outcome), answers)
            answers.flush()
    os._exit(0)  # no bot that hangs is waited for


class _ChunkPlayer:
    """Loads the bots once; raises BotError."""

    def __init__(self, asked: _Order) -> None:
        self._records: dict[int, str] = {}
        record = self._records.__setitem__ if asked.is_recorded else None
        self._player = BlockPlayer(asked.plan, record, asked.texts)

    def play(self, numbers: Sequence[int]) -> Chunk:
        self._records.clear()
        blocks = tuple(self._player.play(number) for number in numbers)
        return Chunk(blocks=blocks, records=dict(self._records))
