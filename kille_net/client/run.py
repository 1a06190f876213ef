"""The client's entry: how it is shown, what becomes of a bug, and the exit code."""

import os
import sys
import tempfile
import traceback
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from kille_net.client.effects import Quit, Want
from kille_net.client.endings import SIGINT
from kille_net.client.invitation import Invitation
from kille_net.client.showing.texts import say
from kille_net.client.terminal.asking import ask_name, ask_password
from kille_net.client.terminal.plain import run_plain
from kille_net.client.terminal.signals import Signals
from kille_net.systems import EDITS_LINES

__all__ = ["is_full_terminal", "run", "speaks_utf8"]

_SIMPLE: Final = frozenset({"", "dumb", "unknown"})
_COERCED: Final = frozenset({"C.UTF-8", "C.utf8", "UTF-8"})
_C: Final = frozenset({"C", "POSIX"})
_BUG: Final = 1
_ROUNDS: Final = 5
"""Of questions, after each of which the server is asked again."""


def run(invitation: Invitation) -> int:
    """Join, play and leave; returns the exit code. What went wrong is one line on standard error."""
    rounds = _ROUNDS
    while True:
        with Signals() as signals:
            try:
                how = _run(invitation, signals)
            except Exception as error:  # a bug: its report goes to a file, one line to the terminal
                _complain(_file_away(error, invitation.lang))
                return _BUG
            code = signals.exit_code
            wants = how.wants if code is None and rounds and os.isatty(0) and os.isatty(2) else None
            if code is None:
                if wants is None or (wants is Want.PASSWORD and invitation.server_password is not None):
                    _complain(how.text)
                code = how.code
            _quiet_streams()
        rounds -= 1
        try:
            changed = _ask(wants, invitation)
        except KeyboardInterrupt:
            return SIGINT
        if changed is None:
            return code
        invitation = changed


def _ask(wants: Want | None, invitation: Invitation) -> Invitation | None:
    """What the person changes of it, so that the server lets us in; None: nothing."""
    match wants:
        case Want.PASSWORD:
            password = ask_password(invitation.lang)
            return None if password is None else replace(invitation, server_password=password)
        case Want.NAME:
            name = ask_name(invitation.lang, "taken", name=invitation.name)
            return None if name is None else replace(invitation, name=name)
    return None


def _run(invitation: Invitation, signals: Signals) -> Quit:
    is_full = is_full_terminal(os.environ) and not invitation.plain
    ascii_only = os.isatty(1) and not speaks_utf8(os.environ)
    if is_full:
        from kille_net.client.terminal.prompt import run_prompt  # noqa: PLC0415  POSIX only, and slow to import

        return run_prompt(invitation, signals, ascii_only=ascii_only)
    return run_plain(invitation, signals, ascii_only=ascii_only)


def is_full_terminal(environ: Mapping[str, str]) -> bool:
    """Whether lines can be edited and redrawn here."""
    return EDITS_LINES and os.isatty(0) and os.isatty(1) and environ.get("TERM", "") not in _SIMPLE


def speaks_utf8(environ: Mapping[str, str]) -> bool:
    """Whether the terminal shows more than ASCII, as far as the locale says; where it says nothing, it does."""
    kind, language = environ.get("LC_CTYPE"), environ.get("LANG")
    if kind in _COERCED and language in _C:
        kind = None  # Python's own doing (PEP 538), which says nothing about the terminal
    locale = environ.get("LC_ALL") or kind or language or "UTF-8"
    return "utf8" in locale.lower().replace("-", "")


def _complain(text: str) -> None:
    if not text:
        return
    try:
        sys.stderr.write(f"kille: {text}\n")
        sys.stderr.flush()
    except OSError:  # nobody reads
        return


def _file_away(error: Exception, lang: str) -> str:
    """Put the traceback into a file of our own; the line that tells of it."""
    with tempfile.NamedTemporaryFile("w", prefix="kille-", suffix=".txt", encoding="utf-8", delete=False) as file:
        traceback.print_exception(error, file=file)
    return say(lang, "failed", what=type(error).__name__, file=file.name)


def _quiet_streams() -> None:
    """Let nothing complain at the end of the process about a reader that went away."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
