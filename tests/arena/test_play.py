"""A match between bots: who is asked when, and who is told what."""

from collections.abc import Callable, Sequence

import pytest

from kille_net.arena.play import play_match
from kille_net.bots import Bot, as_bot
from kille_net.game.actions import Action, IllegalAction, Phase
from kille_net.game.cards import Card, Pack
from kille_net.game.events import (
    AskAnswered,
    BetterCardsAsked,
    Dealt,
    Event,
    HandBegan,
    KukuCalled,
    MatchEnded,
    Showdown,
    Swapped,
)
from kille_net.game.folding import fold
from kille_net.game.match import Match
from kille_net.game.record import EndLine, HandLine, Line, MatchLine, Recorder, SeatLabel, to_json
from kille_net.game.replay import verify
from kille_net.game.rules import Format, Ruleset
from kille_net.game.shuffle import Seeded, match_id_of
from kille_net.game.views import View, observe
from tests.bots.hands import Noting, pack, stander

ONE_POT = Ruleset(pots=1)
Packs = Callable[[int, int], Pack]


def from_tops(*tops: str) -> Packs:
    """These on top, one a hand and the last one for ever."""
    return lambda hand, _redeal: pack(tops[min(hand, len(tops)) - 1])


class Patient(Bot):
    """Does as a function does, and calls its Kuku when it has been asked so many times; None: never."""

    def __init__(self, decide: Callable[[View], Action] = stander, calls_at: int | None = None) -> None:
        self._decide = decide
        self._calls_at = calls_at
        self._asked = 0

    def decide(self, view: View) -> Action:
        return self._decide(view)

    def calls_kuku(self, view: View) -> bool:
        self._asked += 1
        return self._asked == self._calls_at


def play(bots: Sequence[Bot], packs: Packs, rules: Ruleset = ONE_POT) -> Match:
    match = Match(rules, len(bots), len(bots) - 1)
    play_match(match, bots, packs)
    return match


def kukus(bot: Noting, hand: int) -> list[KukuCalled]:
    """Called in that hand, as the bot saw it."""
    began = [at for at, event in enumerate(bot.events) if isinstance(event, HandBegan)]
    return [event for event in bot.events[began[hand - 1] : began[hand]] if isinstance(event, KukuCalled)]


def test_a_kuku_is_called_at_the_deal_before_anybody_speaks() -> None:
    """M7"""
    bots = [Noting(as_bot(stander)) for _ in range(3)]
    play(bots, from_tops("4 5 kuku", "4 5 6"))
    assert kukus(bots[0], 1) == [KukuCalled(2, by_rule=False)]
    first = bots[0].events[: bots[0].events.index(KukuCalled(2, by_rule=False)) + 2]
    assert [type(event) for event in first] == [HandBegan, Dealt, KukuCalled, Showdown]


def test_of_two_calls_at_once_that_of_the_first_from_the_dealers_left_counts() -> None:
    """M7; the dealer of the first hand is the last seat."""
    bots = [Noting(as_bot(stander)) for _ in range(3)]
    play(bots, from_tops("4 kuku kuku", "4 5 6"))
    assert kukus(bots[0], 1) == [KukuCalled(1, by_rule=False)]
    assert not [seen for seen, _ in bots[2].called if seen.hand == 1]


def test_each_holder_is_asked_again_after_all_that_changes_the_table() -> None:
    """After the deal and after each of two stands; the third ends the hand."""
    bots = [Noting(Patient()), Noting(as_bot(stander)), Noting(as_bot(stander))]
    play(bots, from_tops("kuku 5 6", "4 5 6"))
    seen = [view for view, _ in bots[0].called if view.hand == 1]
    assert [view.to_act for view in seen] == [0, 1, 2]
    assert not kukus(bots[1], 1)


def test_a_kuku_may_be_called_while_an_ask_is_open() -> None:
    """M7: held back at the deal, called when the dealer is asked."""

    def asker(view: View) -> Action:
        return Action.ASK if view.can_ask else stander(view)

    watching = Noting(as_bot(asker))
    play([watching, Patient(calls_at=2), as_bot(stander)], from_tops("4 kuku 6", "4 5 6"))
    told = watching.events[: watching.events.index(KukuCalled(1, by_rule=False))]
    assert told[-1] == BetterCardsAsked(0)


def test_only_a_seat_that_holds_a_kuku_is_asked_whether_it_calls() -> None:
    bots = [Noting(as_bot(stander)) for _ in range(4)]
    play(bots, Seeded("x", match_id_of("x", 0)).pack, Ruleset(pots=4))
    assert sum(len(bot.called) for bot in bots) > 3
    for seat, bot in enumerate(bots):
        assert all(seen.cards[seat] is Card.KUKU for seen, _ in bot.called)


@pytest.mark.parametrize("bound", [0, 3, 100])
def test_asks_in_a_duel_end_at_the_bound(bound: int) -> None:
    """G6: the arena itself declines the ask after so many that were accepted, and the dealer's bot is not asked."""

    def eager(view: View) -> Action:
        for action in (Action.ASK, Action.ACCEPT):
            if action in view.legal:
                return action
        return stander(view)

    bots = [Noting(Patient(eager)) for _ in range(2)]
    match = Match(Ruleset(format=Format.STICKS, pots=1), 2, 1)
    play_match(match, bots, Seeded("x", match_id_of("x", 1)).pack, max_asks=bound)
    answers = [event.answer for event in bots[0].events if isinstance(event, AskAnswered)]
    assert answers[: bound + 1] == [Action.ACCEPT] * bound + [Action.REFUSE]
    asked = [seen for bot in bots for seen, _ in bot.asked if seen.phase is Phase.ASKED]
    assert len(asked) == answers.count(Action.ACCEPT)


def test_each_bot_sees_what_its_seat_may_see_and_can_follow_the_whole_match() -> None:
    """Folding what it saw over the first view gives the last one."""

    def swapper(view: View) -> Action:
        return Action.SWAP if Action.SWAP in view.legal else stander(view)

    bots = [Noting(as_bot(swapper if seat % 2 else stander)) for seat in range(5)]
    match = Match(Ruleset(pots=3), 5, 4)
    views = [observe(match, seat) for seat in range(5)]
    play_match(match, bots, Seeded("x", match_id_of("x", 2)).pack)
    for seat, bot in enumerate(bots):
        for event in bot.events:
            views[seat] = fold(views[seat], event)
            if isinstance(event, Dealt):
                assert [who for who, card in enumerate(event.cards) if card is not None] in ([], [seat])
            elif isinstance(event, Swapped) and seat not in {event.seat, event.target}:
                assert all(card is None or card is Card.HARLEKIN for card in (event.gave, event.got))
        assert views[seat] == observe(match, seat)
        assert isinstance(bot.events[-1], MatchEnded)


def test_events_are_told_to_listeners_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[int] = []

    def note(event: Event, seat: int) -> Event:
        told.append(seat)
        return event

    monkeypatch.setattr("kille_net.arena.play.redact", note)
    play([as_bot(stander), Noting(as_bot(stander)), as_bot(stander)], from_tops("4 5 6"))
    assert set(told) == {1}


def test_a_bot_that_nobody_guards_has_to_be_legal() -> None:
    with pytest.raises(IllegalAction):
        play([as_bot(lambda _view: Action.ACCEPT), as_bot(stander)], from_tops("4 5"))


def test_what_is_recorded_is_true() -> None:
    chance = Seeded("x", match_id_of("x", 3))
    rules = Ruleset(format=Format.STICKS, pots=4)
    header = MatchLine(
        id=chance.match_id,
        rules=rules,
        seats=tuple(SeatLabel(name) for name in ("A", "B", "C")),
        first_dealer=chance.first_dealer(3),
        shuffle=MatchLine.seeded("x"),
    )
    match = Match(rules, 3, header.first_dealer)
    lines: list[Line] = [
        header,
        *play_match(match, [as_bot(stander)] * 3, chance.pack, recorder=Recorder(header)),
    ]
    verdict = verify(map(to_json, lines))
    assert verdict.error is None
    assert verdict.hands == match.number == sum(isinstance(line, HandLine) for line in lines)
    assert isinstance(lines[-1], EndLine)
    assert lines[-1].winner == match.winner


def test_without_a_recorder_there_are_no_lines() -> None:
    match = Match(ONE_POT, 3, 2)
    assert play_match(match, [as_bot(stander)] * 3, from_tops("4 5 6")) == []
