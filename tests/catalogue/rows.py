"""The catalogue of attacks and faults: what each number stands for, and the mark of a test that shows one."""

from typing import Final

import pytest

__all__ = ["ROWS", "row"]

ROWS: Final = {
    1: "a header announces too much",
    2: "an empty frame",
    3: "a frame a byte a second, or nothing at all",
    4: "frames split and merged anywhere",
    5: "silent connections from one address",
    6: "a TLS handshake that is never finished",
    7: "requests without an end from one who was not welcomed and never reads",
    9: "a flood of connections",
    10: "an exception in any step of a session",
    11: "a send that is cancelled midway",
    12: "room, pings and a resume write at once",
    14: "a seat stops reading",
    15: "a bot computes for long",
    16: "a line that is cut without a word",
    18: "floods of pings, forged pongs",
    19: "10,000 commands a second",
    20: "floods of chat and rooms",
    21: "MessagePack bombs",
    22: "nesting without an end",
    23: "duplicate, missing, unknown and wrong keys and values",
    24: "unknown messages and versions",
    26: "a hostile server",
    27: "a card in what a seat is sent that is outside its view",
    28: "two worlds that differ in what a seat may not know",
    29: "time that tells of a hidden choice",
    30: "a computer's time that tells of its hand",
    31: "refusals that tell of what is hidden",
    32: "who sits and watches, one ticket for two",
    33: "secrets in logs, crashes and metrics",
    34: "a shuffle with a bias",
    35: "packs that can be foretold",
    36: "chance that is none",
    37: "a server that cheats in the shuffle",
    38: "tickets reused, guessed and stolen",
    39: "an old line beside the new one",
    40: "commands that come twice, late, or for others",
    41: "a server's key that has changed",
    42: "passwords tried one after the other",
    44: "text that plays with the terminal",
    45: "text that looks like markup",
    46: "a signal at any moment",
    47: "a drain with many, and with one who is stuck",
    48: "a client killed, resized, or without a terminal",
    49: "the server killed at any moment",
    50: "a store that fails",
    52: "everybody vanishes",
    54: "three days of play",
    55: "the same seed twice",
}


def row(*numbers: int) -> pytest.MarkDecorator:
    """This test, or class of tests, fails when the defence of these rows is taken out."""
    unknown = set(numbers) - ROWS.keys()
    assert not unknown, unknown
    return pytest.mark.row(*numbers)
