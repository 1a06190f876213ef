"""A hand that is over, told again with open cards to who looks on, each line marked as the past.

Owns the marking, and how a swap that came to nothing is told. Refuses to know the table as it is now.
"""

from collections.abc import Iterator, Sequence

from kille_net.client.showing.narrate import narrate
from kille_net.client.showing.texts import CARDS, Who, say
from kille_net.game.events import Dealt, HiddenCard
from kille_net.game.rules import Format, Seat
from kille_net.translate import from_hidden, from_move
from kille_net.wire import messages as wire

__all__ = ["past_lines"]


def past_lines(shown: wire.HandShown, names: Sequence[str], lang: str, game: Format | None) -> list[str]:
    """`names` are by seat and may be a peer's."""
    key = "past" if shown.deal == 1 else "past_again"
    told = [say(lang, "past_line", hand=shown.hand, text=text) for text in _told(shown, names, lang, game)]
    return [say(lang, key, hand=shown.hand), *told]


def _told(shown: wire.HandShown, names: Sequence[str], lang: str, game: Format | None) -> Iterator[str]:
    before = from_hidden(shown.cards)
    yield from narrate(Dealt(before), names, lang, None, game)
    for move in shown.moves:
        after = from_hidden(move.cards)
        event = from_move(move, before)
        if event is not None:
            yield from narrate(event, names, lang, None, game)
        else:
            who = Who(names[move.seat], lang, is_you=False)
            yield say(lang, "past_no_swap", who=who)
        if event is None and after != before:
            yield say(lang, "past_back", cards=_held(before, after, names, lang))
        before = after


def _held(before: Sequence[HiddenCard], after: Sequence[HiddenCard], names: Sequence[str], lang: str) -> str:
    """What those hold whose cards have changed."""
    changed: dict[Seat, str] = {
        seat: CARDS[lang][card]
        for seat, (had, card) in enumerate(zip(before, after, strict=True))
        if card is not None and card is not had
    }
    return ", ".join(
        say(lang, "seat_value", name=Who(names[seat], lang, is_you=False), value=card) for seat, card in changed.items()
    )
