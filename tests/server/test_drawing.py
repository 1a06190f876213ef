"""The drawing of a shuffle by all at the table, on a clock of its own (protocol/v1/protocol.md §7.8)."""

import json
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count
from typing import TYPE_CHECKING

import pytest

from kille_net.game.replay import verify
from kille_net.game.shuffle import Material, commit, commit_nonce
from kille_net.server.drawing import PATIENCE
from kille_net.server.limits import Limits
from kille_net.wire import encode
from kille_net.wire import messages as m
from tests.catalogue.rows import row
from tests.server.house import Guest, House, code, news, options

if TYPE_CHECKING:
    from collections.abc import Callable

CEREMONY = (m.ShuffleBegan, m.NoncesCommitted, m.NoncesRevealed, m.ShuffleVoided, m.SecretRevealed)


def drawn(text: str, size: int = 32) -> bytes:
    return sha256(text.encode()).digest()[:size]


@dataclass(slots=True)
class Well:
    """Gives a fresh secret each time, and remembers them."""

    given: list[Material] = field(default_factory=list)

    def __call__(self) -> Material:
        number = len(self.given)
        self.given.append(Material(drawn(f"secret {number}"), drawn(f"id {number}", 16)))
        return self.given[-1]


class Table:
    """Guests at a table whose shuffle hangs on a secret."""

    def __init__(
        self, *names: str, seats: int | None = None, computers: int = 0, bots: bool = True, limits: Limits | None = None
    ) -> None:
        self.well = Well()
        self.house = House(shuffle=self.well, limits=limits)
        room = options(seats or len(names) + computers, computers=computers)
        self.guests = self.house.table(room, *names, bots=bots)
        self._numbers = count()

    @property
    def secret(self) -> Material:
        """That of the last start."""
        return self.well.given[-1]

    def start(self) -> None:
        assert isinstance(self.house.start(self.guests[0]), m.Ok)

    def seat(self, guest: Guest) -> int:
        room = self.house.lobby._rooms._of[guest.player]
        seat = room.seating.seat_of(guest.player)
        assert seat is not None
        return seat

    def nonce(self, guest: Guest) -> bytes:
        return drawn(f"{guest.name} {self.secret.match_id.hex()}")

    def commit(self, guest: Guest, *, seat: int | None = None) -> m.Answer | None:
        match = self.secret.match_id
        digest = commit_nonce(match, self.seat(guest) if seat is None else seat, self.nonce(guest))
        return self.house.do(guest, lambda k: m.CommitNonce(id=k, match=match.hex(), commit=digest.hex()))

    def reveal(self, guest: Guest, nonce: bytes | None = None) -> m.Answer | None:
        told = self.nonce(guest) if nonce is None else nonce
        match = self.secret.match_id.hex()
        return self.house.do(guest, lambda k: m.RevealNonce(id=k, match=match, nonce=told.hex()))

    def draw(self) -> None:
        """All do their part."""
        for guest in self.guests:
            assert isinstance(self.commit(guest), m.Ok)
        for guest in self.guests:
            assert isinstance(self.reveal(guest), m.Ok)


def kinds(guest: Guest) -> list[type[m.Message]]:
    return [type(message) for message in guest.new() if isinstance(message, (*CEREMONY, m.HandBegan, m.Dealt))]


# --- its order --------------------------------------------------------------------------------------------------------


@row(37)
def test_the_server_is_bound_then_the_seats_then_all_is_shown_and_dealt() -> None:
    table = Table("Ada", "Bo")
    ada, bo = table.guests
    table.start()
    assert kinds(ada) == [m.ShuffleBegan]
    began = ada.last(m.ShuffleBegan)
    assert began.commitment == commit(table.secret.match_id, table.secret.secret).hex()
    assert (began.match, began.dealer, began.seats, began.ms) == (table.secret.match_id.hex(), None, 0b11, 5000)
    assert isinstance(table.commit(bo), m.Ok)
    assert kinds(ada) == []
    assert isinstance(table.commit(ada), m.Ok)
    assert kinds(ada) == [m.NoncesCommitted]
    match = table.secret.match_id
    digests = [commit_nonce(match, seat, table.nonce(guest)).hex() for seat, guest in enumerate((ada, bo))]
    assert list(ada.last(m.NoncesCommitted).commits) == digests
    assert isinstance(table.reveal(ada), m.Ok)
    assert kinds(bo)[-1:] == [m.NoncesCommitted], "nobody sees a nonce before all are in"
    assert isinstance(table.reveal(bo), m.Ok)
    assert kinds(ada)[:3] == [m.NoncesRevealed, m.HandBegan, m.Dealt]
    assert ada.last(m.NoncesRevealed).nonces == (table.nonce(ada).hex(), table.nonce(bo).hex())
    assert table.house.now == 1000.0, "nobody has waited"


def test_packs_and_first_dealer_follow_from_the_secret_and_all_nonces() -> None:
    table = Table("Ada", "Bo", "Cilla")
    table.start()
    table.draw()
    material = Material(table.secret.secret, table.secret.match_id, tuple(map(table.nonce, table.guests)))
    dealer = table.guests[0].last(m.HandBegan).dealer
    assert dealer == material.first_dealer(3)
    for seat, guest in enumerate(table.guests):
        pack = material.pack(1, len(guest.all(m.CardsThrown)))
        assert guest.last(m.Dealt).cards[seat] == pack[(seat - dealer - 1) % 3]


def test_all_in_the_room_are_told_all_of_it_and_events_have_no_gap() -> None:
    table = Table("Ada", "Bo")
    watcher = table.house.guest("Wilma")
    table.house.watch(watcher)
    table.start()
    table.draw()
    for guest in (*table.guests, watcher):
        told = [message for _, message in guest.heard if isinstance(message, CEREMONY)]
        assert list(map(type, told)) == [m.ShuffleBegan, m.NoncesCommitted, m.NoncesRevealed]
        assert told == [message for _, message in watcher.heard if isinstance(message, CEREMONY)]
        numbers = [message.seq for _, message in guest.heard if isinstance(message, m.Event)]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def test_a_room_counts_as_playing_while_its_shuffle_is_drawn() -> None:
    table = Table("Ada", "Bo")
    ada, bo = table.guests
    table.start()
    assert news(next(one for _, one in ada.heard[::-1] if isinstance(one, m.RoomChanged))) is m.News.STARTED
    assert ada.last(m.RoomChanged).room.status is m.RoomStatus.PLAYING
    cilla = table.house.guest("Cilla")
    assert code(table.house.join(cilla)) is m.RefusalCode.PLAYING
    assert code(table.house.start(ada)) is m.RefusalCode.PLAYING
    assert code(table.house.ready(bo)) is m.RefusalCode.PLAYING
    assert code(table.house.pause(ada)) is m.RefusalCode.NOT_PLAYING
    assert code(table.house.act(ada, m.Do.STAND, 1)) is m.RefusalCode.NOT_PLAYING
    assert code(table.house.kuku(ada)) is m.RefusalCode.NOT_PLAYING


@pytest.mark.parametrize("computers", range(1, 8))
def test_computers_have_no_nonce_and_are_not_waited_for(computers: int) -> None:
    table = Table("Ada", computers=computers)
    (ada,) = table.guests
    table.start()
    assert ada.last(m.ShuffleBegan).seats == 1
    table.draw()
    assert ada.last(m.NoncesRevealed).nonces == (table.nonce(ada).hex(), *[None] * computers)
    assert ada.all(m.HandBegan)
    assert table.house.now == 1000.0


# --- who is late ------------------------------------------------------------------------------------------------------


def test_who_sends_no_digest_is_waited_for_exactly_so_long_and_is_without() -> None:
    table = Table("Ada", "Bo")
    ada, _ = table.guests
    table.start()
    table.commit(ada)
    table.house.wait(PATIENCE - 0.001)
    assert not ada.all(m.NoncesCommitted)
    table.house.wait(0.001)
    assert ada.last(m.NoncesCommitted).commits[1] is None
    table.reveal(ada)
    assert ada.last(m.NoncesRevealed).nonces == (table.nonce(ada).hex(), None)
    assert ada.all(m.HandBegan)


def test_a_digest_at_the_last_moment_is_in_and_one_at_the_end_is_not() -> None:
    for late, expected in ((PATIENCE - 0.001, None), (PATIENCE, m.RefusalCode.NOT_SHUFFLING)):
        table = Table("Ada", "Bo")
        table.start()
        table.house.now += late  # whatever was due then is done before a command
        assert code(table.commit(table.guests[0])) is expected


def test_with_nobodys_part_the_secret_alone_shuffles() -> None:
    table = Table("Ada", "Bo")
    table.start()
    table.house.wait(PATIENCE)
    ada = table.guests[0]
    assert kinds(ada)[:4] == [m.ShuffleBegan, m.NoncesCommitted, m.NoncesRevealed, m.HandBegan]
    assert ada.last(m.NoncesRevealed).nonces == (None, None)


@row(37)
def test_a_nonce_that_is_kept_back_voids_the_start() -> None:
    table = Table("Ada", "Bo", "Cilla")
    ada, bo, cilla = table.guests
    table.start()
    for guest in table.guests:
        table.commit(guest)
    table.reveal(ada)
    table.reveal(cilla)
    table.house.wait(PATIENCE - 0.001)
    assert not ada.all(m.ShuffleVoided)
    table.house.wait(0.001)
    assert ada.last(m.ShuffleVoided).seats == 0b010
    assert not ada.all(m.NoncesRevealed), "what was revealed is nobody's to see"
    assert kinds(cilla)[-2:] == [m.ShuffleVoided, m.ShuffleBegan]
    first, second = table.well.given
    assert first.secret != second.secret
    assert ada.last(m.ShuffleBegan).match == second.match_id.hex()
    assert ada.last(m.ShuffleBegan).seats == 0b101, "the second time it goes on without a nonce"
    assert code(table.commit(bo)) is m.RefusalCode.NOT_SHUFFLING
    for guest in (ada, cilla):
        table.commit(guest)
    for guest in (ada, cilla):
        table.reveal(guest)
    assert ada.last(m.NoncesRevealed).nonces == (table.nonce(ada).hex(), None, table.nonce(cilla).hex())
    assert ada.all(m.HandBegan)


@row(37)
def test_each_seat_can_void_only_one_start() -> None:
    table = Table(*(f"Player {k}" for k in range(8)))
    table.start()
    for number in range(8):
        for guest in table.guests[number:]:
            assert isinstance(table.commit(guest), m.Ok)
        for guest in table.guests[number + 1 :]:
            assert isinstance(table.reveal(guest), m.Ok)
        table.house.wait(PATIENCE)
    ada = table.guests[0]
    assert [one.seats for one in ada.all(m.ShuffleVoided)] == [1 << number for number in range(8)]
    assert ada.last(m.NoncesRevealed).nonces == (None,) * 8
    assert ada.all(m.HandBegan)
    assert table.house.now == 1000.0 + 8 * PATIENCE


def test_what_was_meant_for_a_void_start_does_not_count_in_the_next() -> None:
    table = Table("Ada", "Bo")
    ada, _ = table.guests
    table.start()
    old = table.secret.match_id.hex()
    for guest in table.guests:
        table.commit(guest)
    table.reveal(ada)
    table.house.wait(PATIENCE)
    stale: list[Callable[[int], m.Command]] = [
        lambda k: m.CommitNonce(id=k, match=old, commit="0" * 64),
        lambda k: m.RevealNonce(id=k, match=old, nonce="0" * 64),
    ]
    for make in stale:
        assert code(table.house.do(ada, make)) is m.RefusalCode.NOT_SHUFFLING
    assert isinstance(table.commit(ada), m.Ok)


# --- what is refused --------------------------------------------------------------------------------------------------


def test_a_part_counts_once() -> None:
    table = Table("Ada", "Bo")
    ada, bo = table.guests
    assert code(table.house.do(ada, lambda k: m.CommitNonce(id=k, match="0" * 32, commit="0" * 64))) is (
        m.RefusalCode.NOT_SHUFFLING
    )
    table.start()
    assert code(table.reveal(ada)) is m.RefusalCode.NOT_SHUFFLING
    assert isinstance(table.commit(ada), m.Ok)
    assert code(table.commit(ada)) is m.RefusalCode.NOT_SHUFFLING
    table.commit(bo)
    assert code(table.commit(ada)) is m.RefusalCode.NOT_SHUFFLING
    assert code(table.reveal(ada, bytes(32))) is m.RefusalCode.WRONG_NONCE
    assert code(table.reveal(ada, table.nonce(bo))) is m.RefusalCode.WRONG_NONCE
    assert isinstance(table.reveal(ada), m.Ok), "after a wrong one the right one counts still"
    assert code(table.reveal(ada)) is m.RefusalCode.NOT_SHUFFLING
    table.reveal(bo)
    assert code(table.reveal(ada)) is m.RefusalCode.NOT_SHUFFLING


def test_a_digest_for_another_seat_is_nobodys() -> None:
    """The seat is in the digest: what one seat sent cannot be copied by another."""
    table = Table("Ada", "Bo")
    ada, bo = table.guests
    table.start()
    table.commit(ada)
    match = table.secret.match_id
    copied = commit_nonce(match, 0, table.nonce(ada)).hex()
    table.house.do(bo, lambda k: m.CommitNonce(id=k, match=match.hex(), commit=copied))
    table.reveal(ada)
    assert code(table.reveal(bo, table.nonce(ada))) is m.RefusalCode.WRONG_NONCE
    table.house.wait(PATIENCE)
    assert bo.last(m.ShuffleVoided).seats == 0b10


def test_who_looks_on_has_no_part() -> None:
    table = Table("Ada", "Bo")
    watcher = table.house.guest("Wilma")
    table.house.watch(watcher)
    table.start()
    assert code(table.commit(watcher, seat=0)) is m.RefusalCode.WRONG_PLACE


# --- who goes and who comes -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["leave", "kick"])
def test_a_seat_that_is_given_up_before_the_digests_are_shown_is_without(how: str) -> None:
    table = Table("Ada", "Bo", "Cilla")
    ada, bo, cilla = table.guests
    table.start()
    for guest in (ada, bo):
        table.commit(guest)
    (table.house.leave(bo) if how == "leave" else table.house.kick(ada, 1))
    table.commit(cilla)
    assert ada.last(m.NoncesCommitted).commits[1] is None
    table.reveal(ada)
    table.reveal(cilla)
    assert ada.last(m.NoncesRevealed).nonces[1] is None
    assert ada.last(m.RoomChanged).room.seats[1].occupant is m.Occupant.COMPUTER
    assert not ada.all(m.ShuffleVoided)


def test_a_seat_that_is_given_up_after_them_voids_the_start_at_once() -> None:
    table = Table("Ada", "Bo", "Cilla")
    ada, bo, cilla = table.guests
    table.start()
    for guest in table.guests:
        table.commit(guest)
    table.reveal(ada)
    table.reveal(cilla)
    table.house.leave(bo)
    assert ada.last(m.ShuffleVoided).seats == 0b010
    assert table.house.now == 1000.0


def test_a_seat_that_is_given_up_after_its_nonce_has_its_part() -> None:
    table = Table("Ada", "Bo")
    ada, bo = table.guests
    table.start()
    for guest in table.guests:
        table.commit(guest)
    nonce = table.nonce(bo).hex()
    table.reveal(bo)
    table.house.leave(bo)
    table.reveal(ada)
    assert ada.last(m.NoncesRevealed).nonces[1] == nonce


def test_a_lost_line_keeps_its_seat_and_its_part_until_the_time_is_over() -> None:
    table = Table("Ada", "Bo")
    ada, bo = table.guests
    table.start()
    table.commit(ada)
    table.house.lose(bo)
    table.house.wait(2.0)
    back = table.house.come_back(bo)
    (state,) = (message for message in back if isinstance(message, m.ShuffleState))
    began = ada.last(m.ShuffleBegan)
    assert (state.match, state.commitment, state.dealer) == (began.match, began.commitment, began.dealer)
    assert (state.seats, state.commits, state.nonces, state.ms) == (0b10, None, None, 3000)
    assert isinstance(table.commit(bo), m.Ok)
    table.house.lose(bo)
    table.house.wait(1.0)
    (state,) = (message for message in table.house.come_back(bo) if isinstance(message, m.ShuffleState))
    assert (state.commits, state.seats, state.ms) == (ada.last(m.NoncesCommitted).commits, 0b11, 4000)
    table.reveal(bo)
    table.reveal(ada)
    (state,) = (message for message in table.house.come_back(bo) if isinstance(message, m.ShuffleState))
    assert (state.nonces, state.seats, state.ms) == (ada.last(m.NoncesRevealed).nonces, 0, 0)
    assert state.commits == ada.last(m.NoncesCommitted).commits


def test_a_seat_whose_player_is_away_as_it_begins_is_not_waited_for() -> None:
    table = Table("Ada", "Bo")
    ada, bo = table.guests
    table.house.lose(bo)
    table.start()
    assert ada.last(m.ShuffleBegan).seats == 0b01
    table.commit(ada)
    table.reveal(ada)
    assert ada.all(m.HandBegan)


def test_when_all_are_lost_the_match_begins_and_waits_for_them() -> None:
    table = Table("Ada", "Bo")
    table.start()
    for guest in table.guests:
        table.house.lose(guest)
    table.house.wait(600.0)
    assert not table.house.faults
    back = table.house.come_back(table.guests[0])
    state = [message for message in back if isinstance(message, m.ShuffleState)]
    assert state == [] or state[0].nonces == (None, None)


def test_a_room_that_all_leave_while_it_draws_is_closed_without_a_word_of_the_secret() -> None:
    table = Table("Ada", "Bo")
    watcher = table.house.guest("Wilma")
    table.house.watch(watcher)
    table.start()
    for guest in table.guests:
        table.house.leave(guest)
    assert watcher.last(m.RoomChanged).news is m.News.CLOSED
    assert not watcher.all(m.SecretRevealed)
    assert not table.house.kept
    assert not table.house.faults


def test_a_seat_that_was_away_for_long_is_played_for_when_its_time_is_over() -> None:
    table = Table("Ada", "Bo")
    ada, bo = table.guests
    table.house.lose(bo)
    table.house.wait(118.0)
    table.start()
    table.house.wait(4.0)
    assert [one.news for one in ada.all(m.RoomChanged)][-1] is m.News.STAND_IN
    table.house.wait(1.0)
    assert ada.all(m.HandBegan)


def test_a_server_that_stops_deals_no_shuffle_that_was_still_drawn() -> None:
    table = Table("Ada", "Bo")
    table.start()
    table.commit(table.guests[0])
    table.house.lobby.drain()
    table.house.wait(60.0)
    table.commit(table.guests[1])
    for guest in table.guests:
        table.reveal(guest)
    assert table.house.lobby.deadline() is None, "nothing is due"
    assert not table.guests[0].all(m.HandBegan)
    assert table.house.lobby.hands == 0


# --- the secret -------------------------------------------------------------------------------------------------------


def chosen(question: m.Question) -> m.Do:
    return m.Do.STAND if question.legal & 1 else m.Do.REFUSE


def test_the_secret_is_told_at_the_end_right_after_it_and_kept_in_the_record() -> None:
    table = Table("Ada", "Bo")
    ada, _ = table.guests
    watcher = table.house.guest("Wilma")
    table.house.watch(watcher)
    table.start()
    table.draw()
    table.house.play(table.guests, chosen)
    tail = [type(message) for _, message in ada.heard if isinstance(message, m.Event)][-3:]
    assert tail == [m.MatchEnded, m.SecretRevealed, m.RoomChanged]
    secret = watcher.last(m.SecretRevealed)
    assert (secret.match, secret.secret) == (table.secret.match_id.hex(), table.secret.secret.hex())
    (kept,) = table.house.kept
    assert verify(kept.lines).error is None
    first, last = json.loads(kept.lines[0]), json.loads(kept.lines[-1])
    assert first["shuffle"] == {
        "kind": "kille-shuffle-v1",
        "commitment": table.secret.commitment.hex(),
        "nonces": [table.nonce(guest).hex() for guest in table.guests],
    }
    assert last["secret"] == table.secret.secret.hex()
    assert "rematch" not in first


def test_who_was_missing_stands_in_the_record() -> None:
    table = Table("Ada", "Bo", computers=1)
    ada, _ = table.guests
    table.start()
    table.commit(ada)
    table.house.wait(PATIENCE)
    table.reveal(ada)
    table.house.play(table.guests, chosen)
    (kept,) = table.house.kept
    assert json.loads(kept.lines[0])["shuffle"]["nonces"] == [table.nonce(ada).hex(), None, None]
    assert verify(kept.lines).error is None


def test_in_a_rematch_the_deal_goes_on_and_the_shuffle_says_so() -> None:
    table = Table("Ada", "Bo", "Cilla")
    ada = table.guests[0]
    table.start()
    table.draw()
    table.house.play(table.guests, chosen)
    last = ada.last(m.HandBegan).dealer
    for guest in table.guests:
        table.house.ready(guest)
    assert ada.last(m.ShuffleBegan).dealer == (last + 1) % 3
    table.draw()
    assert ada.last(m.HandBegan).dealer == (last + 1) % 3
    (state,) = (one for one in table.house.come_back(ada) if isinstance(one, m.ShuffleState))
    assert state.dealer == (last + 1) % 3
    table.house.play(table.guests, chosen)
    lines = table.house.kept[1].lines
    assert json.loads(lines[0])["rematch"] is True
    assert verify(lines).error is None


def test_the_secret_of_a_match_that_is_broken_off_is_told_to_who_is_left() -> None:
    table = Table("Ada", "Bo")
    watcher = table.house.guest("Wilma")
    table.house.watch(watcher)
    table.start()
    table.draw()
    for guest in table.guests:
        table.house.leave(guest)
    told = [type(message) for _, message in watcher.heard if isinstance(message, m.Event)][-3:]
    assert told == [m.MatchEnded, m.SecretRevealed, m.RoomChanged]
    (kept,) = table.house.kept
    assert verify(kept.lines).error is None
    assert json.loads(kept.lines[-1])["secret"] == table.secret.secret.hex()


def test_a_room_that_breaks_down_reveals_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its match may go on from the store."""
    table = Table("Ada", "Bo")
    ada, _ = table.guests
    table.start()
    table.draw()

    def break_down(*_: object) -> None:
        raise KeyError("bug")

    monkeypatch.setattr("kille_net.server.running.RunningMatch.decide", break_down)
    table.house.act(ada, m.Do.STAND, 1)
    assert table.house.faults
    assert ada.last(m.RoomChanged).news is m.News.FAILED
    assert not ada.all(m.SecretRevealed)


def test_nobody_hears_or_could_print_a_secret_before_the_end() -> None:
    """Not in a message, and not in the text of any value that a fault may show."""
    table = Table("Ada", "Bo")
    watcher = table.house.guest("Wilma")
    table.house.watch(watcher)
    table.start()
    for guest in table.guests:
        table.commit(guest)
    room = table.house.lobby._rooms._of[table.guests[0].player]
    assert room.play._drawing is not None
    hushed = [table.secret.secret, *map(table.nonce, table.guests)]

    def check(shown: str) -> None:
        for secret in hushed:
            assert secret.hex() not in shown
            assert repr(secret)[2:20] not in shown

    check(repr(room.play._drawing.material) + repr(room.play._drawing))
    for guest in table.guests:
        table.reveal(guest)
    assert room.play.match is not None
    hushed = hushed[:1]  # the nonces are told, in messages and in the record
    check(repr(vars(room.play.match)))
    messages = [message for guest in (*table.guests, watcher) for _, message in guest.heard]
    assert all(table.secret.secret.hex().encode() not in encode(message) for message in messages)
    check("".join(map(repr, messages)))
    reveal = m.RevealNonce(id=1, match="0" * 32, nonce="ab" * 32)
    assert "abab" not in repr(reveal)
    assert "cdcd" not in repr(m.SecretRevealed(seq=1, match="0" * 32, secret="cd" * 32))


def test_all_choose_their_time_and_the_match_begins_the_same() -> None:
    """Whatever the order in which parts come, packs are the same."""
    dealt = set()
    for turned in (False, True):
        table = Table("Ada", "Bo", "Cilla")
        table.start()
        order = table.guests[::-1] if turned else table.guests
        for guest in order:
            table.commit(guest)
        for guest in order[1:] + order[:1]:
            table.reveal(guest)
        dealt.add((table.guests[0].last(m.HandBegan).dealer, table.guests[0].last(m.Dealt).cards))
    assert len(dealt) == 1
