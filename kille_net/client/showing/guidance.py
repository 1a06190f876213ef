"""What can be done now, in words: the answers to a question, the help, the rules of our table.

Owns which commands are told of when. Refuses to know what they do.
"""

from collections.abc import Sequence
from typing import Final

from kille_net.client.commands import TABLE, TABLE_BY_VERB, TOURNAMENTS, Row, Takes, Verb
from kille_net.client.model import Model
from kille_net.client.options import (
    OPTIONS,
    PASSWORD,
    PLANS,
    WISHES,
    default_word,
    option_meaning,
    option_values,
    option_word,
)
from kille_net.client.showing.layout import CHANGED, TURN
from kille_net.client.showing.lessons import page
from kille_net.client.showing.texts import say
from kille_net.game.actions import Action, Phase
from kille_net.game.views import View
from kille_net.translate import to_ruleset
from kille_net.wire.options import DEFAULT_OPTIONS
from kille_net.wire.states import Place

__all__ = ["VERB_OF", "choices", "help_line", "help_lines", "marks_line", "rules_lines"]

VERB_OF: Final = {
    Action.STAND: Verb.STAND,
    Action.SWAP: Verb.SWAP,
    Action.KUKU: Verb.KUKU,
    Action.ASK: Verb.ASK,
    Action.ACCEPT: Verb.ACCEPT,
    Action.REFUSE: Verb.REFUSE,
    Action.DEPENDS: Verb.DEPENDS,
}


def choices(view: View, legal: Sequence[Action], lang: str) -> str:
    """The answers that a question has, each with its word and its key."""
    told: list[str] = []
    for action in legal:
        word, key = TABLE_BY_VERB[VERB_OF[action]].words(lang)[:2]
        draws = action is Action.SWAP and view.seat == view.dealer and view.phase is Phase.TURN
        told.append(say(lang, "choice_talon" if draws else "choice", word=word, key=key))
    return ", ".join(told)


_HAND_VERBS: Final = frozenset(VERB_OF.values())
_TOURNAMENTS: Final = frozenset(TOURNAMENTS)
_HOST_VERBS: Final = frozenset({Verb.START, Verb.PAUSE, Verb.RESUME, Verb.ADD, Verb.REMOVE, Verb.KICK})
_BEFORE_A_MATCH: Final = frozenset({Verb.READY, Verb.AGAIN, Verb.START, Verb.ADD, Verb.REMOVE})
_IN_A_MATCH: Final = _HAND_VERBS | {Verb.PAUSE, Verb.RESUME, Verb.NEXT}


def help_lines(model: Model, lang: str, *, plain: bool, row: Row | None = None) -> list[str]:
    """What can be typed now, what a hand waits for first; or all about one command."""
    if row is not None:
        lines = [help_line(row, lang)]
        if row.takes is Takes.NEW_ROOM:
            lines += [say(lang, "help_options"), *(f"  {_option_line(name, lang)}" for name in OPTIONS)]
        if row.takes is Takes.NEW_TOURNAMENT:
            lines += [say(lang, "help_options"), *(f"  {_option_line(name, lang, of_plan=True)}" for name in PLANS)]
            lines.append(say(lang, "help_plan"))
        if row.takes is Takes.WISH:
            lines += [say(lang, "help_options"), *(f"  {_option_line(name, lang)}" for name in WISHES)]
        return lines
    rows = [row for row in TABLE if model.place in row.places]
    if model.place is Place.SEATED:
        not_now = _BEFORE_A_MATCH if model.is_playing else _IN_A_MATCH
        rows = [row for row in rows if row.verb not in not_now]
    legal = _legal_verbs(model)
    parts = [
        ("help_now", [row for row in rows if row.verb in legal]),
        ("help_title", [row for row in rows if row.verb not in _HAND_VERBS | _HOST_VERBS | _TOURNAMENTS]),
        ("help_host", [row for row in rows if row.verb in _HOST_VERBS and model.is_host]),
        ("help_later", [row for row in rows if row.verb in _HAND_VERBS and row.verb not in legal]),
        ("help_tournaments", [row for row in rows if row.verb in _TOURNAMENTS]),
    ]
    told = {row.verb for _, shown in parts for row in shown}
    parts.append(("help_elsewhere", [row for row in TABLE if row.verb not in told]))
    lines = []
    for title, shown in parts:
        if shown:
            lines += [say(lang, title), *(f"  {help_line(row, lang)}" for row in shown)]
    sits = model.place is Place.SEATED
    if plain:
        return [*lines, say(lang, "help_keys_plain" if sits else "help_keys_plain_others")]
    return [*lines, marks_line(lang), say(lang, "help_keys" if sits else "help_keys_others")]


def marks_line(lang: str) -> str:
    """What the marks in the status lines mean."""
    struck, deals = say(lang, "short_struck"), say(lang, "short_deals")
    return say(lang, "help_marks", turn=TURN, changed=CHANGED, struck=struck, deals=deals)


def _legal_verbs(model: Model) -> set[Verb]:
    """What the hand would take from us now."""
    if not model.is_playing or model.view is None or model.seat is None:
        return set()
    legal = () if model.asked is None else model.asked.legal
    return {VERB_OF[action] for action in (*legal, *(Action.KUKU,) * (Action.KUKU in model.view.legal))}


def _option_line(name: str, lang: str, *, of_plan: bool = False) -> str:
    """One option of a room, or of a tournament: what it may be, what it is where nothing is said, and what it means."""
    word, meaning = option_word(name, lang), say(lang, option_meaning(name, of_plan=of_plan))
    if name == PASSWORD:
        return say(lang, "option_password", option=word, meaning=meaning)
    default, values = default_word(name, lang), option_values(name, lang)
    return say(lang, "option_line", option=word, values=values, default=default, meaning=meaning)


def rules_lines(model: Model, lang: str) -> list[str]:
    """How the game is played at our table; in the lobby, by the options that a room has where nothing is said."""
    rules = to_ruleset(DEFAULT_OPTIONS if model.room is None else model.room.options)
    return page(rules, lang, TABLE_BY_VERB[Verb.RULES].words(lang)[0], pots=rules.pots)


def help_line(row: Row, lang: str) -> str:
    """A command, and what it does."""
    takes = "" if row.takes is Takes.NOTHING else say(lang, f"takes.{row.takes.value}")
    return say(lang, "help_line", words=row.shown(lang), takes=takes, help=say(lang, f"help.{row.verb.value}"))
