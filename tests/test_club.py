"""A club evening: four bots sign up for a tournament that a file describes, and play it to its end."""

import json
from functools import partial
from pathlib import Path
from typing import Final

import trio
from click.testing import CliRunner, Result

from kille_net.cli import main
from kille_net.wire import messages as m
from tests.cli.test_serve import running
from tests.server.house import choices
from tests.server.streams import Client

NAME: Final = "Torsdag"
PLAN: Final = f"""
name = "{NAME}"
number = 4
rounds = 2
seats = 2
pause = 1
length = "short"
pots = 1
pace = 0
window = 0
"""
BOTS: Final = ("Ada", "Bo", "Cilla", "Dag")


def admin(data: Path, *words: str) -> Result:
    return CliRunner().invoke(main, ["--lang", "en", "admin", "--data", str(data), *words])


async def bot(name: str, port: int) -> m.TournamentNews:
    """Sign up, and play wherever it is called; what it hears of the end."""
    async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
        client = Client(stream)
        assert isinstance(await client.hello(name, bot=True), m.Welcome)
        assert isinstance(await client.ask(lambda k: m.SignUp(id=k, tournament=NAME)), m.Ok)
        seat = 0
        for number in range(1000, 10_000):
            match message := await client.next():
                case m.Snapshot():
                    seat = [one.name for one in message.room.seats].index(name)
                case m.Question():
                    await client.send(m.Decide(id=number, turn=message.turn, do=choices(message)[0]))
                case m.Ping(n=nonce):
                    await client.send(m.Pong(n=nonce))
                case m.TournamentNews(news=m.Happening.OVER | m.Happening.CANCELLED):
                    return message
                case _:
                    await client.take_part(message, seat)
        raise AssertionError("it never ends")


def test_it_is_opened_at_each_start_unless_it_goes_on_from_before_or_its_date_has_passed(tmp_path: Path) -> None:
    data = tmp_path / "data"
    torsdag, fredag, past = (tmp_path / f"{name}.toml" for name in ("torsdag", "fredag", "past"))
    torsdag.write_text(PLAN, encoding="utf-8")
    fredag.write_text('name = "Fredag"', encoding="utf-8")
    past.write_text('name = "Past"\nstart = 2026-01-01T19:00:00', encoding="utf-8")
    files = [word for file in (torsdag, fredag, past) for word in ("--tournament", str(file))]
    for turn in range(2):
        with running("--data", str(data), *files, "--log-format", "json") as (process, _, _port):
            shown = json.loads(admin(data, "--json", "tournaments").stdout)
            assert {one["name"]: one["stage"] for one in shown if one["stage"] == "open"} == {
                "Torsdag": "open",
                "Fredag": "open",
            }
            if not turn:
                assert admin(data, "tournament", "cancel", "Fredag").stdout == "done\n"
            process.terminate()
            _, err = process.communicate(timeout=20)
        log = [json.loads(line) for line in err.splitlines()]
        done = [(line["event"], line["tournament"], line.get("code")) for line in log if "tournament" in line]
        torsdag_now = (
            ("tournament_not_opened", "Torsdag", "tournament_exists")
            if turn
            else ("tournament_opened", "Torsdag", None)
        )
        others = [("tournament_opened", "Fredag", None), ("tournament_not_opened", "Past", "past")]
        assert sorted(map(str, done[:3])) == sorted(map(str, (torsdag_now, *others)))


async def test_a_tournament_of_a_file_is_played_to_its_end_and_told_to_whoever_runs_the_server(tmp_path: Path) -> None:
    file, data = tmp_path / "torsdag.toml", tmp_path / "data"
    file.write_text(PLAN, encoding="utf-8")
    heard: list[m.TournamentNews] = []

    async def play(name: str) -> None:
        heard.append(await bot(name, port))

    with running("--data", str(data), "--tournament", str(file), "--log-format", "json") as (process, _, port):
        assert admin(data, "tournaments").stdout == f"{NAME}: Swiss, open, 0 entrants\n"
        with trio.fail_after(60):
            async with trio.open_nursery() as nursery:
                for name in BOTS:
                    nursery.start_soon(partial(play, name))
        assert [news.news for news in heard] == [m.Happening.OVER] * 4
        told = json.loads(admin(data, "--json", "tournament", "standings", NAME).stdout)
        assert (told["stage"], told["round"], told["rounds"]) == ("over", 2, 2)
        shown = admin(data, "tournament", "standings", NAME).stdout.splitlines()
        process.terminate()
        _, err = process.communicate(timeout=20)
        assert process.returncode == 0
    standings = told["standings"]
    assert sorted(one["name"] for one in standings) == sorted(BOTS)
    assert [one["played"] for one in standings] == [2] * 4
    assert sum(one["score"] for one in standings) == 4.0
    assert shown == [f"{one['rank']}. {one['name']} {one['score']:.2f} (2 tables)" for one in standings]
    log = [json.loads(line) for line in err.splitlines()]
    events = [line["event"] for line in log if line.get("tournament") == NAME]
    assert events == [
        "tournament_opened", "tournament_began",
        "round_began", "table_over", "table_over", "round_began", "table_over", "table_over", "tournament_over",
    ]  # fmt: skip
    first = next(line["first"] for line in log if line["event"] == "tournament_over")
    assert first.split(", ") == [one["name"] for one in standings if one["rank"] == 1]
