"""Why the client ends: the exit code and the last line for every end of a session.

Owns the codes that the client itself gives (the command line's `Exit` names them all).
"""

from typing import Final

from kille_net.client.effects import Quit
from kille_net.client.session import BadServer, Lost, ServerBye, SessionEnded
from kille_net.client.texts import say
from kille_net.wire.messages import VERSIONS, ByeCode
from kille_net.wire.text import safe_text

__all__ = ["DONE", "NO_OUTPUT", "NO_SERVER", "REFUSED", "SIGHUP", "SIGINT", "ending"]

DONE: Final = 0
NO_OUTPUT: Final = 2
NO_SERVER: Final = 3
REFUSED: Final = 4
SIGHUP: Final = 129
SIGINT: Final = 130

_REFUSALS: Final = frozenset(
    {ByeCode.UNSUPPORTED_VERSION, ByeCode.BAD_NAME, ByeCode.NAME_TAKEN, ByeCode.BUSY, ByeCode.FLOOD}
)
_PLACE_CELLS: Final = 64


def ending(end: SessionEnded, lang: str) -> Quit:
    """How to leave after the session's end."""
    match end:
        case ServerBye():
            bye = end.message
            text = say(
                lang,
                f"bye.{bye.code.value}",
                place=safe_text(bye.place, _PLACE_CELLS),
                theirs=_numbers(bye.versions),
                ours=_numbers(VERSIONS),
            )
            return Quit(REFUSED if bye.code in _REFUSALS else NO_SERVER, text)
        case BadServer():
            return Quit(NO_SERVER, say(lang, "bad_server", what=f"{end.code.value} {end.place}".rstrip()))
        case Lost(is_silent=True):
            return Quit(NO_SERVER, say(lang, "lost_silent"))
    return Quit(NO_SERVER, say(lang, "lost"))


def _numbers(versions: tuple[int, ...]) -> str:
    return ", ".join(str(version) for version in versions)
