"""The situations of the rules that a bot is tried in, as a table: which cards are dealt, who sits where, who does what.

Owns what makes each of them that situation, and which rules it is about (rules.md). What the rules say of it is the
engine's to know: nothing here tells what a bot should do.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias

from kille_net.bots import Bot
from kille_net.game.actions import DEFAULTS, Action, Phase
from kille_net.game.cards import FULL_PACK, Card, Pack
from kille_net.game.events import CardRefused, CardsThrown, Drew, Event, KukuCalled, SeatStruck, Swapped, SwapsUndone
from kille_net.game.match import Match
from kille_net.game.rules import REFUSALS, Format, HarlekinRank, Length, Ruleset, Seat
from kille_net.game.shuffle import Seeded, match_id_of
from kille_net.game.views import View, observe

__all__ = ["SITUATIONS", "Group", "Others", "Packs", "Scripted", "Situation", "pack_of", "view_of"]

Packs: TypeAlias = Callable[[int, int], Pack]


class Group(Enum):
    """What the report tells of together."""

    DEALT = "dealt"
    REFUSED = "refused"
    TALON = "talon"
    HARLEKIN = "harlekin"
    KUKU = "kuku"
    ASKS = "asks"
    DUEL = "duel"
    MATCH = "match"


class Others(Enum):
    """What all others at the table do: the first of these that they may, and else the default."""

    STAND = (Action.STAND,)
    SWAP = (Action.SWAP,)
    ASK_AND_AGREE = (Action.ASK, Action.ACCEPT, Action.DEPENDS)
    ASK_AND_SWAP = (Action.ASK, Action.SWAP)


class Scripted(Bot):
    """Does what `Others` says."""

    def __init__(self, others: Others, *, calls: bool = False) -> None:
        self._wishes = others.value
        self._calls = calls

    def decide(self, view: View) -> Action:
        legal = view.legal
        return next((wish for wish in self._wishes if wish in legal), DEFAULTS[view.phase])

    def calls_kuku(self, view: View) -> bool:
        return self._calls


Meets: TypeAlias = Phase | Card | type[Event]
"""A phase in which the bot is asked, a card that it holds when it is asked, or what happens at the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """The first hand of a match in which the last seat deals, or that whole match."""

    what: str
    """`GROUP.what`, in words: the text `situation.GROUP.what`."""
    rules: tuple[str, ...]
    seat: Seat
    """The bot's."""
    seats: int = 4
    top: str | None = None
    """Of the pack, by the cards' codes, the first for the first seat; what is drawn or dealt again comes after them.

    None: a whole match, with packs of chance, among players of all manners.
    """
    format: Format = Format.POTS
    length: Length = Length.SHORT
    dealt: HarlekinRank = HarlekinRank.HIGH
    others: Others = Others.STAND
    card: Card | None = None
    """The one that it is about."""
    meets: Meets = Phase.TURN
    """What makes it this situation; where that takes a swap of the bot's, a bot may miss it."""

    @property
    def group(self) -> Group:
        return Group(self.what.partition(".")[0])

    @property
    def key(self) -> str:
        """By which it is asked for again."""
        marks = [self.what]
        if self.card is not None:
            marks.append(self.card.code)
        if self.top is None:
            marks.append(str(self.seats))
        if self.format is Format.STICKS:
            marks.append("sticks")
        return ".".join(marks)

    @property
    def ruleset(self) -> Ruleset:
        return Ruleset.for_seats(self.seats, format=self.format, length=self.length, dealt_harlekin=self.dealt)

    @property
    def first_dealer(self) -> Seat:
        return self.seats - 1

    def packs(self, seed: str) -> Packs:
        chance = Seeded(seed, match_id_of(self.key, 0)).pack
        if self.top is None:
            return chance
        first = pack_of(self.top)
        return lambda hand, redeal: first if (hand, redeal) == (1, 0) else chance(hand, redeal)

    def players(self) -> list[Bot]:
        """Of all seats; the bot takes the place of one."""
        if self.top is not None:
            return [Scripted(self.others) for _ in range(self.seats)]
        manners = tuple(Others)
        return [Scripted(manners[seat % len(manners)], calls=seat % 3 == 0) for seat in range(self.seats)]


def pack_of(top: str) -> Pack:
    """A whole pack with these cards on top. Raises ValueError where there are too many of one kind."""
    rest = list(FULL_PACK)
    first = [Card.of_code(code) for code in top.split()]
    for card in first:
        rest.remove(card)
    return (*first, *rest)


def view_of(top: str, seats: int = 4, play: Sequence[tuple[Seat, Action]] = (), rules: Ruleset | None = None) -> View:
    """What the seat sees whose answer is open when these cards were dealt, from seat 0 on, and these actions followed.

    For tests of one's own bot; the last seat deals. Raises IllegalAction where an action is not legal.
    """
    match = Match(rules or Ruleset(), seats, seats - 1)
    match.deal(pack_of(top))
    for seat, action in play:
        match.act(seat, action)
    return observe(match, match.to_act)


# --- the table --------------------------------------------------------------------------------------------------------

_RULE_OF: Final = {Card.VARDSHUS: "M1", Card.KAVALL: "M1", Card.HUSU: "M3", Card.HUSAR: "M5", Card.KUKU: "M6"}
_DRAWN: Final = {
    Card.N5: "D1",
    Card.BLAREN: "D1",
    Card.HARLEKIN: "D1",
    Card.KUKU: "D2",
    Card.HUSAR: "D3",
    Card.HUSU: "D4",
    Card.KAVALL: "D5",
    Card.VARDSHUS: "D5",
}
_FILL: Final = ("9", "9", "10", "10", "11", "11", "12", "12")
"""Cards for those who are not meant."""
_DEALER: Final = 3
"""Of four."""


def _deal(cards: Mapping[Seat, str], seats: int = 4, talon: str = "") -> str:
    """The top of a pack that deals these cards to these seats, and then has those."""
    fill = (code for code in _FILL if code not in cards.values())
    return " ".join([*(cards.get(seat) or next(fill) for seat in range(seats)), *talon.split()])


def _dealt() -> Iterator[Situation]:
    for card in Card:
        for seat, what, rule in ((0, "first", "T1"), (2, "later", "T1"), (_DEALER, "dealer", "T4")):
            top = _deal({seat: card.code})
            yield Situation(what=f"dealt.{what}", rules=("S2", rule), seat=seat, top=top, card=card, meets=card)
    yield Situation(what="dealt.eight", rules=("S1",), seat=4, seats=8, top="9 9 10 10 3 11 11 12")


def _refused() -> Iterator[Situation]:
    for card in REFUSALS:
        top = _deal({0: "2", 1: card.code})
        yield Situation(what="refused.by", rules=(_RULE_OF[card],), seat=0, top=top, card=card, meets=CardRefused)
    past = _deal({1: "2", 2: "kavall", 3: "vardshus"}, talon="8")
    yield Situation(what="refused.past_the_dealer", rules=("M2",), seat=1, top=past, meets=CardRefused)
    back = _deal({0: "3", 1: "4", 2: "husu"})
    yield Situation(what="refused.sent_back", rules=("M3", "M4"), seat=1, top=back, others=SWAP, meets=SwapsUndone)
    yield Situation(what="refused.struck", rules=("M3", "M9"), seat=0, top=back, others=SWAP, meets=SeatStruck)
    seen = _deal({0: "2", 1: "husar", 2: "5"})
    yield Situation(what="refused.seen", rules=("M5",), seat=2, top=seen, others=SWAP, meets=SeatStruck)


def _talon() -> Iterator[Situation]:
    for format_ in Format:
        for card, rule in _DRAWN.items():
            top = _deal({_DEALER: "2"}, talon=f"{card.code} 8")
            rules = ("T4", rule)
            yield Situation(
                what="talon.drawn", rules=rules, seat=_DEALER, top=top, format=format_, card=card, meets=Drew
            )
    top = _deal({_DEALER: "2"}, talon="kavall husar")
    yield Situation(what="talon.seen", rules=("D5", "D6"), seat=0, top=top, others=SWAP, meets=Drew)


def _harlekin() -> Iterator[Situation]:
    low, card = HarlekinRank.LOW, Card.HARLEKIN
    yield Situation(what="harlekin.dealt_low", rules=("H4",), seat=1, top=_deal({1: "harlekin"}), dealt=low, meets=card)
    for what, seat, rules, cards in (
        ("got", 1, ("H1", "H3"), {0: "harlekin", 1: "5"}),
        ("got_by_dealer", _DEALER, ("H1", "H3"), {2: "harlekin", 3: "5"}),
        ("given", 1, ("H1", "H3"), {0: "5", 1: "harlekin"}),
        ("two_meet", 1, ("H2",), {0: "harlekin", 1: "harlekin"}),
    ):
        yield Situation(what=f"harlekin.{what}", rules=rules, seat=seat, top=_deal(cards), others=SWAP, meets=Swapped)


def _kuku() -> Iterator[Situation]:
    for what, seat, others in (
        ("first", 0, Others.STAND),
        ("waiting", 1, Others.STAND),
        ("asked_for", 1, SWAP),
        ("dealer", _DEALER, SWAP),
    ):
        top = _deal({seat: "kuku"})
        yield Situation(what=f"kuku.{what}", rules=("M7",), seat=seat, top=top, others=others, meets=Card.KUKU)
    for seat, what in ((0, "asker"), (1, "middle"), (2, "asked")):
        top = _deal({seat: "kuku"}, 3)
        rules = ("F4", "M7")
        yield Situation(what=f"kuku.{what}", rules=rules, seat=seat, seats=3, top=top, others=AGREE, meets=Card.KUKU)
    yield Situation(what="kuku.two", rules=("M7",), seat=2, top=_deal({0: "kuku", 2: "kuku"}), meets=Card.KUKU)
    duel = _deal({1: "kuku"}, 2)
    sticks = Format.STICKS
    yield Situation(what="kuku.duel", rules=("G3", "M7"), seat=1, seats=2, top=duel, format=sticks, meets=Card.KUKU)


def _asks() -> Iterator[Situation]:
    for what, seat, top, others, meets in (
        ("refused", 0, "2 9 10", Others.STAND, Phase.TURN),
        ("agreed", 0, "2 9 10", AGREE, Phase.TURN),
        ("dealer", 2, "2 9 5", AGREE, Phase.ASKED),
        ("middle", 1, "2 5 9", AGREE, Phase.MIDDLE),
    ):
        yield Situation(what=f"asks.{what}", rules=("F4",), seat=seat, seats=3, top=top, others=others, meets=meets)


def _duel() -> Iterator[Situation]:
    for format_, rule in ((Format.POTS, "F4"), (Format.STICKS, "G3")):
        for what, seat, top, rules, others, meets in (
            ("first", 0, "3 9", (rule,), Others.STAND, Phase.TURN),
            ("dealer", 1, "9 3", ("T4",), Others.STAND, Phase.TURN),
            ("swapped", 1, "5 3", ("T2",), SWAP, Swapped),
            ("asked", 1, "9 3", (rule,), AGREE, Phase.ASKED),
            ("harlekin", 0, "harlekin 5 4 6", ("F5", "G3"), Others.STAND, CardsThrown),
        ):
            yield Situation(
                what=f"duel.{what}",
                rules=rules,
                seat=seat,
                seats=2,
                top=top,
                format=format_,
                others=others,
                meets=meets,
            )
    yield Situation(what="duel.tie", rules=("G3",), seat=1, seats=2, top="8 8", format=Format.STICKS, meets=CardsThrown)
    yield Situation(what="duel.kuku", rules=("F5",), seat=0, seats=2, top="5 kuku", meets=KukuCalled)


def _matches() -> Iterator[Situation]:
    for format_, rules in ((Format.POTS, ("F1", "F3", "S4")), (Format.STICKS, ("G1", "G5", "S4"))):
        for seats in (2, 3, 4, 8):
            yield Situation(what="match.whole", rules=rules, seat=seats // 2, seats=seats, format=format_)
    yield Situation(what="match.harlekin_low", rules=("H4",), seat=1, seats=5, dealt=HarlekinRank.LOW)
    yield Situation(what="match.long", rules=("F2",), seat=0, length=Length.LONG)


SWAP: Final = Others.SWAP
AGREE: Final = Others.ASK_AND_AGREE
SITUATIONS: Final[tuple[Situation, ...]] = tuple(
    situation for rows in (_dealt, _refused, _talon, _harlekin, _kuku, _asks, _duel, _matches) for situation in rows()
)
