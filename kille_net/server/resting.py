"""The wait between two hands: for whom, and until when (protocol/v1/protocol.md §7.9).

Owns who has said that the next hand may come, and who is waited for as all were told. Sync, handed the match's time.
Refuses to know what was played, and what is dealt.
"""

from collections.abc import Sequence

from kille_net.game.rules import Seat
from kille_net.server.herald import Herald
from kille_net.server.people import Chair
from kille_net.server.saving import NextSaid
from kille_net.wire.messages import OpenRest, Rest

__all__ = ["Resting"]


class Resting:
    """Begins with nobody waited for; `look` finds who is."""

    def __init__(self, hand: int, most: float, time: float, chairs: Sequence[Chair], herald: Herald) -> None:
        """`hand`: the one that has ended; `most`: seconds that the table waits at most, from `time` on."""
        self.hand = hand
        self._began = time
        self._ends = time + most
        self._chairs = chairs
        self._herald = herald
        self._said: set[Seat] = set()
        self._waits = 0  # as all were told

    @property
    def due(self) -> float:
        """When the next hand comes: at once where nobody is waited for."""
        return self._ends if self._waits else self._began

    @property
    def said(self) -> NextSaid:
        return self.hand, tuple(sorted(self._said))

    def recall(self, said: NextSaid) -> None:
        """What was said before the server was started anew, unless that was after another hand."""
        hand, seats = said
        self._said.update(seats if hand == self.hand else ())

    @property
    def is_waiting(self) -> bool:
        return self._waits != 0

    def waits_for(self, seat: Seat) -> bool:
        return self._waits >> seat & 1 == 1

    def say(self, seat: Seat, time: float) -> None:
        """The seat says that the next hand may come."""
        self._said.add(seat)
        self.look(time)

    def look(self, time: float) -> None:
        """Tell who is waited for now, where that has changed."""
        waits = self._seats() if self._ends > self._began else 0
        if waits != self._waits:
            self._waits = waits
            self.tell(time)

    def tell(self, time: float) -> None:
        open_ = self.open(time) or OpenRest(hand=self.hand, seats=0, ms=0)
        self._herald.tell_all(lambda seq: Rest(seq=seq, hand=open_.hand, seats=open_.seats, ms=open_.ms))

    def open(self, time: float) -> OpenRest | None:
        """For whom the table waits, for whoever did not hear it; None: for nobody."""
        if not self._waits:
            return None
        return OpenRest(hand=self.hand, seats=self._waits, ms=max(1, round((self._ends - time) * 1000)))

    def _seats(self) -> int:
        """The persons who are here and have not said it, also those who are out of the pot."""
        return sum(
            1 << seat
            for seat, chair in enumerate(self._chairs)
            if chair.wants_time and chair.is_here and seat not in self._said
        )
