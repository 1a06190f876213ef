"""kille_net.client.errand: what a bot's stay sends, whatever the server says to it."""

import msgspec
import pytest

from kille_net.client.errand import Errand
from kille_net.client.steps import Asks, Entered, Finished, Later, NewMatch, Question, Rejected, Step, TurnedAway
from kille_net.game.actions import Action
from kille_net.game.cards import FULL_PACK, Card
from kille_net.game.match import Match
from kille_net.game.rules import Ruleset
from kille_net.game.views import observe
from kille_net.translate import to_view
from kille_net.wire import messages as wire
from kille_net.wire.states import Place
from tests.client.fake_server import OPTIONS, room

NAMES = ("Robot", "Movitz", "Ulla")
WELCOME = wire.Welcome(
    version=1, agent="x", name=NAMES[0], settings={}, ticket=None, resumed=wire.Resumed.NO, last_id=0
)


def table(card: Card) -> Match:
    """Three seats; the first to speak is the bot, on seat 0, with this card."""
    match = Match(Ruleset.for_seats(3, pots=1), 3, 2)
    rest = list(FULL_PACK)
    rest.remove(card)
    match.deal((card, *rest))
    return match


def seated() -> Errand:
    errand = Errand("Krogen", OPTIONS, None)
    (join,) = errand.message(WELCOME, 0.0)
    assert isinstance(join, wire.Join)
    errand.message(wire.Ok(id=join.id), 0.0)
    return errand


def snapshot(match: Match | None = None) -> wire.Snapshot:
    status = wire.RoomStatus.OPEN if match is None else wire.RoomStatus.PLAYING
    view = None if match is None else to_view(observe(match, 0))
    return wire.Snapshot(seq=4, room=room(*NAMES, status=status), view=view, match=0, open=None, rest=None)


def asked(errand: Errand, match: Match, turn: int = 1) -> list[Question]:
    """What the bot is asked when its seat is."""
    errand.message(snapshot(match), 0.0)
    phase = wire.Phase.TURN
    steps: list[Step] = errand.message(wire.Turn(seq=5, turn=turn, seat=0, phase=phase, ms=0, window=0), 0.0)
    view = to_view(observe(match, 0))
    steps += errand.message(wire.Question(seq=5, turn=turn, legal=match.legal(0), ms=0, view=view), 0.0)
    return [step for step in steps if isinstance(step, Question)]


def test_ready_is_said_again_when_it_came_too_fast() -> None:
    errand = seated()
    ready = errand.message(snapshot(), 0.0)[-1]
    assert isinstance(ready, wire.Ready)
    (later,) = errand.message(wire.Refused(id=ready.id, code=wire.RefusalCode.TOO_FAST), 0.0)
    assert isinstance(later, Later)
    assert later.message == wire.Ready(id=ready.id + 1, ready=True)


def test_a_way_in_is_tried_again_when_it_came_too_fast() -> None:
    errand = Errand("Krogen", OPTIONS, None)
    (join,) = errand.message(WELCOME, 0.0)
    assert isinstance(join, wire.Join)
    (later,) = errand.message(wire.Refused(id=join.id, code=wire.RefusalCode.TOO_FAST), 0.0)
    assert isinstance(later, Later)
    assert isinstance(later.message, wire.Join)


@pytest.mark.parametrize("card", [Card.N5, Card.KUKU], ids=["an answer", "a call"])
def test_what_the_server_could_not_save_is_said_again_as_a_new_command(card: Card) -> None:
    errand = seated()
    questions = asked(errand, table(card))
    command = errand.calls_kuku(questions[0]) if card is Card.KUKU else errand.decides(questions[0], Action.STAND)
    assert isinstance(command, wire.Decide | wire.CallKuku)
    (later,) = errand.message(wire.Refused(id=command.id, code=wire.RefusalCode.CANNOT_SAVE), 0.0)
    assert isinstance(later, Later)
    assert later.message == msgspec.structs.replace(command, id=command.id + 1)
    assert not errand.message(wire.Ok(id=command.id + 1), 0.0)
    assert not errand._unanswered
    assert not errand._sent
    assert not errand._calls


def test_a_server_that_stops_is_no_way_in_for_a_bot_without_a_room() -> None:
    errand = Errand(None, OPTIONS, None)
    (listing,) = errand.message(WELCOME, 0.0)
    assert isinstance(listing, wire.ListRooms)
    (create,) = errand.message(wire.Rooms(id=listing.id, page=0, pages=1, rooms=()), 0.0)
    assert isinstance(create, wire.Create)
    with pytest.raises(TurnedAway):
        errand.message(wire.Refused(id=create.id, code=wire.RefusalCode.SHUTTING_DOWN), 0.0)


def test_one_whose_process_was_killed_goes_on_where_it_sits_with_new_ids() -> None:
    errand = Errand("Elsewhere", OPTIONS, None)
    assert not errand.message(msgspec.structs.replace(WELCOME, resumed=wire.Resumed.ROOM, last_id=41), 0.0)
    entered, ready = errand.message(snapshot(), 0.0)
    assert isinstance(entered, Entered)
    assert ready == wire.Ready(id=42, ready=True)
    again = Errand("Elsewhere", OPTIONS, None)
    again.message(msgspec.structs.replace(WELCOME, resumed=wire.Resumed.ROOM, last_id=41), 0.0)
    playing = msgspec.structs.replace(snapshot(table(Card.N5)), match=3)
    assert again.message(playing, 0.0) == [NewMatch()]


@pytest.mark.parametrize(
    ("matches", "expected"), [(1, Finished(None)), (2, wire.Join(id=3, room="Krogen", password=None))]
)
def test_a_match_that_ended_while_the_bot_was_lost_counts(matches: int, expected: Step) -> None:
    errand = Errand("Krogen", OPTIONS, matches)
    (join,) = errand.message(WELCOME, 0.0)
    assert isinstance(join, wire.Join)
    errand.message(wire.Ok(id=join.id), 0.0)
    questions = asked(errand, table(Card.N5))
    assert errand.decides(questions[0], Action.STAND) is not None
    assert errand.message(msgspec.structs.replace(WELCOME, resumed=wire.Resumed.LOBBY, last_id=2), 0.0) == [expected]


@pytest.mark.parametrize("code", wire.NoticeCode)
def test_a_bot_does_not_mind_notices(code: wire.NoticeCode) -> None:
    errand = seated()
    asked(errand, table(Card.N5))
    assert not errand.message(wire.Notice(code=code, text="hej", ms=0), 0.0)


def test_a_room_is_made_if_it_is_not_there_and_a_full_one_is_no_way_in() -> None:
    errand = Errand("Krogen", OPTIONS, None)
    errand.message(WELCOME, 0.0)
    (create,) = errand.message(wire.Refused(id=1, code=wire.RefusalCode.NO_SUCH_ROOM), 0.0)
    assert isinstance(create, wire.Create)
    (join,) = errand.message(wire.Refused(id=create.id, code=wire.RefusalCode.ROOM_EXISTS), 0.0)
    assert isinstance(join, wire.Join)
    with pytest.raises(TurnedAway):
        errand.message(wire.Refused(id=join.id, code=wire.RefusalCode.ROOM_FULL), 0.0)


@pytest.mark.parametrize("code", [wire.RefusalCode.TOO_FAST, wire.RefusalCode.OLD_TURN, wire.RefusalCode.NO_KUKU])
def test_the_question_is_answered_when_a_call_is_not_taken(code: wire.RefusalCode) -> None:
    errand = seated()
    call, decide = asked(errand, table(Card.KUKU))
    assert (call.asks, decide.asks) == (Asks.CALL_KUKU, Asks.DECIDE)
    sent = errand.calls_kuku(call)
    assert isinstance(sent, wire.CallKuku)
    assert sent.seq == 5
    assert errand.decides(decide, Action.STAND) is None
    assert errand.message(wire.Refused(id=sent.id, code=code), 0.0) == [
        wire.Decide(id=sent.id + 1, turn=1, do=wire.Do.STAND)
    ]


def test_nothing_is_answered_when_the_call_is_taken() -> None:
    errand = seated()
    call, decide = asked(errand, table(Card.KUKU))
    sent = errand.calls_kuku(call)
    assert isinstance(sent, wire.CallKuku)
    assert errand.decides(decide, Action.STAND) is None
    assert errand.message(wire.Ok(id=sent.id), 0.0) == []


def test_an_answer_that_a_kuku_overtook_is_no_fault_and_a_late_one_is() -> None:
    for overtaken in (True, False):
        errand = seated()
        (decide,) = asked(errand, table(Card.N5))
        sent = errand.decides(decide, Action.SWAP)
        assert isinstance(sent, wire.Decide)
        if overtaken:
            errand.message(wire.KukuCalled(seq=6, seat=2, by_rule=False), 0.0)
        told = errand.message(wire.Refused(id=sent.id, code=wire.RefusalCode.OLD_TURN), 0.0)
        assert told == ([] if overtaken else [Rejected(wire.RefusalCode.OLD_TURN)])


# --- from one match to the next ---------------------------------------------------------------------------------------


def next_match(errand: Errand) -> None:
    """Another begins in the room, whose turns are counted from 1 again."""
    began = wire.HandBegan(seq=errand.model.seq + 1, hand=1, pot=1, dealer=2, lives=(3, 3, 3), points=(0, 0, 0))
    assert NewMatch() in errand.message(began, 0.0)


def ask(errand: Errand, match: Match) -> list[Question]:
    """The first question of a match that has begun."""
    view = to_view(observe(match, 0))
    question = wire.Question(seq=errand.model.seq, turn=1, legal=match.legal(0), ms=0, view=view)
    return [step for step in errand.message(question, 0.0) if isinstance(step, Question)]


@pytest.mark.parametrize("answer", ["never", "refused"])
def test_a_call_of_a_match_that_is_over_keeps_nothing_of_the_next_unanswered(answer: str) -> None:
    """The same turn comes again, and is another question."""
    errand = seated()
    call, _ = asked(errand, table(Card.KUKU))
    sent = errand.calls_kuku(call)
    assert isinstance(sent, wire.CallKuku)
    next_match(errand)
    if answer == "refused":
        assert errand.message(wire.Refused(id=sent.id, code=wire.RefusalCode.NOT_PLAYING), 0.0) == []
    (question,) = ask(errand, table(Card.N5))
    assert isinstance(errand.decides(question, Action.STAND), wire.Decide)


def test_what_the_bot_makes_of_a_match_that_is_over_is_not_said_in_the_next() -> None:
    """It thought too long: the same turn may be open again, with other cards."""
    errand = seated()
    call, decide = asked(errand, table(Card.KUKU))
    next_match(errand)
    assert errand.decides(decide, Action.SWAP) is None
    assert errand.calls_kuku(call) is None


@pytest.mark.parametrize("code", [wire.RefusalCode.WRONG_PLACE, wire.RefusalCode.NOT_PLAYING])
def test_who_has_left_the_table_meanwhile_minds_no_refusal_of_what_it_said_there(code: wire.RefusalCode) -> None:
    """It says nothing, and is turned away from nothing: what was refused is no way in."""
    for card in (Card.KUKU, Card.N5):
        errand = seated()
        question, *_ = asked(errand, table(card))
        sent = errand.calls_kuku(question) if card is Card.KUKU else errand.decides(question, Action.STAND)
        assert isinstance(sent, wire.CallKuku | wire.Decide)
        errand.message(wire.KukuCalled(seq=6, seat=2, by_rule=False), 0.0)
        left = wire.RoomChanged(seq=7, news=wire.News.LEFT, who=NAMES[0], room=room(*NAMES))
        errand.message(left, 0.0)
        assert errand.model.place is Place.LOBBY
        assert errand.message(wire.Refused(id=sent.id, code=code), 0.0) == []


# --- after a lost line (§5.3) -----------------------------------------------------------------------------------------


def back(resumed: wire.Resumed = wire.Resumed.ROOM) -> wire.Welcome:
    return wire.Welcome(version=1, agent="x", name=NAMES[0], settings={}, ticket=None, resumed=resumed, last_id=1)


def test_a_question_that_comes_again_is_not_put_to_the_bot_again() -> None:
    errand, match = seated(), table(Card.N5)
    (question,) = asked(errand, match)
    errand.message(back(), 0.0)
    assert asked(errand, match) == []
    answer = errand.decides(question, Action.STAND)
    assert isinstance(answer, wire.Decide)
    errand.message(wire.Refused(id=answer.id, code=wire.RefusalCode.PAUSED), 0.0)
    errand.message(back(), 0.0)
    assert len(asked(errand, match)) == 1, "its answer was not taken"


def test_what_was_not_answered_is_said_again_with_its_number() -> None:
    errand, match = seated(), table(Card.N5)
    (question,) = asked(errand, match)
    answer = errand.decides(question, Action.STAND)
    assert isinstance(answer, wire.Decide)
    assert errand.message(back(), 0.0) == [answer]
    assert errand.message(back(), 0.0) == [answer], "and once more, should that line be lost, too"
    errand.message(wire.Ok(id=answer.id), 0.0)
    assert errand.message(back(), 0.0) == []


def test_a_seat_that_is_gone_is_sought_anew() -> None:
    errand = seated()
    errand.message(snapshot(table(Card.N5)), 0.0)
    (join,) = errand.message(back(wire.Resumed.LOBBY), 0.0)
    assert isinstance(join, wire.Join)
