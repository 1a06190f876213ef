"""The line client in a real terminal: nothing garbles it, and it is as it was when the client has left."""

import os
import re
import signal
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kille_net.game.actions import Action
from kille_net.game.views import observe, redact
from kille_net.translate import to_event, to_phase, to_view
from kille_net.wire import messages as wire
from kille_net.wire.connection import bye
from tests.catalogue.rows import row
from tests.client.fake_server import NAMES, FakeServer, Outlet, Peer, Table, answered, room
from tests.client.screen import KILLE, Terminal, environment

MARKED = "\x1b[22;2t\x1b]2;Kille: your turn\x1b\\"
UNMARKED = "\x1b]2;\x1b\\\x1b[23;2t"
HALF = "half a line, not sent"


@contextmanager
def joined(
    *names: str, lang: str = "en", size: tuple[int, int] = (80, 24), **changes: str | None
) -> Iterator[tuple[Terminal, Peer]]:
    """A client that sits in a room, at a prompt."""
    command = (*KILLE, "--lang", lang, "join", "--name", "Ada", "--room", "Bordet")
    with (
        FakeServer() as server,
        Terminal((*command, f"127.0.0.1:{server.port}"), size=size, env=environment(**changes)) as terminal,
    ):
        peer = server.accept()
        peer.welcome("Ada")
        peer.enter(room(*(names or NAMES[:3])))
        terminal.see("Bordet 3/3").wait(lambda: terminal.is_raw and terminal.text.endswith("\n>"), "the prompt")
        yield terminal, peer


def chat(peer: Peer, number: int, text: str = "line") -> None:
    peer.send(*(peer.event(wire.Said, who="Bo", text=f"{text} {k}") for k in range(number)))


def prompts(terminal: Terminal) -> int:
    return sum(row == ">" or row.startswith("> " + HALF[:4]) for row in terminal.rows)


# --- playing ----------------------------------------------------------------------------------------------------------


def test_a_match_is_played_by_hand() -> None:
    with joined() as (terminal, peer):
        terminal.press("ready\r")
        peer.ok(wire.Ready)
        table = Table(peer, 5)
        table.begin()
        asked = 0
        while table.step() and asked < 12:
            asked += 1
            terminal.wait(lambda: _questions(terminal) == asked, f"question {asked}")  # noqa: B023  called at once
            terminal.press("s\r" if Action.STAND in _legal(table) else "n\r")
            answered(table, peer)
        assert asked
        terminal.press("quit\rquit\r")
        peer.receive(wire.Leave)
        assert peer.receive(wire.Bye).code is wire.ByeCode.DONE
        assert terminal.end() == 0


def test_keys_of_one_press_leave_what_is_half_typed() -> None:
    with joined() as (terminal, peer):
        table = Table(peer, 5)
        table.begin()
        table.step()
        terminal.wait(lambda: _questions(terminal) == 1, "the question")
        terminal.press("?").see("help all:")
        terminal.press(HALF + "?").see(f"> {HALF}?")  # on a line with something else it is a character
        assert terminal.printed.count("help all:") == 1
        terminal.press("\x15").wait(lambda: terminal.text.endswith("\n>"), "nothing half typed")  # Ctrl-U
        terminal.press("\x1f").see(f"> {HALF}?")  # Ctrl-_
        terminal.press("\x1bOP").wait(lambda: terminal.printed.count("help all:") == 2, "F1")
        terminal.press("\x1b[15~").see("Ada (you): lives 3")  # F5
        terminal.press("\x1bOR" if Action.STAND in _legal(table) else "\x1bOQ")  # F3
        assert answered(table, peer) is Action.STAND
        terminal.see(f"> {HALF}?")


@pytest.mark.parametrize("key", ["\r", "\x1b[17~"], ids=["Enter", "F6"])
def test_between_two_hands_one_key_goes_on(key: str) -> None:
    with joined() as (terminal, peer):
        table = Table(peer, 5)
        table.begin()
        table.stand()
        peer.send(peer.event(wire.Rest, hand=1, seats=1, ms=20_000))
        terminal.wait(lambda: terminal.printed.count("Press Enter for the next hand.") == 1, "the hint")
        terminal.see("next hand: Enter").press(key)
        assert peer.ok(wire.NextHand).hand == 1


def test_an_enter_that_follows_a_question_mark_does_nothing() -> None:
    with joined() as (terminal, peer):
        table = Table(peer, 5)
        table.begin()
        table.stand()
        peer.send(peer.event(wire.Rest, hand=1, seats=1, ms=20_000))
        terminal.see("next hand: Enter").press("?\r").see("help all:")
        terminal.press("say hej\r")
        assert peer.receive(wire.Say).text == "hej"
        terminal.press("?x\x7f\r")  # something was typed between
        assert peer.receive(wire.NextHand).hand == 1


@pytest.mark.parametrize("how", ["answer", "leave", "interrupt", "hang up"])
def test_the_title_is_marked_while_it_is_our_turn_and_given_back(how: str) -> None:
    with joined() as (terminal, peer):
        assert b"\x1b]" not in terminal.raw
        table = Table(peer, 5)
        table.begin()
        table.step()
        terminal.wait(lambda: terminal.screen.title == "Kille: your turn", "the mark")
        match how:
            case "answer":
                terminal.press("s\r" if Action.STAND in _legal(table) else "n\r")
                peer.receive(wire.Decide)
                terminal.wait(lambda: terminal.screen.title == "", "no mark").press("\x03")
                terminal.end()
            case "leave":
                terminal.press("quit\rquit\r").end()
            case "interrupt":
                terminal.press("\x03").end()
            case _:
                terminal.signal(signal.SIGTERM).end()
        written = terminal.raw.decode()
        assert written.count(MARKED) == written.count(UNMARKED) == 1
        assert written.index(MARKED) < written.index(UNMARKED)


@pytest.mark.parametrize(("variable", "value"), [("TERM", "linux"), ("KILLE_TITLE", "0"), ("KILLE_JOIN_TITLE", "no")])
def test_no_title_where_it_is_not_taken_or_not_wanted(variable: str, value: str) -> None:
    with joined(size=(80, 24), **{variable: value}) as (terminal, peer):
        table = Table(peer, 5)
        table.begin()
        table.step()
        terminal.wait(lambda: _questions(terminal) == 1, "the question").press("\x03").end()
        assert b"\x1b]" not in terminal.raw
        assert b";2t" not in terminal.raw


def _questions(terminal: Terminal) -> int:
    return terminal.printed.count("Your turn, with") + terminal.printed.count("Answer: ")


def _legal(table: Table) -> list[Action]:
    return [action for action in Action if table.match.legal(0) >> action & 1]


def test_a_running_table_is_watched() -> None:
    peer_names = ("Bo", "Cilla", "Doris")
    command = (*KILLE, "--lang", "en", "join", "--watch", "--name", "Ada", "--room", "Bordet")
    with FakeServer() as server, Terminal((*command, f"127.0.0.1:{server.port}"), env=environment()) as terminal:
        peer = server.accept()
        peer.welcome("Ada")
        peer.ok(wire.Watch)
        outlet = Outlet()
        table = Table(outlet, 3, peer_names)
        table.begin()
        table.step()
        view = to_view(observe(table.match, None))
        state = room(*peer_names, status=wire.RoomStatus.PLAYING)
        peer.seq = outlet.seq
        peer.send(wire.Snapshot(seq=peer.seq, room=state, view=view, match=1, open=None, rest=None))
        phase = to_phase(table.match.phase)
        peer.send(peer.event(wire.Turn, turn=9, seat=0, phase=phase, ms=0, window=0))
        terminal.wait(lambda: terminal.is_raw and terminal.text.endswith("\n>"), "the prompt")
        for event in table.match.act(0, Action.STAND if phase is wire.Phase.TURN else Action.REFUSE):
            peer.seq += 1
            peer.send(to_event(redact(event, None), peer.seq))
        peer.send(peer.event(wire.Said, who="Bo", text="seen so far"))
        terminal.see("seen so far").press("quit\rquit\r")
        assert terminal.end() == 0


def test_whoever_is_out_goes_on_to_see_the_hands() -> None:
    with joined() as (terminal, peer):
        table = Table(peer, 3)
        table.begin()
        peer.send(peer.event(wire.HandBegan, hand=1, pot=1, dealer=1, lives=(0, 2, 1), points=(0, 0, 0)))
        peer.send(peer.event(wire.Dealt, cards=(None, None, None)))
        peer.send(peer.event(wire.Turn, turn=1, seat=2, phase=wire.Phase.TURN, ms=0, window=0))
        terminal.see("Hand 1")
        peer.send(peer.event(wire.Stood, seat=2))
        peer.send(peer.event(wire.Turn, turn=2, seat=1, phase=wire.Phase.TURN, ms=0, window=0))
        peer.send(peer.event(wire.Stood, seat=1))
        low = (False, False, False)
        peer.send(peer.event(wire.Showdown, cards=(None, 5, 7), struck=0, low=low, lost=2, lives=(0, 1, 1)))
        peer.send(peer.event(wire.HandBegan, hand=2, pot=1, dealer=2, lives=(0, 1, 1), points=(0, 0, 0)))
        peer.send(peer.event(wire.Dealt, cards=(None, None, None)))
        peer.send(peer.event(wire.Turn, turn=3, seat=1, phase=wire.Phase.TURN, ms=0, window=0))
        terminal.see("Hand 2")
        terminal.press("table\r")
        peer.send(peer.event(wire.Said, who="Bo", text="seen so far"))
        terminal.see("seen so far").press("quit\rquit\r")
        peer.receive(wire.Leave)
        assert terminal.end() == 0


@pytest.mark.parametrize("key", ["\x0b", "\x1bOQ"])
def test_kuku_is_called_by_a_key_at_any_moment_with_a_line_half_typed(key: str) -> None:
    with joined() as (terminal, peer):
        table = Table(peer, 3)
        table.begin()
        table.step()
        terminal.press(HALF).see("> " + HALF)
        terminal.press(key + key + key)
        command = peer.receive(wire.CallKuku)
        terminal.see("You call Kuku")
        peer.send(wire.Refused(id=command.id, code=wire.RefusalCode.NO_KUKU))
        terminal.see("You hold no Cuckoo").wait(lambda: terminal.rows[-1] == "> " + HALF, "the line")
        terminal.press(key)
        peer.receive(wire.CallKuku)


def test_a_line_is_edited_completed_and_sent() -> None:
    with joined() as (terminal, peer):
        terminal.press("sa\t").see("> say")
        terminal.press(" hej\x01\x05!\x7f på dig\r")
        assert peer.receive(wire.Say).text == "hej på dig"
        terminal.press("\x1b[A").see("> say hej på dig")


def test_what_is_pasted_is_one_line_that_waits_for_enter() -> None:
    with joined() as (terminal, peer):
        terminal.press("say \x1b[200~one\r\n  two\nleave\n\x1b[201~").see("> say one two leave")
        terminal.press(" three\r")
        assert peer.receive(wire.Say).text == "one two leave three"


def test_a_key_that_is_held_down_ends_nothing() -> None:
    with joined() as (terminal, peer):
        terminal.press("say hej\r" * 150).see("That was too much at once.")
        for number in range(1, 33):
            said = peer.receive(wire.Say)
            assert said.id == number + 1
            peer.send(wire.Ok(id=said.id))
        chat(peer, 1, "after")
        terminal.see("<Bo> after 0").press("quit\r")
        peer.receive(wire.Leave)
        assert terminal.end() == 0


def test_what_is_half_typed_can_be_undone() -> None:
    with joined() as (terminal, peer):
        terminal.press("say hello\x17").wait(lambda: terminal.rows[-1] == "> say", "a word taken away")
        terminal.press("\x1f").see("> say hello")
        terminal.press("\r")
        assert peer.receive(wire.Say).text == "hello"


def test_a_password_is_neither_shown_again_nor_kept() -> None:
    with joined() as (terminal, peer):
        terminal.press("say hej\r")
        peer.receive(wire.Say)
        terminal.press("join Krogen PASSWORD=hemligt\r").see("> join Krogen PASSWORD=…")
        terminal.press("\x1b[A")
        terminal.wait(lambda: terminal.rows[-1] == "> say hej", "the line before")


def test_the_status_tells_nothing_before_the_line_that_tells_it() -> None:
    with joined() as (terminal, peer):
        table = Table(peer, 3)
        table.begin()
        table.step()
        while "Your turn" not in terminal.text:
            assert "YOUR TURN" not in terminal.text
            terminal.press("x\x7f").pump(0.001)  # each key draws the status
        terminal.see("YOUR TURN")


def test_the_status_follows_the_clock() -> None:
    with joined() as (terminal, peer):
        table = Table(peer, 3)
        table.begin()
        table.step(ms=9_400)
        terminal.see("YOUR TURN · 9 s").see("YOUR TURN · 8 s").see("YOUR TURN · 7 s")


# --- floods, sizes ----------------------------------------------------------------------------------------------------


def test_a_half_typed_line_outlives_a_thousand_events() -> None:
    with joined() as (terminal, peer):
        terminal.press(HALF[:5])
        chat(peer, 1000)
        for char in HALF[5:]:  # typed while they come
            terminal.press(char)
            terminal.pump(0)
        chat(peer, 500, "more")
        terminal.wait(lambda: b"<Bo> more 499" in terminal.raw).wait(
            lambda: terminal.rows[-1] == "> " + HALF, "the whole line"
        )
        assert prompts(terminal) == 1
        found = re.findall(r"<Bo> (line|more) (\d+)", terminal.printed)
        assert found == [("line", str(k)) for k in range(1000)] + [("more", str(k)) for k in range(500)]
        terminal.press("\x15quit\rquit\r")
        assert terminal.end() == 0


def test_what_comes_faster_than_it_can_be_shown_is_counted() -> None:
    with joined() as (terminal, peer):
        for _ in range(4):  # nobody reads the terminal until all is heard
            chat(peer, 1000, "x" * 150)
        chat(peer, 1, "last")
        peer.send(wire.Ping(n=1))
        peer.receive(wire.Pong)
        terminal.wait(lambda: b"<Bo> last 0" in terminal.raw, "the last line")
        left_out = sum(int(number) for number in re.findall(r"\((\d+) lines left out\)", terminal.printed))
        shown = terminal.printed.count("<Bo>")
        assert left_out
        assert shown + left_out == 4001


@row(48)
def test_resizing_in_a_row_leaves_one_prompt() -> None:
    with joined(*NAMES[:3]) as (terminal, peer):
        table = Table(peer, 3)
        table.begin()
        table.step()
        terminal.press(HALF).see("> " + HALF)
        for k in range(40):
            terminal.resize(120 - k, 30 + k % 7)
            terminal.pump(0)
        terminal.resize(100, 30)
        chat(peer, 1, "after")
        terminal.see("<Bo> after 0").wait(lambda: terminal.rows[-1] == "> " + HALF, "the line")
        assert prompts(terminal) == 1


@row(48)
@pytest.mark.parametrize("size", [(1, 1), (2, 3), (5, 40), (500, 200)])
def test_odd_sizes_break_nothing(size: tuple[int, int]) -> None:
    with joined() as (terminal, peer):
        table = Table(peer, 3)
        table.begin()
        table.step()
        terminal.see("YOUR TURN").resize(*size)
        chat(peer, 20)
        terminal.wait(lambda: "<Bo> line 19" in terminal.printed.replace("\r\n", "") or size[0] < 12)
        terminal.resize(80, 24)
        chat(peer, 1, "after")
        terminal.see("<Bo> after 0").see("YOUR TURN")
        terminal.press("quit\rquit\r")
        assert terminal.end() == 0


def test_a_small_terminal_shows_the_table_too() -> None:
    with joined(*NAMES[:3], size=(40, 12)) as (terminal, peer):
        table = Table(peer, 3)
        table.begin()
        table.step()
        terminal.see("YOUR TURN").see("Bo 3").see("Cilla 3")
        assert all(len(row) <= 40 for row in terminal.rows)


# --- leaving ----------------------------------------------------------------------------------------------------------


def test_ctrl_c_leaves_and_keeps_the_seat() -> None:
    with joined() as (terminal, peer):
        terminal.press(HALF + "\x03\x03\x03")
        assert peer.receive(wire.Bye).code is wire.ByeCode.DONE
        assert terminal.end() == 130


def test_ctrl_d_leaves_on_purpose_but_only_from_an_empty_line() -> None:
    with joined() as (terminal, peer):
        terminal.press("abc\x01\x04").see("> bc").press("\x05\x15\x04")
        peer.receive(wire.Leave)
        assert terminal.end() == 0


def test_ctrl_d_asks_before_it_gives_away_a_seat_in_a_match() -> None:
    with joined() as (terminal, peer):
        table = Table(peer, 5)
        table.begin()
        table.step()
        terminal.see("YOUR TURN").press("\x04").see("Leave for good?").press("no\r").see("You stay.")
        terminal.press("\x04").see("leave for good? yes/no").press("\x04")
        peer.receive(wire.Leave)
        assert terminal.end() == 0


@row(48)
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_signals_leave_the_terminal_as_it_was(number: signal.Signals, code: int) -> None:
    with joined() as (terminal, peer):
        terminal.press(HALF).signal(number)
        assert peer.receive(wire.Bye).code is wire.ByeCode.DONE
        assert terminal.end() == code
        assert "Traceback" not in terminal.printed


@pytest.mark.parametrize(
    ("last", "text", "code"),
    [
        (None, "kille: The connection to the server is lost.", 3),
        (bye(wire.ByeCode.SHUTTING_DOWN), "kille: The server is shutting down.", 3),
        (bye(wire.ByeCode.FLOOD), "kille: The server hung up: it was too much at once.", 4),
    ],
)
def test_a_server_that_goes_is_told_in_one_line(last: wire.Bye | None, text: str, code: int) -> None:
    with joined() as (terminal, peer):
        terminal.press(HALF).see("> " + HALF)
        if last is not None:
            peer.send(last)
        peer.close()
        assert terminal.end() == code
        assert terminal.rows[-1] == text


@row(26)
@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xff\xff\xff",
        b"\0\0\0\x01\xc1",
        b"\0\0\0\x0d\x83\xa1t\xa5stood\xa3seq\x01",
    ],
)
def test_a_server_that_talks_nonsense_is_told_in_one_line(data: bytes) -> None:
    with joined() as (terminal, peer):
        peer.send_raw(data)
        assert terminal.end() == 3
        assert "\nkille: The server breaks the protocol (" in terminal.text


@row(48)
def test_a_crash_leaves_the_terminal_as_it_was(tmp_path: Path) -> None:
    crash = "from kille_net.client import core; core.Core.kuku = lambda self: 1 / 0; "
    command = (KILLE[0], KILLE[1], crash + KILLE[2])
    env = environment(TMPDIR=str(tmp_path))
    with FakeServer() as server, Terminal((*command, "join", f"127.0.0.1:{server.port}"), env=env) as terminal:
        server.accept().welcome("Ada")
        terminal.wait(lambda: terminal.is_raw and terminal.text.endswith(">"), "the prompt").press("\x0b")
        assert terminal.end() == 1
        assert re.search(r"kille: An error in Kille: ZeroDivisionError. The traceback is in \S", terminal.text)
        assert "Traceback" not in terminal.text
        (file,) = tmp_path.iterdir()
        assert "Traceback" in file.read_text(encoding="utf-8")
        assert file.stat().st_mode & 0o777 == 0o600


def test_a_crash_in_what_is_heard_leaves_the_terminal_as_it_was(tmp_path: Path) -> None:
    crash = "from kille_net.client import core; core.Core._happened = lambda *a: 1 / 0; "
    command = (KILLE[0], KILLE[1], crash + KILLE[2])
    with (
        FakeServer() as server,
        Terminal(
            (*command, "join", "--room", "Bordet", f"127.0.0.1:{server.port}"), env=environment(TMPDIR=str(tmp_path))
        ) as terminal,
    ):
        peer = server.accept()
        peer.welcome("Ada")
        peer.enter(room(*NAMES[:3]))
        terminal.wait(lambda: terminal.is_raw and terminal.text.endswith("\n>"), "the prompt")
        chat(peer, 1)
        assert terminal.end() == 1
        assert "ZeroDivisionError" in terminal.text


@row(48)
@pytest.mark.parametrize("where", ["prompt._Prompt._status", "toolkit.Screen.print_above", "core.Core.completions"])
def test_a_crash_in_what_is_drawn_leaves_the_terminal_as_it_was(where: str, tmp_path: Path) -> None:
    """Once it has been drawn, so that there is something to take back."""
    crash = (
        f"from kille_net.client import core; from kille_net.client.terminal import prompt, toolkit; usual = {where}; "
        f"{where} = lambda self, *a: 1 / 0 if prompt.crashes else usual(self, *a); prompt.crashes = False; "
        "core.Core.kuku = lambda self: setattr(prompt, 'crashes', True) or []; "
    )
    command = (KILLE[0], KILLE[1], crash + KILLE[2])
    env = environment(TMPDIR=str(tmp_path))
    with FakeServer() as server, Terminal((*command, "join", f"127.0.0.1:{server.port}"), env=env) as terminal:
        server.accept().welcome("Ada")
        terminal.wait(lambda: terminal.is_raw and terminal.text.endswith(">"), "the prompt").press("\x0b")
        terminal.press("help\r\t\t")
        assert terminal.end() == 1
        assert "ZeroDivisionError" in terminal.text


def test_what_was_typed_last_does_not_fall_into_the_shell() -> None:
    with FakeServer() as server, Terminal(("bash", "--norc", "--noprofile", "-i"), env=environment(PS1="$ ")) as shell:
        shell.see("$")
        shell.press(f"{KILLE[0]} -c '{KILLE[2]}' join --room Bordet 127.0.0.1:{server.port}; echo code $?\r")
        peer = server.accept()
        peer.welcome("Ada")
        peer.enter(room(*NAMES[:3]))
        shell.wait(lambda: shell.is_raw and shell.text.endswith("\n>"), "the prompt")
        shell.press("\x03echo fallen\r").see("code 130")
        shell.press("echo done\r").see("\ndone")
        assert "fallen" not in shell.text


def test_who_comes_back_to_a_seat_is_told_at_once() -> None:
    outlet = Outlet()
    table = Table(outlet, 3)
    table.begin()
    table.step()
    view = to_view(observe(table.match, 0))
    command = (*KILLE, "--lang", "en", "join", "--name", "Ada")
    with (
        FakeServer() as server,
        Terminal((*command, f"127.0.0.1:{server.port}"), env=environment()) as terminal,
    ):
        peer = server.accept()
        peer.receive(wire.Hello)
        state = room(*NAMES[:3], status=wire.RoomStatus.PLAYING)
        peer.send(
            wire.Welcome(
                version=1, agent="srv", name="Ada", settings={}, ticket=None, resumed=wire.Resumed.ROOM, last_id=0
            ),
            wire.Snapshot(seq=0, room=state, view=view, match=0, open=None, rest=None),
        )
        terminal.see("Your seat was kept.").see("Ada (you): lives 3").press("quit\rquit\r")
        peer.receive(wire.Leave)  # it has not waited for its own end to tell it


def test_a_lost_server_is_sought_and_found_again_with_the_line_still_half_typed() -> None:
    ticket = "ab" * 32

    def welcome(resumed: wire.Resumed) -> wire.Welcome:
        return wire.Welcome(version=1, agent="srv", name="Ada", settings={}, ticket=ticket, resumed=resumed, last_id=9)

    command = (*KILLE, "--lang", "en", "join", "--name", "Ada", "--room", "Bordet")
    with (
        FakeServer() as server,
        Terminal((*command, f"127.0.0.1:{server.port}"), env=environment()) as terminal,
    ):
        peer = server.accept()
        peer.receive(wire.Hello)
        peer.send(welcome(wire.Resumed.NO))
        peer.enter(room(*NAMES[:3]))
        terminal.see("Type ready").press(HALF).see("> " + HALF)
        peer.close()
        terminal.see("No contact with the server").see("no contact for")
        back = server.accept()
        assert back.receive(wire.Hello).ticket == ticket
        state = room(*NAMES[:3], status=wire.RoomStatus.PLAYING)
        back.send(
            welcome(wire.Resumed.ROOM), wire.Snapshot(seq=0, room=state, view=None, match=0, open=None, rest=None)
        )
        terminal.see("In contact again.").wait(lambda: terminal.rows[-1] == "> " + HALF, "the line")
        assert prompts(terminal) == 1
        assert "no contact for" not in terminal.text


def test_nothing_is_drawn_before_the_welcome() -> None:
    with FakeServer() as server, Terminal((*KILLE, "join", f"127.0.0.1:{server.port}")) as terminal:
        peer = server.accept()
        peer.receive(wire.Hello)
        assert not terminal.is_raw
        peer.send(bye(wire.ByeCode.BANNED))
        assert terminal.end() == 4
        assert terminal.rows == ["kille: The server does not let us in."]


def test_ctrl_c_before_the_welcome() -> None:
    with FakeServer() as server, Terminal((*KILLE, "join", f"127.0.0.1:{server.port}")) as terminal:
        server.accept().receive(wire.Hello)
        terminal.press("\x03")
        assert terminal.end() == 130


def test_ctrl_z_gives_the_terminal_back_and_fg_takes_it_again() -> None:
    with FakeServer() as server, Terminal(("bash", "--norc", "--noprofile", "-i"), env=environment(PS1="$ ")) as shell:
        shell.see("$")
        command = f"{KILLE[0]} -c '{KILLE[2]}' --lang en join --room Bordet 127.0.0.1:{server.port}"
        shell.press(command + "\r")
        peer = server.accept()
        peer.welcome("Ada")
        peer.enter(room(*NAMES[:3]))
        shell.wait(lambda: shell.is_raw and shell.text.endswith("\n>"), "the prompt")
        for k in range(3):
            shell.press(f"{HALF}").see("> " + HALF).press("\x1a").see("Stopped")
            shell.press("echo in the shell $((40 + 2))\r").see("in the shell 42")
            chat(peer, 1, f"meanwhile{k}")
            shell.press("fg\r").see(f"<Bo> meanwhile{k} 0")
            shell.wait(lambda: shell.rows[-1] == "> " + HALF, "the line")
            shell.press("\x15").wait(lambda: shell.rows[-1] == ">", "an empty line")
            shell.press("say there\r")
            assert peer.receive(wire.Say).text == "there"
            shell.screen.reset()
            shell.press("\x0c")
        shell.press("\x03").wait(lambda: shell.text.rstrip().endswith("$"), "the shell")
        shell.press("echo code $?\r").see("code 130")


# --- hostile peers ----------------------------------------------------------------------------------------------------

EVIL = (
    "\x1b[2J\x1b]0;title\x07",
    "\x1b]52;c;aGFja2Vk\x07",
    "\x9b31m\x9d0;x\x9c",
    "\u202ereversed\u2066\u200d",
    "</b><i>&amp;",
    "%s %d {} {0}",
    "\x00\x01\x02\x08\x7f",
    "a\u0300\u0301\u0302\u0303\u0304\u0305",
)


@row(44)
def test_nothing_of_a_peers_reaches_the_terminal_raw() -> None:
    with joined("Ada", EVIL[0][:16], EVIL[1][:16]) as (terminal, peer):
        before = len(terminal.raw)
        for text in EVIL:
            peer.send(peer.event(wire.Said, who=text[:16], text=text))
        table = Table(peer, 3, ("Ada", EVIL[2][:16], EVIL[3][:16]))
        table.begin()
        table.step()
        chat(peer, 1, "end")
        terminal.see("<Bo> end 0")
        written = terminal.raw.decode().replace(MARKED, "")
        plain = re.sub(r"\x1b\[[0-9;?]*[A-HJKSTfhlm]", "", written)
        assert plain.count("\x07") == 1  # our own bell
        assert not re.search(r"[\x00-\x06\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]", plain)
        assert terminal.screen.title == "Kille: your turn"
        assert "</b><i>&amp;" in plain[before // 2 :]
        assert "%s %d {} {0}" in plain


def test_no_color_means_none() -> None:
    with joined(NO_COLOR="1") as (terminal, peer):
        table = Table(peer, 3)
        table.begin()
        table.step()
        terminal.press("nonsense\r").see("Unknown command: nonsense").see("YOUR TURN")
        codes = {code for match in re.findall(rb"\x1b\[([0-9;]*)m", terminal.raw) for code in match.split(b";")}
        assert codes <= {b"", b"0", b"1", b"4", b"7"}
        assert b"1" in codes
    with joined() as (terminal, _):
        terminal.press("nonsense\r").see("Unknown command: nonsense")
        assert re.search(rb"\x1b\[(0;)?38;5;161m", terminal.raw)


def test_a_terminal_without_utf_8_is_shown_ascii() -> None:
    with joined(lang="sv", LANG="C") as (terminal, peer):
        table = Table(peer, 3)
        table.begin()
        table.step()
        terminal.see("DIN TUR - ").see('"Nojd!"')
        assert all(byte < 128 for byte in terminal.raw)


@row(48)
def test_a_hung_up_terminal_ends_the_client(tmp_path: Path) -> None:
    with joined(TMPDIR=str(tmp_path)) as (terminal, peer):
        terminal.press(HALF).see("> " + HALF)
        terminal.child.ptyproc.fileobj.close()
        assert peer.receive(wire.Bye).code is wire.ByeCode.DONE
        _, status = os.waitpid(terminal.child.pid, 0)
        terminal.child.ptyproc.terminated = True
        assert os.waitstatus_to_exitcode(status) == 129
        assert not list(tmp_path.iterdir())  # no traceback was filed away


def test_a_terminal_that_stops_reading_does_not_stop_the_network() -> None:
    with joined() as (terminal, peer):
        for _ in range(8):  # far more than a terminal keeps
            chat(peer, 500, "x" * 150)
        peer.send(wire.Ping(n=77))
        assert peer.receive(wire.Pong).n == 77
        terminal.signal(signal.SIGTERM)
        assert peer.receive(wire.Bye).code is wire.ByeCode.DONE
        assert terminal.end() == 143


def test_the_mode_of_the_terminal_is_ours_while_we_play() -> None:
    with joined() as (terminal, _):
        flags = termios.tcgetattr(terminal.child.fileno())[3]
        assert not flags & (termios.ECHO | termios.ICANON | termios.ISIG)
