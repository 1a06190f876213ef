"""How Python's collector of cycles looks at a server: at what is new, and at what has lasted never again.

What is over at a server goes by its count of references, since nothing of ours holds on to itself; a look at all that
thousands of players have, a third of a second long, would find nothing. Owns no more than that.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

__all__ = ["looking_at_what_is_new"]

_OFTEN: Final = (700, 5, 1)
"""New objects until the youngest are looked at, and how many such looks until one at those that stayed, and of those
until one at all that is new: some milliseconds each, however many there are in all."""


@contextmanager
def looking_at_what_is_new() -> Iterator[None]:
    """In this process, as long as the context."""
    before = gc.get_threshold()
    gc.set_threshold(*_OFTEN)
    gc.callbacks.append(_keep_what_stays)
    try:
        gc.collect()
        yield
    finally:
        gc.callbacks.remove(_keep_what_stays)
        gc.set_threshold(*before)
        gc.unfreeze()


def _keep_what_stays(phase: str, info: dict[str, Any]) -> None:
    if phase == "stop" and info["generation"] == 2:  # noqa: PLR2004  all that was left to look at
        gc.freeze()
