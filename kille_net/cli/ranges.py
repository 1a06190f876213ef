"""Numbers with a fraction as an option takes them."""

from math import isnan
from typing import Any

import click

from kille_net.cli.speaking import tell

__all__ = ["Range"]


class Range(click.FloatRange):
    """A range in which there is no NaN either, which no comparison keeps out."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # noqa: ANN401  as click declares it
        number: float = super().convert(value, param, ctx)
        if isnan(number):
            self.fail(tell("arena.no_number", value=value), param, ctx)
        return number
