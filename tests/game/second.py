"""The rules of one hand a second time, written from rules.md in another way, to check the engine and perft by.

No state is ever changed: a `Spot` is a moment of a hand, `moves` gives every action that is legal there with the spots
that follow, and cards are the codes of P5. It is slow, and short.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

ORDER = ["blaren", "blompottan", "kransen", *map(str, range(1, 13)), "vardshus", "kavall", "husu", "husar", "kuku"]
HIGH = ("kuku", "harlekin")


class Held(NamedTuple):
    card: str
    low: bool = False


@dataclass(frozen=True)
class Spot:
    """A moment of a hand. `speaking` is a place in `seats`; `asked` the seat that owes an answer to an ask."""

    sticks: bool
    dealt_low: bool
    seats: tuple[int, ...]
    """In the hand, as they speak."""
    packs: tuple[tuple[str, ...], ...]
    """Still to come."""
    talon: tuple[str, ...] = ()
    thrown: tuple[str, ...] = ()
    dealt: tuple[Held, ...] = ()
    """By place, as dealt."""
    held: tuple[Held, ...] = ()
    """By place, now."""
    way: tuple[int, ...] = ()
    """The places that the card of who speaks has lain at."""
    speaking: int = 0
    asked: int | None = None
    asks: int = 0
    may_ask: bool = False
    struck: frozenset[int] = frozenset()
    end: str = ""
    """`over`, `lacks_pack`, or nothing yet."""

    @property
    def lost(self) -> frozenset[int]:
        """The seats that lose a life (L2 to L5)."""
        places = range(len(self.seats))
        first = self.struck | {place for place in places if self.held[place].low}
        rest = [place for place in places if place not in first]
        worst = min((ORDER.index(self.held[p].card) for p in rest if self.held[p].card not in HIGH), default=None)
        lowest = {p for p in rest if worst is not None and self.held[p].card == ORDER[worst]}
        lose: frozenset[int] = first | lowest
        if len(lose) == len(self.seats):
            lose = first if self.struck and len(first) < len(self.seats) else self.struck
        return frozenset(self.seats[place] for place in lose)


def begin(*, sticks: bool, dealt_low: bool, lives: list[int], dealer: int, packs: list[list[str]]) -> Spot:
    round_the_table = [*range(dealer + 1, len(lives)), *range(dealer + 1)]
    seats = tuple(seat for seat in round_the_table if lives[seat] > 0)
    return deal_afresh(Spot(sticks, dealt_low, seats, tuple(map(tuple, packs))))


def deal_afresh(spot: Spot) -> Spot:
    """From the next whole pack."""
    if not spot.packs:
        return replace(spot, end="lacks_pack")
    pack, *packs = spot.packs
    return deal(replace(spot, packs=tuple(packs), talon=pack, thrown=()))


def deal(spot: Spot) -> Spot:
    """From the talon (S2, F5, G3, G4)."""
    number = len(spot.seats)
    if len(spot.talon) < number:
        spot = mix(spot)
        if spot.end:
            return spot
    cards = spot.talon[:number]
    dealt = tuple(Held(card, spot.dealt_low and card == "harlekin") for card in cards)
    spot = replace(
        spot,
        talon=spot.talon[number:],
        dealt=dealt,
        held=dealt,
        way=(0,),
        speaking=0,
        asked=None,
        may_ask=number == 2 or (number == 3 and not spot.sticks),
        struck=frozenset(),
    )
    if number == 2 and "harlekin" in cards:
        return throw(spot)
    if number == 2 and "kuku" in cards and not spot.sticks:
        return show(spot)
    return spot


def throw(spot: Spot) -> Spot:
    """Other cards for all: in `pots` a whole new pack, in a duel the talon."""
    if not spot.sticks:
        return deal_afresh(spot)
    return deal(replace(spot, thrown=spot.thrown + tuple(held.card for held in spot.held), held=()))


def mix(spot: Spot) -> Spot:
    """G4; the first copies of each kind in the pack are those that count."""
    if not spot.packs:
        return replace(spot, end="lacks_pack")
    pile = list(spot.talon + spot.thrown)
    order = []
    for card in spot.packs[0]:
        if card in pile:
            pile.remove(card)
            order.append(card)
    return replace(spot, packs=spot.packs[1:], talon=tuple(order), thrown=())


def show(spot: Spot) -> Spot:
    """The showdown; a tied duel is dealt again (G3)."""
    if spot.sticks and len(spot.seats) == 2 and not spot.struck and spot.held[0].card == spot.held[1].card:
        return deal_afresh(spot)
    return replace(spot, end="over")


def speak(spot: Spot, place: int, way: tuple[int, ...] = ()) -> Spot:
    if place == len(spot.seats):
        return show(spot)
    return replace(spot, speaking=place, way=(*way, place), may_ask=False)


def undo(spot: Spot) -> Spot:
    """M3, M4."""
    held = tuple(spot.dealt[p] if p in spot.way else spot.held[p] for p in range(len(spot.seats)))
    return replace(spot, held=held, struck=spot.struck | {spot.way[0]})


def swap(spot: Spot) -> Spot:
    me = spot.speaking
    for place in range(me + 1, len(spot.seats)):
        match spot.held[place].card:
            case "vardshus" | "kavall":
                continue
            case "husu":
                return speak(undo(spot), place + 1)
            case "husar":
                return speak(replace(spot, struck=spot.struck | {me}), place + 1)
            case "kuku":
                return show(spot)
            case got:
                gave = spot.held[me].card
                both = gave == got == "harlekin"
                held = list(spot.held)
                held[me] = Held(got, got == "harlekin" and not both)
                held[place] = Held(gave, gave == "harlekin" and not both)
                return speak(replace(spot, held=tuple(held)), place, spot.way)
    return draw(spot)


def draw(spot: Spot) -> Spot:
    """Part 5; whatever is drawn, the swapping is over."""
    me = spot.speaking
    if not spot.talon:
        spot = mix(spot)
        if spot.end:
            return spot
    card, *talon = spot.talon
    spot = replace(spot, talon=tuple(talon))
    match card:
        case "vardshus" | "kavall" if not spot.sticks:
            return draw(spot)
        case "vardshus" | "kavall" | "kuku":
            return show(spot)
        case "husar":
            return show(replace(spot, struck=spot.struck | {me}))
        case "husu":
            return show(undo(spot))
    held = list(spot.held)
    held[me] = Held(card)
    return show(replace(spot, held=tuple(held)))


def moves(spot: Spot) -> Iterator[tuple[int, str, Spot]]:
    """Every legal action: the seat, what it does, and what follows."""
    if spot.end:
        return
    for place, held in enumerate(spot.held):
        if held.card == "kuku":
            yield spot.seats[place], "kuku", show(spot)
    last = len(spot.seats) - 1
    if spot.asked is None:
        seat = spot.seats[spot.speaking]
        yield seat, "stand", speak(spot, spot.speaking + 1)
        yield seat, "swap", swap(spot)
        if spot.may_ask and (spot.sticks or spot.asks < 3):
            yield seat, "ask", replace(spot, asked=last)
        return
    seat = spot.seats[spot.asked]
    yield seat, "refuse", replace(spot, asked=None, may_ask=False)
    if last == 2 and spot.asked == last:
        yield seat, "depends", replace(spot, asked=1)
    else:
        yield seat, "accept", throw(replace(spot, asks=spot.asks + 1))
