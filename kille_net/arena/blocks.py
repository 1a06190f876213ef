"""Blocks of matches, played here or by worker processes, always with the same outcome.

Owns the workers. Whatever the number of processes, a block depends on the plan and its own number alone, and blocks
are given out in order.
"""

import random
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from random import Random
from typing import Final

from kille_net.arena.plan import Plan
from kille_net.arena.play import Packs, play_match
from kille_net.arena.processes import Programs
from kille_net.arena.programs import is_own, is_program
from kille_net.arena.remote import RemoteBot
from kille_net.bots import BUILT_IN, Bot, BotError, load_within
from kille_net.bots.guard import Budget, Complaints, GuardedBot
from kille_net.bots.printing import HeardLog, Log, diverted, log_of
from kille_net.game.cards import Pack
from kille_net.game.match import Match
from kille_net.game.record import MatchLine, Recorder, SeatLabel, to_json
from kille_net.game.rules import Seat
from kille_net.game.shuffle import Seeded

__all__ = [
    "RECORDS",
    "Block",
    "BlockPlayer",
    "ClusterLost",
    "Logs",
    "Result",
    "WorkerLost",
    "forget_records",
    "play_blocks",
    "write_record",
]

RECORDS: Final = "match-*.jsonl"
"""The names of records in their folder."""
_LAST: Final = 1.0
"""Seconds for a process whose connection has ended to end, too."""
_AHEAD = 2
"""Blocks that a worker has been given and not answered: one to play, one so that it need not wait."""


class WorkerLost(Exception):
    """A worker process has ended by itself."""

    def __init__(self, status: int | None = None) -> None:
        """`status`: that it ended with, less than zero for a signal, where that is known."""
        super().__init__(status)
        self.status = status


class ClusterLost(Exception):
    """Whoever had the workers play has gone."""


@dataclass(frozen=True, slots=True)
class Result:
    """Of one match, by seat."""

    points: tuple[int, ...]
    winner: Seat
    hands: int


@dataclass(frozen=True, slots=True)
class Block:
    number: int
    results: tuple[Result, ...]
    """By rotation."""
    complaints: tuple[Complaints, ...]
    """By bot."""
    said: tuple[str, ...] = field(default=(), compare=False)
    """What each bot has printed in it, and in the first block also while it was loaded."""


@dataclass(slots=True)
class _Packs:
    """The packs of matches that share them, each shuffled once."""

    made: dict[tuple[bytes, int, int], Pack] = field(default_factory=dict)

    def of(self, chance: Seeded) -> Packs:
        whose = chance.material.match_id

        def pack(hand: int, redeal: int) -> Pack:
            found = self.made.get((whose, hand, redeal))
            if found is None:
                found = self.made[whose, hand, redeal] = chance.pack(hand, redeal)
            return found

        return pack


class BlockPlayer:
    """Plays any block of a plan. Loads the bots once; raises BotError. `close` ends the programs that it started."""

    def __init__(
        self,
        plan: Plan,
        record: Callable[[int, str], None] | None = None,
        texts: Sequence[bytes | None] | None = None,
        worker: int | None = None,
    ) -> None:
        """`record` takes the number of each match and its record. `texts`: of the bots' files, where these are
        elsewhere. `worker`: its number, where there are several."""
        self._plan = plan
        self._record = record
        self._heard = [HeardLog() for _ in plan.bots]
        self._worker = worker
        self._budget = Budget(start=plan.ready, decision=plan.seconds)
        self._programs = Programs(plan.rules, plan.seats, self._budget)
        with diverted():
            loaded = zip(plan.bots, self._heard, texts or [None] * len(plan.bots), strict=True)
            self._factories = [
                None if is_program(name) else load_within(name, plan.ready, log, text) for name, log, text in loaded
            ]
        self._loading = [heard.take() for heard in self._heard]

    def close(self) -> None:
        self._programs.close()

    def play(self, number: int) -> Block:
        """The block of that number, from 0. Raises what `record` raises."""
        with diverted():
            block = self._play(number)
        said = [heard.take() for heard in self._heard]
        if number == 0:  # once, however many processes have loaded it
            said = [loading + rest for loading, rest in zip(self._loading, said, strict=True)]
        return replace(block, said=tuple(said))

    def _play(self, number: int) -> Block:
        plan = self._plan
        packs = _Packs()
        complaints = tuple(Complaints() for _ in plan.bots)
        results = []
        for rotation in range(plan.rotations):
            players = [plan.player_at(seat, rotation) for seat in range(plan.seats)]
            whims = plan.whims_of(number, rotation)
            random.seed(whims)  # so that what a stranger's bot draws from it repeats, too
            bots = [
                self._make(f"{whims}/{player}", seat, plan.bot_of(player), complaints)
                for seat, player in enumerate(players)
            ]
            chance = plan.chance(number, rotation)
            header = MatchLine(
                id=chance.match_id,
                rules=plan.rules,
                seats=tuple(_seat_label(plan, player) for player in players),
                first_dealer=chance.first_dealer(plan.seats),
                shuffle=chance.told(),
            )
            results.append(self._play_match(header, bots, packs.of(chance), plan.match_number(number, rotation)))
        return Block(number, tuple(results), complaints)

    def _make(self, whims: str, seat: Seat, bot: int, complaints: Sequence[Complaints]) -> Bot:
        name, factory, log = self._plan.bots[bot], self._factories[bot], self._heard[bot]
        if factory is None:
            return RemoteBot(self._programs, (bot, seat), name, complaints[bot], self._log_of_program(bot))
        make = partial(factory, Random(whims))
        return make() if name in BUILT_IN else GuardedBot(make, complaints[bot], self._budget, log)

    def _log_of_program(self, bot: int) -> Log | None:
        """A file for each process that plays: a program prints whenever it likes."""
        end = "" if self._worker is None else f"-{self._worker}"
        return log_of(self._plan.labels[bot] + end, Path(self._plan.logs)) if self._plan.logs else None

    def _play_match(self, header: MatchLine, bots: Sequence[Bot], packs: Packs, number: int) -> Result:
        recorder = None if self._record is None else Recorder(header)
        match = Match(header.rules, len(bots), header.first_dealer)
        lines = play_match(match, bots, packs, recorder=recorder)
        for bot in bots:
            if isinstance(bot, GuardedBot | RemoteBot):
                bot.close()
        if self._record is not None:
            self._record(number, "".join(f"{to_json(line)}\n" for line in (header, *lines)))
        assert match.winner is not None
        return Result(match.points, match.winner, match.number)


class Logs:
    """Where what each bot prints goes, block by block, so that it is the same whoever plays them."""

    def __init__(self, plan: Plan, heads: Sequence[str] = ()) -> None:
        """`heads`: by bot, a line before what it prints where there is no folder for that."""
        folder = None if plan.logs is None else Path(plan.logs)
        self._logs = [
            log_of(label, folder, head) for label, head in zip(plan.labels, heads or [""] * len(plan.bots), strict=True)
        ]

    def write(self, block: Block) -> None:
        for log, said in zip(self._logs, block.said, strict=True):
            if said:
                log.write(said)


def write_record(folder: Path, number: int, text: str) -> None:
    """That of the match of that number. Raises OSError."""
    (folder / f"match-{number:06}.jsonl").write_text(text, encoding="utf-8", newline="\n")


def _player(plan: Plan, records: Path | None, worker: int | None = None) -> BlockPlayer:
    record = None if records is None else partial(write_record, records)
    return BlockPlayer(plan, record, worker=worker)


def _seat_label(plan: Plan, player: int) -> SeatLabel:
    bot = plan.bot_of(player)
    label = plan.labels[bot]
    return SeatLabel(label if plan.lineup.count(bot) == 1 else f"{label} {player // len(plan.bots) + 1}", bot=label)


# --- workers ----------------------------------------------------------------------------------------------------------


def play_blocks(
    plan: Plan, jobs: int, records: Path | None = None, *, first: int = 0, heads: Sequence[str] = ()
) -> Generator[Block, None, None]:
    """The blocks of the plan from `first` on, in order, by so many processes; by this one if it is one and no bot could
    end it. `heads`: as of `Logs`.

    Who stops listening finds records of no block but those that were given out. Raises BotError, OSError; WorkerLost
    when a process ends by itself.
    """
    given, logs = first, Logs(plan, heads)
    blocks = _play(plan, min(jobs, plan.blocks - first), records, range(first, plan.blocks))
    try:
        for block in blocks:
            given = block.number + 1
            logs.write(block)
            yield block
    finally:
        blocks.close()
        if records is not None:
            forget_records(records, after=given * plan.rotations)


def forget_records(folder: Path, *, after: int) -> None:
    """Remove the records of all matches after that one, whole or not."""
    for path in folder.glob(RECORDS):
        if path.stem.removeprefix("match-").isdecimal() and int(path.stem.removeprefix("match-")) > after:
            path.unlink(missing_ok=True)


def _play(plan: Plan, jobs: int, records: Path | None, numbers: range) -> Generator[Block, None, None]:
    if not numbers:
        return
    if jobs == 1 and not any(map(is_own, plan.bots)):
        with closing(_player(plan, records)) as player:
            yield from map(player.play, numbers)
        return
    workers = _start(plan, jobs, records)
    try:
        yield from _hand_out(numbers, [connection for connection, _ in workers])
    except (EOFError, ConnectionError):
        raise WorkerLost(_status([process for _, process in workers])) from None
    finally:
        for connection, process in workers:
            connection.close()
            process.terminate()
        for _, process in workers:
            process.join()


def _status(processes: Sequence[BaseProcess]) -> int | None:
    """With which the first of them has ended."""
    ended = wait([process.sentinel for process in processes], timeout=_LAST)
    for process in processes:
        if process.sentinel in ended:
            process.join(_LAST)
            return process.exitcode
    return None


def _start(plan: Plan, jobs: int, records: Path | None) -> list[tuple[Connection, BaseProcess]]:
    context = get_context("spawn")
    workers: list[tuple[Connection, BaseProcess]] = []
    with _no_interrupts():
        for number in range(1, jobs + 1):
            ours, theirs = context.Pipe()
            worker = number if jobs > 1 else None
            process = context.Process(target=_work, args=(plan, theirs, records, worker), daemon=True)
            process.start()
            theirs.close()
            workers.append((ours, process))
    return workers


@contextmanager
def _no_interrupts() -> Iterator[None]:
    """Processes that are started here ignore Ctrl-C for good: it is for the one who waits for them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _hand_out(numbers: range, connections: list[Connection]) -> Generator[Block, None, None]:
    done: dict[int, Block] = {}
    left = iter(numbers)

    def give(connection: Connection) -> None:
        number = next(left, None)
        if number is not None:
            connection.send(number)

    for _ in range(_AHEAD):
        for connection in connections:
            give(connection)
    for number in numbers:
        while number not in done:
            for ready in wait(connections):
                assert isinstance(ready, Connection)
                answer = ready.recv()
                if isinstance(answer, Exception):
                    raise answer
                done[answer.number] = answer
                give(ready)
        yield done.pop(number)


def _work(plan: Plan, connection: Connection, records: Path | None, number: int | None) -> None:
    """The life of a worker: numbers in, blocks out."""
    sys.stdout = sys.stderr  # the results alone are on standard output, whatever a bot prints
    with suppress(EOFError, ConnectionError):  # whoever waited for the blocks has gone
        try:
            with closing(_player(plan, records, number)) as player:
                while True:
                    connection.send(player.play(connection.recv()))
        except (BotError, OSError) as error:
            connection.send(error)
