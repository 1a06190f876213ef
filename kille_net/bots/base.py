"""What a bot is: a function from a view to an action, or a small class around one.

Owns the shape of a bot and makes one of whatever its author wrote. Refuses to know how a view comes about and what
becomes of the answer.
"""

import inspect
from collections.abc import Callable
from random import Random
from typing import Any, TypeAlias

from kille_net.game.actions import Action
from kille_net.game.events import Event
from kille_net.game.views import View

__all__ = ["Bot", "Factory", "as_bot", "is_bot"]


class Bot:
    """One seat's player for one match. A class of one's own need not inherit from it: `decide` is enough (`as_bot`)."""

    def ready(self) -> None:
        """Called once before the match, when it is made: whatever takes long, as to read a file, has its time here."""

    def decide(self, view: View) -> Action:
        """The answer of the seat whose answer is open: one of `view.legal`."""
        raise NotImplementedError

    def calls_kuku(self, view: View) -> bool:
        """Whether the seat calls its Kuku now (M7); asked at every safe point while it holds one."""
        return True

    def saw(self, event: Event) -> None:
        """Told of every event, as far as the seat may see it, in the order in which they happened."""

    @property
    def listens(self) -> bool:
        """Whether `saw` does anything, so that nobody redacts events for a bot that throws them away."""
        return type(self).saw is not Bot.saw


Factory: TypeAlias = Callable[[Random], Bot]
"""Makes a bot for one match; all its whims come from the generator that it is given, so that they repeat."""


class _Adapted(Bot):
    """A bot whose methods are whatever its author wrote."""

    def __init__(
        self,
        decide: Callable[[View], Action],
        calls_kuku: Callable[[View], bool] | None,
        saw: Callable[[Event], None] | None,
        ready: Callable[[], None] | None = None,
    ) -> None:
        self._decide = decide
        self._ready = ready
        self._calls_kuku = calls_kuku
        self._saw = saw

    def ready(self) -> None:
        if self._ready is not None:
            self._ready()

    def decide(self, view: View) -> Action:
        return self._decide(view)

    def calls_kuku(self, view: View) -> bool:
        return True if self._calls_kuku is None else self._calls_kuku(view)

    def saw(self, event: Event) -> None:
        if self._saw is not None:
            self._saw(event)

    @property
    def listens(self) -> bool:
        return self._saw is not None


def as_bot(source: Any, rng: Random | None = None) -> Bot:  # noqa: ANN401  authors write what they like
    """A bot of a function of a view, of a class with `decide`, or of an object of one.

    A class whose `__init__` has a parameter `rng` is given `rng` by that name. Raises TypeError for anything else,
    and lets through what the class raises.
    """
    if isinstance(source, type):
        source = source(rng=rng or Random()) if _takes_rng(source) else source()
    if isinstance(source, Bot):
        return source
    decide = getattr(source, "decide", None)
    if callable(decide):
        others = (getattr(source, name, None) for name in ("calls_kuku", "saw", "ready"))
        return _Adapted(decide, *others)
    if callable(source):
        return _Adapted(source, None, None)
    msg = "a bot is a function of a view, or a class with a method 'decide'"
    raise TypeError(msg)


def is_bot(source: object) -> bool:
    """Whether `as_bot` takes it for a class or a function to make bots of."""
    if isinstance(source, type):
        return callable(getattr(source, "decide", None))
    if not inspect.isfunction(source):
        return False
    try:
        inspect.signature(source).bind(None)
    except TypeError:  # it takes something else than a view
        return False
    return True


def _takes_rng(source: type) -> bool:
    try:
        return "rng" in inspect.signature(source).parameters
    except (TypeError, ValueError):  # a class whose signature nobody knows
        return False
