"""The numbers that a server shows: their names, what they count, and that they tell of nobody."""

import sys
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio
from click.testing import CliRunner
from prometheus_client.parser import text_string_to_metric_families

from kille_net.cli import main
from kille_net.cli.exit_codes import Exit
from kille_net.server.metrics import serve_metrics
from kille_net.server.serve import Config
from kille_net.wire import messages as m
from kille_net.wire.options import DEFAULT_PLAN
from tests.catalogue.rows import row
from tests.server.house import choices, options
from tests.server.test_serve import Town, served
from tests.server.test_session import SEEDED, _break


@asynccontextmanager
async def shown(town: Town) -> AsyncIterator[str]:
    """Where the numbers are."""
    async with trio.open_nursery() as nursery:
        port = await nursery.start(serve_metrics, town.server, "127.0.0.1", 0)
        yield f"http://127.0.0.1:{port}/metrics"
        nursery.cancel_scope.cancel()


def _get(address: str) -> str:
    with urllib.request.urlopen(address, timeout=20) as answer:
        text: str = answer.read().decode()
        return text


async def read(address: str) -> tuple[dict[str, float], str]:
    """Every number by its name and labels; and the text."""
    text = await trio.to_thread.run_sync(_get, address)
    found = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found[" ".join((sample.name, *sample.labels.values()))] = sample.value
    return found, text


@row(33)
async def test_what_happens_is_counted_without_a_name_or_a_card(monkeypatch: pytest.MonkeyPatch) -> None:
    async with served(Config(port=0, sources=SEEDED)) as town, shown(town) as address:
        before, _ = await read(address)
        assert (before["kille_connections welcomed"], before["kille_rooms open"], before["kille_actions_total"]) == (
            0,
            0,
            0,
        )
        assert {f"kille_byes_total {code.value}" for code in m.ByeCode} <= before.keys()
        assert {f"kille_commands_refused_total {code.value}" for code in m.RefusalCode} <= before.keys()
        ada = await town.guest("Sentinel")
        await town.connect()
        made = await ada.ask(lambda k: m.Create(id=k, room="Tavern", options=options(2, computers=1), password=None))
        assert isinstance(made, m.Ok)
        assert isinstance(await ada.ask(lambda k: m.Join(id=k, room="Tavern", password=None)), m.Refused)
        opened = await ada.ask(lambda k: m.OpenTournament(id=k, tournament="Tavern", plan=DEFAULT_PLAN))
        assert isinstance(opened, m.Ok)
        assert isinstance(await ada.ask(lambda k: m.Start(id=k)), m.Ok)
        question = await ada.until(m.Question)
        await ada.ask(lambda k: m.Decide(id=k, turn=question.turn, do=choices(question)[0]))
        assert isinstance(await (await town.connect()).hello("Sentinel"), m.Bye)
        rude = await town.guest("Rude")
        with monkeypatch.context() as patch:
            patch.setattr("kille_net.server.lobby.Lobby.command", _break)
            await rude.send(m.ListRooms(id=1, page=0))
            await rude.end()
        town.server.counts.committed(0.003)
        now, text = await read(address)
        told = {
            "kille_connections greeting": 1, "kille_rooms playing": 1, "kille_tournaments open": 1,
            "kille_commands_refused_total wrong_place": 1, "kille_byes_total name_taken": 1,
            "kille_byes_total internal": 1, "kille_faults_total": 1, "kille_matches_total": 1,
            "kille_commit_seconds_count": 1, "kille_outbox_bytes_sum": 0, "kille_outbox_messages_max": 0,
        }  # fmt: skip
        assert {name: now[name] for name in told} == told
        assert now["kille_connections welcomed"] >= 1
        assert now["kille_tasks"] > before["kille_tasks"] > 0
        assert now["kille_actions_total"] == sum(room.play.actions for room in town.server.lobby.rooms) >= 1
        for word in ("Sentinel", "Tavern", "Rude", "127.0.0.1"):
            assert word not in text


async def test_what_waits_to_be_sent_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    async with served(Config(port=0)) as town, shown(town) as address:
        await town.guest("Ada")
        await town.guest("Bo")
        for session, waiting in zip(town.server.sessions, [(3, 700), (1, 40)], strict=True):
            monkeypatch.setattr(session._outbox, "_rest", [b""] * waiting[0])
            monkeypatch.setattr(session._outbox, "_size", waiting[1])
        now, _ = await read(address)
        names = (
            "kille_outbox_messages_sum",
            "kille_outbox_messages_max",
            "kille_outbox_bytes_sum",
            "kille_outbox_bytes_max",
        )
        assert [now[name] for name in names] == [4, 3, 740, 700]
        monkeypatch.undo()


async def test_a_loop_that_is_held_up_is_seen() -> None:
    async with served(Config(port=0)) as town, shown(town) as address:
        waits = trio.lowlevel.current_clock()
        assert waits is not None
        while (await read(address))[0]["kille_loop_lag_seconds_count"] < 1:
            await trio.lowlevel.checkpoint()
        before = (await read(address))[0]["kille_loop_lag_seconds_sum"]
        ends = trio.current_time() + 0.3
        while trio.current_time() < ends:  # as a bot that computes, or a bug, would hold it up
            pass
        while (after := (await read(address))[0])["kille_loop_lag_seconds_count"] < 3:
            await trio.lowlevel.checkpoint()
        assert after["kille_loop_lag_seconds_sum"] - before > 0.15


def test_without_the_library_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    result = CliRunner().invoke(main, ["--lang", "en", "serve", "--metrics", "9464"])
    assert (result.exit_code, result.stdout) == (Exit.WRONG_USE, "")
    assert result.stderr == "kille: --metrics needs prometheus-client: pip install 'kille-net[metrics]'\n"


@pytest.mark.parametrize("address", ["", "0", "localhost", "localhost:", "70000", "::1:9", ":9", "a b:1"])
def test_an_address_that_is_none_is_one_line(address: str) -> None:
    result = CliRunner().invoke(main, ["--lang", "en", "serve", "--metrics", address])
    assert (result.exit_code, result.stderr.count("\n")) == (Exit.WRONG_USE, 1)
    assert "an address is PORT, HOST:PORT or [IPV6]:PORT" in result.stderr
