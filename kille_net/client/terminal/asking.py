"""What a person is asked where a session has not begun: a password, a name.

Owns the questions, and which answers are taken. Refuses to know why they are asked, and to ask without a terminal.
"""

from getpass import getpass
from typing import Final

from kille_net.client.showing.texts import say
from kille_net.wire.text import valid_name

__all__ = ["ask_name", "ask_password"]

_MOST_PASSWORD: Final = 64
_TRIES: Final = 5


def ask_password(lang: str) -> str | None:
    """None: nothing is answered. Raises KeyboardInterrupt."""
    try:
        return getpass(say(lang, "server_password"))[:_MOST_PASSWORD] or None
    except EOFError:
        return None


def ask_name(lang: str, why: str, /, **values: object) -> str | None:
    """A name that is one; None: nothing good is answered. `why`: the question. Raises KeyboardInterrupt."""
    question = say(lang, f"ask_name.{why}", **values)
    for _ in range(_TRIES):
        try:
            answer = input(question).strip()
        except EOFError:
            return None
        if not answer or valid_name(answer):
            return valid_name(answer)
        question = say(lang, "ask_name.bad")
    return None
