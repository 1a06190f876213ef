"""Terminals of any size that come to any end, and texts of any code points: the terminal is as it was."""

import random
import re
import signal
import sys
import unicodedata

import pytest

from kille_net.wire import messages as wire
from tests.catalogue.rows import row
from tests.client.fake_server import NAMES, FakeServer, Table, room
from tests.client.screen import KILLE, Terminal, environment
from tests.deep import size

ENDS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
TYPED = ("half a line", "say hej", "\t", "\x1b[A", "\x1b[200~pasted\x1b[201~")
STEPS = ("resize", "resize", "chat", "chat", "type", "press", "leave", "signal", "gone", "nonsense")


@row(48)
@pytest.mark.parametrize("seed", range(size(3, 200)))
def test_whatever_happens_the_terminal_is_as_it_was(seed: int) -> None:
    """`Terminal.end` looks at its modes, its cursor and the attributes of text."""
    chance = random.Random(seed)
    mode = chance.choice(((), ("--plain",)))
    command = (*KILLE, "--lang", chance.choice(("sv", "en")), "join", *mode, "--name", "Ada", "--room", "Bordet")
    columns, rows = chance.randint(1, 200), chance.randint(1, 60)
    with (
        FakeServer() as server,
        Terminal((*command, f"127.0.0.1:{server.port}"), size=(columns, rows), env=environment()) as terminal,
    ):
        peer = server.accept()
        peer.welcome("Ada")
        peer.enter(room(*NAMES[:3]))
        table = Table(peer, seed)
        if chance.random() < 0.7:
            table.begin()
            table.step(ms=chance.choice((0, 5000)))
        allowed = {0}
        while True:
            match chance.choice(STEPS):
                case "resize":
                    terminal.resize(chance.randint(1, 500), chance.randint(1, 200))
                case "chat":
                    peer.send(
                        *(peer.event(wire.Said, who="Bo", text=f"{seed} {k}") for k in range(chance.randint(1, 30)))
                    )
                case "type":
                    terminal.press(chance.choice(TYPED))
                case "press":
                    terminal.press(chance.choice(("\x0b", "\x0c", "\x1b", "\x01", "\x15")))
                case "leave":
                    terminal.press("\x15quit\rquit\r")
                    break
                case "signal":
                    number = chance.choice(list(ENDS))
                    allowed = {ENDS[number]}
                    terminal.signal(number)
                    break
                case "gone":
                    allowed = {3}
                    peer.close()
                    break
                case "nonsense":
                    allowed = {3}
                    peer.send_raw(chance.choice((b"\xff\xff\xff\xff", bytes(4), b"\x00\x00\x00\x01\xc1")))
                    break
            terminal.pump(chance.choice((0.0, 0.01, 0.1)))
        assert terminal.end() in allowed
        assert "Traceback" not in terminal.printed


@row(44)
def test_a_terminal_is_sent_no_control_but_our_own_whatever_code_points_come() -> None:
    chance = random.Random(44)
    command = (*KILLE, "--lang", "en", "join", "--name", "Ada", "--room", "Bordet")
    with FakeServer() as server, Terminal((*command, f"127.0.0.1:{server.port}"), env=environment()) as terminal:
        peer = server.accept()
        peer.welcome("Ada")
        peer.enter(room(*NAMES[:3]))
        terminal.wait(lambda: terminal.is_raw and terminal.text.endswith("\n>"), "the prompt")
        for number in range(size(15, 20_000)):
            texts = ("".join(chr(one) for one in random_points(chance)) for _ in range(5))
            peer.send(*(peer.event(wire.Said, who=text[:16] or "-", text=text or "-") for text in texts))
            peer.send(peer.event(wire.Said, who="Bo", text=f"number {number}"))
            terminal.wait(lambda number=number: f"number {number}" in terminal.printed[-4000:], "all of it")  # type: ignore[misc]  # at once
        written = terminal.raw.decode()
        plain = re.sub(r"\x1b\[[0-9;?]*[A-HJKSTfhlm]", "", written)
        assert {char for char in plain if unicodedata.category(char) in {"Cc", "Cf", "Zl", "Zp"}} <= {
            "\r",
            "\n",
            "\x08",
        }
        assert terminal.screen.title == ""
        terminal.press("quit\rquit\r")
        assert terminal.end() == 0


def random_points(chance: random.Random) -> list[int]:
    """Of all planes, most of them from where the odd ones are; none that UTF-8 has not."""
    ranges = ((0, 0xA0), (0x200B, 0x2070), (0x300, 0x370), (0xE000, 0xE010), (0x1F300, 0x1F700), (0, sys.maxunicode))
    found = [chance.randrange(*chance.choice(ranges)) for _ in range(chance.randint(1, 40))]
    return [point for point in found if not 0xD800 <= point < 0xE000]
