"""How things look in text: the status lines, the lists of rooms, the table in words, the help.

Owns the layout, by cells and not by characters. Refuses to know the terminal: how many columns there are is told, and
colours are names (`Style`).
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from wcwidth import wcswidth

from kille_net.client.commands import (
    DEFAULT_OPTIONS,
    PASSWORD,
    TABLE,
    TABLE_BY_VERB,
    Row,
    Takes,
    Verb,
    option_values,
    option_word,
    value_word,
)
from kille_net.client.effects import Line, Span, Style
from kille_net.client.lessons import page
from kille_net.client.model import Model
from kille_net.client.texts import CARDS, ONE_CARD, say
from kille_net.game.actions import Action, Phase
from kille_net.game.cards import Card
from kille_net.game.rules import Seat
from kille_net.game.views import View
from kille_net.translate import to_ruleset
from kille_net.wire import messages as wire
from kille_net.wire.states import Place
from kille_net.wire.text import safe_text

__all__ = [
    "VERB_OF",
    "Notes",
    "cells",
    "choices",
    "flow",
    "help_lines",
    "room_lines",
    "rooms_lines",
    "rules_lines",
    "status",
    "table_lines",
    "to_ascii",
    "waits_for",
    "wrap",
]

VERB_OF: Final = {
    Action.STAND: Verb.STAND,
    Action.SWAP: Verb.SWAP,
    Action.KUKU: Verb.KUKU,
    Action.ASK: Verb.ASK,
    Action.ACCEPT: Verb.ACCEPT,
    Action.REFUSE: Verb.REFUSE,
    Action.DEPENDS: Verb.DEPENDS,
}
_NAME_CELLS: Final = 32
"""Of a name that is not shortened."""
_SMALLEST: Final = 8
"""Columns below which nothing is laid out any more."""
_ELLIPSIS: Final = "…"
_TURN: Final = "→"
"""Stands before whose turn it is."""
_ASCII: Final = str.maketrans(
    {
        **dict(zip("åäöéüÅÄÖÉÜ", "aaoeuAAOEU", strict=True)),
        **dict.fromkeys("”“", '"'),
        **dict.fromkeys("’‘", "'"),
        "–": "-",
        "·": "-",
        "…": "...",
        _TURN: "*",
    }
)


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


def cells(text: str) -> int:
    """How many columns a clean text takes."""
    return max(wcswidth(text), 0)


def to_ascii(text: str) -> str:
    """The text for a terminal that shows nothing else."""
    return text.translate(_ASCII).encode("ascii", "replace").decode("ascii")


def wrap(text: str, columns: int) -> list[str]:
    """The text in lines of at most so many cells, broken between words where there are any."""
    if cells(text) <= columns or columns < _SMALLEST:
        return [text]
    indent = text[: len(text) - len(text.lstrip(" "))][: columns // 2]
    return [indent + line for line in _wrap_words(text.lstrip(" "), columns - len(indent))]


def _wrap_words(text: str, columns: int) -> list[str]:
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if cells(longer) <= columns:
            line = longer
            continue
        if line:
            lines.append(line)
        line = word
        while cells(line) > columns:
            head = safe_text(line, columns) or line[:1]
            lines.append(head)
            line = line[len(head) :]
    return [*lines, line] if line else lines


def _fit(text: str, columns: int) -> str:
    if cells(text) <= columns:
        return text
    return safe_text(text, max(columns - 1, 0)) + _ELLIPSIS


def _pad(text: str, columns: int) -> str:
    return text + " " * (columns - cells(text))


def flow(parts: Iterable[Span], gap: str, columns: int) -> list[Line]:
    """The parts beside each other with `gap` between, in as many lines as it takes."""
    lines: list[Line] = []
    line: list[Span] = []
    width = 0
    for part in parts:
        span = Span(_fit(part.text, columns), part.style)
        needed = cells(span.text) + (cells(gap) if line else 0)
        if line and width + needed > columns:
            lines.append(tuple(line))
            line, width, needed = [], 0, cells(span.text)
        if line:
            line.append(Span(gap, Style.QUIET))
        line.append(span)
        width += needed
    return [*lines, tuple(line)] if line else lines


# --- the status lines -------------------------------------------------------------------------------------------------


def status(model: Model, notes: Notes, lang: str, now: float, size: tuple[int, int]) -> list[Line]:
    """The table in few lines, for a terminal of (columns, rows): at most a third of the rows, and one at least."""
    columns, rows = size
    columns -= 1  # the last one is where terminals differ
    if columns < _SMALLEST:
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
    parts = [f"{f'{_TURN} ' if is_acting else ''}{name} {view.lives[seat]}"]
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


def waits_for(room: wire.RoomState, lang: str, *, besides: str = "") -> str:
    """What keeps a match from beginning: empty seats, and who is not ready, but for `besides`."""
    empty = sum(seat.occupant is wire.Occupant.EMPTY for seat in room.seats)
    idle = [
        seat.name
        for seat in room.seats
        if seat.occupant in {wire.Occupant.PERSON, wire.Occupant.BOT} and not seat.ready and seat.name != besides
    ]
    parts = []
    if empty:
        parts.append(say(lang, "waits_seat" if empty == 1 else "waits_seats", count=empty))
    if idle:
        parts.append(say(lang, "waits_ready", names=", ".join(idle)))
    return "; ".join(parts) or say(lang, "waits_nobody")


# --- rooms ------------------------------------------------------------------------------------------------------------


def rooms_lines(rooms: Sequence[wire.RoomLine], lang: str) -> list[str]:
    """The list of the lobby."""
    if not rooms:
        return [say(lang, "no_rooms")]
    width = max(cells(room.name) for room in rooms)
    return [
        say(
            lang,
            "room_line",
            name=_pad(room.name, width),
            taken=room.taken,
            seats=room.seats,
            format=say(lang, f"value.{room.format.value}"),
            length=say(lang, f"value.{room.length.value}"),
            status=say(lang, f"status.{room.status.value}"),
            locked=say(lang, "room_locked") if room.locked else "",
        )
        for room in rooms
    ]


def room_lines(model: Model, lang: str) -> list[str]:
    """The room that we are in, seat by seat."""
    room = model.room
    if room is None:
        return [say(lang, "in_lobby_now")]
    options = room.options
    clock = say(lang, "room_clock", clock=options.clock) if options.clock else ""
    title = say(
        lang,
        "room_title",
        name=room.name,
        format=say(lang, f"value.{options.format.value}"),
        length=say(lang, f"value.{options.length.value}"),
        seats=len(room.seats),
        clock=clock,
    )
    return [title, *(_room_seat(model, room, seat, lang) for seat in range(len(room.seats)))]


def _room_seat(model: Model, room: wire.RoomState, seat: Seat, lang: str) -> str:
    state = room.seats[seat]
    if state.occupant is wire.Occupant.EMPTY:
        return say(lang, "room_empty", seat=seat + 1)
    what: list[str] = []
    if seat == model.seat:
        what.append("what_you")
    match state.occupant:
        case wire.Occupant.COMPUTER:
            what.append("what_computer")
        case wire.Occupant.BOT:
            what.append("what_bot")
    if state.name == room.host:
        what.append("what_host")
    if room.status is wire.RoomStatus.OPEN and state.occupant is not wire.Occupant.COMPUTER:
        what.append("what_ready" if state.ready else "what_not_ready")
    if state.away is not None:
        what.append("what_away")
    return say(lang, "room_seat", seat=seat + 1, name=state.name, what="".join(say(lang, key) for key in what))


# --- the table in words -----------------------------------------------------------------------------------------------


def table_lines(model: Model, lang: str) -> list[str]:
    """Everything that the status lines tell, and the score, a line for each seat."""
    view = model.view
    if model.room is None or view is None or not model.is_playing:
        return room_lines(model, lang)
    return [_table_seat(model, view, seat, lang) for seat in range(len(model.names))]


def _table_seat(model: Model, view: View, seat: Seat, lang: str) -> str:
    name = model.names[seat] + (say(lang, "what_you") if seat == model.seat else "")
    if not view.lives[seat] and view.origins[seat] is None:
        return say(lang, "table_out", name=name, points=view.points[seat])
    what: list[str] = []
    if seat == view.dealer:
        what.append(say(lang, "table_deals"))
    if model.turn is not None and model.turn.seat == seat:
        what.append(say(lang, "table_turn"))
    card = view.cards[seat]
    if card is not None:
        key = "table_up" if seat in view.face_up else "table_card"
        what.append(say(lang, key, card=ONE_CARD[lang][card]))
        if seat in view.low_harlekins:
            what.append(say(lang, "table_low"))
    if seat in view.struck:
        what.append(say(lang, "table_struck"))
    return say(lang, "table_seat", name=name, lives=view.lives[seat], points=view.points[seat], what="".join(what))


# --- what can be done -------------------------------------------------------------------------------------------------


def choices(view: View, legal: Sequence[Action], lang: str) -> str:
    """The answers that a question has, each with its word and its key."""
    told: list[str] = []
    for action in legal:
        word, key = TABLE_BY_VERB[VERB_OF[action]].words(lang)[:2]
        draws = action is Action.SWAP and view.seat == view.dealer and view.phase is Phase.TURN
        told.append(say(lang, "choice_talon" if draws else "choice", word=word, key=key))
    return ", ".join(told)


_HAND_VERBS: Final = frozenset(VERB_OF.values())
_HOST_VERBS: Final = frozenset({Verb.START, Verb.PAUSE, Verb.RESUME, Verb.ADD, Verb.REMOVE, Verb.KICK})
_BEFORE_A_MATCH: Final = frozenset({Verb.READY, Verb.START, Verb.ADD, Verb.REMOVE})
_IN_A_MATCH: Final = _HAND_VERBS | {Verb.PAUSE, Verb.RESUME}


def help_lines(model: Model, lang: str, *, plain: bool, row: Row | None = None) -> list[str]:
    """What can be typed now, what a hand waits for first; or all about one command."""
    if row is not None:
        lines = [_help_line(row, lang)]
        if row.takes is Takes.NEW_ROOM:
            lines += [say(lang, "help_options"), *(f"  {_option_line(name, lang)}" for name in _OPTIONS)]
        return lines
    rows = [row for row in TABLE if model.place in row.places]
    if model.place is Place.SEATED:
        not_now = _BEFORE_A_MATCH if model.is_playing else _IN_A_MATCH
        rows = [row for row in rows if row.verb not in not_now]
    legal = _legal_verbs(model)
    parts = [
        ("help_now", [row for row in rows if row.verb in legal]),
        ("help_title", [row for row in rows if row.verb not in _HAND_VERBS | _HOST_VERBS]),
        ("help_host", [row for row in rows if row.verb in _HOST_VERBS and model.is_host]),
        ("help_later", [row for row in rows if row.verb in _HAND_VERBS and row.verb not in legal]),
    ]
    lines = []
    for title, shown in parts:
        if shown:
            lines += [say(lang, title), *(f"  {_help_line(row, lang)}" for row in shown)]
    if plain:
        return [*lines, say(lang, "help_keys_plain")]
    return [*lines, say(lang, "help_marks", turn=_TURN), say(lang, "help_keys")]


def _legal_verbs(model: Model) -> set[Verb]:
    """What the hand would take from us now."""
    if not model.is_playing or model.view is None or model.seat is None:
        return set()
    legal = () if model.asked is None else model.asked.legal
    return {VERB_OF[action] for action in (*legal, *(Action.KUKU,) * (Action.KUKU in model.view.legal))}


_OPTIONS: Final = (*wire.Options.__struct_fields__, PASSWORD)


def _option_line(name: str, lang: str) -> str:
    """One option of a room: what it may be, what it is where nothing is said, and what it means."""
    word, meaning = option_word(name, lang), say(lang, f"option.{name}")
    if name == PASSWORD:
        return say(lang, "option_password", option=word, meaning=meaning)
    default = getattr(DEFAULT_OPTIONS, name)
    shown = default if isinstance(default, int) else value_word(default.value, lang)
    return say(lang, "option_line", option=word, values=option_values(name, lang), default=shown, meaning=meaning)


def rules_lines(model: Model, lang: str) -> list[str]:
    """How the game is played at our table; in the lobby, by the options that a room has where nothing is said."""
    rules = to_ruleset(DEFAULT_OPTIONS if model.room is None else model.room.options)
    return page(rules, lang, TABLE_BY_VERB[Verb.RULES].words(lang)[0], pots=rules.pots)


def _help_line(row: Row, lang: str) -> str:
    words = row.words(lang)
    shown = words[0] + "".join(f", {word}" for word in words[1:] if len(word) == 1)
    takes = "" if row.takes is Takes.NOTHING else say(lang, f"takes.{row.takes.value}")
    return say(lang, "help_line", words=shown, takes=takes, help=say(lang, f"help.{row.verb.value}"))
