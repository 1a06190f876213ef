"""What an arena has played so far, in a file that outlives it: a line for the plan, then a line for each block.

Owns the file's form, and that it goes on to be good whenever its writer is killed: then its last line alone may be cut
short, and is dropped. Refuses to know what the blocks come to. What they came from is kept as hashes, so that nobody
goes on with other bots than those that began.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

import kille_net
from kille_net.arena.blocks import Block, Result
from kille_net.arena.plan import Plan
from kille_net.arena.programs import files_of, is_program
from kille_net.bots import BUILT_IN, file_of
from kille_net.bots.guard import Complaint, Complaints
from kille_net.game.rules import MAX_SEATS, MIN_SEATS
from kille_net.systems import take_lock

__all__ = ["Damaged", "Head", "Kept", "Taken", "changed", "fingerprints"]

VERSION: Final = 1
_PLAYS: Final = ("arena", "bots", "game", "wire")
"""The packages of ours that a result depends on…"""
_OURS: Final = frozenset({".py", ".json"})
"""…and what of them is not made anew by whoever runs them."""


class Taken(Exception):
    """Another process writes this file."""


class Damaged(Exception):
    """The line of that number, from 1, is not what was written there."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The first line."""

    plan: Plan
    hashes: tuple[str, ...]
    """Of what plays: of each bot, and at last of Kille itself."""
    records: str | None = None
    """The folder of the records; None: there are none."""
    svg: str | None = None
    plot: bool = False
    v: int = VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class _Complained:
    complaints: tuple[tuple[Complaint, int], ...]
    others: int
    decisions: int = 0
    defaults: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    block: int
    results: tuple[Result, ...]
    complaints: tuple[_Complained, ...]


def fingerprints(bots: Sequence[str]) -> tuple[str, ...]:
    """Of each bot's own file (of what it imports nothing is known), and of Kille itself. Raises OSError."""
    package = Path(kille_net.__file__).parent
    ours = sha256()
    for path in sorted(path for folder in _PLAYS for path in (package / folder).rglob("*.*")):
        if path.suffix in _OURS:
            ours.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return *(_of_bot(bot) for bot in bots), ours.hexdigest()


def _of_bot(bot: str) -> str:
    """Empty for one of ours. Of a program: of its command's words that are files. Raises OSError."""
    if bot in BUILT_IN:
        return ""
    files = files_of(bot) if is_program(bot) else (file_of(bot),)
    return sha256(b"".join(sha256(file.read_bytes()).digest() for file in files)).hexdigest()


def changed(head: Head) -> str | None:
    """The first bot that is another now, or "" for Kille itself; None: all is as it was. Raises OSError."""
    now = fingerprints(head.plan.bots)
    return next(
        (name for name, old, new in zip((*head.plan.bots, ""), head.hashes, now, strict=True) if old != new), None
    )


class Kept:
    """The file while it is written; ours alone, as far as the system can lock it."""

    def __init__(self, path: Path, file: int) -> None:
        self.path = path
        self._file: int | None = file

    @classmethod
    def begin(cls, path: Path, head: Head) -> "Kept":
        """A new one. Raises FileExistsError where there is a whole first line already, Taken, OSError;
        UnicodeEncodeError for a name that is no text.
        """
        line = msgspec.json.encode(head)
        file = _open(path, os.O_RDWR | os.O_CREAT)
        kept = cls(path, file)
        try:
            if b"\n" in _all_of(file):
                raise FileExistsError
            kept._cut(0)
            kept._write(line)
        except BaseException:
            kept.close()
            raise
        return kept

    @classmethod
    def go_on(cls, path: Path) -> tuple["Kept", Head, list[Block]]:
        """One that there is, with what it holds. Raises Damaged, Taken, OSError."""
        file = _open(path, os.O_RDWR)
        kept = cls(path, file)
        try:
            text = _all_of(file)
            whole = text[: text.rfind(b"\n") + 1]
            head, blocks = _parse(whole.splitlines())
            kept._cut(len(whole))
        except BaseException:
            kept.close()
            raise
        return kept, head, blocks

    def add(self, block: Block) -> None:
        """Have the system keep it. Raises OSError."""
        complained = tuple(
            _Complained(
                complaints=tuple(one.counts.items()),
                others=one.others,
                decisions=one.decisions,
                defaults=one.defaults,
            )
            for one in block.complaints
        )
        self._write(msgspec.json.encode(_Line(block=block.number, results=block.results, complaints=complained)))

    def forget(self) -> None:
        """Close it and remove it, for what it holds is told elsewhere."""
        self.close()  # first, since not every system removes what is open
        self.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Once or more."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _cut(self, size: int) -> None:
        assert self._file is not None
        os.ftruncate(self._file, size)
        os.lseek(self._file, size, os.SEEK_SET)

    def _write(self, line: bytes) -> None:
        assert self._file is not None
        left = memoryview(line + b"\n")
        while left:
            left = left[os.write(self._file, left) :]


def _open(path: Path, how: int) -> int:
    file = os.open(path, how | getattr(os, "O_BINARY", 0), 0o666)
    if not take_lock(file):
        os.close(file)
        raise Taken
    return file


def _all_of(file: int) -> bytes:
    os.lseek(file, 0, os.SEEK_SET)
    with open(file, "rb", closefd=False) as whole:
        return whole.read()


def _parse(lines: Sequence[bytes]) -> tuple[Head, list[Block]]:
    if not lines:
        raise Damaged(1)
    try:
        head = msgspec.json.decode(lines[0], type=Head)
    except msgspec.DecodeError:
        raise Damaged(1) from None
    plan = head.plan
    is_whole = (
        head.v == VERSION
        and MIN_SEATS <= plan.seats <= MAX_SEATS
        and 0 < len(plan.bots) <= plan.seats
        and len(head.hashes) == len(plan.bots) + 1
        and plan.blocks > 0
    )
    if not is_whole:
        raise Damaged(1)
    return head, [_block(plan, number, line) for number, line in enumerate(lines[1:])]


def _block(plan: Plan, number: int, text: bytes) -> Block:
    try:
        line = msgspec.json.decode(text, type=_Line)
    except msgspec.DecodeError:
        raise Damaged(number + 2) from None
    fits = (
        line.block == number < plan.blocks
        and len(line.results) == plan.rotations
        and len(line.complaints) == len(plan.bots)
        and all(_is_result(plan, result) for result in line.results)
    )
    if not fits:
        raise Damaged(number + 2)
    return Block(number, line.results, tuple(_complaints(one) for one in line.complaints))


def _is_result(plan: Plan, result: Result) -> bool:
    return (
        len(result.points) == plan.seats
        and min(result.points) >= 0
        and sum(result.points) > 0
        and 0 <= result.winner < plan.seats
        and result.hands > 0
    )


def _complaints(kept: _Complained) -> Complaints:
    found = Complaints(others=kept.others, decisions=kept.decisions, defaults=kept.defaults)
    for complaint, times in kept.complaints:
        found.add(complaint, times)
    return found
