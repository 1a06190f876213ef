"""The folder for records: the record of every match that is over comes there, whenever the server is killed."""

from pathlib import Path

import trio

from kille_net.game.replay import verify
from kille_net.server.records import Records
from kille_net.server.saving import Record, RecordWritten
from kille_net.wire import messages as m
from tests.server.house import House, choices, options


def stand(question: m.Question) -> m.Do:
    return choices(question)[0]


async def written(folder: Path, left: list[Record], expect: int) -> list[Record]:
    """Let the records that are left be written until so many files are there."""
    done: list[Record] = []

    async def unwritten() -> list[Record]:
        return left[:2]

    async def note(record: Record) -> None:
        left.remove(record)
        done.append(record)

    async with trio.open_nursery() as nursery:
        records = Records(folder, unwritten, note)
        nursery.start_soon(records.run)
        with trio.fail_after(20.0):
            while len(done) < expect:  # noqa: ASYNC110  threads write them
                await trio.sleep(0.01)
        nursery.cancel_scope.cancel()
    return done


async def test_what_a_killed_server_has_left_is_written_by_the_next(tmp_path: Path) -> None:
    house = House(data=tmp_path / "data")
    for _ in range(3):
        guests = [*house.guests.values()] or house.table(options(2), "Ada", "Bo")
        for guest in guests:
            house.ready(guest)
        house.play(guests, stand)
    house.restart()
    assert house.store is not None
    left = house.store.unrecorded()
    assert [keep.match_id for keep in left] == [keep.match_id for keep in house.kept]
    assert [keep.lines for keep in left] == [keep.lines for keep in house.kept]
    await written(tmp_path / "records", left, 3)
    for path in (tmp_path / "records").iterdir():
        assert verify(path.read_text(encoding="utf-8").splitlines()).error is None
    assert len(list((tmp_path / "records").glob("*.jsonl"))) == 3
    house.store.keep([RecordWritten(bytes.fromhex(keep.match_id)) for keep in house.kept])
    assert house.store.unrecorded() == []


async def test_one_that_cannot_be_written_is_not_taken_for_written(tmp_path: Path) -> None:
    (tmp_path / "records").write_text("no folder")
    left = [Record("00" * 16, ("{}",))]
    done = []

    async def unwritten() -> list[Record]:
        return left

    async def note(record: Record) -> None:
        done.append(record)

    with trio.move_on_after(0.3):
        await Records(tmp_path / "records", unwritten, note).run()
    assert not done
