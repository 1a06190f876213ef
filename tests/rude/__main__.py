"""Set rude bots on a server: `python -m tests.rude HOST PORT [--pin HEX] [MANNER …]`; none is named: all manners."""

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from tests.rude.manners import ENDS, MANNERS, said
from tests.rude.table import Outcome, Server, sit

_NOBODY = 3
"""The exit status where no server lets anybody in."""


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.rude",
        description="Set rude bots on a server, each at a table of its own. The exit status is 1 if it could not bear"
        " one, and 3 if there is none. One that sets no rate to its own machine is to be tried from another, too.",
    )
    parser.add_argument("host")
    parser.add_argument("port", type=int)
    parser.add_argument("--pin", metavar="HEX", help="speak TLS with the server whose key has this fingerprint")
    parser.add_argument("manners", nargs="*", metavar="MANNER", help=", ".join(MANNERS))
    args = parser.parse_args()
    if unknown := set(args.manners) - MANNERS.keys():
        parser.error(f"no such manner: {', '.join(sorted(unknown))}")
    manners = args.manners or list(MANNERS)
    server = Server(args.host, args.port, args.pin)
    try:
        server.knock()
    except ENDS as end:
        sys.stderr.write(f"{args.host} {args.port} lets nobody in: {said(end)}\n")
        return _NOBODY
    sys.stdout.write(f"{len(manners)} tables at {args.host} {args.port}, about half a minute:\n")
    has_held = True
    with ThreadPoolExecutor(len(manners)) as pool:
        for manner, outcome in zip(manners, pool.map(partial(sit, server), manners), strict=True):
            sys.stdout.write(f"{manner:14} {_told(outcome)}\n               {MANNERS[manner].__doc__}\n")
            sys.stdout.flush()
            has_held &= not outcome.faults
    return 0 if has_held else 1


def _told(outcome: Outcome) -> str:
    refused = [f"{count} {code}" for code, count in sorted(outcome.refused.items())]
    seen = ", ".join([*refused, *filter(None, (outcome.ended, outcome.note))])
    return f"{'; '.join(outcome.faults) or 'held'} [{seen or 'nothing refused'}]"


if __name__ == "__main__":
    sys.exit(main())
