"""`kille verify`: whether the records of whole matches are true (record.md)."""

from collections.abc import Sequence
from typing import Final

import click

from kille_net.cli.errors import CliError, report
from kille_net.cli.exit_codes import Exit
from kille_net.cli.records import RECORD, lines_of, records_of
from kille_net.cli.settings import Settings

_TEXTS: Final = {
    "sv": {
        "one": "{file}: 1 giv stämmer",
        "many": "{file}: {hands} givar stämmer",
    },
    "en": {
        "one": "{file}: 1 hand agrees",
        "many": "{file}: {hands} hands agree",
    },
}


@click.command("verify")
@click.argument("files", metavar="FILE...", type=RECORD, nargs=-1, required=True)
@click.pass_obj
def command(settings: Settings, *, files: Sequence[str]) -> Exit:
    """Check the records of whole matches.

    Every hand of each FILE ('-': standard input; a folder: all its *.jsonl) is played again by the rules: its outcome,
    the lives, the deal, the pots and points, the winner; and every pack, and who dealt first, is worked out again from
    the secret that the last line reveals, or from the seed. That shows that nobody stacked the pack; it cannot show
    whether whoever runs a server looked at the cards.

    The players' names are not checked: nothing in a record depends on them.

    The exit status is 1 if a record is not true; the first line that is not, and why, is told on standard error.
    """
    from kille_net.game.replay import verify

    texts = _TEXTS[settings.lang]
    code = Exit.DONE
    for path in records_of(files):
        name = click.format_filename(path)
        verdict = verify(lines_of(path))
        if verdict.error is not None:
            text = f"{name}, line {verdict.error.line}: {verdict.error.text}"
            code = report(CliError(text, code=Exit.DOES_NOT_HOLD))
            continue
        click.echo(texts["one" if verdict.hands == 1 else "many"].format(file=name, hands=verdict.hands))
    return code
