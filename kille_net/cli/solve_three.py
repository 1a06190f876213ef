"""What `kille solve --seats 3` tells. Owns its tables."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from kille_net.cli.columns import columns
from kille_net.cli.speaking import spoken, tell, value_word

if TYPE_CHECKING:
    from kille_net.bots.three import Below, Lives
    from kille_net.solve.three.solution import Against, Solution

__all__ = ["lines", "object_of"]

_IN_A_LINE = 5


def lines(solution: "Solution", seconds: float) -> list[str]:
    from kille_net.bots.three import QUESTIONS, short

    rules = solution.rules
    form = rules.format.value
    start = solution.pot[(rules.rules.lives,) * 3]
    first, middle, dealer = (f"{chance:.5f}" for chance in start)
    told = [
        tell("solve.three.head", format=value_word(form)),
        tell(f"solve.three.pot.{form}", first=first, middle=middle, dealer=dealer),
    ]
    where = tell("solve.lives" if rules.rules.lives > 1 else "solve.where")
    heading = (where, *(tell(f"solve.three.{name}") for name in QUESTIONS))
    told += ["", tell("solve.three.below"), *columns([heading, *_thresholds(short(solution.table))])]
    told += [tell("solve.three.besides")]
    if solution.against:
        told += ["", tell("solve.three.against"), *_against(solution.against, start)]
    first, middle, dealer = (f"{gain:.1e}" for gain in solution.gains)
    gains = {"first": first, "middle": middle, "dealer": dealer, "residual": f"{solution.residual:.1e}"}
    return [*told, "", tell("solve.three.gains", **gains, seconds=f"{seconds:.0f}")]


def _thresholds(short: Mapping["Lives", Mapping[str, "Below"]]) -> list[tuple[str, ...]]:
    """A line for all lives where the same holds."""
    found = {lives: tuple(map(_cell, below.values())) for lives, below in short.items()}
    if len(set(found.values())) == 1:
        return [(tell("solve.always"), *next(iter(found.values())))]
    by_cells = sorted(found, key=lambda lives: list(found.values()).index(found[lives]))
    rows: list[tuple[str, ...]] = []
    for cells, alike in groupby(by_cells, key=found.__getitem__):
        first, *others = _in_lines(["-".join(map(str, lives)) for lives in alike])
        rows += [(first, *cells), *((more, *[""] * len(cells)) for more in others)]
    return rows


def _in_lines(lives: Sequence[str]) -> list[str]:
    return [", ".join(lives[k : k + _IN_A_LINE]) for k in range(0, len(lives), _IN_A_LINE)]


def _cell(below: "Below") -> str:
    from kille_net.client.showing.texts import CARDS

    name = CARDS[spoken()][below.card]
    return tell("solve.three.sometimes", card=name, share=f"{100 * below.chance:.0f}") if below.chance else name


def _against(others: Sequence["Against"], due: Sequence[float]) -> list[str]:
    heading = ("solve.bot", "solve.as_first", "solve.three.as_middle", "solve.as_dealer", "solve.more")
    rows = [tuple(map(tell, heading))]
    for name, chances in [*((one.bot, one.chances) for one in others), (tell("solve.three.learned"), due)]:
        more = round((sum(chances) - 1) / len(chances), 5) + 0.0  # nothing has no sign
        rows.append((name, *(f"{chance:.5f}" for chance in chances), f"{more:+.5f}"))
    return columns(rows)


def object_of(solution: "Solution") -> dict[str, Any]:
    from kille_net.bots.three import short

    places = ("first", "middle", "dealer")
    return {
        "rules": {"format": solution.rules.format.value, "seats": len(places)},
        "pot": [
            {"lives": list(lives), **dict(zip(places, chances, strict=True))} for lives, chances in solution.pot.items()
        ],
        "below": [
            {"lives": list(lives), **{name: [of.card.code, of.chance] for name, of in below.items()}}
            for lives, below in short(solution.table).items()
        ],
        "gains": dict(zip(places, solution.gains, strict=True)),
        "gains_at_start": dict(zip(places, solution.gains_at_start, strict=True)),
        "residual": solution.residual,
        "against": [{"bot": one.bot, **dict(zip(places, one.chances, strict=True))} for one in solution.against],
    }
