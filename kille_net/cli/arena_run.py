"""A run of `kille arena`: begun, or gone on with where it was broken off, and what is kept of it meanwhile.

Owns which files there are and what may be wrong with them. Refuses to know what becomes of the results.
"""

import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from kille_net.cli.errors import CliError
from kille_net.cli.exit_codes import Exit
from kille_net.cli.speaking import tell, tell_error

if TYPE_CHECKING:
    from kille_net.arena.blocks import Block
    from kille_net.arena.kept import Kept
    from kille_net.arena.plan import Plan

__all__ = ["Run", "begun", "gone_on", "log_folder", "must_load"]

_BLOCKS: Final = ".blocks"
"""What the name of the file ends in that is kept while an arena plays, after that of its results."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What is to be played, and where what comes of it goes."""

    plan: "Plan"
    records: Path | None
    out: Path | None
    kept: "Kept | None" = None
    plot: bool = False
    svg: Path | None = None
    before: "tuple[Block, ...]" = ()
    """Played already."""
    cluster: str | None = None
    """Where it is played; None: here."""

    @property
    def go_on(self) -> str:
        """What is typed to go on with it."""
        where = "" if self.cluster is None else f" --cluster {shlex.quote(self.cluster)}"
        return f"kille arena --resume {shlex.quote(str(self.out))}{where}"

    @contextmanager
    def closing(self) -> Iterator[None]:
        try:
            yield
        finally:
            if self.kept is not None:
                self.kept.close()

    def tell_how_to_go_on(self) -> None:
        if self.kept is not None:
            click.echo(f"kille: {tell('arena.go_on', command=self.go_on)}", err=True)


def begun(plan: "Plan", records: str | None, out: str | None, *, plot: bool, svg: str | None) -> Run:
    """A new run; with a file for results it is kept from now on."""
    from kille_net.cli.arena_plot import must_be_there

    for file in (out, svg):
        if file is not None and not Path(file).absolute().parent.is_dir():
            raise CliError(tell("arena.no_folder", file=file), code=Exit.WRONG_USE)
    if plot:
        must_be_there()
    files = [None if file is None else Path(file) for file in (out, svg)]
    run = Run(plan=plan, records=None, out=files[0], svg=files[1], plot=plot)
    if run.out is None or (run.out.exists() and not run.out.is_file()):  # nothing can be kept beside a device or pipe
        return replace(run, records=_folder_of(records))
    from kille_net.arena.kept import Head, Kept, fingerprints

    blocks = _blocks_of(run.out)
    with _telling(blocks):
        folder, picture = (None if file is None else str(Path(file).absolute()) for file in (records, svg))
        head = Head(plan=plan, hashes=fingerprints(plan.bots), records=folder, svg=picture, plot=plot)
        try:
            kept = Kept.begin(blocks, head)
        except FileExistsError:
            text = tell("arena.unfinished", file=blocks, command=run.go_on)
            raise CliError(text, code=Exit.WRONG_USE) from None
        except UnicodeEncodeError:
            raise CliError(tell("arena.name_no_text"), code=Exit.WRONG_USE) from None
    try:
        _must_be_new(run.out)
        run = replace(run, kept=kept, records=_folder_of(records))
    except CliError:
        kept.forget()
        raise
    return run


def gone_on(out: Path) -> Run:
    """A run that was broken off, with what it has played."""
    from kille_net.arena.blocks import forget_records
    from kille_net.arena.kept import Kept, changed

    blocks = _blocks_of(out)
    with _telling(blocks):
        try:
            kept, head, before = Kept.go_on(blocks)
        except FileNotFoundError:
            out = _out_of(blocks)
            key = "arena.finished" if out.is_file() else "arena.nothing_kept"
            raise CliError(tell(key, file=blocks, out=out), code=Exit.WRONG_USE) from None
    try:
        with _telling(blocks):
            other = changed(head)
        if other is not None:
            key = "arena.bot_changed" if other else "arena.kille_changed"
            raise CliError(tell(key, bot=other, file=blocks), code=Exit.WRONG_USE)
        must_load(head.plan.bots, head.plan.ready)
        records = None if head.records is None else Path(head.records)
        if records is not None:
            with _telling(records):
                records.mkdir(parents=True, exist_ok=True)
                forget_records(records, after=len(before) * head.plan.rotations)
    except BaseException:
        kept.close()
        raise
    return Run(
        plan=head.plan,
        records=records,
        out=_out_of(blocks),
        kept=kept,
        plot=head.plot,
        svg=None if head.svg is None else Path(head.svg),
        before=tuple(before),
    )


def _must_be_new(out: Path) -> None:
    """It holds no results of a run that is finished."""
    if out.is_file() and out.stat().st_size:
        raise CliError(tell("arena.has_results", out=out), code=Exit.WRONG_USE)


def _blocks_of(out: Path) -> Path:
    return out if out.suffix == _BLOCKS else out.with_name(out.name + _BLOCKS)


def _out_of(blocks: Path) -> Path:
    return blocks.with_name(blocks.name.removesuffix(_BLOCKS))


@contextmanager
def _telling(path: Path) -> Iterator[None]:
    """What may be wrong with the file or folder, said in a line."""
    from kille_net.arena.kept import Damaged, Taken

    try:
        yield
    except Taken:
        raise CliError(tell("arena.taken", file=path), code=Exit.WRONG_USE) from None
    except Damaged as error:
        raise CliError(tell("arena.damaged", file=path, line=error.line), code=Exit.WRONG_USE) from None
    except OSError as error:
        file = error.filename or path
        raise CliError(tell("arena.file_not_used", file=file, why=tell_error(error)), code=Exit.WRONG_USE) from error


def _folder_of(records: str | None) -> Path | None:
    if records is None:
        return None
    from kille_net.arena.blocks import RECORDS

    folder = Path(records)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        taken = next(folder.glob(RECORDS), None)
    except OSError as error:
        raise CliError(tell("arena.not_written", folder=records, why=tell_error(error)), code=Exit.WRONG_USE) from error
    if taken is not None:
        raise CliError(tell("arena.not_empty", folder=records), code=Exit.WRONG_USE)
    return folder


def log_folder(folder: Path) -> str:
    """Made, where it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CliError(tell("arena.not_written", folder=folder, why=tell_error(error)), code=Exit.WRONG_USE) from error
    return str(folder.absolute())


def must_load(bots: Sequence[str], seconds: float) -> None:
    """Each within so many seconds; what they print then is heard again when they play."""
    from kille_net.arena.programs import is_program
    from kille_net.arena.remote import NotCome, must_come
    from kille_net.bots import BotError, load_within
    from kille_net.bots.printing import StreamLog, diverted

    try:
        with diverted():
            for name in bots:
                if is_program(name):
                    must_come(name, seconds)
                else:
                    load_within(name, seconds, StreamLog(sys.stderr, most=0))
    except BotError as error:
        if isinstance(error, NotCome) and error.said:
            lines = [f"kille: {tell('arena.printed')}", *(f"    {line}" for line in error.said)]
            click.echo("\n".join(lines), err=True)
        raise CliError(tell_error(error), code=Exit.WRONG_USE) from error
