"""A table of text in columns, of which a narrow terminal is shown fewer.

Owns how wide each is and which go first. Refuses to know what stands in them.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from kille_net.client.showing.layout import cells, pad

__all__ = ["Column", "grid"]

_GAP: Final = "  "


class Column(NamedTuple):
    title: str
    texts: Sequence[str]
    """From the first row on."""
    is_number: bool = True
    """Whether they stand to the right."""
    weight: int = 0
    """The column with the least goes first where there is no room; 0: it never goes."""

    @property
    def width(self) -> int:
        return max(map(cells, (self.title, *self.texts)))


def grid(columns: Sequence[Column], most: int) -> list[str]:
    """The titles, then a line for each row, in so many cells where that can be; an empty column is left out."""
    kept = [column for column in columns if any(column.texts)]
    while _width(kept) > most and (loose := [column for column in kept if column.weight]):
        kept.remove(min(loose, key=lambda column: column.weight))
    rows = zip(*([column.title, *column.texts] for column in kept), strict=True)
    return [_line(row, kept) for row in rows]


def _width(columns: Sequence[Column]) -> int:
    return sum(column.width for column in columns) + len(_GAP) * (len(columns) - 1)


def _line(row: Sequence[str], columns: Sequence[Column]) -> str:
    parts = (
        " " * (column.width - cells(text)) + text if column.is_number else pad(text, column.width)
        for text, column in zip(row, columns, strict=True)
    )
    return _GAP.join(parts).rstrip()
