"""What a typed order comes to outside the play of a hand: a command to send, or something to show.

Owns the checks that save a round trip, and the words for what is missing. Refuses to keep anything: it is told what
is known (`Desk`) and returns effects, of which at most one sends a command.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from kille_net.client.commands import TABLE_BY_VERB, Order, Verb, is_all, is_marks, row_of
from kille_net.client.effects import Effect, Print, Send, Show, Shown, Style
from kille_net.client.model import Model
from kille_net.client.options import Fault, option_values, option_word, read_level, read_options, read_wish
from kille_net.client.showing.guidance import help_lines, marks_line, rules_lines
from kille_net.client.showing.lessons import card_line, lesson, order_line
from kille_net.client.showing.listing import score_lines
from kille_net.client.showing.moments import Open, guide_lines
from kille_net.client.showing.status import Notes, in_words
from kille_net.client.showing.texts import say
from kille_net.client.showing.topics import find, near
from kille_net.client.showing.tournaments import part_lines
from kille_net.game.cards import Card
from kille_net.game.rules import REFUSALS
from kille_net.translate import to_ruleset
from kille_net.wire import messages as wire
from kille_net.wire.options import DEFAULT_OPTIONS
from kille_net.wire.text import MAX_NAME, name_key, safe_text, valid_name

__all__ = ["Desk", "obey"]

_MOST_TEXT: Final = 200
_MOST_ROOM: Final = 64
_MOST_PASSWORD: Final = 64
_MOST_WORD: Final = 40
"""Cells of what was typed that are shown again."""
_COUNTS: Final = frozenset("1234567")


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What is known when an order comes in."""

    model: Model
    lang: str
    plain: bool
    draws: bool
    """Whether cards are drawn as pictures."""
    command_id: int
    """Of the command, if one is sent."""
    open: Open
    notes: Notes
    now: float
    options: wire.Options = DEFAULT_OPTIONS
    """Of a room whose maker does not say otherwise."""

    name_of: Callable[[str], str | None] = lambda _number: None
    """The table that a number stands for."""

    def tell(self, key: str, /, **values: object) -> list[Effect]:
        return [Print(say(self.lang, key, **values))]

    def fault(self, key: str, /, **values: object) -> list[Effect]:
        return [Print(say(self.lang, key, **values), Style.FAULT)]

    def show(self, cards: Sequence[Card]) -> list[Effect]:
        """The pictures of the cards; the words that follow say as much."""
        return [] if not (self.draws and cards) else [Show(tuple(Shown(card=card) for card in cards))]

    @property
    def room(self) -> wire.RoomState:
        """The room that we are in; only for orders that mean something nowhere else."""
        assert self.model.room is not None
        return self.model.room


def obey(order: Order, desk: Desk) -> list[Effect]:
    """What follows from an order that means something where we are. What the core does itself is not its."""
    match order.verb:
        case Verb.CREATE:
            return _create(order, desk)
        case Verb.QUICK:
            return _quick(order, desk)
        case Verb.JOIN | Verb.WATCH:
            return _go(order, desk)
        case Verb.LEAVE:
            return [Send(wire.Leave(id=desk.command_id))]
        case Verb.READY:
            return _ready(order.rest, desk)
        case Verb.AGAIN:
            return _ready("", desk)
        case Verb.NEXT:
            return _next(desk)
        case Verb.START:
            return [Send(wire.Start(id=desk.command_id))]
        case Verb.PAUSE | Verb.RESUME:
            return _pause(desk, paused=order.verb is Verb.PAUSE)
        case Verb.ADD:
            return _add(order.rest, desk)
        case Verb.REMOVE | Verb.KICK:
            return _send_away(order, desk)
        case Verb.SAY:
            return _say(order.rest, desk)
        case Verb.WHO:
            return [Print(line) for line in in_words(desk.model, desk.notes, desk.lang, desk.now)]
        case Verb.SCORE:
            return [Print(line) for line in score_lines(desk.model, desk.lang)]
        case Verb.CARD:
            return _card(order.rest, desk)
        case Verb.RULES:
            return _rules(order.rest, desk)
        case Verb.HELP:
            return _help(order.rest, desk)
    raise AssertionError(order.verb)


def _create(order: Order, desk: Desk) -> list[Effect]:
    name = valid_name(order.rest) if order.rest else _own_table(desk)
    if name is None:
        return desk.fault("bad_room")
    given = order.options or {}
    options = read_options(given, desk.options)
    if isinstance(options, Fault):
        return _not_possible(options, desk, order)
    password = given.get("password") or None
    if password is not None and len(password) > _MOST_PASSWORD:
        return desk.fault("long_password", most=_MOST_PASSWORD)
    return [Send(wire.Create(id=desk.command_id, room=name, options=options, password=password))]


def _not_possible(fault: Fault, desk: Desk, order: Order) -> list[Effect]:
    """An option has a value that it cannot have."""
    name, _, value = fault.word.partition("=")
    typed = (order.typed or {}).get(name, option_word(name, desk.lang))
    possible = f"{typed}={option_values(name, desk.lang)}"
    return desk.fault(fault.key, word=safe_text(f"{typed}={value}", _MOST_WORD), possible=possible)


def _quick(order: Order, desk: Desk) -> list[Effect]:
    wish = read_wish(order.options or {})
    if isinstance(wish, Fault):
        return _not_possible(wish, desk, order)
    return [Send(msgspec.structs.replace(wish, id=desk.command_id))]


def _own_table(desk: Desk) -> str | None:
    """The name of a table of our own: ours, with a number if there is one of that name."""
    own, taken = desk.model.name, {name_key(room.name) for room in desk.model.rooms}
    names = [own, *(f"{own[: MAX_NAME - 2].rstrip()} {number}" for number in range(2, 10))]
    return valid_name(next((name for name in names if name_key(name) not in taken), own))


def _go(order: Order, desk: Desk) -> list[Effect]:
    if not order.rest:
        return desk.fault("needs_room")
    known = {name_key(room.name): room.name for room in desk.model.rooms}
    room = known.get(name_key(order.rest)) or desk.name_of(order.rest) or order.rest[:_MOST_ROOM]
    password = ((order.options or {}).get("password") or "")[:_MOST_PASSWORD] or None
    kind = wire.Watch if order.verb is Verb.WATCH else wire.Join
    return [Send(kind(id=desk.command_id, room=room, password=password))]


def _ready(rest: str, desk: Desk) -> list[Effect]:
    answer = row_of(rest) if rest else TABLE_BY_VERB[Verb.ACCEPT]
    if answer is None or answer.verb not in {Verb.ACCEPT, Verb.REFUSE}:
        return desk.fault("needs_yes_no")
    ready = answer.verb is Verb.ACCEPT
    seat = desk.model.seat
    assert seat is not None
    if not desk.model.is_playing and desk.room.seats[seat].ready is ready:
        return desk.tell("already_so")
    return [Send(wire.Ready(id=desk.command_id, ready=ready))]


def _next(desk: Desk) -> list[Effect]:
    rest = desk.model.rest
    if rest is None:
        return desk.fault("nothing_rests")
    if not desk.model.is_rested_for:
        return desk.tell("rest_line", names=", ".join(desk.model.names[seat] for seat in rest.seats))
    return [Send(wire.NextHand(id=desk.command_id, hand=rest.hand))]


def _pause(desk: Desk, *, paused: bool) -> list[Effect]:
    if desk.model.is_playing and desk.model.is_paused is paused:
        return desk.tell("already_so")
    return [Send(wire.Pause(id=desk.command_id, paused=paused))]


def _add(rest: str, desk: Desk) -> list[Effect]:
    """All empty seats and the room's level, unless the order says otherwise."""
    count = max(sum(seat.occupant is wire.Occupant.EMPTY for seat in desk.room.seats), 1)
    level = desk.room.options.level
    for word in rest.split():
        if word in _COUNTS:
            count = int(word)
        elif (named := read_level(word)) is not None:
            level = named
        else:
            return desk.fault("needs_level")
    return [Send(wire.AddComputers(id=desk.command_id, count=count, level=level))]


def _send_away(order: Order, desk: Desk) -> list[Effect]:
    seats = range(len(desk.room.seats))
    numbers = {str(seat + 1): seat for seat in seats}
    names = {name_key(name): seat for seat in seats if (name := desk.room.seats[seat].name)}
    seat = names.get(name_key(order.rest), numbers.get(order.rest))
    if seat is None:
        return desk.fault("needs_seat")
    kind = wire.RemoveComputer if order.verb is Verb.REMOVE else wire.Kick
    return [Send(kind(id=desk.command_id, seat=seat))]


def _say(rest: str, desk: Desk) -> list[Effect]:
    text = safe_text(rest, 2 * _MOST_TEXT)[:_MOST_TEXT]
    return [Send(wire.Say(id=desk.command_id, text=text))] if text else desk.fault("needs_text")


def _card(rest: str, desk: Desk) -> list[Effect]:
    """One line on a card; without a word on the one that we hold, or on all that do something."""
    if rest:
        card = find(rest)
        if not isinstance(card, Card):
            return desk.fault("unknown_card", word=safe_text(rest, _MOST_WORD))
        cards = [card]
    else:
        held = desk.model.card
        cards = [*sorted(REFUSALS), Card.HARLEKIN] if held is None else [held]
    options = DEFAULT_OPTIONS if desk.model.room is None else desk.model.room.options
    dealt = to_ruleset(options).dealt_harlekin
    lines = [card_line(card, desk.lang, dealt) for card in cards]
    if not rest or cards[0] not in {*REFUSALS, Card.HARLEKIN}:
        lines.insert(0 if not rest else 1, order_line(desk.lang))
    return [*desk.show(cards), *(Print(line) for line in lines)]


def _rules(rest: str, desk: Desk) -> list[Effect]:
    if not rest:
        return [Print(line) for line in rules_lines(desk.model, desk.lang)]
    subject = find(rest)
    if subject is None:
        others = ", ".join(near(rest, desk.lang))
        return desk.fault("unknown_topic", word=safe_text(rest, _MOST_WORD), near=others)
    cards = [subject] if isinstance(subject, Card) else []
    return [*desk.show(cards), *(Print(line) for line in lesson(subject, desk.lang))]


def _help(rest: str, desk: Desk) -> list[Effect]:
    if not rest:
        where, *can = guide_lines(desk.model, desk.open, desk.lang, plain=desk.plain)
        return [Print(line) for line in (where, *part_lines(desk.model, desk.lang, desk.now), *can)]
    if is_marks(rest):
        return [Print(marks_line(desk.lang))]
    row = row_of(rest)
    if row is None and not is_all(rest):
        return desk.fault("unknown_command", word=safe_text(rest, _MOST_WORD))
    if row is not None and row.verb is Verb.RULES:
        return _rules("", desk)
    return [Print(line) for line in help_lines(desk.model, desk.lang, plain=desk.plain, row=row)]
