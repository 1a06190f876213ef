"""Set rude bots on a server: `python -m tests.rude HOST PORT [--pin HEX] [MANNER …]`; none is named: all manners."""

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from tests.rude.manners import MANNERS
from tests.rude.table import Server, sit


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.rude", description="Set rude bots on a server.")
    parser.add_argument("host")
    parser.add_argument("port", type=int)
    parser.add_argument("--pin", metavar="HEX", help="speak TLS with the server whose key has this fingerprint")
    parser.add_argument("manners", nargs="*", metavar="MANNER", help=", ".join(MANNERS))
    args = parser.parse_args()
    if unknown := set(args.manners) - MANNERS.keys():
        parser.error(f"no such manner: {', '.join(sorted(unknown))}")
    manners = args.manners or list(MANNERS)
    server = Server(args.host, args.port, args.pin)
    with ThreadPoolExecutor(len(manners)) as pool:
        outcomes = list(pool.map(partial(sit, server), manners))
    for manner, outcome in zip(manners, outcomes, strict=True):
        refused = ", ".join(f"{count} {code}" for code, count in sorted(outcome.refused.items()))
        verdict = "; ".join(outcome.faults) or "held"
        sys.stdout.write(f"{manner:14} {verdict} [{outcome.ended or refused or 'nothing refused'}]\n")
    return 1 if any(outcome.faults for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
