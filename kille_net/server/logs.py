"""The server's log: one line for each thing that an operator wants to know, as text (logfmt) or JSON.

Owns what a line may hold and how many there may be. Refuses what was not made for it: of an error it tells where it
happened and never what a peer, a card or a secret was, and no value is shown but numbers, words and cleaned text.
"""

import json
import logging
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, MutableMapping
from enum import Enum, StrEnum
from pathlib import Path
from traceback import extract_tb
from typing import Any, Final, TypeAlias

import structlog
from structlog.typing import FilteringBoundLogger

from kille_net.server.timing import Bucket
from kille_net.wire.text import safe_text

__all__ = ["MOST_BYTES", "LogFormat", "log", "open_log", "where"]

MOST_BYTES: Final = 200
"""Of a line; what is longest in it is cut."""
_MOST_CELLS: Final = 120
_PER_SECOND: Final = 20
_BURST: Final = 200
"""Lines at once, before that rate counts: nobody fills a disk by knocking at the door."""


InWords: TypeAlias = Callable[[Mapping[str, object]], str | None]
"""What is said to a person in the place of a line; None: the line, empty: nothing."""


class LogFormat(StrEnum):
    TEXT = "text"
    JSON = "json"


def where(error: BaseException) -> str:
    """The error's type and its way through the code, the innermost step first, without its text."""
    steps = (f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in extract_tb(error.__traceback__))
    return f"{type(error).__name__} at {' < '.join(reversed(list(steps)))}"


class _Throttle:
    """Lets so many lines through, and tells with the next one how many it held back."""

    def __init__(self) -> None:
        self._bucket = Bucket(_PER_SECOND, _BURST)
        self._held_back = 0

    def pass_on(self, fields: MutableMapping[str, Any]) -> None:
        """Raises DropEvent."""
        if not self._bucket.take(time.monotonic()):
            self._held_back += 1
            raise structlog.DropEvent
        if self._held_back:
            fields["held_back"], self._held_back = self._held_back, 0


_FIRST: Final = ("time", "level", "event")
_throttles: Final[defaultdict[str, _Throttle]] = defaultdict(_Throttle)
"""One for each event, so that a flood of one drowns no other."""
_formats: Final = {"now": LogFormat.TEXT}
_in_words: Final[dict[str, InWords]] = {}
_text: Final = structlog.processors.LogfmtRenderer(key_order=_FIRST)


def _throttle(_: object, __: str, fields: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    _throttles[fields["event"]].pass_on(fields)
    return fields


def _clean(_: object, __: str, fields: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    return {key: _cleaned(value) for key, value in fields.items() if value or isinstance(value, bool | int)}


def _cleaned(value: object) -> object:
    match value:
        case Enum():
            return str(value.value)
        case bool() | int():
            return value
        case float():
            return round(value, 3)
        case str():
            return safe_text(value, _MOST_CELLS)
        case tuple() | list() if all(isinstance(part, str) for part in value):
            return safe_text(", ".join(value), _MOST_CELLS)
    return f"({type(value).__name__})"


def _render(logger: object, method: str, fields: MutableMapping[str, Any]) -> str:
    """The line, in which the longest text is made shorter until all fits, or what is said in its place."""
    said = None if _formats["now"] is LogFormat.JSON or "now" not in _in_words else _in_words["now"](fields)
    if said is not None:
        if not said:
            raise structlog.DropEvent
        return said
    while len((line := _line(logger, method, fields)).encode()) > MOST_BYTES:
        longest = max((key for key in fields if isinstance(fields[key], str)), key=lambda key: len(fields[key]))
        fields[longest] = fields[longest][: len(fields[longest]) * 7 // 8]
    return line


def _line(logger: object, method: str, fields: MutableMapping[str, Any]) -> str:
    if _formats["now"] is LogFormat.JSON:
        return json.dumps({key: fields[key] for key in (*_FIRST, *fields)}, ensure_ascii=False)
    return str(_text(logger, method, dict(fields)))


log: Final[FilteringBoundLogger] = structlog.wrap_logger(
    logging.getLogger("kille"),
    processors=[
        structlog.stdlib.filter_by_level,
        _throttle,
        structlog.processors.TimeStamper("%Y-%m-%dT%H:%M:%SZ", key="time"),
        structlog.processors.add_log_level,
        _clean,
        _render,
    ],
    wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
)
"""Says nothing but errors until `open_log`."""


def open_log(form: LogFormat, in_words: InWords | None = None) -> None:
    """Write it to standard error from now on, text as `in_words` has it."""
    _formats["now"] = form
    if in_words is not None:
        _in_words["now"] = in_words
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(message)s")
