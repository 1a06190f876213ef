"""What one seat saw of a match, held against the packs that must have been."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from random import Random

import pytest

from kille_net.game.cards import Pack
from kille_net.game.events import Dealt, Event, HandBegan, Showdown
from kille_net.game.match import Match, Stage
from kille_net.game.rules import Format, HarlekinRank, Ruleset
from kille_net.game.shuffle import Material
from kille_net.game.views import View, observe, redact
from kille_net.game.witness import Finding, Witness
from tests.catalogue.rows import row
from tests.deep import size
from tests.game.playing import choose
from tests.game.test_sealed import material

Seen = Event | View


@dataclass(slots=True)
class Played:
    """A match, and each step of it as it looked to one viewer."""

    chance: Material
    match: Match
    viewer: int | None
    steps: list[tuple[list[Event], View]] = field(default_factory=list)
    """What happened, and how the table looked after it."""

    def witness(self, seen: "list[Seen] | None" = None) -> Witness:
        witness = Witness(self.match.ruleset, self.match.seats, self.viewer)
        for one in self.events if seen is None else seen:
            if isinstance(one, View):
                witness.missed(one)
            else:
                witness.saw(one)
        return witness

    def check(self, seen: "list[Seen] | None" = None) -> Finding:
        return self.witness(seen).check(self.chance, None)

    @property
    def events(self) -> list[Seen]:
        return [event for events, _ in self.steps for event in events]


def play(
    number: int,
    seats: int,
    ruleset: Ruleset,
    viewer: int | None,
    lay: Callable[[int, int, Pack], Pack] = lambda _hand, _redeal, pack: pack,
) -> Played:
    """`lay` puts another pack in the place of that which follows from the shuffle."""
    chance = material(number, seats)
    match = Match(ruleset, seats, chance.first_dealer(seats))
    played = Played(chance, match, viewer)
    whim = Random(number)
    while match.stage is not Stage.OVER:
        if match.wants_pack:
            at = match.next_pack
            events = match.deal(lay(*at, chance.pack(*at)))
        else:
            events = match.act(*choose(match, whim))
        played.steps.append(([redact(event, viewer) for event in events], observe(match, viewer)))
    return played


def some(number: int, viewers: bool = True) -> Played:  # noqa: FBT001, FBT002  a switch of a helper
    seats = 2 + number % 7
    ruleset = Ruleset(
        format=list(Format)[number % 2], dealt_harlekin=list(HarlekinRank)[number // 2 % 2], pots=1 + number % 3
    )
    viewer = number // 7 % (seats + 1) if viewers else None
    return play(number, seats, ruleset, None if viewer == seats else viewer)


@pytest.mark.parametrize("number", range(size(56, 5_000)))
def test_an_honest_match_agrees_with_all_that_any_seat_saw(number: int) -> None:
    played = some(number)
    hands = sum(isinstance(event, HandBegan) for event in played.events)
    assert played.check() == Finding(hands, is_whole=True, wrong_hand=None)


def gaps(played: Played, whim: Random) -> Iterator[Seen]:
    """What is seen by somebody whose line is lost now and then, also in the middle of what one move brought about."""
    missing = 0
    for events, view in played.steps:
        if missing:
            missing -= 1
            if not missing:
                yield view
            continue
        if whim.random() < 0.15:
            missing = whim.choice((1, 1, 2, 3, 8, 30))
            yield from events[: whim.randrange(len(events) + 1)]
            continue
        yield from events
    if missing:
        yield played.steps[-1][1]


@pytest.mark.parametrize("number", range(size(140, 20_000)))
def test_an_honest_match_agrees_with_what_was_seen_between_gaps(number: int) -> None:
    played = some(number)
    seen = list(gaps(played, Random(number)))
    finding = played.check(seen)
    assert finding.agrees
    assert finding.is_whole == (seen == played.events)


def test_who_comes_in_at_any_moment_of_a_hand_finds_the_table() -> None:
    played = some(5)
    for at, (_, view) in enumerate(played.steps):
        seen: list[Seen] = [view, *(event for events, _ in played.steps[at + 1 :] for event in events)]
        assert played.check(seen).agrees, at


def swapped(pack: Pack, one: int, other: int) -> Pack:
    cards = list(pack)
    cards[one], cards[other] = cards[other], cards[one]
    return tuple(cards)


@row(37)
@pytest.mark.parametrize("number", range(size(10, 2_000)))
def test_a_stacked_pack_is_caught_by_whoever_saw_a_card_that_it_changed(number: int) -> None:
    """Two cards of one pack change places; the seats play as they are dealt."""
    honest = some(number)
    whim = Random(number)
    hands = sum(isinstance(event, HandBegan) for event in honest.events)
    caught = 0
    for tries in range(20):
        if caught and tries > 2:
            break
        hand, one = whim.randint(1, hands), whim.randrange(honest.match.seats)
        other = whim.choice([place for place in range(42) if place != one])

        def lay(n: int, redeal: int, pack: Pack, at: tuple[int, int, int] = (hand, one, other)) -> Pack:
            return swapped(pack, at[1], at[2]) if (n, redeal) == (at[0], 0) else pack

        for viewer in (0, honest.match.seats - 1, None):
            stacked = play(number, honest.match.seats, honest.match.ruleset, viewer, lay)
            true = play(number, honest.match.seats, honest.match.ruleset, viewer)
            finding = stacked.check()
            if first_difference(stacked, true) is Dealt:
                assert finding.wrong_hand == hand, "its own card was another"
            if stacked.events == true.events:
                assert finding.agrees
            else:
                # What the seats did may have changed with the cards; then so has what was seen of them.
                assert finding.wrong_hand in {None, hand}
            caught += not finding.agrees
    assert caught


def first_difference(one: Played, other: Played) -> type[Event] | None:
    pairs = zip(one.events, other.events, strict=False)
    return next((type(a) for a, b in pairs if a != b), None)  # type: ignore[return-value]  # there are no views


@row(37)
@pytest.mark.parametrize("kind", Format)
@pytest.mark.parametrize("seats", range(2, 9))
def test_every_card_that_is_shown_at_a_showdown_is_checked(seats: int, kind: Format) -> None:
    """…for whoever looks on, too: the server shows other cards than those of the pack."""
    played = play(seats, seats, Ruleset(format=kind, pots=1), None)
    events = played.events
    shown = [at for at, event in enumerate(events) if isinstance(event, Showdown)]
    for at in shown[:3]:
        event = events[at]
        assert isinstance(event, Showdown)
        number = max(e.number for e in events[:at] if isinstance(e, HandBegan))
        for seat, card in enumerate(event.cards):
            if card is None:
                continue
            other = next(c for c in type(card) if c is not card)
            cards = (*event.cards[:seat], other, *event.cards[seat + 1 :])
            lie: list[Seen] = [*events[:at], replace(event, cards=cards), *events[at + 1 :]]
            assert played.check(lie).wrong_hand == number


@row(37)
@pytest.mark.parametrize("number", range(12))
def test_nothing_can_be_said_twice(number: int) -> None:
    played = some(number)
    events = played.events
    for at in range(min(len(events), 40)):
        twice = [*events[: at + 1], *events[at:]]
        assert not played.check(twice).agrees


@row(37)
def test_another_first_dealer_is_caught_unless_the_deal_went_on() -> None:
    for number in range(14):
        played = some(number)
        seats = played.match.seats
        witness = played.witness()
        dealer = played.chance.first_dealer(seats)
        assert witness.check(played.chance, dealer).agrees
        assert witness.check(played.chance, (dealer + 1) % seats).wrong_dealer


@row(37)
def test_another_secret_or_nonce_explains_nothing() -> None:
    for number in range(14):
        played = some(number)
        chance = played.chance
        others = (
            Material(bytes(32), chance.match_id, chance.nonces),
            Material(chance.secret, bytes(16), chance.nonces),
            Material(chance.secret, chance.match_id, chance.nonces[::-1]),
            Material(chance.secret, chance.match_id, ()),
        )
        for other in others:
            if other.nonces == chance.nonces and other == chance:
                continue
            assert not played.witness().check(other, played.match.first_dealer).agrees


@row(37)
def test_a_card_that_was_seen_after_a_gap_is_checked() -> None:
    """The line was lost in the middle of a hand; its showdown shows a card that nobody was dealt."""
    played = play(3, 5, Ruleset(pots=1), 2)
    for at, (events, view) in enumerate(played.steps):
        if not any(isinstance(event, Showdown) for event in events) or at < 2:
            continue
        seen: list[Seen] = [*(event for before, _ in played.steps[: at - 2] for event in before)]
        before = played.steps[at - 1][1]
        for k, event in enumerate(events):
            if isinstance(event, Showdown):
                cards = tuple(next(c for c in type(card) if c is not card) if card else None for card in event.cards)
                lies = [*events[:k], replace(event, cards=cards), *events[k + 1 :]]
                assert played.check([*seen, before, *events]).agrees
                assert not played.check([*seen, before, *lies]).agrees
        cards = tuple(next(c for c in type(card) if c is not card) if card else None for card in view.cards)
        assert not played.check([*seen, replace(view, cards=cards)]).agrees


def test_a_hand_that_no_game_has_is_wrong_and_no_error() -> None:
    witness = Witness(Ruleset(), 3, 0)
    witness.saw(HandBegan(2, 1, 0, (0, 3, 3), (0, 0, 0)))
    assert witness.check(material(0, 3), None).wrong_hand == 2


def test_a_match_without_an_end_takes_no_more_than_its_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kille_net.game.witness._MOST_SEEN", 10)
    played = some(3)
    finding = played.check()
    assert finding.agrees
    assert not finding.is_whole


def test_a_gap_that_cannot_be_gone_through_is_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kille_net.game.witness._PATIENCE", 2)
    played = some(6)
    finding = played.check(list(gaps(played, Random(6))))
    assert finding.agrees
    assert not finding.is_whole
