"""What the server's log says of an error: where it happened, and never what a peer, a card or a secret was."""

import traceback
from pathlib import Path

__all__ = ["where"]


def where(error: BaseException) -> str:
    """The error's type and its way through the code, in one line, without its text."""
    steps = (
        f"{Path(frame.filename).name}:{frame.lineno} {frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)
    )
    return f"{type(error).__name__} at {' > '.join(steps)}"
