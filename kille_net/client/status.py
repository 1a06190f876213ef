"""The status lines: the table at a glance, above the line that is typed.

Owns how the table is laid out in the room that there is. Refuses to know the terminal: its size is told, and colours
are names (`Style`).
"""

from typing import Final, NamedTuple

from kille_net.client.effects import Line, Span, Style
from kille_net.client.layout import SMALLEST, TURN, flow
from kille_net.client.listing import waits_for
from kille_net.client.model import Model
from kille_net.client.texts import CARDS, say
from kille_net.game.cards import Card
from kille_net.game.rules import Seat
from kille_net.game.views import View
from kille_net.wire import messages as wire
from kille_net.wire.text import safe_text

__all__ = ["Notes", "status"]

_NAME_CELLS: Final = 32
"""Of a name that is not shortened."""


class Notes(NamedTuple):
    """What the status lines tell that the server did not."""

    is_sent: bool = False
    """Our answer to the open question is under way."""
    is_unsure: bool = False
    """A swap waits for our yes."""
    silence: int = 0
    """Seconds since the server was heard, where they are worth a word."""
    attempts: int = 0
    """How often we have tried to reach it again; 0: the line is not known to be lost."""


def status(model: Model, notes: Notes, lang: str, now: float, size: tuple[int, int]) -> list[Line]:
    """The table in few lines, for a terminal of (columns, rows): at most a third of the rows, and one at least."""
    columns, rows = size
    columns -= 1  # the last one is where terminals differ
    if columns < SMALLEST:
        return []
    most = max(rows // 3, 1)
    below = flow(_situation(model, notes, lang, now), " · ", columns)
    if model.room is None or model.view is None or not model.is_playing:
        return below[:most]
    above: list[Line] = []
    for name_cells in (_NAME_CELLS, 10, 6, 3, 1):
        short = name_cells < _NAME_CELLS
        seats = [_seat(model, model.view, seat, lang, now, name_cells=name_cells) for seat in range(len(model.names))]
        above = flow(seats, " | " if not short else " ", columns)
        if len(above) + len(below) <= most:
            break
    below = below[: max(most - len(above), 1)]  # the table goes before the details, whose turn it is before both
    return [*above[: most - len(below)], *below]


def _seat(model: Model, view: View, seat: Seat, lang: str, now: float, *, name_cells: int) -> Span:
    name = say(lang, "you_are") if seat == model.seat else safe_text(model.names[seat], name_cells)
    short = name_cells < _NAME_CELLS
    form = "short_" if short else ""
    if not view.lives[seat] and view.origins[seat] is None:
        return Span(f"{name} {say(lang, f'{form}out' if short else 'is_out')}", Style.QUIET)
    is_acting = model.turn is not None and model.turn.seat == seat
    parts = [f"{f'{TURN} ' if is_acting else ''}{name} {view.lives[seat]}"]
    card = view.cards[seat]
    if card is not None and seat in view.face_up:
        parts.append(f"[{_card(view, seat, card, lang)}]")
    elif card is not None and model.seat is None:  # all cards are open to the reader
        parts.append(f"({_card(view, seat, card, lang)})")
    if seat in view.struck:
        parts.append(say(lang, f"{form}struck" if short else "is_struck"))
    if seat == view.dealer:
        parts.append(say(lang, f"{form}deals" if short else "deals"))
    if model.room is not None and model.room.seats[seat].away is not None:
        parts.append(say(lang, "is_away") + _countdown(model.returns[seat], now))
    style = Style.PLAIN if not is_acting else Style.MINE if seat == model.seat else Style.LOUD
    return Span(" ".join(parts), style)


def _card(view: View, seat: Seat, card: Card, lang: str) -> str:
    return f"{CARDS[lang][card]}{'-' if seat in view.low_harlekins else ''}"


def _countdown(until: float | None, now: float) -> str:
    """How long somebody who is away is still waited for."""
    left = 0 if until is None else max(0, round(until - now))
    return f" {left} s" if left else ""


def _situation(model: Model, notes: Notes, lang: str, now: float) -> list[Span]:
    """What is open, the most urgent first."""
    spans: list[Span] = []
    if notes.attempts:
        text = say(lang, "out_of_contact", seconds=notes.silence, attempts=notes.attempts)
        spans.append(Span(text, Style.FAULT))
    elif notes.silence:
        spans.append(Span(say(lang, "silence", seconds=notes.silence), Style.FAULT))
    if model.is_stuck:
        spans.append(Span(say(lang, "server_stuck"), Style.FAULT))
    if model.stops_at is not None and not notes.attempts:
        spans.append(Span(say(lang, "server_stops", seconds=max(0, round(model.stops_at - now))), Style.FAULT))
    room, view = model.room, model.view
    if room is None:
        return [*spans, Span(say(lang, "in_lobby"), Style.QUIET)]
    if view is None or room.status is wire.RoomStatus.OPEN:
        key = "watching_room" if model.seat is None else "in_room"
        taken = sum(seat.occupant is not wire.Occupant.EMPTY for seat in room.seats)
        name = f"{say(lang, key, room=room.name)} {taken}/{len(room.seats)}"
        return [*spans, Span(name, Style.QUIET), Span(say(lang, "waits", what=waits_for(room, lang)), Style.QUIET)]
    if room.status is wire.RoomStatus.PAUSED:
        spans.append(Span(say(lang, "paused"), Style.LOUD))
    spans += _turn_spans(model, notes, lang, now)
    if model.card is not None:
        key = "your_low_card" if model.seat in view.low_harlekins else "your_card"
        spans.append(Span(say(lang, key, card=CARDS[lang][model.card])))
    if view.beside:
        beside = ", ".join(CARDS[lang][card] for card in view.beside)
        spans.append(Span(say(lang, "beside", cards=beside)))
    pot = say(lang, "final") if view.pot is None else say(lang, "pot_no", pot=view.pot, pots=view.rules.pots)
    return [*spans, Span(pot, Style.QUIET), Span(say(lang, "hand_no", hand=view.hand), Style.QUIET)]


def _turn_spans(model: Model, notes: Notes, lang: str, now: float) -> list[Span]:
    turn = model.turn
    if turn is None:
        return []
    if turn.seat == model.seat:
        spans = [Span(say(lang, "your_turn"), Style.MINE)]
        if notes.is_sent:
            spans = [Span(say(lang, "sent"))]
        elif notes.is_unsure:
            spans.append(Span(say(lang, "sure"), Style.LOUD))
    else:
        spans = [Span(say(lang, "turn_of", name=model.names[turn.seat]))]
    if turn.deadline is not None:
        spans.append(Span(say(lang, "seconds", seconds=max(round(turn.deadline - now), 0))))
    return spans
