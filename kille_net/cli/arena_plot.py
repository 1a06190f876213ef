"""The shares of the bots with their intervals, drawn with characters by plotext.

Owns how it looks. Refuses to know how the results came about.
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from kille_net.cli.errors import CliError
from kille_net.cli.exit_codes import Exit
from kille_net.cli.speaking import tell

if TYPE_CHECKING:
    from kille_net.arena.summary import Summary

__all__ = ["must_be_there", "plot"]

_LIBRARY: Final = "plotext"
_NARROWEST: Final = 40
_WIDEST: Final = 100
_AROUND: Final = 5
"""Lines for the title, the frame and the axis."""


def must_be_there() -> None:
    """Raises CliError where plotext is not installed."""
    if find_spec(_LIBRARY) is None:
        raise CliError(tell("arena.no_plotext"), code=Exit.WRONG_USE)


def plot(summary: "Summary", columns: int) -> list[str]:
    """Lines of text without colours, not wider than that."""
    import plotext

    from kille_net.arena.picture import span_of, ticks

    shares = [standing.share for standing in summary.standings]
    rows = [2 * (len(shares) - number) for number in range(len(shares))]
    plotext.clear_figure()
    plotext.theme("clear")
    plotext.limit_size(width=False, height=False)
    plotext.plot_size(max(_NARROWEST, min(_WIDEST, columns)), 2 * len(shares) + _AROUND)
    plotext.title(tell("arena.plotted"))
    least, most = span_of(shares)
    plotext.xlim(least, most)
    plotext.ylim(1, rows[0] + 1)
    at = ticks(least, most)
    plotext.xticks(at, [f"{tick:g}" for tick in at])
    plotext.yticks(rows, [standing.label for standing in summary.standings])
    plotext.plot([1, 1], [1, rows[0] + 1], marker=":")
    for row, share in zip(rows, shares, strict=True):
        if share.low is not None and share.high is not None:
            plotext.plot([share.low, share.high], [row, row], marker="-")
        if share.mean is not None:
            plotext.scatter([share.mean], [row], marker="o")
    return [line.rstrip() for line in plotext.uncolorize(plotext.build()).splitlines()]
