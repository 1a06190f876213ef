"""Somebody who plays, as a program that can be stopped: `python -m tests.catalogue.stopped PORT NAME ROOM`."""

import sys

import trio

from kille_net.wire import messages as m
from tests.crash.player import Lasting


class Telling(Lasting):
    COMES_BACK = frozenset({m.ByeCode.SILENT, m.ByeCode.TOO_SLOW, m.ByeCode.SHUTTING_DOWN})

    async def _heard(self, message: object) -> None:
        if isinstance(message, m.Snapshot):
            sys.stdout.write("snapshot\n")
            sys.stdout.flush()
        await super()._heard(message)


async def play(port: int, name: str, room: str) -> None:
    player = Telling(name, port)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(player.run)
        await player.here.wait()
        await player.do(m.Join(id=player.next_id(), room=room, password=None))
        while player.seat < 0:  # noqa: ASYNC110  another task reads
            await trio.sleep(0.01)
        await player.do(m.Ready(id=player.next_id(), ready=True))


if __name__ == "__main__":
    trio.run(play, int(sys.argv[1]), sys.argv[2], sys.argv[3])
