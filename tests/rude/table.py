"""A table at which one is rude and two are not, and what came of it."""

import threading
from dataclasses import dataclass, field

from examples.raw_client import OPTIONS, EndedError, Line, Message, Player
from tests.rude.manners import DONE, MANNERS, Ear

__all__ = ["Outcome", "Server", "sit"]

OPTIONS_HERE = OPTIONS | {
    "seats": 3, "format": "pots", "length": "short", "pots": 1, "clock": 1, "pace": 0, "window": 0, "rest": 0
}  # fmt: skip
_SECONDS = 100.0


class Honest(Player):
    """Says nothing aloud."""

    def tell(self, end: Message) -> None:
        pass


@dataclass(frozen=True)
class Server:
    host: str
    port: int
    pin: str | None = None
    """The fingerprint of its key, where it speaks TLS."""


@dataclass
class Outcome:
    faults: list[str] = field(default_factory=list)
    """What the server has done wrong; none: it held."""
    refused: dict[str, int] = field(default_factory=dict)
    ended: str = ""
    """How the server has parted from the rude one, if it has."""


def sit(server: Server, manner: str) -> Outcome:
    """Play a match with one of that manner."""
    kind, done = MANNERS[manner], threading.Event()
    room = f"Rude {manner}"[:16].strip()
    rude = kind(Ear(server.host, server.port, server.pin), f"R {manner}"[:16], done)
    honest = [Honest(Line(server.host, server.port, server.pin), f"{who} {manner}"[:16]) for who in ("A", "B")]
    honest[0].enter(room, OPTIONS_HERE, watch=False)
    honest[1].enter(room, OPTIONS_HERE, watch=False)
    rude.enter(room, OPTIONS_HERE, watch=False)
    outcome = Outcome()
    players = [threading.Thread(target=_play, args=(player, outcome.faults), daemon=True) for player in honest]
    boor = threading.Thread(target=rude.run, daemon=True)
    for thread in (*players, boor):
        thread.start()
    for thread in players:
        thread.join(_SECONDS)
        if thread.is_alive():
            outcome.faults.append("the table was not played to its end")
    done.set()
    boor.join(5.0)
    for line in (*(player.line for player in honest), rude.line):
        line.bye("done")
    outcome.refused = dict(rude.refused)
    outcome.ended = "" if rude.ended == DONE else rude.ended
    if outcome.ended and not any(code in outcome.ended for code in kind.may_end):
        outcome.faults.append(f"parted from the rude one: {outcome.ended}")
    if kind.must_refuse and not kind.must_refuse & rude.refused.keys():
        outcome.faults.append(f"refused nothing with any of {', '.join(sorted(kind.must_refuse))}")
    return outcome


def _play(player: Player, faults: list[str]) -> None:
    """As anybody does, to the end of one match."""
    try:
        player.play(1, watch=False, tournament=False)
    except (EndedError, OSError) as end:
        faults.append(f"an honest player could not play on: {end}")
    faults += [f"an honest player was told two things: {difference}" for difference in player.table.differences]
