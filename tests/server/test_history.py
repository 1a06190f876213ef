"""What was played, as the store of a server tells it, also while the server uses it."""

import json
import math
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from kille_net.game.replay import verify
from kille_net.game.shuffle import Material
from kille_net.server import schema
from kille_net.server.history import Entry, History, Kind, Several, StillPlayed
from kille_net.server.limits import Limits
from kille_net.server.rating import Unrated
from kille_net.server.schema import FILE, BadStore, StoreFault
from kille_net.server.sources import Shuffle
from kille_net.server.store import Store
from kille_net.wire import messages as m
from tests.server.house import House, choices, options


def drawn(question: m.Question) -> m.Do:
    legal = choices(question)
    return m.Do.SWAP if m.Do.SWAP in legal else legal[-1]


def materials() -> Iterator[Shuffle]:
    number = 0
    while True:
        number += 1
        yield Material(number.to_bytes(32, "big"), (number << 100).to_bytes(16, "big"))


def house(folder: Path) -> House:
    numbers = materials()
    return House(data=folder, shuffle=lambda: next(numbers))


def evening(folder: Path) -> House:
    """Matches of both formats, with persons, bots and computers, one of them broken off and one still played."""
    played = house(folder)
    for number in range(7):
        kind = m.Format.STICKS if number % 3 == 2 else m.Format.POTS
        names = [("Ada", "Bo"), ("Bo", "Cilla", "Ada")][number % 2]
        room = options(5, computers=5 - len(names) - 1, pots=2 + number % 2, kind=kind)
        guests = [guest for guest in played.guests.values() if guest.name in names]
        guests += [played.guest(name) for name in names if name not in {guest.name for guest in guests}]
        played.create(guests[0], room, f"Room {number}")
        robot = next((one for one in played.guests.values() if one.name == "Robot"), None) or played.guest(
            "Robot", bot=True
        )
        for guest in (*guests[1:], robot):
            played.join(guest, f"Room {number}")
        for guest in (*guests, robot):
            guest.heard.clear()  # the questions of another room
        played.start(guests[0])
        draw_nonces(played)
        if number == 3:
            played.carry(played.lobby.close("Room 3", played.now) or [])
            continue
        if number == 6:
            break
        played.play([*guests, robot], drawn)
        for guest in (*guests, robot):
            played.leave(guest)
    return played


def draw_nonces(played: House) -> None:
    """Let the time pass in which players would have a part in the shuffle."""
    while not any(room.play.match for room in played.lobby.rooms):
        played.step()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("evening")
    played = evening(path)
    assert not played.faults
    assert played.store is not None
    played.store.close()
    return path


def matches(folder: Path) -> list[Entry]:
    with History(folder) as history:
        return history.last(100)


class TestStandings:
    @pytest.mark.parametrize("format_", [None, "pots", "sticks"])
    @pytest.mark.parametrize("bots", [False, True])
    def test_are_those_of_a_recount_of_the_records(self, folder: Path, bots: bool, format_: str | None) -> None:  # noqa: FBT001  pytest hands it over by name
        counted: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
        with History(folder) as history:
            found = history.standings(bots=bots, format_=format_)
            records = [history.record(number) for number, _ in history.over()]
        for record in records:
            first, *_, end = (json.loads(line) for line in record.splitlines())
            if end["winner"] is None or (format_ and first["rules"]["format"] != format_):
                continue
            points, winner = end["points"], end["winner"]
            for seat, label in enumerate(first["seats"]):
                if not bots and (label.get("bot") or label["name"] == "Robot"):
                    continue
                others = sorted((own for rival, own in enumerate(points) if rival != winner), reverse=True)
                place = 1 if seat == winner else 2 + others.index(points[seat])
                who = ("", label["bot"]) if "bot" in label else (label["name"], "")
                counted[who].append((points[seat], place))
        assert counted
        assert {(one.name, one.level) for one in found} == set(counted)
        for one in found:
            results = counted[one.name, one.level]
            assert one.matches == len(results)
            assert one.wins == sum(place == 1 for _, place in results)
            assert one.points == sum(points for points, _ in results)
            assert one.mean_place == pytest.approx(sum(place for _, place in results) / len(results))

    def test_rank_equals_alike(self, tmp_path: Path) -> None:
        with closing(Store(tmp_path)):
            pass
        results = {"Ada": (3, 1), "Bo": (2, 2), "Cilla": (2, 2), "Doris": (0, 4)}
        with closing(sqlite3.connect(tmp_path / FILE)) as db, db:
            db.execute(
                "INSERT INTO match (id, room, room_name, format, began, ended, header, secret)"
                " VALUES (x'00', 'r', 'R', 'pots', 1, 2, '{}', x'')"
            )
            for player, (name, (points, place)) in enumerate(results.items()):
                row = (player, name, name, player, points, place)
                db.execute("INSERT INTO seat VALUES (1, ?, ?, ?, ?, 0, '', ?, ?)", row)
        with History(tmp_path) as history:
            ranks = [(one.rank, one.name) for one in history.standings()]
            assert ranks == [(1, "Ada"), (2, "Bo"), (2, "Cilla"), (4, "Doris")]
            assert history.standings(since=2.5) == []
            assert len(history.standings(since=2.0)) == 4

    def test_tell_persons_bots_and_computers_apart(self, folder: Path) -> None:
        with History(folder) as history:
            assert {one.kind for one in history.standings()} == {Kind.PERSON}
            kinds = {(one.kind, one.name, one.level) for one in history.standings(bots=True)}
        assert kinds == {
            *((Kind.PERSON, name, "") for name in ("Ada", "Bo", "Cilla")),
            (Kind.BOT, "Robot", ""),
            (Kind.COMPUTER, "", "easy"),
        }


def by_formula(old: list[tuple[float, float]], places: list[int]) -> list[tuple[float, float]]:
    """Weng and Lin (2011), algorithm 4, with mean and deviation of each before and after, each a team by itself."""
    drifted = [(mu, math.hypot(sigma, 25 / 600)) for mu, sigma in old]
    c = math.sqrt(sum(sigma**2 + (25 / 6) ** 2 for _, sigma in drifted))
    strength = [math.exp(mu / c) for mu, _ in drifted]
    seats = range(len(old))
    new = []
    for own in seats:
        omega = delta = 0.0
        for rival in seats:
            if places[rival] <= places[own]:
                alike = places.count(places[rival])
                chance = strength[own] / sum(strength[one] for one in seats if places[one] >= places[rival])
                omega += ((rival == own) - chance) / alike
                delta += chance * (1 - chance) / alike
        mu, sigma = drifted[own]
        shrunk = sigma * math.sqrt(max(1e-4, 1 - (sigma / c) ** 2 * delta))
        new.append((mu + sigma**2 / c * omega, min(shrunk, old[own][1])))
    return new


def recounted(history: History, format_: str) -> dict[str, tuple[float, float]]:
    """The ratings of all, from the records alone: names, and levels of computers, each once a match."""
    found: dict[str, tuple[float, float]] = {}
    for number, _ in history.over():
        lines = [json.loads(line) for line in history.record(number).splitlines()]
        first, end = lines[0], lines[-1]
        if first["rules"]["format"] != format_ or end["winner"] is None:
            continue
        others = sorted((own for seat, own in enumerate(end["points"]) if seat != end["winner"]), reverse=True)
        places = [1 if seat == end["winner"] else 2 + others.index(own) for seat, own in enumerate(end["points"])]
        who = [label.get("bot") or label["name"] for label in first["seats"]]
        new = by_formula([found.get(one, (25.0, 25 / 3)) for one in who], places)
        for one in set(who):
            own = [rating for name, rating in zip(who, new, strict=True) if name == one]
            found[one] = (sum(mu for mu, _ in own) / len(own), sum(sigma for _, sigma in own) / len(own))
    return found


class TestRatings:
    @pytest.mark.parametrize("format_", ["pots", "sticks"])
    def test_are_those_of_a_recount_of_the_records(self, folder: Path, format_: str) -> None:
        with History(folder) as history:
            rated, unrated = history.ratings(bots=True, format_=format_)
            expected = recounted(history, format_)
        assert {one.name or one.level for one in rated} == set(expected)
        for one in rated:
            mu, sigma = expected[one.name or one.level]
            assert one.rating.mu == pytest.approx(mu)
            assert one.rating.sigma == pytest.approx(sigma)
        lows = [expected[one.name or one.level][0] - 1.959964 * expected[one.name or one.level][1] for one in rated]
        assert lows == sorted(lows, reverse=True)
        assert [one.rank for one in rated] == list(range(1, len(rated) + 1))
        assert unrated == ({Unrated.BROKEN_OFF: 1} if format_ == "pots" else {})

    def test_of_persons_are_the_same_whether_bots_are_shown_or_not(self, folder: Path) -> None:
        with History(folder) as history:
            persons, _ = history.ratings()
            everybody, _ = history.ratings(bots=True)
        assert {one.kind for one in persons} == {Kind.PERSON}
        assert {one.format for one in persons} == {"pots", "sticks"}
        found = {(one.format, one.name): one.rating for one in everybody}
        assert all(found[one.format, one.name] == one.rating for one in persons)
        assert {one.kind for one in everybody} == set(Kind)

    def test_leave_out_a_seat_that_a_computer_has_played(self, tmp_path: Path) -> None:
        played = house(tmp_path)
        ada, bo, cilla = played.match(options(3, pots=2), "Ada", "Bo", "Cilla")
        draw_nonces(played)
        played.lose(cilla)
        played.wait(Limits().away)
        played.play([ada, bo], drawn)
        assert played.store is not None
        played.store.close()
        with History(tmp_path) as history:
            rated, unrated = history.ratings()
            ((number, _),) = history.over()
            result = history.result(number)
        assert {one.name for one in rated} == {"Ada", "Bo"}
        assert unrated == {}
        assert result is not None
        assert [one.stood_in for one in result.sittings].count(True) == 1


class TestRecords:
    def test_are_true(self, folder: Path) -> None:
        with History(folder) as history:
            records = [history.record(number) for number, _ in history.over()]
        assert len(records) == 6
        for record in records:
            verdict = verify(record.splitlines())
            assert verdict.error is None

    def test_tell_as_many_hands_and_points_as_the_list(self, folder: Path) -> None:
        for entry in matches(folder):
            if entry.ended is None:
                continue
            with History(folder) as history:
                lines = [json.loads(line) for line in history.record(entry.n).splitlines()]
            assert entry.hands == sum("lives_after" in line for line in lines)
            assert [seat.points for seat in entry.seats] == lines[-1]["points"]
            assert entry.reason == lines[-1].get("reason")
            assert entry.format == lines[0]["rules"]["format"]

    def test_of_a_match_that_is_played_are_not_told(self, folder: Path) -> None:
        (playing,) = (entry for entry in matches(folder) if entry.ended is None)
        with History(folder) as history:
            assert history.playing == 1
            assert playing.id not in {match for _, match in history.over()}
            with pytest.raises(StillPlayed):
                history.record(playing.n)

    def test_get_an_end_where_the_room_failed(self, tmp_path: Path) -> None:
        played = house(tmp_path)
        guests = played.match(options(3, pots=3), "Ada", "Bo", "Cilla")
        draw_nonces(played)
        answered = dict.fromkeys(guests, 0)
        while not guests[0].all(m.PotWon) or guests[0].seq < guests[0].all(m.PotWon)[-1].seq + 6:
            owing = [one for one in guests if one.all(m.Question) and one.turn > answered[one]]
            for guest in owing:
                answered[guest] = guest.turn
                played.act(guest, drawn(guest.last(m.Question)))
            if not owing:
                played.step()
        points = guests[0].all(m.PotWon)[-1].points
        played.carry(played.lobby.fail("room", RuntimeError("a bug"), played.now))
        (entry,) = matches(tmp_path)
        assert entry.reason == "the room failed"
        with History(tmp_path) as history:
            record = history.record(entry.n)
        end = json.loads(record.splitlines()[-1])
        assert (end["type"], end["winner"], end["reason"]) == ("end", None, "the room failed")
        assert end["points"] == list(points) == [seat.points for seat in entry.seats]
        assert verify(record.splitlines()).error is None


class TestFinding:
    def test_the_last_match_is_the_first_one_told(self, folder: Path) -> None:
        entries = matches(folder)
        assert [entry.room for entry in entries] == [f"Room {number}" for number in reversed(range(7))]
        with History(folder) as history:
            assert history.last(2) == entries[:2]

    def test_by_room_and_by_player(self, folder: Path) -> None:
        with History(folder) as history:
            assert [entry.room for entry in history.last(9, room="room 2")] == ["Room 2"]
            assert [entry.room for entry in history.last(2, player="CILLA")] == ["Room 5", "Room 3"]
            assert [entry.room for entry in history.last(9, player="Cilla", room="Room 1")] == ["Room 1"]
            assert history.last(9, player="Cilla", room="Room 2") == []
            assert history.last(9, player="nobody") == []

    def test_by_the_beginning_of_its_id(self, folder: Path) -> None:
        entries = matches(folder)
        with History(folder) as history:
            for entry in entries:
                assert history.find(entry.id) == entry
                assert history.find(entry.id[:7].upper()) == entry
            with pytest.raises(Several):
                history.find("00")
            for wrong in ("", "ff", "xyz", entries[0].id + "0", "00 0", "å"):
                assert history.find(wrong) is None

    def test_a_page_costs_the_same_however_many_there_are(self, tmp_path: Path) -> None:
        with closing(Store(tmp_path)):
            pass

        def fill(first: int, last: int) -> None:
            header = json.dumps({"rules": {"format": "pots", "length": "short", "pots": 1}})
            draw = Random(first)
            with closing(sqlite3.connect(tmp_path / FILE)) as db, db:
                db.executemany(
                    "INSERT INTO match (id, room, room_name, format, began, ended, header, secret)"
                    " VALUES (?, ?, 'R', 'pots', 1, 2, ?, x'')",
                    ((draw.randbytes(16), "room b" if n < 30 else "room a", header) for n in range(first, last)),
                )
                db.executemany(
                    "INSERT INTO seat VALUES (?, ?, ?, ?, 1, 0, '', 0, 1)",
                    (
                        (n + 1, seat, name, name)
                        for n in range(first, last)
                        for seat, name in enumerate(("ada", "bo" if n < 30 else "cilla"))
                    ),
                )

        def cost() -> list[int]:
            costs = []
            with History(tmp_path) as history:
                id_ = history.last(1)[0].id
                for ask in (
                    lambda: history.last(20),
                    lambda: history.last(20, room="Room B"),
                    lambda: history.last(20, player="Bo"),
                    lambda: history.last(20, player="Ada"),
                    lambda: history.last(20, player="Bo", room="Room B"),
                    lambda: history.find(id_),
                ):
                    steps = 0

                    def step() -> None:
                        nonlocal steps
                        steps += 1

                    history._db.set_progress_handler(step, 1)
                    ask()
                    costs.append(steps)
            return costs

        fill(0, 200)
        few = cost()
        fill(200, 10_000)
        many = cost()
        assert max(more - less for more, less in zip(many, few, strict=True)) < 50, (few, many)


class TestReading:
    def test_sees_what_is_kept_while_a_server_writes_and_changes_nothing(self, tmp_path: Path) -> None:
        played = house(tmp_path)
        played.match(options(2), "Ada", "Bo")
        draw_nonces(played)
        assert played.store is not None
        before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if not path.name.endswith("-shm")}
        played.store._db.execute("BEGIN IMMEDIATE")
        with History(tmp_path) as history:
            (entry,) = history.last(9)
            assert [seat.name for seat in entry.seats] == ["Ada", "Bo"]
            with pytest.raises(sqlite3.OperationalError):
                history._db.execute("DELETE FROM match")
        played.store._db.execute("ROLLBACK")
        after = {path.name: path.read_bytes() for path in tmp_path.iterdir() if not path.name.endswith("-shm")}
        assert after == before
        played.store.close()

    def test_sees_what_a_killed_server_had_kept(self, tmp_path: Path) -> None:
        played = house(tmp_path / "killed")
        played.match(options(2), "Ada", "Bo")
        draw_nonces(played)
        copy = tmp_path / "copy"
        copy.mkdir()
        for name in (FILE, f"{FILE}-wal"):
            (copy / name).write_bytes((tmp_path / "killed" / name).read_bytes())
        assert [entry.room for entry in matches(copy)] == ["Room"]

    def test_refuses_what_it_cannot_understand(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(FileNotFoundError):
            History(tmp_path)
        with closing(Store(tmp_path)):
            pass
        monkeypatch.setattr(schema, "SCHEMA", schema.SCHEMA + 1)
        assert _fault(tmp_path) is BadStore.OLDER
        monkeypatch.setattr(schema, "SCHEMA", schema.SCHEMA - 2)
        assert _fault(tmp_path) is BadStore.NEWER
        monkeypatch.undo()
        with closing(sqlite3.connect(tmp_path / FILE)) as db, db:
            db.execute(
                "INSERT INTO match (id, room, room_name, format, began, header, secret) "
                "VALUES (x'00', 'r', 'R', 'pots', 1, '[', x'')"
            )
        assert _fault(tmp_path) is BadStore.BROKEN
        (tmp_path / FILE).write_bytes(b"not a database at all" * 100)
        assert _fault(tmp_path) is BadStore.BROKEN
        (tmp_path / FILE).write_bytes(b"")
        assert _fault(tmp_path) is BadStore.BROKEN


def _fault(folder: Path) -> BadStore:
    with pytest.raises(StoreFault) as caught, History(folder) as history:
        history.last(9)
    return caught.value.fault
