"""`kille verify`: whether the records of whole matches are true (protocol/record.md)."""

from collections.abc import Sequence
from typing import Final

import click

from kille_net.cli.errors import CliError, report
from kille_net.cli.exit_codes import Exit
from kille_net.cli.records import RECORD, lines_of, record_error, records_of
from kille_net.cli.settings import Settings
from kille_net.cli.speaking import Command, argument, tell, tell_many

_NAME_CELLS: Final = 400
"""Who sent a folder of records has named what is in it."""


@click.command("verify", cls=Command)
@argument("files", metavar="FILE...", type=RECORD, nargs=-1, required=True)
@click.pass_obj
def command(settings: Settings, *, files: Sequence[str]) -> Exit:
    from kille_net.game.replay import verify
    from kille_net.wire.text import safe_text

    code = Exit.DONE
    for path in records_of(files):
        name = click.format_filename(path)
        verdict = verify(lines_of(path))
        if verdict.error is not None:
            text = tell("records.bad_line", file=name, line=verdict.error.line, why=record_error(verdict.error))
            code = report(CliError(text, code=Exit.DOES_NOT_HOLD))
            continue
        click.echo(tell_many("verify.agrees", verdict.hands, file=safe_text(name, _NAME_CELLS)))
    return code
