"""The one way in which a command gives up: a line on standard error that says what to do, and an exit code."""

import sys
from typing import Final

import click
from click.exceptions import NoArgsIsHelpError

from kille_net.cli.exit_codes import Exit
from kille_net.cli.speaking import tell

_CELLS: Final = 2000
"""Whatever is quoted in it."""


class CliError(click.ClickException):
    """Raised by a command for what a user, a file or a server can cause; `text` is one line without a full stop.

    An empty text says nothing: only the code does.
    """

    def __init__(self, text: str, *, code: Exit) -> None:
        super().__init__(text)
        self.code = code


def report(error: click.ClickException) -> Exit:
    """Write `error` as one line on standard error and say with what code to end."""
    if isinstance(error, NoArgsIsHelpError):
        error.show(sys.stderr)
        return Exit.WRONG_USE
    if isinstance(error, CliError) and not error.message:
        return error.code
    from kille_net.wire.text import safe_text

    text = safe_text(" ".join(error.format_message().split()), _CELLS)
    if isinstance(error, click.UsageError) and error.ctx is not None:
        path = error.ctx.command_path
        text = tell("cli.see", text=text.removesuffix("."), command=path)
    click.echo(f"kille: {text}", err=True)
    if isinstance(error, CliError):
        return error.code
    # What click itself finds wrong is what was typed: an option, an argument, a file that cannot be read.
    return Exit.WRONG_USE


def report_group(group: BaseExceptionGroup[BaseException]) -> Exit | None:
    """Do as `report` for a group of such errors and interrupts; say nothing and give None if a bug is among them."""
    errors, others = group.split(click.ClickException)
    if others is not None and others.split(KeyboardInterrupt)[1] is not None:
        return None
    if errors is None:
        return Exit.SIGINT
    first: BaseException = errors
    while isinstance(first, BaseExceptionGroup):
        first = first.exceptions[0]
    assert isinstance(first, click.ClickException)
    return report(first)
