"""What `?` answers: where one is, what can be done there now, and what it would mean.

Owns the moments that are told apart, and which commands are worth naming at each. Refuses to know the whole list of
commands (`guidance.help_lines` shows that) and what a card does to a swap (`meanings`).
"""

from collections.abc import Mapping
from enum import Enum
from typing import Final, NamedTuple

from kille_net.client.commands import TABLE, TABLE_BY_VERB, Verb
from kille_net.client.contest import Part
from kille_net.client.model import Model
from kille_net.client.showing.guidance import VERB_OF, help_line
from kille_net.client.showing.listing import by_format, waits_for
from kille_net.client.showing.meanings import fate, meanings, when_asked
from kille_net.client.showing.texts import CARDS, ONE_CARD, Who, say
from kille_net.game.actions import DEFAULTS, Action, Phase
from kille_net.game.cards import Card
from kille_net.game.hand import Deed
from kille_net.game.views import View

__all__ = ["Moment", "Open", "guide_lines", "moment_of"]


class Moment(Enum):
    """Where one is; the text of each is `now.…`."""

    LOBBY = "lobby"
    OPEN = "open"
    """At a table where no match is played."""
    OVER = "over"
    """At one where a match has ended."""
    GATHERING = "gathering"
    """At one whose first match begins by itself."""
    PAUSED = "paused"
    WATCHING = "watching"
    BETWEEN = "between"
    """The hand is over, or not dealt yet."""
    OUT = "out"
    """No life is left in this pot."""
    LOST = "lost"
    """Without contact."""
    LEAVING = "leaving"
    """A wish to leave waits for a yes."""
    SENT = "sent"
    UNSURE = "unsure"
    TURN = "turn"
    ASKED = "asked"
    """For better cards."""
    WAITS = "waits"
    SPOKEN = "spoken"


class Open(NamedTuple):
    """What the open question to us waits for, besides an answer."""

    is_sent: bool = False
    """Our answer is under way."""
    is_unsure: bool = False
    """A swap waits for our yes."""
    is_leaving: bool = False
    """So does our wish to leave."""
    is_lost: bool = False
    """There is no line to the server."""


_AT_TABLE: Final = (Verb.WHO, Verb.SAY, Verb.RULES, Verb.LEAVE)
_ASKED: Final = (Verb.CARD,)
_WORTH_NAMING: Final[Mapping[Moment, tuple[Verb, ...]]] = {
    Moment.LOBBY: (Verb.ROOMS, Verb.QUICK, Verb.JOIN, Verb.CREATE, Verb.WATCH, Verb.TOURNAMENTS, Verb.RULES, Verb.QUIT),
    Moment.OPEN: (Verb.READY, Verb.SAY, Verb.RULES, Verb.LEAVE),
    Moment.OVER: (Verb.AGAIN, Verb.SCORE, Verb.SAY, Verb.LEAVE),
    Moment.GATHERING: _AT_TABLE,
    Moment.PAUSED: _AT_TABLE,
    Moment.WATCHING: _AT_TABLE,
    Moment.BETWEEN: _AT_TABLE,
    Moment.OUT: _AT_TABLE,
    Moment.LOST: (Verb.WHO, Verb.RULES, Verb.QUIT),
    Moment.LEAVING: (Verb.ACCEPT, Verb.REFUSE),
    Moment.SENT: _AT_TABLE,
    Moment.UNSURE: (Verb.ACCEPT, Verb.REFUSE),
    Moment.TURN: _ASKED,
    Moment.ASKED: _ASKED,
    Moment.WAITS: _AT_TABLE,
    Moment.SPOKEN: _AT_TABLE,
}
_ENTERED: Final = (Verb.STANDINGS, Verb.SCHEDULE, Verb.WITHDRAW)
"""In the lobby, for who takes part in a tournament."""
_HOST_BEFORE: Final = (Verb.START, Verb.ADD, Verb.REMOVE, Verb.KICK)
_HOST_IN_PAUSE: Final = (Verb.RESUME,)
_IN_HAND: Final = frozenset({Moment.SENT, Moment.UNSURE, Moment.TURN, Moment.ASKED, Moment.WAITS, Moment.SPOKEN})
_KUKU_COUNTS: Final = frozenset({Moment.SENT, Moment.WAITS, Moment.SPOKEN})
"""When there is nothing to answer, but a Kuku may be called (M7)."""


def moment_of(model: Model, open_: Open) -> Moment:
    """Where the reader is."""
    room, view, seat = model.room, model.view, model.seat
    if open_.is_lost:
        return Moment.LOST
    if room is None:
        return Moment.LOBBY
    if seat is None:
        return Moment.WATCHING
    if not model.is_playing:
        if model.is_gathering:
            return Moment.GATHERING
        return Moment.OPEN if view is None else Moment.OVER
    if open_.is_leaving:
        return Moment.LEAVING
    if model.is_paused:
        return Moment.PAUSED
    if view is None or view.phase not in DEFAULTS:
        return Moment.BETWEEN if view is None or view.lives[seat] else Moment.OUT
    if seat not in view.order:
        return Moment.OUT
    if model.asked is None:
        return Moment.WAITS if view.deeds[seat] is Deed.WAITS else Moment.SPOKEN
    if open_.is_sent:
        return Moment.SENT
    if open_.is_unsure:
        return Moment.UNSURE
    return Moment.TURN if view.phase is Phase.TURN else Moment.ASKED


def guide_lines(model: Model, open_: Open, lang: str, *, plain: bool) -> list[str]:
    """Where one is, then a line for each thing that can be done now, then where there is more."""
    moment = moment_of(model, open_)
    lines = _situation(model, moment, lang)
    view = model.view
    if view is not None and model.card is not None and moment is not Moment.LOST:
        told = meanings(view, _open_actions(model, moment), model.names, lang)
        lines += [_meaning(VERB_OF[action], meaning, lang) for action, meaning in told.items()]
    verbs = _WORTH_NAMING[moment]
    if model.rest is not None and model.seat is not None and not model.is_paused:
        verbs = (Verb.NEXT, *verbs)
    if model.is_host:
        verbs += (
            _HOST_BEFORE if moment in {Moment.OPEN, Moment.OVER} else _HOST_IN_PAUSE if moment is Moment.PAUSED else ()
        )
    if moment is Moment.LOBBY and model.contest.entered:
        verbs += (Verb.HERE, *_ENTERED) if model.contest.part is Part.CHECK_IN else _ENTERED
    lines += [f"  {help_line(row, lang)}" for row in TABLE if row.verb in verbs]
    lines.append(say(lang, "now.more"))
    keys = "help_keys_plain" if plain else "now.keys"
    return [*lines, say(lang, keys if model.seat is not None else f"{keys}_others")]


def _open_actions(model: Model, moment: Moment) -> tuple[Action, ...]:
    """What the hand would take from us now."""
    if moment in {Moment.TURN, Moment.ASKED}:
        assert model.asked is not None
        return model.asked.legal
    return (Action.KUKU,) if moment in _KUKU_COUNTS and model.card is Card.KUKU else ()


def _meaning(verb: Verb, meaning: str, lang: str) -> str:
    return say(lang, "now.meaning", words=TABLE_BY_VERB[verb].shown(lang), meaning=meaning)


def _situation(model: Model, moment: Moment, lang: str) -> list[str]:
    """Where one is, and what is to be said of the card that one holds."""
    key, room, view, turn = f"now.{moment.value}", model.room, model.view, model.turn
    values: dict[str, object] = {}
    if turn is not None:
        values["who"] = Who(model.names[turn.seat], lang, is_you=turn.seat == model.seat)
    values["card"] = "?" if model.card is None else ONE_CARD[lang][model.card]
    match moment:
        case Moment.LOST if model.seat is not None:
            key = "now.lost_seat"
        case Moment.OPEN | Moment.OVER:
            assert room is not None
            values["what"] = waits_for(room, lang)
        case Moment.GATHERING if model.is_called:
            key = "now.called"
        case Moment.WATCHING if turn is not None and model.is_playing:
            key = "now.watching_turn"
        case Moment.BETWEEN if model.rest is not None:
            key = "now.rest"
        case Moment.OUT if view is not None and (view.pot is None or view.pot > view.rules.pots):  # F3, G5
            key = "now.out_for_good"
        case Moment.OUT if view is not None:
            key = by_format("now.out", view)
        case Moment.ASKED:
            assert view is not None
            values["who"] = Who(model.names[view.order[0]], lang, is_you=False)
        case Moment.WAITS | Moment.SPOKEN if turn is None:
            key = f"now.{moment.value}_nobody"
    lines = [say(lang, key, **values)]
    if view is None or model.card is None:
        return lines
    known = _known(view, model, lang)
    if known and moment in _IN_HAND:
        lines.append(say(lang, "now.known", cards=known))
    if moment is Moment.WAITS:
        lines.append(when_asked(view, model.names, lang))
    elif moment is Moment.SPOKEN:
        lines.append(fate(view, model.names, lang))
    return lines


def _known(view: View, model: Model, lang: str) -> str:
    """What the others hold, as far as we know."""
    told = {seat: CARDS[lang][card] for seat, card in enumerate(view.cards) if card is not None and seat != view.seat}
    low = {seat: say(lang, "low_harlekin", card=told[seat]) for seat in view.low_harlekins if seat in told}
    return ", ".join(
        say(lang, "seat_value", name=Who(model.names[seat], lang, is_you=False), value=value)
        for seat, value in (told | low).items()
    )
