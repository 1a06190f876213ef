"""Tables of text: cells in columns, aligned by what a terminal shows, and the texts between them, fit to it."""

import sys
from collections.abc import Iterable, Sequence
from shutil import get_terminal_size

import click

__all__ = ["columns", "show"]


def columns(rows: Sequence[Sequence[str]], *, left: int = 1, gap: int = 2) -> list[str]:
    """The first `left` columns to the left, the others, which are numbers, to the right."""
    from wcwidth import wcswidth

    sizes = [[wcswidth(cell) for cell in row] for row in rows]
    widths = [max(column) for column in zip(*sizes, strict=True)]
    return [
        (" " * gap)
        .join(
            cell + " " * (width - size) if k < left else " " * (width - size) + cell
            for k, (cell, size, width) in enumerate(zip(row, row_sizes, widths, strict=True))
        )
        .rstrip()
        for row, row_sizes in zip(rows, sizes, strict=True)
    ]


def show(lines: Iterable[str]) -> None:
    """Print tables and texts: broken between words where a terminal is narrower, and whole for whatever else reads."""
    from kille_net.client.showing.layout import wrap

    if sys.stdout.isatty():
        width = get_terminal_size().columns
        lines = [part for line in lines for part in wrap(line, width)]
    click.echo("\n".join(lines))
