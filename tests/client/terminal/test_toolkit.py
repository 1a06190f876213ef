"""Colours that are read on black and on white."""

import re
from collections.abc import Mapping

import pytest
from prompt_toolkit.output.color_depth import ColorDepth

from kille_net.client.effects import Style
from kille_net.client.terminal.toolkit import MORE, SIXTEEN, styles

STEPS = (0, 95, 135, 175, 215, 255)
"""Of red, green and blue among the 256 colours of terminals."""
READABLE = {"ansired", "ansigreen", "ansimagenta", "ansicyan"}
"""Of the 16: the others are next to nothing on black or on white, or are grey."""


def colours(looks: Mapping[Style, str]) -> list[str]:
    return [word for look in looks.values() for word in look.split() if word != "bold"]


def luminance(colour: str) -> float:
    """WCAG 2, relative luminance."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("colour", colours(MORE))
def test_each_of_many_colours_is_one_of_the_256_and_is_read_on_black_and_on_white(colour: str) -> None:
    assert re.fullmatch("#[0-9a-f]{6}", colour)
    assert {int(colour[at : at + 2], 16) for at in (1, 3, 5)} <= set(STEPS)
    of_black, of_white = (luminance(colour) + 0.05) / 0.05, 1.05 / (luminance(colour) + 0.05)
    assert min(of_black, of_white) >= 4


def test_of_sixteen_colours_only_those_that_are_read_on_black_and_on_white() -> None:
    assert set(colours(SIXTEEN)) <= READABLE


@pytest.mark.parametrize("depth", list(ColorDepth))
def test_every_kind_of_text_has_a_look_and_nothing_flashes(depth: ColorDepth) -> None:
    looks = styles(depth)
    for style in Style:
        attributes = looks.get_attrs_for_style_str(f"class:{style.value}")
        assert not attributes.blink
        assert attributes.bgcolor == ""
    mine, plain = (looks.get_attrs_for_style_str(f"class:{style.value}") for style in (Style.MINE, Style.PLAIN))
    assert mine.bold, "told without colours, too"
    assert not plain.bold
