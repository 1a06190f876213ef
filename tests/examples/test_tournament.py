"""The clients of the examples in a tournament (§6.13): they wait in the lobby, and play where they are called."""

import json
import subprocess
from typing import Final

import pytest

from kille_net.wire import messages as wire
from tests.client.fake_server import NAMES, FakeServer, Peer, Table, answered, room
from tests.examples.running import PATIENCE_S, RAW, ROOT, Programs, finish, need_node, winners

CLIENTS: Final = {"raw": RAW, "js": ("node", str(ROOT / "examples/javascript/bot.mjs"))}
SEATS: Final = NAMES[:3]
TABLES: Final = ("Torsdag 1:1", "Torsdag 2:1")


def news(happening: wire.Happening, who: str = "", table: str = "") -> wire.TournamentNews:
    return wire.TournamentNews(
        tournament="Torsdag",
        news=happening,
        who=who,
        round=1,
        table=1,
        room=table,
        s=30,
        seats=SEATS,
        places=(),
        text="",
    )


def play_table(peer: Peer, name: str, seed: int) -> str:
    """Call the client to a table and play its match; who won."""
    gathering = room(*SEATS, name=name, status=wire.RoomStatus.GATHERING)
    peer.seq = 1
    peer.send(news(wire.Happening.CALLED, "Ada", name))
    peer.send(wire.Snapshot(seq=1, room=gathering, view=None, match=0, open=None, rest=None))
    table = Table(peer, seed)
    table.begin()
    while table.step():
        answered(table, peer)
    winner = table.match.winner
    assert winner is not None
    over = room(*SEATS, name=name)
    peer.send(peer.event(wire.RoomChanged, news=wire.News.TABLE_OVER, who="", room=over))
    peer.send(news(wire.Happening.TABLE_OVER, SEATS[winner], name))
    return SEATS[winner]


def signed_up(client: str, server: FakeServer, programs: Programs) -> tuple[Peer, subprocess.Popen[bytes]]:
    """The client when it has asked to take part, and is in the lobby."""
    if client == "js":
        need_node()
    process = programs.start(
        *CLIENTS[client], "127.0.0.1", str(server.port), "--name", "Ada", "--tournament", "torsdag"
    )
    peer = server.accept()
    peer.welcome()
    return peer, process


@pytest.mark.parametrize("client", CLIENTS)
def test_it_plays_where_it_is_called_until_the_tournament_is_over(client: str, programs: Programs) -> None:
    with FakeServer() as server:
        peer, process = signed_up(client, server, programs)
        assert peer.ok(wire.SignUp).tournament == "torsdag"
        peer.send(news(wire.Happening.SIGNED_UP, "Ada"), news(wire.Happening.BEGAN))
        # Somebody else's table has a room, too, and is nothing to ours.
        peer.send(news(wire.Happening.TABLE_OVER, "Bo", "Torsdag 1:9"))
        won = [play_table(peer, name, seed) for seed, name in enumerate(TABLES)]
        peer.send(news(wire.Happening.OVER, "Bo"))
        assert peer.receive(wire.Bye).code is wire.ByeCode.DONE
        lines = finish(process)
    if client == "raw":
        assert winners(lines) == won
        assert lines[-1] == "the tournament is over: Bo"
    else:
        told = json.loads(lines[-1])
        assert told["room"] == "torsdag"
        assert [match["winner"] for match in told["matches"]] == won


@pytest.mark.parametrize("client", CLIENTS)
def test_it_ends_with_one_line_where_it_may_not_take_part(client: str, programs: Programs) -> None:
    with FakeServer() as server:
        peer, process = signed_up(client, server, programs)
        command = peer.receive(wire.SignUp)
        peer.send(wire.Refused(id=command.id, code=wire.RefusalCode.TOO_LATE))
        _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 1
    assert err.decode() == "cannot enter torsdag: too_late\n"
