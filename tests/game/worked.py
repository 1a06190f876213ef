"""Worked hands and matches: what a rule says, as data, and how the engine is held against it.

Cards are written by their codes, `-` for no card and `.` for one that the viewer does not know; seats by number. A
pack is written by its top; the other cards follow in the order of the full pack. The dealer is the last seat unless
it is named.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import pytest

from kille_net.game.actions import Action, IllegalAction, Phase, Refusal
from kille_net.game.cards import FULL_PACK, Card, Pack, is_pack
from kille_net.game.events import Event, HandBegan, HiddenCard, PotWon
from kille_net.game.folding import fold
from kille_net.game.judge import Referee
from kille_net.game.match import Match, Stage
from kille_net.game.record import VERIFIABLE, Line, MatchLine, Recorder, SeatLabel, to_json
from kille_net.game.replay import Verdict, verify
from kille_net.game.rules import Format, HarlekinRank, Ruleset, Seat
from kille_net.game.views import View, observe, privy, redact

SPECTATOR = None


def pack(top: str) -> Pack:
    """A whole pack with these cards on top."""
    rest = list(FULL_PACK)
    first = [Card.of_code(code) for code in top.split()]
    for card in first:
        rest.remove(card)
    whole = (*first, *rest)
    assert is_pack(whole)
    return whole


def moves(play: str) -> list[tuple[Seat, Action]]:
    """`0 swap, 2 stand`, in which a comma may be missing at a line's end."""
    words = play.replace(",", " ").split()
    return [(int(seat), Action[do.upper()]) for seat, do in zip(words[::2], words[1::2], strict=True)]


def codes(cards: tuple[HiddenCard, ...], nothing: str = "-") -> str:
    return " ".join(nothing if card is None else card.code for card in cards)


def numbers(text: str) -> tuple[int, ...]:
    return tuple(int(word) for word in text.split())


class Watch:
    """A match under the eyes of all its seats and of a spectator, each of which folds what it is told."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self.viewers: tuple[Seat | None, ...] = (*range(match.seats), SPECTATOR)
        self.views: dict[Seat | None, View] = {viewer: observe(match, viewer) for viewer in self.viewers}
        self.told: dict[Seat | None, list[Event]] = {viewer: [] for viewer in self.viewers}
        """The redacted events of the last step."""

    def deal(self, pack: Pack) -> list[Event]:
        return self._tell(self.match.deal(pack))

    def deal_on(self, tops: Iterator[str]) -> None:
        """Give the hand the packs that it wants."""
        while self.match.phase is Phase.DEAL:
            self.deal(pack(next(tops)))

    def act(self, seat: Seat, action: Action) -> list[Event]:
        return self._tell(self.match.act(seat, action))

    def break_off(self, reason: str) -> list[Event]:
        return self._tell(self.match.break_off(reason))

    def _tell(self, events: list[Event]) -> list[Event]:
        for viewer in self.viewers:
            self.told[viewer] = [redact(event, viewer) for event in events]
            for event, form in zip(events, self.told[viewer], strict=True):
                assert viewer in privy(event) or form == redact(event, None), "who sees more is said to"
            view = self.views[viewer]
            for event in self.told[viewer]:
                view = fold(view, event)
            self.views[viewer] = view
            assert view == observe(self.match, viewer), f"what {viewer} was told is not what it may know"
        return events


def in_the_midst(ruleset: Ruleset, lives: tuple[int, ...], dealer: Seat) -> Match:
    """A match whose coming hand is played on these lives."""
    match = Match(ruleset, len(lives), dealer)
    match._coming = 1, lives
    return match


@dataclass(frozen=True, kw_only=True)
class Worked:
    """A hand, and what is so after its last action: over if `lost` is given, otherwise open."""

    rules: str
    """The ids that it works out."""
    tale: str
    lives: str
    """Before the hand, by seat."""
    tops: tuple[str, ...]
    """Of each pack that is used."""
    play: str = ""
    dealer: Seat | None = None
    format: Format = Format.POTS
    dealt_low: bool = False

    cards: str
    """What the seats hold, by seat."""
    struck: str = ""
    low_harlekins: str = ""
    lost: str | None = None
    to_act: Seat | None = None
    face_up: str | None = None
    beside: str = ""
    sees: Mapping[Seat | None, str] = field(default_factory=dict)
    """What a viewer knows of the cards."""
    gone: Mapping[Seat | None, str] = field(default_factory=dict)
    """What a viewer knows of the cards that were given back."""
    refused: str = ""
    """Actions that are not legal then, with the reason: `1 stand not_your_turn`."""

    def __str__(self) -> str:
        return f"{self.rules.replace(' ', '+')} {self.tale}"

    @property
    def ruleset(self) -> Ruleset:
        rank = HarlekinRank.LOW if self.dealt_low else HarlekinRank.HIGH
        return Ruleset(format=self.format, dealt_harlekin=rank, pots=100)

    def watched(self) -> Watch:
        """The match after the play."""
        lives = numbers(self.lives)
        watch = Watch(in_the_midst(self.ruleset, lives, len(lives) - 1 if self.dealer is None else self.dealer))
        packs = iter(self.tops)
        watch.deal_on(packs)
        for seat, action in moves(self.play):
            watch.act(seat, action)
            watch.deal_on(packs)
        assert next(packs, None) is None, "a pack is left over"
        return watch

    def before_the_redeal(self) -> Watch:
        """The match when it waits for its second pack."""
        lives = numbers(self.lives)
        watch = Watch(in_the_midst(self.ruleset, lives, len(lives) - 1 if self.dealer is None else self.dealer))
        watch.deal(pack(self.tops[0]))
        for seat, action in moves(self.play):
            watch.act(seat, action)
        assert watch.match.phase is Phase.DEAL
        return watch

    def check(self) -> None:
        watch = self.watched()
        hand = watch.match.hand
        assert hand is not None
        assert codes(hand.table.cards()) == self.cards
        assert hand.struck == numbers(self.struck)
        assert hand.table.low_harlekins == numbers(self.low_harlekins)
        assert " ".join(card.code for card in hand.table.beside) == self.beside
        if self.face_up is not None:
            assert hand.table.face_up == numbers(self.face_up)
        if self.lost is None:
            assert hand.phase is not Phase.OVER
            assert hand.to_act == self.to_act
        else:
            assert hand.showdown is not None
            assert hand.showdown.lost == numbers(self.lost)
            lost = hand.showdown.lost
            assert hand.showdown.lives == tuple(n - (seat in lost) for seat, n in enumerate(numbers(self.lives)))
        for viewer, cards in self.sees.items():
            assert codes(watch.views[viewer].cards, ".") == cards, f"what {viewer} sees"
        for viewer, cards in self.gone.items():
            assert " ".join(card.code for card in watch.views[viewer].gone) == cards, f"what {viewer} knows to be gone"
        self._check_refusals(watch)
        self._check_referee()

    def _check_refusals(self, watch: Watch) -> None:
        words = self.refused.replace(",", " ").split()
        for seat, do, why in zip(words[::3], words[1::3], words[2::3], strict=True):
            assert watch.match.why_not(int(seat), Action[do.upper()]) is Refusal(why)
            with pytest.raises(IllegalAction) as caught:
                watch.match.act(int(seat), Action[do.upper()])
            assert caught.value.refusal is Refusal(why)

    def told(self) -> dict[str, object]:
        """As a hand line has it."""
        lives = numbers(self.lives)
        return {
            "type": "hand",
            "rules": {"format": self.format.value, "dealt_harlekin": "low" if self.dealt_low else "high"},
            "dealer": len(lives) - 1 if self.dealer is None else self.dealer,
            "lives": list(lives),
            "packs": [[card.code for card in pack(top)] for top in self.tops],
            "actions": [{"seat": seat, "do": action.code} for seat, action in moves(self.play)],
        }

    def _check_referee(self) -> None:
        judged = Referee().judge(json.dumps(self.told()))
        assert judged is not None
        answer = {
            "cards": [None if code == "-" else code for code in self.cards.split()],
            "struck": list(numbers(self.struck)),
        }
        if self.lost is None:
            assert judged.answer.pop("face_up") == list(numbers(self.face_up or "")) or self.face_up is None
            assert judged.answer == {"done": False, "to_act": self.to_act, **answer}
            return
        lost = numbers(self.lost)
        assert judged.answer == {
            "done": True,
            **answer,
            "low_harlekins": list(numbers(self.low_harlekins)),
            "lost": list(lost),
            "lives_after": [n - (seat in lost) for seat, n in enumerate(numbers(self.lives))],
        }


@dataclass(frozen=True, kw_only=True)
class MatchHand:
    """A hand of a worked match, in which all stand unless it is said otherwise."""

    dealer: Seat
    lives: str
    """Before the hand."""
    tops: tuple[str, ...]
    play: str | None = None
    lost: str
    pot: int | None
    won: Seat | None = None
    """Who wins the pot or parti with it."""


@dataclass(frozen=True, kw_only=True)
class WorkedMatch:
    """A whole match, hand by hand, and how it ends."""

    rules: str
    tale: str
    format: Format = Format.POTS
    pots: int
    hands: tuple[MatchHand, ...]
    winner: Seat
    points: str

    def __str__(self) -> str:
        return f"{self.rules.replace(' ', '+')} {self.tale}"

    def check(self) -> None:
        seats = len(self.hands[0].lives.split())
        ruleset = Ruleset(format=self.format, pots=self.pots)
        match = Match(ruleset, seats, self.hands[0].dealer)
        watch = Watch(match)
        labels = tuple(SeatLabel(f"Seat {seat}") for seat in range(seats))
        shuffle = {"kind": VERIFIABLE}
        recorder = Recorder(
            MatchLine(id=bytes(16), rules=ruleset, seats=labels, first_dealer=match.first_dealer, shuffle=shuffle)
        )
        lines: list[Line] = [recorder.header]
        points = [0] * seats
        for number, hand in enumerate(self.hands, 1):
            assert match.wants_pack
            assert match.next_pack == (number, 0)
            events = self._play(watch, hand, recorder, lines)
            lives = numbers(hand.lives)
            assert events[0] == HandBegan(number, hand.pot, hand.dealer, lives, tuple(points))
            lost = numbers(hand.lost)
            assert match.hand is not None
            assert match.hand.showdown is not None
            assert match.hand.showdown.lost == lost
            assert match.lives == tuple(n - (seat in lost) for seat, n in enumerate(lives))
            won = [event for event in events if isinstance(event, PotWon)]
            if hand.won is None:
                assert not won
            else:
                points[hand.won] += 1
                assert won == [PotWon(hand.pot or 0, hand.won, tuple(points))]
            assert (match.stage is Stage.OVER) == (hand is self.hands[-1])
        assert (match.winner, match.points) == (self.winner, numbers(self.points))
        assert not match.wants_pack
        with pytest.raises(IllegalAction):
            match.deal(pack(""))
        verdict = verify(map(to_json, lines), prepared=True)
        assert verdict == Verdict(matches=1, hands=len(self.hands), error=None)

    def _play(self, watch: Watch, hand: MatchHand, recorder: Recorder, lines: list[Line]) -> list[Event]:
        match = watch.match
        packs = iter(self.packs_of(hand))
        events: list[Event] = []

        def deal_on() -> None:
            while match.phase is Phase.DEAL or (match.phase is Phase.OVER and not events):
                dealt = next(packs)
                more = watch.deal(dealt)
                events.extend(more)
                lines.extend(recorder.dealt(dealt, more))

        deal_on()
        todo = iter(() if hand.play is None else moves(hand.play))
        while match.phase is not Phase.OVER:
            seat = match.to_act
            assert seat is not None
            move = (seat, Action.STAND) if hand.play is None else next(todo)
            more = watch.act(*move)
            events += more
            lines += recorder.acted(*move, more)
            deal_on()
        assert next(packs, None) is None, "a pack is left over"
        assert next(todo, None) is None, "an action is left over"
        return events

    @staticmethod
    def packs_of(hand: MatchHand) -> list[Pack]:
        return [pack(top) for top in hand.tops]
