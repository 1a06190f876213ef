"""The picture: true to the numbers, whole XML whatever the names, and readable on white and on dark ground."""

from dataclasses import replace
from itertools import pairwise
from random import Random
from xml.etree import ElementTree as XML

import pytest

from kille_net.arena.picture import ACCENT, INK, picture, span_of, ticks
from kille_net.arena.plan import Plan
from kille_net.arena.summary import Standing, Summary
from kille_net.game.rules import Ruleset
from kille_net.intervals import Estimate

NOTHING = Estimate(0, None, None, None)
SVG = "{http://www.w3.org/2000/svg}"


def summary(*shares: Estimate, labels: tuple[str, ...] = ("a", "b", "c")) -> Summary:
    standings = tuple(
        Standing(label, 1, NOTHING, NOTHING, share, NOTHING) for label, share in zip(labels, shares, strict=False)
    )
    plan = Plan(bots=("easy",) * len(shares), seats=8, rules=Ruleset(), seed="x", blocks=2, seconds=1)
    return Summary(plan=plan, blocks=2, hands=2, standings=standings, differences=(), complaints=())


def drawn(*shares: Estimate) -> XML.Element:
    return XML.fromstring(picture(summary(*shares), "title"))


def test_dots_and_lines_stand_where_the_numbers_are() -> None:
    """On one scale: the distances are those of the numbers."""
    root = drawn(Estimate(9, 1.5, 1.25, 1.75), Estimate(9, 0.5, 0.25, 0.75))
    dots = [float(dot.attrib["cx"]) for dot in root.iter(f"{SVG}circle")]
    lines = [line for line in root.iter(f"{SVG}line") if line.attrib["stroke"] == ACCENT]
    ends = [(float(line.attrib["x1"]), float(line.attrib["x2"])) for line in lines]
    (even,) = (float(line.attrib["x1"]) for line in root.iter(f"{SVG}line") if "stroke-dasharray" in line.attrib)
    scale = dots[0] - dots[1]
    assert scale > 100
    assert even == pytest.approx((dots[0] + dots[1]) / 2, abs=0.2)
    for dot, (low, high) in zip(dots, ends, strict=True):
        assert dot - low == pytest.approx(scale / 4, abs=0.2)
        assert high - dot == pytest.approx(scale / 4, abs=0.2)
    axis = next(line.attrib for line in root.iter(f"{SVG}line") if line.attrib["y1"] == line.attrib["y2"])
    assert all(float(axis["x1"]) < place < float(axis["x2"]) for end in ends for place in end)


def test_what_is_not_known_is_not_drawn() -> None:
    root = drawn(Estimate(1, 1.5, None, None), NOTHING)
    assert len(list(root.iter(f"{SVG}circle"))) == 1
    assert not [line for line in root.iter(f"{SVG}line") if line.attrib["stroke"] == ACCENT]
    assert "nan" not in picture(summary(NOTHING), "title")


def test_any_name_is_text() -> None:
    name = '<b>&"\x1b[31m\x00\ud800' + "x" * 100
    text = picture(summary(NOTHING, labels=(name,)), "Andel <å>")
    root = XML.fromstring(text)
    texts = ["".join(one.itertext()) for one in root.iter(f"{SVG}text")]
    assert texts[0] == "Andel <å>"
    assert any(one.startswith('<b>&"') and one.endswith("…") for one in texts)
    text.encode()


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("colour", [INK, ACCENT])
@pytest.mark.parametrize("ground", ["#ffffff", "#0d1117", "#000000"])
def test_its_colours_stand_out(colour: str, ground: str) -> None:
    """The contrast of WCAG: 3 is what large text and drawings need."""
    dark, light = sorted((luminance(colour), luminance(ground)))
    assert (light + 0.05) / (dark + 0.05) > 4


def test_an_axis_has_round_numbers_and_not_too_many() -> None:
    rng = Random(1)
    for _ in range(500):
        least = rng.uniform(-1, 1)
        most = least + 10 ** rng.uniform(-4, 1)
        marks = ticks(least, most)
        assert 2 <= len(marks) <= 7
        assert least <= marks[0] <= marks[-1] <= most
        steps = {round(second - first, 9) for first, second in pairwise(marks)}
        assert max(steps) - min(steps) < 1e-8


def test_an_axis_holds_all_and_even() -> None:
    assert span_of([]) == (0.9, 1.1)
    least, most = span_of([Estimate(2, 1.5, 1.2, 1.8), Estimate(1, 0.2, None, None)])
    assert least < 0.2
    assert most > 1.8


def test_all_alike_are_drawn() -> None:
    same = Estimate(3, 1.0, 1.0, 1.0)
    assert len(list(XML.fromstring(picture(replace(summary(same, same)), "t")).iter(f"{SVG}circle"))) == 2
