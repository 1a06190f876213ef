"""What players of a load say, and what is counted of what they hear, without sockets."""

import pytest

from kille_net.bench.table import OPTIONS, Broken, Player, Table, Tally
from kille_net.game.cards import Card
from kille_net.game.shuffle import commit_nonce
from kille_net.wire import FrameSplitter, Message, bye, decode, frame
from kille_net.wire import messages as m

NAMES = ("A", "B", "C", "D")
MATCH = "0f" * 16


class Sitting:
    """A table of four who are welcomed; `said`: what each has said since it was last looked at."""

    def __init__(self) -> None:
        self.tally = Tally()
        self.table = Table("T", self.tally)
        self.sent: list[list[bytes]] = [[] for _ in NAMES]
        self.players = [Player(name, self.table, sent.append) for name, sent in zip(NAMES, self.sent, strict=True)]

    def said(self, seat: int) -> list[Message]:
        splitter = FrameSplitter(2048)
        splitter.feed(b"".join(self.sent[seat]))
        self.sent[seat].clear()
        found = []
        while (payload := splitter.next_payload()) is not None:
            found.append(decode(payload))
        return list(found)

    def tell(self, *messages: Message, seats: tuple[int, ...] = (0, 1, 2, 3), now: float = 0.0) -> None:
        for seat in seats:
            self.players[seat].hear(b"".join(map(frame, messages)), now)


def room() -> m.RoomState:
    seats = tuple(m.SeatState(occupant=m.Occupant.BOT, name=name, ready=False, away=None) for name in NAMES)
    return m.RoomState(
        name="T", options=OPTIONS, host="A", locked=False, status=m.RoomStatus.OPEN, seats=seats, watchers=0
    )


def snapshot(seq: int) -> m.Snapshot:
    return m.Snapshot(seq=seq, room=room(), view=None, match=0, open=None, rest=None)


def question(seq: int, seat: int, card: Card, phase: m.Phase = m.Phase.TURN) -> m.Question:
    nobody = (None,) * 4
    view = m.View(
        rules=m.Rules(format=m.Format.POTS, length=m.Length.SHORT, dealt_harlekin=m.Rank.HIGH, pots=3),
        seat=seat, hand=1, pot=1, dealer=3, lives=(3,) * 4, points=(0,) * 4, phase=phase, to_act=seat,
        cards=tuple(int(card) if one == seat else None for one in range(4)), origins=nobody, face_up=0,
        low=(False,) * 4, struck=0, deeds=(m.Deed.WAITS,) * 4, beside=(), gone=(), asks=0, can_ask=False,
    )  # fmt: skip
    return m.Question(seq=seq, turn=7, legal=3, ms=0, view=view)


def stood(seq: int) -> m.Stood:
    return m.Stood(seq=seq, seat=0)


@pytest.fixture
def sitting() -> Sitting:
    """At the event 5, with the measuring open."""
    sitting = Sitting()
    sitting.tell(snapshot(5))
    sitting.tally.is_open = True
    sitting.table.is_paced = False
    return sitting


def test_they_make_the_room_and_come_to_it() -> None:
    sitting = Sitting()
    for player in sitting.players:
        player.greet()
    assert [[type(one) for one in sitting.said(seat)] for seat in range(4)] == [[m.Hello]] * 4
    sitting.table.begin()
    assert sitting.said(0) == [m.Create(id=1, room="T", options=OPTIONS, password=None)]
    assert sitting.said(1) == []
    sitting.tell(m.Ok(id=1), snapshot(0), seats=(0,))
    assert sitting.said(3) == [m.Join(id=1, room="T", password=None)]
    sitting.tell(m.Ok(id=1), snapshot(1), seats=(1, 2))
    assert sitting.tally.seated == 0
    sitting.tell(m.Ok(id=1), snapshot(1), seats=(3,))
    assert sitting.tally.seated == 1
    sitting.table.play()
    assert sitting.said(2)[-1] == m.Ready(id=2, ready=True)


@pytest.mark.parametrize(
    ("card", "phase", "do"),
    [
        (Card.N6, m.Phase.TURN, m.Do.SWAP),
        (Card.N7, m.Phase.TURN, m.Do.STAND),
        (Card.BLAREN, m.Phase.TURN, m.Do.SWAP),
        (Card.KUKU, m.Phase.TURN, m.Do.STAND),
        (Card.N1, m.Phase.ASKED, m.Do.REFUSE),
        (Card.N1, m.Phase.MIDDLE, m.Do.REFUSE),
    ],
)
def test_the_policy(sitting: Sitting, card: Card, phase: m.Phase, do: m.Do) -> None:
    sitting.tell(question(5, 2, card, phase), seats=(2,))
    assert sitting.said(2) == [m.Decide(id=1, turn=7, do=do)]


def test_each_seat_that_hears_of_an_action_is_timed(sitting: Sitting) -> None:
    sitting.tell(question(5, 0, Card.N8), seats=(0,), now=10.0)
    sitting.tell(m.Ok(id=1), stood(6), seats=(0,), now=10.25)
    sitting.tell(stood(6), seats=(1, 2), now=10.5)
    assert list(sitting.tally.delays) == [0.25, 0.5, 0.5]
    assert len(sitting.table.caused) == 1
    sitting.tell(stood(6), stood(7), seats=(3,), now=11.0)
    assert list(sitting.tally.delays) == [0.25, 0.5, 0.5, 1.0]
    assert sitting.table.caused == {}
    assert (sitting.tally.actions, sitting.tally.open_acts, sitting.tally.gaps) == (1, 0, 0)
    assert (sitting.tally.messages, sitting.tally.events, sitting.tally.asks) == (7, 5, 1)


def test_what_began_before_the_measuring_is_not_timed(sitting: Sitting) -> None:
    sitting.tally.is_open = False
    sitting.tell(question(5, 0, Card.N8), seats=(0,))
    sitting.tally.is_open = True
    sitting.tell(stood(6), now=1.0)
    assert list(sitting.tally.delays) == []
    assert sitting.table.caused == {}


def test_an_event_that_is_missing_is_counted(sitting: Sitting) -> None:
    sitting.tell(stood(6), stood(8), seats=(1,))
    assert sitting.tally.gaps == 1
    sitting.tell(stood(6), stood(7), stood(8), seats=(2,))
    assert sitting.tally.gaps == 1


def test_an_action_without_an_answer_stays_open(sitting: Sitting) -> None:
    sitting.tell(question(5, 0, Card.N8), seats=(0,))
    sitting.tell(stood(6), seats=(0, 1, 2))
    assert sitting.tally.open_acts == 1
    assert len(sitting.table.caused) == 1


def test_a_refusal_is_counted_and_is_no_action(sitting: Sitting) -> None:
    sitting.tell(question(5, 0, Card.N8), seats=(0,))
    sitting.tell(m.Refused(id=1, code=m.RefusalCode.OLD_TURN), seats=(0,))
    assert sitting.tally.refused == {"old_turn": 1}
    assert (sitting.tally.actions, sitting.tally.open_acts) == (0, 0)


def test_a_seat_that_is_refused_ends_the_load(sitting: Sitting) -> None:
    sitting.table.begin()
    with pytest.raises(Broken, match="refused: too_many_rooms"):
        sitting.tell(m.Refused(id=1, code=m.RefusalCode.TOO_MANY_ROOMS), seats=(0,))


def saved_again() -> m.Notice:
    return m.Notice(code=m.NoticeCode.SAVING_AGAIN, text="", ms=0)


def test_an_action_that_could_not_be_saved_is_done_when_it_can(sitting: Sitting) -> None:
    """And is late by that."""
    sitting.tell(question(5, 0, Card.N8), seats=(0,), now=1.0)
    sitting.tell(m.Refused(id=1, code=m.RefusalCode.CANNOT_SAVE), seats=(0,), now=1.5)
    assert sitting.said(0) == [m.Decide(id=1, turn=7, do=m.Do.STAND)]
    sitting.tell(saved_again(), seats=(0,), now=2.0)
    assert sitting.said(0) == [m.Decide(id=2, turn=7, do=m.Do.STAND)]
    sitting.tell(m.Ok(id=2), stood(6), seats=(0,), now=3.0)
    assert (sitting.tally.actions, sitting.tally.open_acts, list(sitting.tally.delays)) == (1, 0, [2.0])
    sitting.tell(saved_again(), seats=(0,))
    assert sitting.said(0) == []


def test_so_is_whatever_else_could_not_be_saved(sitting: Sitting) -> None:
    sitting.table.begin()
    sitting.said(0)
    sitting.tell(m.Refused(id=1, code=m.RefusalCode.CANNOT_SAVE), seats=(0,))
    assert sitting.said(1) == []
    sitting.tell(saved_again(), seats=(0,))
    assert sitting.said(0) == [m.Create(id=2, room="T", options=OPTIONS, password=None)]
    sitting.tell(m.Ok(id=2), seats=(0,))
    assert sitting.said(1) == [m.Join(id=1, room="T", password=None)]


def test_frames_may_come_in_any_pieces(sitting: Sitting) -> None:
    for byte in frame(stood(6)) + frame(question(6, 0, Card.N8)):
        sitting.players[0].hear(bytes([byte]), 0.0)
    assert sitting.said(0) == [m.Decide(id=1, turn=7, do=m.Do.STAND)]
    assert sitting.tally.octets == len(frame(stood(6)) + frame(question(6, 0, Card.N8)))


def test_with_a_rate_an_action_waits_until_it_is_due(sitting: Sitting) -> None:
    sitting.table.is_paced = True
    sitting.tell(question(5, 0, Card.N8), seats=(0,), now=1.0)
    assert sitting.said(0) == []
    sitting.table.take_due(2.0, 2.125)
    assert sitting.said(0) == [m.Decide(id=1, turn=7, do=m.Do.STAND)]
    assert list(sitting.tally.lateness) == [0.125]
    sitting.tell(stood(6), seats=(0,), now=2.5)
    assert list(sitting.tally.delays) == [0.5]


def test_with_a_rate_a_late_question_counts_from_when_its_action_was_due(sitting: Sitting) -> None:
    """And so does the one after it, which is late by that."""
    sitting.table.is_paced = True
    sitting.table.take_due(2.0, 2.0)
    sitting.table.take_due(2.5, 2.5)
    sitting.tell(question(5, 0, Card.N8), seats=(0,), now=3.0)
    assert sitting.said(0) == [m.Decide(id=1, turn=7, do=m.Do.STAND)]
    sitting.tell(stood(6), question(6, 0, Card.N8), seats=(0,), now=3.5)
    assert len(sitting.said(0)) == 1
    sitting.tell(stood(7), question(7, 0, Card.N8), seats=(0,), now=4.0)
    assert sitting.said(0) == []
    assert list(sitting.tally.delays) == [1.5, 1.5]
    assert list(sitting.tally.lateness) == []


def test_they_have_their_part_in_the_shuffle(sitting: Sitting) -> None:
    sitting.tell(m.ShuffleBegan(seq=6, match=MATCH, commitment="00" * 32, dealer=None, seats=15, ms=5000), seats=(2,))
    (commit,) = sitting.said(2)
    assert isinstance(commit, m.CommitNonce)
    sitting.tell(m.NoncesCommitted(seq=7, commits=(None, None, commit.commit, None), ms=5000), seats=(2,))
    (reveal,) = sitting.said(2)
    assert isinstance(reveal, m.RevealNonce)
    assert commit_nonce(bytes.fromhex(MATCH), 2, bytes.fromhex(reveal.nonce)).hex() == commit.commit


def test_whose_number_came_too_late_shows_none(sitting: Sitting) -> None:
    """The server refuses it, and the match begins without."""
    sitting.tell(m.ShuffleBegan(seq=6, match=MATCH, commitment="00" * 32, dealer=None, seats=15, ms=5000), seats=(2,))
    (commit,) = sitting.said(2)
    assert isinstance(commit, m.CommitNonce)
    late = m.Refused(id=commit.id, code=m.RefusalCode.NOT_SHUFFLING)
    sitting.tell(m.NoncesCommitted(seq=7, commits=(None,) * 4, ms=5000), late, seats=(2,))
    assert sitting.said(2) == []


def test_who_parts_leaves_the_table_first() -> None:
    sitting = Sitting()
    sitting.tell(snapshot(5), seats=(0,))
    for player in sitting.players[:2]:
        player.part()
    assert sitting.said(0) == [m.Leave(id=1), bye(m.ByeCode.DONE)]
    assert sitting.said(1) == [bye(m.ByeCode.DONE)]


def test_a_match_that_ended_is_followed_by_another(sitting: Sitting) -> None:
    sitting.tell(m.RoomChanged(seq=6, news=m.News.ENDED, who="", room=room()))
    assert sitting.tally.matches == 1
    assert [sitting.said(seat) for seat in range(4)] == [[m.Ready(id=1, ready=True)]] * 4


def test_nobody_begins_anything_when_the_end_has_come(sitting: Sitting) -> None:
    sitting.tally.is_closing = True
    sitting.tell(m.RoomChanged(seq=6, news=m.News.ENDED, who="", room=room()), question(6, 0, Card.N8), seats=(0,))
    assert sitting.said(0) == []


def test_a_table_waits_with_its_first_action_until_all_have_begun() -> None:
    sitting = Sitting()
    sitting.tell(snapshot(5), question(5, 0, Card.N8), seats=(0,))
    assert (sitting.tally.dealt, sitting.said(0)) == (1, [])
    sitting.table.is_paced = False
    sitting.table.take_due(1.0, 1.0)
    assert sitting.said(0) == [m.Decide(id=1, turn=7, do=m.Do.STAND)]


def test_they_answer_pings_and_hear_goodbyes(sitting: Sitting) -> None:
    sitting.tell(m.Ping(n=3), seats=(0,))
    assert sitting.said(0) == [m.Pong(n=3)]
    assert sitting.tally.pings == 1
    with pytest.raises(Broken, match="bye busy"):
        sitting.tell(m.Bye(code=m.ByeCode.BUSY, place="", versions=(1,)), seats=(1,))
