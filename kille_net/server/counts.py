"""What is counted while a server runs. Holds no name, and refuses to know who reads it."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from kille_net.wire.messages import ByeCode, RefusalCode

__all__ = ["Counts"]


def _nobody(_seconds: float) -> None:
    return


@dataclass(slots=True, kw_only=True)
class Counts:
    byes: Counter[ByeCode] = field(default_factory=Counter)
    """That we said."""
    refusals: Counter[RefusalCode] = field(default_factory=Counter)
    matches: int = 0
    """Begun."""
    faults: int = 0
    """Errors of our own that ended a session or a room."""
    committed: Callable[[float], None] = _nobody
    """Told how long each commit took, in seconds."""
