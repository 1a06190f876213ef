"""Our server as `kille serve` runs it, but for the store: what is played is forgotten. Its arguments are a folder for
its key, and limits as NAME=NUMBER.

Owns nothing but that start: the difference to the whole server is what keeping costs.
"""

import sys
from pathlib import Path

import trio

from kille_net.server.key import open_key
from kille_net.server.limits import Limits
from kille_net.server.listening import open_listeners
from kille_net.server.logs import LogFormat, open_log
from kille_net.server.serve import Config, Server


async def serve(folder: Path, limits: Limits) -> None:
    listeners = await open_listeners(("127.0.0.1",), 0)
    async with trio.open_nursery() as nursery:
        server = await nursery.start(Server(Config(key=open_key(folder), limits=limits)).run, listeners)
        sys.stdout.write(f"kille join 127.0.0.1:{server.addresses[0][1]}\n")
        sys.stdout.flush()


def main() -> None:
    folder, *given = sys.argv[1:]
    pairs = (one.partition("=")[::2] for one in given)
    limits = Limits(**{name: float(number) if "." in number else int(number) for name, number in pairs})  # type: ignore[arg-type]  # each of its type
    open_log(LogFormat.TEXT)
    trio.run(serve, Path(folder), limits)


if __name__ == "__main__":
    main()
