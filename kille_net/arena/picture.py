"""The shares of the bots with their intervals, as a picture in SVG.

Owns how it looks: on white and on dark ground, without a font of its own. Pure; the words come from whoever calls.
"""

from collections.abc import Callable, Iterator, Sequence
from html import escape
from math import ceil, floor, log10
from typing import Final

from kille_net.arena.summary import Summary
from kille_net.intervals import Estimate

__all__ = ["ACCENT", "INK", "picture", "span_of", "ticks"]

INK: Final = "#767676"
ACCENT: Final = "#0c7ec0"
"""Both stand out from white as much as from black."""
_WIDTH: Final = 640
_ROW: Final = 34
_TOP: Final = 44
_BOTTOM: Final = 40
_RIGHT: Final = 24
_LETTER: Final = 8.5
"""About as wide as one is."""
_MOST_LETTERS: Final = 28
_TICKS: Final = 6


def picture(summary: Summary, title: str) -> str:
    """A row a bot: a dot for its mean and a line for its interval, where there are such; 1 is marked, which is even."""
    labels = [_fit(standing.label) for standing in summary.standings]
    left = 24 + _LETTER * max(map(len, labels))
    least, most = span_of([standing.share for standing in summary.standings])

    def x(value: float) -> float:
        return left + (value - least) / (most - least) * (_WIDTH - _RIGHT - left)

    height = _TOP + _ROW * len(labels) + _BOTTOM
    bottom = height - _BOTTOM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" '
        f'font-family="sans-serif" font-size="14" fill="{INK}" stroke-linecap="round">',
        f"<title>{_text(title)}</title>",
        f'<text x="{_WIDTH / 2:g}" y="24" text-anchor="middle" font-size="15">{_text(title)}</text>',
        _line(left, bottom, _WIDTH - _RIGHT, bottom),
        _line(x(1), _TOP - 6, x(1), bottom, dash="3 4"),
    ]
    for tick in ticks(least, most):
        parts.append(_line(x(tick), bottom, x(tick), bottom + 5))
        parts.append(f'<text x="{x(tick):.1f}" y="{bottom + 22}" text-anchor="middle">{tick:g}</text>')
    for row, (label, standing) in enumerate(zip(labels, summary.standings, strict=True)):
        y = _TOP + _ROW * (row + 0.5)
        parts.append(f'<text x="{left - 12:.1f}" y="{y + 5:.1f}" text-anchor="end">{_text(label)}</text>')
        parts += _mark(standing.share, y, x)
    return "\n".join([*parts, "</svg>", ""])


def span_of(estimates: Sequence[Estimate]) -> tuple[float, float]:
    """What an axis shows: all that is known of them, and 1."""
    known = [value for one in estimates for value in (one.low, one.mean, one.high) if value is not None]
    least, most = min([1.0, *known]), max([1.0, *known])
    room = (most - least) / 12 or 0.1
    return least - room, most + room


def ticks(least: float, most: float) -> list[float]:
    """Round numbers between these."""
    rough = (most - least) / _TICKS
    power: float = 10.0 ** floor(log10(rough))
    step = next(times * power for times in (1, 2, 5, 10) if times * power >= rough)
    return [round(number * step, 10) for number in range(ceil(least / step), floor(most / step) + 1)]


def _mark(share: Estimate, y: float, x: Callable[[float], float]) -> Iterator[str]:
    if share.low is not None and share.high is not None:
        yield _line(x(share.low), y, x(share.high), y, colour=ACCENT, width=3)
    if share.mean is not None:
        yield f'<circle cx="{x(share.mean):.1f}" cy="{y:.1f}" r="5.5" fill="{ACCENT}"/>'


def _line(x1: float, y1: float, x2: float, y2: float, *, colour: str = INK, width: int = 1, dash: str = "") -> str:
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {ends} stroke="{colour}" stroke-width="{width}"{dashes}/>'


def _fit(label: str) -> str:
    return label if len(label) <= _MOST_LETTERS else f"{label[: _MOST_LETTERS - 1]}…"


def _text(text: str) -> str:
    """As XML takes it."""
    return escape("".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text))
