"""What a value is that comes with every question: a view, an event.

It is a dataclass whose fields nobody sets again. Here mypy sees to that, in the wheel the fields do so themselves,
since `frozen` costs a call for each. Its `__init__` is written out, since what dataclasses make is not compiled.
"""

from collections.abc import Callable
from dataclasses import fields
from typing import Any

from kille_net.game.compiling import mypyc_attr

__all__ = ["Value", "remade"]


@mypyc_attr(acyclic=True)
class Value:
    """The base of such a dataclass, with `init=False, slots=True, unsafe_hash=True`."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        """Copied and pickled by its `__init__`: where it is compiled, its fields cannot be set."""
        return type(self), tuple([getattr(self, field.name) for field in fields(self)])  # type: ignore[arg-type]  # a dataclass


def remade(thing: object, make: Callable[[], object], *made: str) -> tuple[Any, ...]:
    """What `__reduce__` says of an object that `make` makes, those of its slots included that nobody sets again.

    By itself pickle makes it without its `__init__`, which cannot be where it is compiled.
    """
    names = [name for name in type(thing).__slots__ if name not in made]  # type: ignore[attr-defined]  # its class has slots
    return _made, (make, {name: getattr(thing, name) for name in names})


def _made(make: Callable[[], object], state: dict[str, Any]) -> object:
    thing = make()
    for name, value in state.items():
        setattr(thing, name, value)
    return thing
