"""The drawing of one match's shuffle by all who sit at the table (protocol/v1/protocol.md §7.8).

Owns its order and its deadlines: a commitment, the seats' digests, their nonces, and who is left out. Sync, handed the
time and the secrets. A match begins when it is done; one that is interrupted has drawn nothing. Refuses to know what
is dealt.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from hmac import compare_digest
from typing import Final

from kille_net.game.rules import Seat
from kille_net.game.shuffle import Material, commit_nonce
from kille_net.server.effects import Refusing
from kille_net.server.herald import Herald
from kille_net.server.people import Chair, Player
from kille_net.server.saving import SecretDrawn
from kille_net.server.sources import Shuffle
from kille_net.wire.messages import (
    CommitNonce,
    NoncesCommitted,
    NoncesRevealed,
    Ok,
    RefusalCode,
    RevealNonce,
    ShuffleBegan,
    ShuffleState,
    ShuffleVoided,
)

__all__ = ["PATIENCE", "Drawing", "settled"]

PATIENCE: Final = 5.0
"""Seconds for the digests, and for the nonces (§7.8)."""


class _Stage(Enum):
    COMMITS = "commits"
    NONCES = "nonces"
    DONE = "done"


class Drawing:
    def __init__(
        self,
        material: Material,
        draw: Callable[[], Shuffle],
        chairs: Sequence[Chair],
        herald: Herald,
        *,
        dealer: Seat | None,
    ) -> None:
        """`material`: a fresh secret and match id; `draw` gives more such; `dealer`: None to draw it (rule S5)."""
        self.material = material
        """Without nonces until `is_done`."""
        self._draw = draw
        self._chairs = chairs
        self._herald = herald
        self._dealer = dealer
        self._without: set[Seat] = set()  # who did not reveal once
        self._until = 0.0
        self._stage = _Stage.COMMITS
        self._awaited: set[Seat] = set()
        self._commits: dict[Seat, bytes] = {}
        self._nonces: dict[Seat, bytes] = {}

    @property
    def is_done(self) -> bool:
        return self._stage is _Stage.DONE

    def begin(self, now: float) -> None:
        self._ask_for_commits(now)
        self._go_on(now)

    def _ask_for_commits(self, now: float) -> None:
        self._stage = _Stage.COMMITS
        self._until = now + PATIENCE
        self._commits, self._nonces = {}, {}
        # A computer has no nonce: it is the server's own, whose share is the secret.
        self._awaited = {seat for seat, chair in enumerate(self._chairs) if chair.is_here} - self._without
        self._herald.save(SecretDrawn(self.material.match_id, self.material.secret))
        self._herald.tell_all(
            lambda seq: ShuffleBegan(
                seq=seq,
                match=self.material.match_id.hex(),
                commitment=self.material.commitment.hex(),
                dealer=self._dealer,
                seats=_bits(self._awaited),
                ms=self._left(now),
            )
        )

    # --- what comes from outside ----------------------------------------------------------------------------------

    def deadline(self) -> float:
        return self._until

    def tick(self, now: float) -> None:
        if now >= self._until and not self.is_done:
            self._awaited = set()
            self._go_on(now)

    def awaits(self, seat: Seat, command: CommitNonce | RevealNonce) -> bool:
        """Whether it is the part of the seat that is waited for."""
        stage = _Stage.COMMITS if isinstance(command, CommitNonce) else _Stage.NONCES
        return stage is self._stage and seat in self._awaited and command.match == self.material.match_id.hex()

    def take(self, seat: Seat, player: Player, command: CommitNonce | RevealNonce, now: float) -> None:
        """A seat's part. Raises Refusing."""
        if not self.awaits(seat, command):
            raise Refusing(RefusalCode.NOT_SHUFFLING)
        if isinstance(command, CommitNonce):
            self._commits[seat] = bytes.fromhex(command.commit)
        else:
            nonce = bytes.fromhex(command.nonce)
            if not compare_digest(commit_nonce(self.material.match_id, seat, nonce), self._commits[seat]):
                raise Refusing(RefusalCode.WRONG_NONCE)
            self._nonces[seat] = nonce
        self._herald.tell(player, Ok(id=command.id))
        self._awaited.discard(seat)
        self._go_on(now)

    def leave(self, seat: Seat, now: float) -> None:
        """The seat's player has gone for good: nothing of it is waited for."""
        self._awaited.discard(seat)
        if self._stage is _Stage.COMMITS:
            self._commits.pop(seat, None)
        self._go_on(now)

    def state(self, now: float) -> ShuffleState:
        """What was published, for whoever did not hear it."""
        return ShuffleState(
            match=self.material.match_id.hex(),
            commitment=self.material.commitment.hex(),
            dealer=self._dealer,
            seats=_bits(self._awaited),
            commits=None if self._stage is _Stage.COMMITS else self._per_seat(self._commits),
            nonces=None,
            ms=self._left(now),
        )

    # --- what follows ---------------------------------------------------------------------------------------------

    def _go_on(self, now: float) -> None:
        while not self._awaited and not self.is_done:
            if self._stage is _Stage.COMMITS:
                self._publish_commits(now)
            else:
                self._publish_nonces(now)

    def _publish_commits(self, now: float) -> None:
        self._stage = _Stage.NONCES
        self._until = now + PATIENCE
        self._awaited = set(self._commits)
        commits = self._per_seat(self._commits)
        self._herald.tell_all(lambda seq: NoncesCommitted(seq=seq, commits=commits, ms=self._left(now)))

    def _publish_nonces(self, now: float) -> None:
        """Unless one is withheld by somebody who may have seen the others: then all is void."""
        withheld = self._commits.keys() - self._nonces.keys()
        if withheld:
            self._without |= withheld
            self._herald.tell_all(lambda seq: ShuffleVoided(seq=seq, seats=_bits(withheld)))
            material = self._draw()
            assert isinstance(material, Material), "one kind of shuffle for one match"
            self.material = material
            self._ask_for_commits(now)
            return
        self._stage = _Stage.DONE
        self.material = replace(
            self.material, nonces=tuple(self._nonces.get(seat) for seat in range(len(self._chairs)))
        )
        nonces = self._per_seat(self._nonces)
        self._herald.tell_all(lambda seq: NoncesRevealed(seq=seq, nonces=nonces))

    def _left(self, now: float) -> int:
        return max(0, round((self._until - now) * 1000))

    def _per_seat(self, known: Mapping[Seat, bytes]) -> tuple[str | None, ...]:
        return tuple(known[seat].hex() if seat in known else None for seat in range(len(self._chairs)))


def settled(material: Material, dealer: Seat | None) -> ShuffleState:
    """What was published of a shuffle that is drawn."""
    commits = tuple(
        None if nonce is None else commit_nonce(material.match_id, seat, nonce).hex()
        for seat, nonce in enumerate(material.nonces)
    )
    return ShuffleState(
        match=material.match_id.hex(),
        commitment=material.commitment.hex(),
        dealer=dealer,
        seats=0,
        commits=commits,
        nonces=tuple(None if nonce is None else nonce.hex() for nonce in material.nonces),
        ms=0,
    )


def _bits(seats: "set[Seat]") -> int:
    return sum(1 << seat for seat in seats)
