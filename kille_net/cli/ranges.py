"""What options take that click has no kind of: numbers with a fraction, seeds."""

from math import isnan
from typing import Any

import click

from kille_net.cli.speaking import tell

__all__ = ["Range", "Seed"]


class Range(click.FloatRange):
    """A range in which there is no NaN either, which no comparison keeps out."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # noqa: ANN401  as click declares it
        number: float = super().convert(value, param, ctx)
        if isnan(number):
            self.fail(tell("arena.no_number", value=value), param, ctx)
        return number


class Seed(click.types.StringParamType):
    """Any text; what a terminal gives that is none has no bytes to draw from."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ANN401  as click declares it
        text = super().convert(value, param, ctx)
        try:
            text.encode()
        except UnicodeEncodeError:  # lone surrogates are what bytes come as that are no Unicode
            self.fail(tell("arena.seed_no_text"), param, ctx)
        return text
