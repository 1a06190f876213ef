"""Nothing of a match that is closed can be read, by no way out, before it is opened."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import trio
from click.testing import CliRunner

from kille_net.cli import main
from kille_net.cli.exit_codes import Exit
from kille_net.game.replay import verify
from kille_net.game.shuffle import Seeded
from kille_net.server.effects import Effect, Keep, Save
from kille_net.server.history import Entry, History, StillPlayed
from kille_net.server.records import Closed
from kille_net.server.room import Room
from kille_net.server.saving import MatchBegun, MatchesOpened
from kille_net.server.serve import Config
from kille_net.wire import messages as m
from tests.server.house import Guest, House, choices, options
from tests.server.test_serve import served

IDS = [bytes([k] * 16) for k in range(1, 5)]
SHARED = b"p" * 16


def last(question: m.Question) -> m.Do:
    return choices(question)[-1]


def evening(folder: Path) -> tuple[House, list[Guest]]:
    """One match that may be read, and after it one that is closed, both over."""
    ids = iter(IDS)
    house = House(data=folder, shuffle=lambda: Seeded("tests", next(ids), SHARED))
    guests = house.match(options(2, pots=2), "Ada", "Bo")
    house.play(guests, last)
    house.lobby.rooms[0].play.is_closed = True
    for guest in guests:
        house.ready(guest)
    house.play(guests, last)
    return house, guests


def open_up(house: House, *ids: bytes) -> None:
    house.carry([Save(MatchesOpened(ids))])


def entries(folder: Path) -> dict[str, Entry]:
    with History(folder) as history:
        return {entry.id: entry for entry in history.last(9)}


def told(folder: Path) -> Iterator[str]:
    """All that `kille history` says, in every way."""
    for words in (
        ["list"],
        ["list", "--json"],
        ["list", "--csv"],
        ["list", "--player", "Ada"],
        *(["show", match.hex()[:8]] for match in IDS[:2]),
        ["standings", "--json"],
        ["ratings", "--json"],
        ["export", "--all", "--out", str(folder / "out")],
    ):
        result = CliRunner().invoke(main, ["--lang", "en", "history", "--data", str(folder), *words])
        assert result.exit_code == Exit.DONE
        yield result.output


def test_it_looks_like_one_that_has_just_begun(tmp_path: Path) -> None:
    house, _ = evening(tmp_path)
    found = entries(tmp_path)
    closed, other = found[IDS[1].hex()], found[IDS[0].hex()]
    assert (closed.is_closed, other.is_closed) == (True, False)
    assert (closed.ended, closed.reason, closed.hands) == (None, None, 0)
    assert {(seat.points, seat.place) for seat in closed.seats} == {(0, None)}
    assert [seat.name for seat in closed.seats] == ["Ada", "Bo"]
    assert other.ended is not None
    open_up(house, IDS[1])
    opened = entries(tmp_path)[IDS[1].hex()]
    assert opened.ended is not None
    assert opened.hands > 0
    assert {seat.place for seat in opened.seats} == {1, 2}


def test_its_record_is_not_told(tmp_path: Path) -> None:
    house, _ = evening(tmp_path)
    n = entries(tmp_path)[IDS[1].hex()].n
    with History(tmp_path) as history:
        with pytest.raises(StillPlayed):
            history.record(n)
        assert history.result(n) is None
        assert [match for _, match in history.over()] == [IDS[0].hex()]
        assert history.playing == 1
    open_up(house, IDS[1])
    with History(tmp_path) as history:
        assert verify(history.record(n).splitlines()).error is None
        assert history.result(n) is not None
        assert (len(list(history.over())), history.playing) == (2, 0)


def test_it_counts_for_nobody(tmp_path: Path) -> None:
    house, _ = evening(tmp_path)
    with History(tmp_path) as history:
        assert {one.matches for one in history.standings()} == {1}
        assert {one.rating.matches for one in history.ratings()[0]} == {1}
    open_up(house, IDS[1])
    with History(tmp_path) as history:
        assert {one.matches for one in history.standings()} == {2}
        assert {one.rating.matches for one in history.ratings()[0]} == {2}


def test_the_command_says_the_same_whatever_has_happened_in_it(tmp_path: Path) -> None:
    """Of a match that went another way, and of one that was broken off, nothing else is said."""
    says = []
    for number in range(3):
        folder = tmp_path / str(number)
        ids = iter(IDS)
        house = House(data=folder, shuffle=lambda ids=ids: Seeded("tests", next(ids), SHARED))  # type: ignore[misc]  # of a default, a lambda has no type
        guests = house.match(options(2, pots=2), "Ada", "Bo")
        house.play(guests, last)
        house.lobby.rooms[0].play.is_closed = True
        for guest in guests:
            house.ready(guest)
        if number == 2:
            house.carry(house.lobby.close("Room", house.now) or [])
        else:
            house.play(guests, [last, lambda question: choices(question)[0]][number])
        says.append([text.replace(str(folder), "") for text in told(folder)])
        assert len(list((folder / "out").iterdir())) == 1
    assert says[0] == says[1] == says[2]
    assert "closed until the round is over: Ada 0, Bo 0" in says[0][0]


def test_it_is_not_exported(tmp_path: Path) -> None:
    evening(tmp_path)
    words = ["--lang", "en", "history", "--data", str(tmp_path), "export", IDS[1].hex()[:8]]
    result = CliRunner().invoke(main, words)
    assert (result.exit_code, result.stdout) == (Exit.DOES_NOT_HOLD, "")
    assert "it can be exported when the round is over" in result.stderr


def test_its_record_is_not_for_the_folder_until_it_is_opened(tmp_path: Path) -> None:
    house, _ = evening(tmp_path)
    assert house.store is not None
    assert [keep.match_id for keep in house.store.unrecorded()] == [IDS[0].hex()]
    assert house.closed == [False, True]
    open_up(house, IDS[1])
    assert [keep.match_id for keep in house.store.unrecorded()] == [match.hex() for match in IDS[:2]]


def test_its_room_is_closed_still_after_a_restart(tmp_path: Path) -> None:
    house, guests = evening(tmp_path)
    for guest in guests:
        house.ready(guest)
    house.restart()
    for guest in guests:
        house.come_back(guest)
    house.play(guests, last)
    assert house.closed[-1]
    assert entries(tmp_path)[IDS[2].hex()].ended is None
    assert house.store is not None
    assert [keep.match_id for keep in house.store.unrecorded()] == [IDS[0].hex()]


def test_what_is_opened_while_it_is_played_may_be_read_when_it_is_over(tmp_path: Path) -> None:
    house, guests = evening(tmp_path)
    for guest in guests:
        house.ready(guest)
    open_up(house, IDS[2])
    with History(tmp_path) as history:
        assert [match for _, match in history.over()] == [IDS[0].hex()]
    house.play(guests, last)
    with History(tmp_path) as history:
        assert [match for _, match in history.over()] == [IDS[0].hex(), IDS[2].hex()]


def test_a_room_says_so_of_its_matches() -> None:
    begun: list[MatchBegun] = []
    for is_closed in (False, True):
        house = House()
        guests = house.table(options(2), "Ada", "Bo")
        house.lobby.rooms[0].play.is_closed = is_closed
        effects: list[Effect] = house.lobby.command(guests[0].player, m.Start(id=99), house.now)
        assert lobby_room(house, is_closed=is_closed).play.is_closed == is_closed
        begun += [one.change for one in effects if isinstance(one, Save) and isinstance(one.change, MatchBegun)]
    assert [change.is_closed for change in begun] == [False, True]


def lobby_room(house: House, *, is_closed: bool) -> Room:
    sources, options_ = house.lobby.rooms[0].play._sources, house.lobby.rooms[0].options
    return Room("Other", options_, lock=None, sources=sources, away=1.0, empty=1.0, quick=1.0, is_closed=is_closed)


class TestWithoutStore:
    def keep(self, match: bytes, *, is_closed: bool) -> Keep:
        return Keep(match.hex(), (), is_closed)

    async def test_the_folder_gets_it_when_it_is_opened(self, tmp_path: Path) -> None:
        folder = tmp_path / "records"
        one, other, early = IDS[:3]
        async with served(Config(port=0, records=folder)) as town:
            town.server.carry([self.keep(one, is_closed=True), self.keep(other, is_closed=False)])
            await there(folder, {other})
            town.server.carry([Save(MatchesOpened((one, early)))])
            await there(folder, {one, other})
            town.server.carry([self.keep(early, is_closed=True)])
            await there(folder, {one, other, early})

    def test_only_what_is_opened_is_let_go(self) -> None:
        closed = Closed()
        records = [self.keep(match, is_closed=True) for match in IDS]
        assert all(closed.hold(record) for record in records[:3])
        assert not closed.hold(self.keep(IDS[3], is_closed=False))
        assert list(closed.open((IDS[1], IDS[3]))) == [records[1]]
        assert list(closed.open((IDS[1],))) == []
        assert not closed.hold(records[3]), "it was opened before it was over"


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("*.jsonl")}


async def there(folder: Path, matches: set[bytes]) -> None:
    """Wait for the records of these matches, and of no other."""
    while names(folder) != {f"{match.hex()}.jsonl" for match in matches}:  # noqa: ASYNC110  threads write them
        await trio.sleep(0.01)
