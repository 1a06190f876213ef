"""Why the client ends: the exit code and the last line for every end of a session.

Owns the codes that the client itself gives (the command line's `Exit` names them all).
"""

from typing import Final

from kille_net.client.effects import Quit, Want
from kille_net.client.net.session import BadServer, Lost, ServerBye, SessionEnded, Stranger
from kille_net.client.net.trust import BadKnownServers, Distrust, KeyChanged, NotEncrypted
from kille_net.client.showing.texts import say
from kille_net.languages import say_of_english
from kille_net.wire.fingerprint import words
from kille_net.wire.messages import VERSIONS, ByeCode
from kille_net.wire.text import safe_text

__all__ = ["DONE", "NO_OUTPUT", "NO_SERVER", "REFUSED", "SIGHUP", "SIGINT", "distrusted", "ending"]

DONE: Final = 0
NO_OUTPUT: Final = 2
NO_SERVER: Final = 3
REFUSED: Final = 4
SIGHUP: Final = 129
SIGINT: Final = 130

_REFUSALS: Final = frozenset(
    {
        ByeCode.UNSUPPORTED_VERSION,
        ByeCode.BAD_NAME,
        ByeCode.NAME_TAKEN,
        ByeCode.NEEDS_TLS,
        ByeCode.BAD_TICKET,
        ByeCode.WRONG_PASSWORD,
        ByeCode.BANNED,
        ByeCode.BUSY,
        ByeCode.FLOOD,
        ByeCode.REPLACED,
        ByeCode.KICKED,
    }
)
_PLACE_CELLS: Final = 64
_PATH_CELLS: Final = 256


_WANTED: Final = {ByeCode.WRONG_PASSWORD: Want.PASSWORD, ByeCode.NAME_TAKEN: Want.NAME}


def ending(end: SessionEnded, address: str, lang: str) -> Quit:
    """How to leave after the end of a session with that server."""
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
            code = REFUSED if bye.code in _REFUSALS else NO_SERVER
            return Quit(code, text, wants=_WANTED.get(bye.code))
        case Stranger():
            return Quit(NO_SERVER, say(lang, "no_kille", address=safe_text(address, _PLACE_CELLS)))
        case BadServer():
            return Quit(NO_SERVER, say(lang, "bad_server", what=f"{end.code.value} {end.place}".rstrip()))
        case Lost(is_silent=True):
            return Quit(NO_SERVER, say(lang, "lost_silent"))
    return Quit(NO_SERVER, say(lang, "lost"))


def distrusted(distrust: Distrust, lang: str) -> Quit:
    """How to leave a server that is not to be talked to."""
    address = safe_text(distrust.address, _PLACE_CELLS)
    match distrust:
        case KeyChanged(old=old, new=new):
            text = say(lang, "key_changed", address=address, old=words(old), new=words(new))
        case NotEncrypted(is_known=is_known):
            text = say(lang, "tls_gone" if is_known else "no_tls", address=address)
        case BadKnownServers(path=path, why=why):
            text = say(lang, "bad_known_servers", file=safe_text(str(path), _PATH_CELLS), why=say_of_english(lang, why))
        case _:
            raise AssertionError(distrust)
    return Quit(REFUSED, text)


def _numbers(versions: tuple[int, ...]) -> str:
    return ", ".join(str(version) for version in versions)
