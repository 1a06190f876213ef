"""Tables of text: cells in columns, aligned by what a terminal shows."""

from collections.abc import Sequence

__all__ = ["columns"]


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
