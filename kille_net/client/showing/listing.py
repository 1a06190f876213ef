"""What there is, in words: the rooms of the lobby, a room seat by seat, the table.

Owns these lists, which say all that the status lines show by place and colour. Refuses to know the terminal.
"""

from collections.abc import Sequence
from dataclasses import replace

from kille_net.client.model import Model
from kille_net.client.showing.layout import cells, pad
from kille_net.client.showing.texts import CARDS, ONE_CARD, say, say_many
from kille_net.game.actions import Phase
from kille_net.game.rules import Format, Seat
from kille_net.game.views import View
from kille_net.wire import messages as wire

__all__ = [
    "by_format",
    "countdown",
    "known_lines",
    "room_line",
    "room_lines",
    "rooms_lines",
    "score_lines",
    "score_title",
    "table_lines",
    "waits_for",
]


def rooms_lines(rooms: Sequence[wire.RoomLine], lang: str) -> list[str]:
    """The list of the lobby."""
    if not rooms:
        return [say(lang, "no_rooms")]
    width = max(cells(room.name) for room in rooms)
    digits = len(str(len(rooms)))
    return [room_line(number, room, lang, digits=digits, width=width) for number, room in enumerate(rooms, 1)]


def room_line(number: int, room: wire.RoomLine, lang: str, *, digits: int = 1, width: int = 1) -> str:
    """A room by its number, of so many digits, and its name, as wide as the widest."""
    return say(
        lang,
        "room_line",
        number=f"{number:{digits}}",
        name=pad(room.name, width),
        taken=room.taken,
        seats=room.seats,
        format=say(lang, f"value.{room.format.value}"),
        length=say(lang, f"value.{room.length.value}"),
        status=say(lang, f"status.{room.status.value}"),
        locked=say(lang, "room_locked") if room.locked else "",
    )


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
        coach=say(lang, "room_no_coach") if options.coach is wire.Coach.OFF else "",
        watching=say(lang, "room_open_cards") if options.watching is wire.Watching.OPEN else "",
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
    if not model.is_playing and state.occupant is not wire.Occupant.COMPUTER:
        what.append("what_ready" if state.ready else "what_not_ready")
    if state.away is not None:
        what.append("what_away")
    return say(lang, "room_seat", seat=seat + 1, name=state.name, what="".join(say(lang, key) for key in what))


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
        parts.append(say_many(lang, "waits_seats", empty))
    if idle:
        parts.append(say(lang, "waits_ready", names=", ".join(idle)))
    return "; ".join(parts) or say(lang, "waits_nobody")


def score_lines(model: Model, lang: str) -> list[str]:
    """Who has how many points of the match, the best first, and by which pots as far as we saw them."""
    view = model.view
    if view is None or model.room is None:
        return [say(lang, "score_none")]
    names = [name + (say(lang, "what_you") if seat == model.seat else "") for seat, name in enumerate(model.names)]
    width = max(map(cells, names))
    lines = [score_title(view, lang)]
    for seat in sorted(range(len(names)), key=lambda seat: (-view.points[seat], seat)):
        place = 1 + sum(points > view.points[seat] for points in view.points)
        pots = ", ".join(str(pot) for pot, winner in model.won if winner == seat)
        won = say(lang, "score_won", pots=pots) if pots else ""
        name = pad(names[seat], width)
        lines.append(say(lang, "score_line", place=place, name=name, points=view.points[seat], won=won))
    return lines


def score_title(view: View, lang: str) -> str:
    """What the points below it are for."""
    if view.pot is None:
        return say(lang, "score_final")
    pots = view.rules.pots
    return say(lang, by_format("score_title", view) if view.pot <= pots else "score_tie", pot=view.pot, pots=pots)


def by_format(key: str, view: View) -> str:
    """The key of a text in which the formats differ: pots and points, or bouts and sticks."""
    return f"{key}_sticks" if view.rules.format is Format.STICKS else key


def table_lines(model: Model, lang: str, now: float) -> list[str]:
    """Who holds what while a match is played, a line for each seat."""
    view = model.view
    assert view is not None
    return [_table_seat(model, view, seat, lang, now) for seat in range(len(model.names))]


def known_lines(model: Model, lang: str) -> list[str]:
    """The same in the order of speaking, and all that the view holds besides: what a seat knew when it was asked."""
    view = model.view
    assert view is not None
    now = replace(model, looked=view)  # of whom nobody looked before, nothing is news
    seats = [*view.order, *(seat for seat in range(len(model.names)) if seat not in view.order)]
    lines = [
        _table_seat(now, view, seat, lang, 0.0, more=_deed(view, seat, lang) + _origin(now, view, seat, lang))
        for seat in seats
    ]
    for key, cards in (("known_beside", view.beside), ("known_gone", view.gone)):
        if cards:
            lines.append(say(lang, key, cards=", ".join(CARDS[lang][card] for card in cards)))
    if view.asks:
        lines.append(say(lang, "known_asks", asks=view.asks))
    return lines


def _deed(view: View, seat: Seat, lang: str) -> str:
    """What the seat has done with its turn."""
    if seat == view.to_act or view.origins[seat] is None:
        return ""
    is_asked = view.phase in {Phase.ASKED, Phase.MIDDLE}
    if is_asked and seat == view.order[0]:
        return say(lang, "deed.asks")
    if view.phase is Phase.MIDDLE and seat == view.dealer:
        return say(lang, "deed.depends")
    return say(lang, f"deed.{view.deeds[seat].value}")


def _origin(model: Model, view: View, seat: Seat, lang: str) -> str:
    """Whose card the seat holds, where it is not the one that it was dealt."""
    origin = view.origins[seat]
    if origin in {seat, None}:
        return ""
    if origin == len(model.names):
        return say(lang, "origin_talon")
    return say(lang, "origin", name=model.names[origin])


def countdown(until: float | None, now: float) -> str:
    """How long somebody who is away is still waited for."""
    left = 0 if until is None else max(0, round(until - now))
    return f" {left} s" if left else ""


def _table_seat(model: Model, view: View, seat: Seat, lang: str, now: float, *, more: str = "") -> str:
    name = model.names[seat] + (say(lang, "what_you") if seat == model.seat else "")
    if not view.lives[seat] and view.origins[seat] is None:
        return say(lang, by_format("table_out", view), name=name, points=view.points[seat])
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
    if model.room is not None and model.room.seats[seat].away is not None:
        what.append(say(lang, "what_away") + countdown(model.returns[seat], now))
    if model.has_changed(seat):
        what.append(say(lang, "table_changed"))
    key = by_format("table_seat", view)
    return say(lang, key, name=name, lives=view.lives[seat], points=view.points[seat], what="".join(what) + more)
