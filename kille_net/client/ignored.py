"""Whose chat we do not want to see.

Owns the list, which lives as long as the client, lost lines included. Refuses to tell anybody: neither the server nor
the one who is ignored hears of it.
"""

from collections.abc import Sequence
from typing import Final

from kille_net.client.effects import Effect, Print, Style
from kille_net.languages import say
from kille_net.wire.text import name_key, safe_text

__all__ = ["Ignored"]

_MOST: Final = 64
_NAME_CELLS: Final = 32


class Ignored:
    def __init__(self, lang: str) -> None:
        self._lang = lang
        self._names: dict[str, str] = {}
        """By what names that look alike have in common."""
        self._heard: dict[str, None] = {}
        """Those who said something, in the same form; the newest last."""

    def hides(self, who: str) -> bool:
        """Somebody of that name has said something: whether it is not shown."""
        key = name_key(who)
        self._heard.pop(key, None)
        self._heard[key] = None
        if len(self._heard) > _MOST:
            del self._heard[next(iter(self._heard))]
        return key in self._names

    def ignore(self, name: str, *, own: str, here: Sequence[str] = ()) -> list[Effect]:
        """From now on; without a name, tell whom we ignore. `own`: what we are called; `here`: who is at our table."""
        name = safe_text(name, _NAME_CELLS)
        if not name:
            names = ", ".join(self._names.values())
            return self._tell("ignored" if names else "ignored_nobody", who=names)
        if name_key(name) == name_key(own):
            return self._tell("ignore_self", Style.FAULT)
        if len(self._names) >= _MOST:
            return self._tell("ignore_full", Style.FAULT, most=_MOST)
        if name_key(name) not in {*self._heard, *map(name_key, here)}:
            return self._tell("ignore_unknown", Style.FAULT, who=name)
        self._names[name_key(name)] = name
        return self._tell("ignore", who=name)

    def heed(self, name: str) -> list[Effect]:
        """No longer."""
        name = safe_text(name, _NAME_CELLS)
        if self._names.pop(name_key(name), None) is None:
            return self._tell("ignore_not", Style.FAULT, who=name) if name else self.ignore("", own="")
        return self._tell("unignore", who=name)

    def _tell(self, key: str, style: Style = Style.PLAIN, /, **values: object) -> list[Effect]:
        return [Print(say(self._lang, key, **values), style)]
