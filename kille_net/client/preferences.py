"""What a person likes at the table, as a value.

Owns which choices there are and what they are where nobody chooses. Refuses to know where they are written down.
"""

from dataclasses import dataclass

__all__ = ["Preferences"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    bell: bool = True
    """Ring when it is our turn."""
    title: bool = True
    """Mark the terminal's title while it is."""
    motion: bool = True
    """Let clocks run; otherwise they change every ten seconds."""
    coach: bool = False
    """Whether the coach speaks from the beginning."""
    pictures: bool = True
    """Draw cards where there is room."""
