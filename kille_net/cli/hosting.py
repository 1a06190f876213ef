"""What a host at a terminal reads: what others do to come in, and then what happens, in words.

Owns which lines of the log are told so, and which are not. Refuses to know the server.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from kille_net.cli.speaking import named, spoken, tell
from kille_net.languages import has

__all__ = ["explain", "in_words"]

_HELD_BACK: Final = "held_back"
_NONE: Final = {
    **dict.fromkeys(("name", "room", "seats", "address", "tournament", "first"), ""),
    **dict.fromkeys(("seconds", "round"), 0),
}
"""What a line leaves out where it is empty."""


def explain(name: str | None) -> list[str]:
    """What the host of a server may want to say and do; `name`: what it is found as, None: it is not."""
    found = tell("serve.told.by_address") if name is None else tell("serve.told.by_name", name=name)
    return [found, tell("serve.told.key"), tell("serve.told.stop")]


def in_words(fields: Mapping[str, object]) -> str | None:
    """A line of the log, by its fields, for a person; empty: of no interest; None: to be shown as it is."""
    event = fields["event"]
    key = f"serve.log.{event}"
    if event == "let_in" and fields.get("resumed", "no") != "no":
        key = "serve.log.back"
    elif event == "session_ended" and fields.get("code") == "done":
        key = "serve.log.left"
    if _HELD_BACK in fields or not has(spoken(), key):
        return "" if fields["level"] == "info" and _HELD_BACK not in fields else None
    why = named("serve.why", str(fields.get("code", "")))
    return f"{datetime.now():%H:%M} {tell(key, **{**_NONE, 'why': why, **fields})}"
