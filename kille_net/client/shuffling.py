"""Our part in the shuffles of a room, and the check of each (protocol/v1/protocol.md §7.8).

Owns what we drew, what the server published and when, and what is to be said of it; `game.witness` holds the cards
that we saw against the packs. Refuses to know terminals and connections; chance is handed in.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from kille_net.client.model import Model
from kille_net.game.events import HandBegan, MatchEnded
from kille_net.game.rules import Seat
from kille_net.game.shuffle import Material, commit, commit_nonce
from kille_net.game.witness import Witness
from kille_net.translate import to_ruleset
from kille_net.wire import messages as wire

__all__ = ["Remark", "Said", "Shuffling"]

_MOST_MATCHES: Final = 10_000
"""Ids of matches that are remembered, so that none comes twice."""


@dataclass(frozen=True, slots=True)
class Remark:
    """Something to be said of a shuffle."""

    key: str
    """Of the text, `shuffle.` before it."""
    is_fault: bool = False
    """The shuffle was not fair, or cannot be shown to have been."""
    seats: tuple[Seat, ...] = ()
    hand: int = 0


Said: TypeAlias = wire.Command | Remark
_MISSED: Final = Remark("missed", is_fault=True)
_REDRAWN: Final = Remark("redrawn")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draw:
    """The shuffle of one match, as far as it is published."""

    match: bytes
    commitment: bytes
    dealer: Seat | None
    seat: Seat | None
    """Ours; None: we only look on, or an earlier client of ours had its part."""
    nonce: bytes | None = field(default=None, repr=False)
    """Ours; None: we have drawn none."""
    command: int = 0
    """Our digest's."""
    is_taken: bool = False
    """Whether the server has said that it has our digest."""
    is_in: bool = False
    """Whether our digest was published, and our nonce sent."""
    commits: tuple[bytes | None, ...] | None = None
    nonces: tuple[bytes | None, ...] | None = None

    @property
    def digest(self) -> bytes | None:
        if self.nonce is None or self.seat is None:
            return None
        return commit_nonce(self.match, self.seat, self.nonce)


class Shuffling:
    """`message` is given all that the server says, and answers with what is to be sent and said."""

    def __init__(self, draw: Callable[[int], bytes], next_id: Callable[[], int]) -> None:
        """`draw`: so many random bytes, fit for secrets."""
        self._random = draw
        self._next_id = next_id
        self._draw: _Draw | None = None
        self._witness: Witness | None = None
        self._kept: tuple[_Draw | None, Witness | None] = (None, None)
        """What we had before a snapshot, until it is known whether that is the same match."""
        self._matches: dict[bytes, None] = {}
        self._is_faulty = False
        """Whether a fault of this match has been told."""
        self._is_playing = False
        """Whether cards of a match were dealt that has not ended."""
        self._is_over = False
        self._voided_by: set[Seat] = set()
        """Seats for whose sake a start of the coming match was void: each can cause that once."""
        self._is_here = self._was_here = False
        """Whether we sit in the room; whether we did before we came back to it."""

    def message(self, message: wire.ServerMessage, model: Model) -> list[Said]:
        """What follows; `model` is the one after the message."""
        if model.room is None:
            self._forget()
            self._is_here, self._kept = False, (None, None)
            return []
        match message:
            case wire.Ok() if self._draw is not None and message.id == self._draw.command:
                self._draw = replace(self._draw, is_taken=True)
            case wire.Snapshot():
                return self._enter(model)
            case wire.ShuffleState():
                return self._resume(message, model)
            case wire.ShuffleBegan():
                return self._begin(message, model)
            case wire.NoncesCommitted():
                return self._committed(_unhex(message.commits))
            case wire.NoncesRevealed():
                return self._revealed(_unhex(message.nonces), model)
            case wire.ShuffleVoided():
                return self._voided(message)
            case wire.SecretRevealed():
                return self._opened(message)
            case wire.RoomChanged(news=wire.News.ENDED):
                return self._ended()
            case _ if model.event is not None:
                return self._played(model)
        return []

    def _forget(self) -> None:
        self._draw = self._witness = None
        self._is_faulty = self._is_playing = self._is_over = False

    def _fault(self, key: str, seats: tuple[Seat, ...] = (), hand: int = 0) -> list[Said]:
        """Once for a match: what comes after it is of no weight."""
        was_faulty, self._is_faulty = self._is_faulty, True
        return [] if was_faulty else [Remark(key, is_fault=True, seats=seats, hand=hand)]

    # --- the drawing ----------------------------------------------------------------------------------------------

    def _begin(self, message: wire.ShuffleBegan, model: Model) -> list[Said]:
        said: list[Said] = self._ended()
        is_given_up = self._draw is not None  # nobody has said why
        self._forget()
        self._kept = (None, None)
        said += self._fault("order") if is_given_up else []
        view = model.view
        was = None if view is None else (view.dealer + 1) % len(view.lives)
        said += self._join(message, model)
        if message.dealer is not None and message.dealer != was:
            said += self._fault("dealer")
        return said

    def _join(self, message: wire.ShuffleBegan | wire.ShuffleState, model: Model) -> list[Said]:
        """A shuffle of which we knew nothing; we have a part in it if it is not too late."""
        match_id = bytes.fromhex(message.match)
        commitment = bytes.fromhex(message.commitment)
        self._draw = _Draw(match=match_id, commitment=commitment, dealer=message.dealer, seat=model.seat)
        is_fresh = isinstance(message, wire.ShuffleBegan)
        if is_fresh and match_id in self._matches:
            return self._fault("replayed")
        self._matches[match_id] = None
        if len(self._matches) > _MOST_MATCHES:
            del self._matches[next(iter(self._matches))]
        is_open = isinstance(message, wire.ShuffleBegan) or message.commits is None
        if not is_open or model.seat is None or not message.seats >> model.seat & 1:
            if not is_fresh and not self._was_here:
                self._draw = replace(self._draw, seat=None)
            return []
        number = self._next_id()
        self._draw = replace(self._draw, nonce=self._random(32), command=number)
        assert self._draw.digest is not None
        return [wire.CommitNonce(id=number, match=message.match, commit=self._draw.digest.hex())]

    def _committed(self, commits: tuple[bytes | None, ...]) -> list[Said]:
        draw = self._draw
        if draw is None or draw.commits is not None or self._is_playing:
            return self._fault("order")
        self._draw = draw = replace(draw, commits=commits)
        if draw.seat is None:
            return []
        told = commits[draw.seat]
        if told != draw.digest:
            # A digest that came too late is left out, and nothing but ours may stand in its place.
            is_late = told is None and not draw.is_taken
            return [Remark("late", is_fault=True)] if is_late else self._fault("left_out")
        if draw.nonce is None:
            return []
        self._draw = replace(draw, is_in=True)
        return [wire.RevealNonce(id=self._next_id(), match=draw.match.hex(), nonce=draw.nonce.hex())]

    def _revealed(self, nonces: tuple[bytes | None, ...], model: Model) -> list[Said]:
        draw = self._draw
        if draw is None or draw.commits is None or draw.nonces is not None or self._is_playing:
            return self._fault("order")
        self._draw = replace(draw, nonces=nonces)
        room = model.room
        assert room is not None
        wrong = tuple(
            seat
            for seat, (nonce, digest) in enumerate(zip(nonces, draw.commits, strict=True))
            if digest != (None if nonce is None else commit_nonce(draw.match, seat, nonce))
        )
        if wrong:
            return self._fault("nonces", wrong)
        players = (wire.Occupant.PERSON, wire.Occupant.BOT)
        without = tuple(
            seat
            for seat, nonce in enumerate(nonces)
            if nonce is None and room.seats[seat].occupant in players and seat != draw.seat
        )
        return [Remark("without", seats=without)] if without else []

    def _voided(self, message: wire.ShuffleVoided) -> list[Said]:
        draw, self._draw = self._draw, None
        seats = tuple(seat for seat in range(8) if message.seats >> seat & 1)
        if draw is None or draw.commits is None or draw.nonces is not None or self._is_playing:
            return self._fault("order")
        if draw.seat in seats and draw.is_in:
            return self._fault("not_heard")
        is_owed = any(draw.commits[seat] is not None and seat not in self._voided_by for seat in seats)
        self._voided_by |= set(seats)
        if not is_owed:
            return self._fault("order")
        return [Remark("void", seats=seats)]

    # --- after a lost line ----------------------------------------------------------------------------------------

    def _enter(self, model: Model) -> list[Said]:
        """What is played is known with the next message, if it was shuffled so."""
        if self._draw is not None or self._witness is not None:
            self._kept = (self._draw, self._witness)
        self._was_here = self._is_here
        self._is_here = model.seat is not None
        is_missed = self._is_playing and not model.is_playing
        self._forget()
        self._is_playing = model.is_playing and model.view is not None and model.view.seat == model.seat
        return [_MISSED] if is_missed else []

    def _resume(self, message: wire.ShuffleState, model: Model) -> list[Said]:
        (draw, witness), self._kept = self._kept, (None, None)
        commits = None if message.commits is None else _unhex(message.commits)
        nonces = None if message.nonces is None else _unhex(message.nonces)
        self._is_playing = False
        said: list[Said] = []
        if draw is None or draw.match != bytes.fromhex(message.match):
            said += [] if witness is None else [_MISSED]
            said += [_REDRAWN] if witness is None and draw is not None and draw.is_in else []
            said += self._join(message, model)
        else:
            self._draw = draw
            self._witness = witness
            known = (draw.commitment, draw.dealer, draw.commits or commits, draw.nonces or nonces)
            if known != (bytes.fromhex(message.commitment), message.dealer, commits, nonces):
                return self._fault("changed")
        assert self._draw is not None
        if commits is not None and self._draw.commits is None:
            said += self._committed(commits)
        if nonces is not None and self._draw.nonces is None:
            said += self._revealed(nonces, model)
        if nonces is not None:
            self._is_playing = True
            self._watch(model)
        return said

    def _watch(self, model: Model) -> None:
        assert model.room is not None
        if self._witness is None or self._witness.viewer != model.seat:
            self._witness = Witness(to_ruleset(model.room.options), len(model.room.seats), model.seat)
        self._witness.missed(model.view)

    # --- the match ------------------------------------------------------------------------------------------------

    def _played(self, model: Model) -> list[Said]:
        event, room = model.event, model.room
        assert event is not None
        assert room is not None
        if isinstance(event, HandBegan) and event.number == 1:
            if self._is_playing:
                return self._fault("order")
            self._is_playing = True
            self._voided_by.clear()
            self._witness = Witness(to_ruleset(room.options), len(room.seats), model.seat)
            if self._draw is not None and self._draw.nonces is None:
                self._draw = None  # cards are dealt that hang on nothing published
        if self._witness is not None:
            self._witness.saw(event)
        self._is_over = self._is_over or isinstance(event, MatchEnded)
        return []

    def _opened(self, message: wire.SecretRevealed) -> list[Said]:
        """The secret: everything can be checked."""
        draw, witness = self._draw, self._witness
        if draw is None or draw.nonces is None or not self._is_over:
            return self._fault("order")
        self._is_playing = False
        self._draw = self._witness = None  # they hold for one match
        secret = bytes.fromhex(message.secret)
        if bytes.fromhex(message.match) != draw.match or commit(draw.match, secret) != draw.commitment:
            return self._fault("secret")
        if witness is None:
            return self._fault("order")
        if self._is_faulty:
            return []
        finding = witness.check(Material(secret, draw.match, draw.nonces), draw.dealer)
        if finding.wrong_dealer:
            return self._fault("dealer")
        if finding.wrong_hand is not None:
            return self._fault("stacked", hand=finding.wrong_hand)
        if draw.seat is not None and not draw.is_in:
            return [Remark("weak", is_fault=True)]
        return [Remark("fine" if finding.is_whole else "partly")]

    def _ended(self) -> list[Said]:
        """No more will come of the match."""
        if not self._is_playing:
            return []
        draw, self._draw, self._witness = self._draw, None, None
        self._is_playing = False
        return self._fault("unshuffled" if draw is None else "no_secret")


def _unhex(told: tuple[str | None, ...]) -> tuple[bytes | None, ...]:
    return tuple(None if text is None else bytes.fromhex(text) for text in told)
