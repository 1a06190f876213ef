"""The bot in JavaScript reads and writes the vectors' bytes, and plays with the real server."""

import json
import subprocess
from typing import Any

import pytest

from kille_net.wire import messages as wire
from kille_net.wire.connection import bye
from tests.client.fake_server import NAMES, FakeServer, Outlet, Peer, Table, room
from tests.examples.running import (
    FAST,
    PATIENCE_S,
    RAW,
    ROOT,
    Programs,
    answers_to_a_question_after_a_call_that_came_too_late,
    finish,
    line,
    need_node,
    winners,
)

FOLDER = ROOT / "examples/javascript"


@pytest.fixture
def node() -> str:
    return need_node()


def result(lines: list[str]) -> dict[str, Any]:
    (only,) = lines
    told: dict[str, Any] = json.loads(only)
    return told


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--help"], 0, ""),
        (["-h"], 0, ""),
        (["host", "1", "--nosuch"], 2, "Unknown option '--nosuch'\n"),
        (["host"], 2, ""),
    ],
)
def test_what_it_is_told_wrongly_is_answered_with_how_it_is_used(
    node: str, words: list[str], code: int, said: str
) -> None:
    done = subprocess.run(
        [node, "bot.mjs", *words], cwd=FOLDER, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    usage, other = (done.stdout, done.stderr) if code == 0 else (done.stderr, done.stdout)
    assert (done.returncode, other) == (code, "")
    assert usage.startswith(f"{said}usage: node bot.mjs HOST PORT ")
    assert usage.count("\n") == 1 + bool(said)


def test_its_wire_agrees_with_the_vectors(node: str) -> None:
    tested = subprocess.run(
        [node, "--test"], cwd=FOLDER, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert tested.returncode == 0, tested.stdout


@pytest.mark.parametrize(("seats", "form"), [(2, "pots"), (5, "pots"), (2, "sticks"), (8, "sticks")])
def test_it_plays_whole_matches(server: list[str], programs: Programs, node: str, seats: int, form: str) -> None:
    name = f"J{seats} {form}"
    made = [f"seats={seats}", f"computers={seats - 1}", f"format={form}", *FAST]
    given = ["--name", name, "--room", name, "--matches", "3"]
    told = result(programs.run(node, "bot.mjs", *server, *given, *made, cwd=FOLDER))
    assert (told["name"], told["room"]) == (name, name)
    assert len(told["matches"]) == 3
    for match in told["matches"]:
        assert len(match["points"]) == seats
        assert match["winner"] in match["points"]


def test_it_speaks_tls_with_the_key_that_it_was_given_and_no_other(
    server: list[str], pin: list[str], programs: Programs, node: str
) -> None:
    made = ["--room", "Sealed js", "seats=3", "computers=2", *FAST]
    assert len(result(programs.run(node, "bot.mjs", *server, *pin, *made, cwd=FOLDER))["matches"]) == 1
    refused = programs.start(node, "bot.mjs", *server, "--pin", "0" * 64, *made, cwd=FOLDER)
    _, err = refused.communicate(timeout=PATIENCE_S)
    assert refused.returncode == 1
    assert err.decode() == f"the server has another key: {pin[1]}\n"


def test_it_answers_once_where_its_call_is_refused_after_the_next_question(node: str) -> None:
    bot = (node, str(FOLDER / "bot.mjs"), "{host}", "{port}")
    assert answers_to_a_question_after_a_call_that_came_too_late(*bot) == 1


@pytest.mark.parametrize("form", ["pots", "sticks"])
def test_two_of_them_and_the_client_in_python_play_at_one_table(
    server: list[str], programs: Programs, node: str, form: str
) -> None:
    room = f"Mixed {form}"
    here = [*server, "--room", room, "--matches", "2"]
    raw = programs.start(*RAW, *here, "--name", f"Py {form}", "seats=4", "computers=1", f"format={form}", *FAST)
    line(raw, f"is in {room}")
    bots = [programs.start(node, "bot.mjs", *here, "--name", f"Js{n} {form}", cwd=FOLDER) for n in range(2)]
    first, second = (result(finish(bot))["matches"] for bot in bots)
    assert first == second
    assert winners(finish(raw)) == [match["winner"] for match in first]


TICKETS = ("ab" * 32, "cd" * 32)


def let_in(peer: Peer, ticket: str, resumed: wire.Resumed = wire.Resumed.NO, last_id: int = 0) -> wire.Hello:
    hello = peer.receive(wire.Hello)
    peer.send(
        wire.Welcome(version=1, agent="fake", name="Ada", settings={}, ticket=ticket, resumed=resumed, last_id=last_id)
    )
    return hello


def ready(peer: Peer) -> None:
    """At an open table, and ready to play."""
    peer.enter(room(*NAMES[:3]))
    peer.ok(wire.Ready)


@pytest.mark.parametrize("code", [None, wire.ByeCode.SHUTTING_DOWN, wire.ByeCode.BUSY])
def test_it_comes_back_with_its_ticket_and_goes_on_in_its_match(
    programs: Programs, node: str, code: wire.ByeCode | None
) -> None:
    with FakeServer() as server:
        bot = programs.start(node, "bot.mjs", "127.0.0.1", str(server.port), "--room", "Bordet", cwd=FOLDER)
        peer = server.accept()
        assert let_in(peer, TICKETS[0]).ticket is None
        ready(peer)
        if code is not None:
            peer.send(bye(code))
        peer.close()
        peer = server.accept()
        assert let_in(peer, TICKETS[1], wire.Resumed.ROOM, last_id=40).ticket == TICKETS[0]
        outlet = Outlet()
        table = Table(outlet, 3)
        table.begin()
        table.step()
        question = outlet.sent[-1]
        assert isinstance(question, wire.Question)
        state = room(*NAMES[:3], status=wire.RoomStatus.PLAYING)
        peer.send(wire.Snapshot(seq=question.seq, room=state, view=question.view, match=1, open=None, rest=None))
        peer.send(question)
        answer = peer.receive(wire.Decide)
        assert answer.turn == question.turn
        assert answer.id > 40
        peer.close()
        peer = server.accept()
        assert let_in(peer, TICKETS[1], wire.Resumed.ROOM, last_id=answer.id).ticket == TICKETS[1]
        peer.send(wire.Snapshot(seq=99, room=room(*NAMES[:3]), view=None, match=1, open=None, rest=None))
        peer.ok(wire.Leave)  # it has missed how its one match ended
        assert peer.receive(wire.Bye).code is wire.ByeCode.DONE
        assert result(finish(bot))["matches"] == [{"winner": None, "points": {}}]


@pytest.mark.parametrize("code", [wire.ByeCode.REPLACED, wire.ByeCode.KICKED, wire.ByeCode.FLOOD])
def test_it_does_not_come_back_where_it_is_not_to(programs: Programs, node: str, code: wire.ByeCode) -> None:
    with FakeServer() as server:
        bot = programs.start(node, "bot.mjs", "127.0.0.1", str(server.port), "--room", "Bordet", cwd=FOLDER)
        peer = server.accept()
        let_in(peer, TICKETS[0])
        ready(peer)
        peer.send(bye(code))
        _, err = bot.communicate(timeout=PATIENCE_S)
        assert (bot.returncode, err.decode()) == (1, f"the server says bye: {code.value}\n")
