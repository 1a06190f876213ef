"""How a bot is named on the command line. Owns that a built-in one may be named in any language."""

from typing import Any

import click

from kille_net.cli.speaking import code_of

__all__ = ["BotName"]


class BotName(click.ParamType[str]):
    """A word of some language for a built-in bot is its code; whatever else names a bot stays as it is."""

    name = "bot"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ANN401  as click declares it
        from kille_net.bots import BUILT_IN

        return code_of(value, BUILT_IN) or str(value)
