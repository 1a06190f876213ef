"""What is said of the news of tournaments.

Owns which news is loud, quiet, or none, and what is told of it to whom it concerns. Refuses to know what is asked for
because of it (`client.tournaments` does), and to keep anything.
"""

from typing import Final

from kille_net.client.contest import Contest
from kille_net.client.effects import Bell, Effect, Style
from kille_net.client.model import Model
from kille_net.client.showing.texts import reason
from kille_net.client.showing.tournaments import lasting, places_line
from kille_net.client.voice import Voice
from kille_net.wire import messages as wire
from kille_net.wire.states import Place
from kille_net.wire.text import safe_text

__all__ = ["tidings"]

_NAME_CELLS: Final = 32
_TEXT_CELLS: Final = 400
_HEARS_ALL: Final = frozenset({wire.Happening.SIGNED_UP, wire.Happening.WITHDREW, wire.Happening.DROPPED_OUT})


def tidings(news: wire.TournamentNews, before: Contest, model: Model, voice: Voice) -> tuple[list[Effect], bool]:
    """What is said of it, and whether how they stand belongs to it; `before`: what was known until then."""
    name, who, own = _name(news.tournament), _name(news.who), model.name
    is_us = who == own
    text = safe_text(news.text, _TEXT_CELLS)
    values = {
        "name": name,
        "who": who,
        "round": news.round,
        "next": news.round + 1,
        "table": news.table,
        "when": lasting(news.s, voice.lang),
        "text": text,
    }
    key, style = f"tournament.{news.news.value}", Style.PLAIN
    is_ours = before.entered == name
    match news.news:
        case wire.Happening.SIGNED_UP | wire.Happening.WITHDREW if is_us:
            return [], False  # the answer to our command says it
        case wire.Happening.DROPPED_OUT if is_us and is_ours and before.is_to_begin:
            key, style = "tournament.you_missed_check_in", Style.LOUD
        case wire.Happening.DROPPED_OUT if is_us:
            key, style = "tournament.you_dropped_out", Style.LOUD
        case news_ if news_ in _HEARS_ALL:
            style = Style.QUIET
        case wire.Happening.CHECK_IN:
            if is_ours:
                return [*voice.tell("tournament.you_check_in", Style.LOUD, **values), Bell()], False
        case wire.Happening.CALLED:
            values["others"] = ", ".join(_name(seat) for seat in news.seats if _name(seat) != own)
            return [*voice.tell(key, Style.LOUD, **values), Bell()], False
        case wire.Happening.BYE:
            style = Style.LOUD
        case wire.Happening.ROUND:
            said = voice.tell(key, **values)
            return said + (voice.tell("tournament.digest", Style.QUIET, **values) if text else []), False
        case wire.Happening.TABLE_OVER:
            return _table_over(news, values, own, voice), False
        case wire.Happening.ROUND_OVER:
            return _round_over(news, values, voice), _shows_standings(news, before, model)
        case wire.Happening.OVER:
            if not who:
                key = "tournament.over_nobody"
            elif is_us:
                key, style = "tournament.you_won", Style.LOUD
            return voice.tell(key, style, **values), True
        case wire.Happening.CANCELLED:
            key, style = f"{key}_why" if text else key, Style.FAULT
            values["text"] = reason(voice.lang, text)
    return voice.tell(key, style, **values), False


def _table_over(news: wire.TournamentNews, values: dict[str, object], own: str, voice: Voice) -> list[Effect]:
    seats = [_name(seat) for seat in news.seats]
    shown = places_line(news.seats, news.places, own, voice.lang)
    if not shown:
        key = "tournament.table_void" if news.places else "tournament.table_done"
        return voice.tell(key, Style.QUIET, **values)
    if own not in seats:
        return voice.tell("tournament.table_over", Style.QUIET, places=shown, **values)
    return voice.tell("tournament.your_table_over", Style.LOUD, places=shown, **values)


def _round_over(news: wire.TournamentNews, values: dict[str, object], voice: Voice) -> list[Effect]:
    said = voice.tell("tournament.round_over" if news.s else "tournament.last_round_over", **values)
    return said + (voice.tell("tournament.seed", Style.QUIET, **values) if values["text"] else [])


def _shows_standings(news: wire.TournamentNews, before: Contest, model: Model) -> bool:
    """After a round, unless that would come into our own play, or comes at once with the end of all."""
    is_ladder = before.kind_of(_name(news.tournament)) is wire.TournamentKind.LADDER
    return bool(news.s) and not is_ladder and not (model.place is Place.SEATED and model.is_playing)


def _name(name: str) -> str:
    return safe_text(name, _NAME_CELLS)
