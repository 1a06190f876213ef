"""Cards as small pictures: the figure of each kind, and pictures side by side.

Owns the figures; every character of one takes one cell, and has a form in ASCII. Refuses to know where pictures go,
and colours: those are names (`Style`).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from kille_net.client.effects import Line, Shown, Span, Style
from kille_net.client.showing.layout import fit, pad
from kille_net.client.showing.narrate import losses
from kille_net.client.showing.texts import CARDS, say
from kille_net.game.cards import Card
from kille_net.game.events import HiddenCard, Showdown
from kille_net.game.rules import Seat
from kille_net.wire.text import safe_text

__all__ = ["HEIGHT", "STYLE_OF", "WIDTH", "picture", "side_by_side", "turned_up"]

WIDTH: Final = 13
"""Cells of a picture."""
HEIGHT: Final = 7
"""Lines of a picture."""
_INNER: Final = WIDTH - 2
_GAP: Final = 2
_LILY: Final = "ψ"
_BACK: Final = "░" * _INNER

_PIPS: Final = (
    (0, 1, 0), (1, 0, 1), (1, 1, 1), (2, 0, 2), (2, 1, 2), (2, 2, 2),
    (2, 3, 2), (3, 2, 3), (3, 3, 3), (3, 4, 3), (4, 3, 4), (4, 4, 4),
)  # fmt: skip
"""The lilies of 1 to 12 in three rows."""

_FIGURES: Final[Mapping[Card, tuple[str, str, str]]] = {
    Card.BLAREN: (
        r"   .-'-.   ",
        r"  ( o o )  ",
        r"   \_~_/   ",
    ),
    Card.BLOMPOTTAN: (
        r"   @ @ @   ",
        r"   _\|/_   ",
        r"   \___/   ",
    ),
    Card.KRANSEN: (
        r"   .oOo.   ",
        r"   O   O   ",
        r"   'oOo'   ",
    ),
    Card.VARDSHUS: (
        r"  ____[]_  ",
        r" /___/___\ ",
        r" |[]_|_n_| ",
    ),
    Card.KAVALL: (
        r"    ,/|__  ",
        r"   /  o  \_",
        r"  /  /\__,/",
    ),
    Card.HUSU: (
        r"   _____^_ ",
        r" ~(    (oo)",
        r"   U''''U  ",
    ),
    Card.HUSAR: (
        r"    _n_   /",
        r"    (-)__/ ",
        r"    /#\    ",
    ),
    Card.KUKU: (
        r"    _      ",
        r"  <(')___  ",
        r"   (_,_/=- ",
    ),
    Card.HARLEKIN: (
        r"  o._ _.o  ",
        r"   \\V//   ",
        r"   (^_^)   ",
    ),
}
_LOW: Final = frozenset({Card.BLAREN, Card.BLOMPOTTAN, Card.KRANSEN})
STYLE_OF: Final[Mapping[Card, Style]] = {
    **dict.fromkeys(Card, Style.NUMBER),
    **dict.fromkeys(_LOW, Style.LOW),
    Card.VARDSHUS: Style.INN,
    Card.KAVALL: Style.HORSE,
    Card.HUSU: Style.PIG,
    Card.HUSAR: Style.HUSSAR,
    Card.KUKU: Style.CUCKOO,
    Card.HARLEKIN: Style.HARLEQUIN,
}
"""The colour of each kind."""


def picture(card: HiddenCard, lang: str, *, is_low: bool = False) -> list[Span]:
    """The lines of a card: its name, its figure, and its place among the 20 ranks (rule P2; P4 for a Harlekin)."""
    if card is None:
        inner, style = [_BACK] * (HEIGHT - 2), Style.QUIET
    else:
        inner, style = (
            [CARDS[lang][card], *_figure(card), _place(card, lang, is_low=is_low).rjust(_INNER)],
            STYLE_OF[card],
        )
    edge = "─" * _INNER
    lines = [f"┌{edge}┐", *(f"│{pad(fit(line, _INNER), _INNER)}│" for line in inner), f"└{edge}┘"]
    return [Span(line, style) for line in lines]


def _figure(card: Card) -> Sequence[str]:
    if card in _FIGURES:
        return _FIGURES[card]
    return [" ".join(_LILY * pips).center(_INNER) for pips in _PIPS[card - Card.N1]]


def _place(card: Card, lang: str, *, is_low: bool) -> str:
    if is_low:
        return say(lang, "picture_low")
    return f"{min(card, Card.KUKU) + 1}/{Card.KUKU + 1}"


def side_by_side(cards: Sequence[Shown], lang: str, columns: int) -> list[Line]:
    """The cards in rows, as many beside each other as so many columns hold; none where not even one has room."""
    most = (columns + _GAP) // (WIDTH + _GAP)
    if most < 1:
        return []
    rows = [cards[first : first + most] for first in range(0, len(cards), most)]
    return [line for row in rows for line in _row(row, lang)]


def _row(cards: Sequence[Shown], lang: str) -> Iterator[Line]:
    above, below = max(len(one.above) for one in cards), max(len(one.below) for one in cards)
    columns = [
        [
            *[*one.above, *[Span("")] * above][:above],
            *(picture(one.card, lang, is_low=one.is_low) if one.is_there else [Span("")] * HEIGHT),
            *one.below,
        ]
        for one in cards
    ]
    for number in range(above + HEIGHT + below):
        parts = [column[number] if number < len(column) else Span("") for column in columns]
        filled = [Span(pad(fit(part.text, WIDTH), WIDTH), part.style) for part in parts]
        yield tuple(span for part in filled for span in (Span(" " * _GAP), part))[1:]


def turned_up(event: Showdown, names: Sequence[str], lang: str, own: Seat | None) -> tuple[Shown, ...]:
    """The cards of a showdown, each under its holder, and under it why it cost a life."""
    why = losses(event)
    return tuple(
        Shown(
            card=card,
            is_low=seat in event.low_harlekins,
            above=(Span(say(lang, "you_are") if seat == own else safe_text(names[seat], WIDTH)),),
            below=(Span(say(lang, f"shown_{why[seat]}"), Style.LOUD),) if seat in why else (),
        )
        for seat, card in enumerate(event.cards)
        if card is not None
    )
