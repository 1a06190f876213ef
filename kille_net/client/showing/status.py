"""The status lines: the table at a glance, above the line that is typed.

Owns how the table is laid out in the room that there is. Refuses to know the terminal: its size is told, and colours
are names (`Style`).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from kille_net.client.contest import Part, is_table
from kille_net.client.effects import Line, Shown, Span, Style
from kille_net.client.model import Model
from kille_net.client.showing.layout import CHANGED, SMALLEST, TURN, cells, fit, flow, pad
from kille_net.client.showing.listing import by_format, countdown, room_lines, table_lines, waits_for
from kille_net.client.showing.pictures import HEIGHT, STYLE_OF, WIDTH, picture, side_by_side
from kille_net.client.showing.texts import CARDS, say
from kille_net.client.showing.tournaments import part_lines, part_words
from kille_net.game.cards import Card
from kille_net.game.rules import Seat
from kille_net.game.views import View
from kille_net.wire import messages as wire
from kille_net.wire.text import safe_text

__all__ = ["Notes", "in_words", "status"]

_NAME_CELLS: Final = 32
"""Of a name that is not shortened."""
_MOST_HEARTS: Final = 3
"""Lives that are drawn one by one; more are a number."""
_HEART: Final = "♥"
_NO_HEART: Final = "·"
_GAP: Final = 2
_URGENT: Final = frozenset({Part.CHECK_IN, Part.CALLED})
_DOT: Final = " · "
_LEAST_ENTRY: Final = 24
"""Cells that a seat takes beside our card, at least."""


class Notes(NamedTuple):
    """What the status lines tell that the server did not."""

    is_sent: bool = False
    """Our answer to the open question is under way."""
    is_unsure: bool = False
    """A swap waits for our yes."""
    is_leaving: bool = False
    """So does our wish to leave."""
    silence: int = 0
    """Seconds since the server was heard, where they are worth a word."""
    pictures: bool = True
    """Whether cards are drawn where there is room."""
    attempts: int = 0
    """How often we have tried to reach it again; 0: the line is not known to be lost."""


class _Seat(NamedTuple):
    """What there is to see of a seat."""

    name: str
    mark: str
    """Whose turn it is, and whether anything has changed since we looked."""
    lives: int
    hearts: str
    shown: Shown
    """Its card as a picture: the back, where we do not see it."""
    told: Span | None
    """Its card in a word, where we know it: in brackets where it lies open."""
    notes: tuple[str, ...]
    """`seat_…`: what else is to be said, as keys of texts."""
    away: str
    style: Style

    def said(self, lang: str, form: str) -> str:
        """The notes, in that form (`seat` or `short`)."""
        return " ".join([*(say(lang, f"{form}_{note}") for note in self.notes), *([self.away] if self.away else [])])


def status(model: Model, notes: Notes, lang: str, now: float, size: tuple[int, int]) -> list[Line]:
    """The table in few lines, for a terminal of (columns, rows): at most a third of the rows, and one at least."""
    columns, rows = size
    columns -= 1  # the last one is where terminals differ
    if columns < SMALLEST:
        return []
    most = max(rows // 3, 1)
    spans = _situation(model, notes, lang, now)
    view = model.view
    if model.room is None or view is None or not model.is_playing:
        return flow(spans, _DOT, columns)[:most]
    seats = [_seat(model, view, seat, lang, now) for seat in range(len(model.names))]
    own = None if model.seat is None or model.card is None else seats[model.seat].shown
    if notes.pictures:
        beside = [] if own is None else _own_card(own, seats, spans, lang, columns)
        for lines in (_all_cards(seats, spans, lang, columns), beside):
            if lines and len(lines) <= most:
                return lines
    if own is not None and own.card is not None:
        turn = TURN * (model.turn is not None and model.turn.seat == model.seat)
        card = _card(own.card, lang, is_low=own.is_low)
        spans = [Span(turn + card.text, card.style), *spans]
    return _in_lines(seats, spans, lang, columns, most)


def in_words(model: Model, notes: Notes, lang: str, now: float) -> list[str]:
    """All that the status lines tell, and the score, to be read aloud: what is open, and a line for each seat."""
    if model.room is None or model.view is None or not model.is_playing:
        return [*room_lines(model, lang), *part_lines(model, lang, now)]
    open_now = ", ".join(span.text for span in _situation(model, notes, lang, now))
    return [say(lang, "words", words=open_now), *table_lines(model, lang, now)]


def _seat(model: Model, view: View, seat: Seat, lang: str, now: float) -> _Seat:
    is_own, is_acting = seat == model.seat, model.turn is not None and model.turn.seat == seat
    card, has_card, is_up = view.cards[seat], view.origins[seat] is not None, seat in view.face_up
    lives, is_low = view.lives[seat], seat in view.low_harlekins
    is_out = not lives and not has_card
    name = say(lang, "you_are") if is_own else safe_text(model.names[seat], _NAME_CELLS)
    mark = TURN * is_acting + CHANGED * model.has_changed(seat)
    most = 0 if view.pot is None else view.rules.rules.lives
    hearts = f"{_HEART}{lives}" if max(lives, most) > _MOST_HEARTS else _HEART * lives + _NO_HEART * (most - lives)
    style = Style.QUIET if is_out else Style.PLAIN if not is_acting else Style.MINE if is_own else Style.LOUD
    is_seen = is_up or is_own or model.seat is None  # to whom sits nowhere, all that is known lies open
    told = None if card is None or (is_own and not is_up) else _card(card, lang, is_low=is_low, is_up=is_up)
    is_away = model.room is not None and model.room.seats[seat].away is not None
    keys = {"out": is_out, "struck": seat in view.struck, "deals": seat == view.dealer and not is_out}
    return _Seat(
        name=name,
        mark=mark,
        lives=lives,
        hearts="" if is_out else hearts,
        shown=Shown(card=card if is_seen else None, is_low=is_low, is_there=has_card),
        told=told,
        notes=tuple(key for key, holds in keys.items() if holds),
        away=say(lang, "is_away") + countdown(model.returns[seat], now) if is_away else "",
        style=style,
    )


def _card(card: Card, lang: str, *, is_low: bool, is_up: bool = True) -> Span:
    name = f"{CARDS[lang][card]}{'-' * is_low}"
    return Span(f"[{name}]" if is_up else f"({name})", STYLE_OF[card])


def _all_cards(seats: Sequence[_Seat], spans: Sequence[Span], lang: str, columns: int) -> list[Line]:
    """A picture for each seat, side by side; nothing where they do not fit."""
    if len(seats) * (WIDTH + _GAP) - _GAP > columns:
        return []
    cards = [
        replace(
            seat.shown,
            above=(Span(f"{seat.mark} {seat.name}".lstrip(), seat.style), Span(seat.hearts, seat.style)),
            below=(*([seat.told] if seat.told and seat.shown.card is None else []), Span(seat.said(lang, "seat"))),
        )
        for seat in seats
    ]
    return [*side_by_side(cards, lang, columns), *flow(spans, _DOT, columns)]


def _own_card(own: Shown, seats: Sequence[_Seat], spans: Sequence[Span], lang: str, columns: int) -> list[Line]:
    """Our own card as a picture, and beside it the table in the order of the seats; nothing where that does not fit."""
    room = columns - WIDTH - _GAP
    below = flow(spans, _DOT, max(room, SMALLEST))
    if len(below) >= HEIGHT:
        return []
    abreast = -(-len(seats) // (HEIGHT - len(below)))
    width = room // abreast
    if width < _LEAST_ENTRY:
        return []
    rows = -(-len(seats) // abreast)
    longest = min(max(cells(seat.name) for seat in seats), width - _LEAST_ENTRY // 2)
    entries = [_entry(seat, lang, longest, width) for seat in seats]
    beside = [tuple(span for entry in entries[row::rows] for span in entry) for row in range(rows)] + below
    beside += [()] * (HEIGHT - len(beside))
    drawn = picture(own.card, lang, is_low=own.is_low)
    return [(span, Span(" " * _GAP), *line) for span, line in zip(drawn, beside, strict=True)]


def _entry(seat: _Seat, lang: str, name_cells: int, width: int) -> Line:
    """A seat in so many cells: mark, name, lives, what lies open, notes."""
    name = f"{pad(seat.mark, 2)}{pad(fit(seat.name, name_cells), name_cells)}"
    spans = [Span(f"{name} {seat.hearts}" if seat.hearts else name, seat.style)]
    left = width - 1 - cells(spans[0].text)
    for span in (seat.told, Span(seat.said(lang, "seat"), seat.style)):
        if span is not None and span.text and left > 1:
            spans.append(Span(f" {fit(span.text, left - 1)}", span.style))
            left -= cells(spans[-1].text)
    return (*spans, Span(" " * (left + 1)))


def _in_lines(seats: Sequence[_Seat], spans: Sequence[Span], lang: str, columns: int, most: int) -> list[Line]:
    """The table in words and numbers; shorter the narrower it gets."""
    below = flow(spans, _DOT, columns)
    above: list[Line] = []
    for name_cells in (_NAME_CELLS, 10, 6, 3, 1):
        is_short = name_cells < _NAME_CELLS
        names = _shortened([seat.name for seat in seats], name_cells)
        words = [
            _word(seat, name, lang, "short" if is_short else "seat") for seat, name in zip(seats, names, strict=True)
        ]
        above = flow(words, " " if is_short else " | ", columns)
        if len(above) + len(below) <= most:
            break
    below = below[: max(most - len(above), 1)]  # the table goes before the details, whose turn it is before both
    return [*above[: most - len(below)], *below]


def _shortened(names: Sequence[str], most: int) -> list[str]:
    """The names in so many cells; those that are then alike, with the number of their seat."""
    short = [safe_text(name, most) for name in names]
    return [
        name if short.count(name) == 1 or name == names[seat] else f"{name}{seat + 1}"
        for seat, name in enumerate(short)
    ]


def _word(seat: _Seat, name: str, lang: str, form: str) -> Span:
    parts = [seat.mark, name, "" if "out" in seat.notes else str(seat.lives), seat.told.text if seat.told else ""]
    return Span(" ".join(part for part in (*parts, seat.said(lang, form)) if part), seat.style)


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
        return [*spans, Span(say(lang, "in_lobby"), Style.QUIET), *_part_spans(model, lang, now)]
    if view is None or not model.is_playing:
        key = "watching_room" if model.seat is None else "in_room"
        taken = sum(seat.occupant is not wire.Occupant.EMPTY for seat in room.seats)
        name = f"{say(lang, key, room=room.name)} {taken}/{len(room.seats)}"
        return [*spans, Span(name, Style.QUIET), *_beginning_spans(model, room, lang, now)]
    if notes.is_leaving:
        spans.append(Span(say(lang, "leaving"), Style.LOUD))
    if model.is_paused:
        spans.append(Span(say(lang, "paused_host" if model.is_host else "paused"), Style.LOUD))
    spans += _turn_spans(model, notes, lang, now)
    spans += _rest_spans(model, lang, now)
    if view.beside:
        beside = ", ".join(CARDS[lang][card] for card in view.beside)
        spans.append(Span(say(lang, "beside", cards=beside)))
    pot = (
        say(lang, "final")
        if view.pot is None
        else say(lang, by_format("pot_no", view), pot=view.pot, pots=view.rules.pots)
    )
    spans += [Span(pot, Style.QUIET), Span(say(lang, "hand_no", hand=view.hand), Style.QUIET)]
    return [*spans, *(Span(span.text, Style.QUIET) for span in _part_spans(model, lang, now))]


def _part_spans(model: Model, lang: str, now: float) -> list[Span]:
    """How it is with us in a tournament."""
    words = part_words(model, lang, now)
    return [Span(words, Style.LOUD if model.contest.part in _URGENT else Style.PLAIN)] if words else []


def _beginning_spans(model: Model, room: wire.RoomState, lang: str, now: float) -> list[Span]:
    """What keeps a match from beginning, or when it begins all the same."""
    if is_table(room):
        absent = ", ".join(model.missing)
        if not absent:
            return []  # it begins at once
        missing = [Span(say(lang, "waits_missing", names=absent), Style.QUIET)]
        left = max(0, round((model.called_until or now) - now))
        begins = [Span(say(lang, "begins", seconds=left), Style.LOUD)] if left else []
        return [*begins, *missing]
    if model.begins_at is None or model.stops_at is not None:  # where the server stops, none begins any more
        return [Span(say(lang, "waits", what=waits_for(room, lang)), Style.QUIET)]
    seconds = max(0, round(model.begins_at - now))
    return [Span(say(lang, "begins", seconds=seconds), Style.LOUD), Span(say(lang, "begins_with"), Style.QUIET)]


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


def _rest_spans(model: Model, lang: str, now: float) -> list[Span]:
    """Between two hands: whether that waits for us, for whom besides, and how long."""
    rest = model.rest
    if rest is None or model.stops_at is not None:  # where the server stops, no hand comes any more
        return []
    is_asked = model.is_rested_for and not model.is_paused
    spans = [Span(say(lang, "rest_mine"), Style.MINE)] if is_asked else []
    others = ", ".join(model.names[seat] for seat in rest.seats if seat != model.seat)
    if others:
        spans.append(Span(say(lang, "rest_others", names=others)))
    if rest.deadline is not None:
        spans.append(Span(say(lang, "seconds", seconds=max(round(rest.deadline - now), 0))))
    return spans
