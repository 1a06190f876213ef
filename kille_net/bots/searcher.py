"""A process that searches: views come in on standard input, and each one's answer goes out on standard output.

Owns the life of that process, which ends with its input: whoever asked may be killed, and leaves nothing behind. It is
told what one seat sees, and no more.
"""

import os
import pickle
import signal
import sys
from contextlib import suppress
from typing import BinaryIO

from kille_net.bots.deep import DeepBot

__all__ = ["serve"]

_NICE = 5
"""So much less it matters than who waits for it."""


def serve(views: BinaryIO, answers: BinaryIO) -> None:
    """Answer each pickled view with the number of an action, in one byte, until there are no more."""
    bot = DeepBot()
    with suppress(EOFError, BrokenPipeError):
        while True:
            answers.write(bytes([bot.decide(pickle.load(views))]))
            answers.flush()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, whose end it notices
    if hasattr(os, "nice"):
        os.nice(_NICE)
    serve(sys.stdin.buffer, sys.stdout.buffer)
