"""Tournaments, as the reader meets them: what is asked of the server about them, what comes of it, and what is told.

Owns the numbers of the list, the answers that come in pages, and the question before a tournament is called off.
Refuses to keep what is known of them (`contest` does), and to know the tables' own play.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from kille_net.client.commands import Order, Verb
from kille_net.client.contest import ENDED, Contest
from kille_net.client.effects import Bell, Effect, Print, Style
from kille_net.client.model import Model
from kille_net.client.options import Fault, option_values, read_plan, read_switch
from kille_net.client.showing.contradictions import contradicted
from kille_net.client.showing.texts import reason
from kille_net.client.showing.tournaments import (
    lasting,
    places_line,
    standings_lines,
    tables_lines,
    tournament_words,
    tournaments_lines,
)
from kille_net.client.voice import Voice
from kille_net.wire import messages as wire
from kille_net.wire.states import Place
from kille_net.wire.text import name_key, safe_text, valid_name

__all__ = ["Tournaments"]

_MOST_PAGES: Final = 20
_EVERY: Final = 30.0
"""Seconds between two looks of ours."""
_MOST_DIGITS: Final = 6
_MOST_NAME: Final = 64
_MOST_WORD: Final = 40
_NAME_CELLS: Final = 32
_TEXT_CELLS: Final = 400
_TOP: Final = 10
"""Rows of standings that nobody has asked for."""
_HEARS_ALL: Final = frozenset({wire.Happening.SIGNED_UP, wire.Happening.WITHDREW, wire.Happening.DROPPED_OUT})
_OPEN: Final = frozenset({wire.TournamentStage.OPEN, wire.TournamentStage.CHECK_IN})
_EXPLAINED: Final = ("how", "example", "begins", "others", "more")


@dataclass(slots=True)
class _Asked:
    """What a question of ours has brought so far."""

    is_ours: bool
    """Whether we ask, and not the reader."""
    rows: list[wire.StandingLine] = field(default_factory=list)
    tables: list[wire.TableLine] = field(default_factory=list)


class Tournaments:
    def __init__(self, voice: Voice, *, plain: bool, of_day: Callable[[], int]) -> None:
        """`of_day`: the seconds since midnight where the reader sits."""
        self._voice = voice
        self._of_day = of_day
        self._lang = voice.lang
        self._columns: int | None = None if plain else 80
        self._numbered: list[str] = []
        """Names, from number 1 on."""
        self._told: set[str] = set()
        """Names of those that the reader has heard of."""
        self._asked: dict[int, _Asked] = {}
        self._look_at = 0.0
        self._wish = ""
        """The tournament that is called off at a yes."""

    def fits(self, columns: int) -> None:
        """What is shown from now on has so much room."""
        if self._columns is not None:
            self._columns = columns

    def name_of(self, number: str) -> str | None:
        if not (number.isascii() and number.isdigit() and len(number) <= _MOST_DIGITS):
            return None
        return self._numbered[int(number) - 1] if 1 <= int(number) <= len(self._numbered) else None

    # --- asking ---------------------------------------------------------------------------------------------------

    def beside(self, now: float, *, is_aloud: bool) -> list[Effect]:
        """The tables of the lobby have been listed, and the reader sees them, or not: what of the tournaments?"""
        if not is_aloud and now < self._look_at:
            return []
        if is_aloud:
            self._told.clear()
        self._look_at = now + _EVERY
        return self._look(is_ours=True)

    def look_again(self, known: Contest, *, is_called: bool = False) -> list[Effect]:
        """How is it with us? News that came while we were away is not told again (§6.13)."""
        if not known.entered and not is_called:
            return []
        return self._look(is_ours=True)

    def _look(self, page: int = 0, *, is_ours: bool) -> list[Effect]:
        return self._ask(wire.ListTournaments(id=self._voice.next_id(), page=page), _Asked(is_ours))

    def _ask(self, command: wire.ListTournaments | wire.AskStandings | wire.AskTables, asked: _Asked) -> list[Effect]:
        self._asked[command.id] = asked
        return self._voice.send(command)

    def _ask_standings(self, name: str, *, is_ours: bool) -> list[Effect]:
        return self._ask(
            wire.AskStandings(id=self._voice.next_id(), tournament=name[:_MOST_NAME], page=0), _Asked(is_ours)
        )

    # --- answers --------------------------------------------------------------------------------------------------

    def answered(self, message: wire.Tournaments | wire.Standings | wire.Tables, model: Model) -> list[Effect]:
        """A page of what we have asked for; the model has it."""
        asked = self._asked.pop(message.id)
        is_last = message.page + 1 >= min(message.pages, _MOST_PAGES)
        match message:
            case wire.Tournaments():
                if not is_last:
                    return self._look(message.page + 1, is_ours=asked.is_ours)
                return self._listed(model, is_ours=asked.is_ours)
            case wire.Standings():
                asked.rows += message.standings
                has_own = any(_name(row.name) == model.name for row in asked.rows)
                if is_last or (asked.is_ours and (has_own or model.contest.entered != _name(message.tournament))):
                    return self._stand(message, asked, model.name, model.contest)
                name = message.tournament
                again = wire.AskStandings(id=self._voice.next_id(), tournament=name, page=message.page + 1)
                return self._ask(again, asked)
            case wire.Tables():
                asked.tables += message.tables
                if is_last:
                    return [Print(line) for line in tables_lines(message, asked.tables, model.name, self._lang)]
                name, number, page = message.tournament, message.round, message.page + 1
                ask = wire.AskTables(id=self._voice.next_id(), tournament=name, round=number, page=page)
                return self._ask(ask, asked)

    def _listed(self, model: Model, *, is_ours: bool) -> list[Effect]:
        known = model.contest.listed
        self._numbered = [line.name for line in known]
        new = [line for line in model.contest.open if line.name not in self._told]
        self._told = {line.name for line in known}
        if is_ours:
            return self._mentioned(new)
        lines: list[Effect] = [Print(line) for line in tournaments_lines(known, self._lang)]
        return lines + self._voice.tell("hint_tournaments" if known else "hint_no_tournaments", Style.QUIET)

    def _mentioned(self, lines: list[wire.TournamentLine]) -> list[Effect]:
        """One line on those that the reader has not heard of."""
        lines = [line for line in lines if not line.entered]
        enterable = [line for line in lines if line.stage in _OPEN or line.kind is wire.TournamentKind.LADDER]
        if len(enterable) > 1:
            return self._voice.tell("tournaments_open", count=len(enterable))
        if not lines:
            return []
        line = (enterable or lines)[0]
        key = "tournament_open" if enterable else "tournament_on"
        return [Print(tournament_words(line, self._lang, key))]

    def _stand(self, head: wire.Standings, asked: _Asked, own: str, known: Contest) -> list[Effect]:
        rows = list({row.name: row for row in asked.rows}.values())
        if asked.is_ours:
            rows = rows[:_TOP] + [row for row in rows[_TOP:] if _name(row.name) == own]
        name = _name(head.tournament)
        since = known.since(name, head.round)
        title, *lines = standings_lines(head, rows, own, self._lang, self._columns, since=since)
        first = 0 if self._columns is None else 1  # below the headings
        loud = {first + at for at, row in enumerate(rows) if _name(row.name) == own}
        said: list[Effect] = [Print(title)]
        return said + [Print(line, Style.LOUD if at in loud else Style.PLAIN) for at, line in enumerate(lines)]

    def refused(self, command: wire.Command | None) -> bool:
        """Whether nothing need be said of it: nobody has asked but we."""
        asked = None if command is None else self._asked.pop(command.id, None)
        return asked is not None and asked.is_ours

    def too_late(self, command: wire.Command | None, known: Contest) -> list[Effect] | None:
        """Which of the two it is, that the tournament has begun or is over; None: that is not known."""
        if not isinstance(command, wire.SignUp | wire.BeginTournament | wire.CancelTournament):
            return None
        name = known.named(_name(command.tournament))
        line = next((line for line in known.listed if line.name == name), None)
        if line is None or line.stage in _OPEN:
            return None
        key = "refused.too_late_over" if line.stage in ENDED else "refused.too_late_begun"
        return self._voice.fault(key, name=name)

    def done(self, command: wire.Command | None, before: Contest) -> list[Effect]:
        """The server has done it; `before`: what was known until then."""
        match command:
            case wire.OpenTournament():
                return self._opened(command)
            case wire.SignUp():
                return self._voice.tell("signed_up", Style.LOUD, name=before.named(_name(command.tournament)))
            case wire.Withdraw():
                return self._voice.tell("withdrawn" if before.is_on else "withdrawn_before", name=before.entered)
            case wire.CheckIn():
                return self._voice.tell("checked_in")
            case wire.Follow():
                name = before.named(_name(command.tournament))
                return self._voice.tell("followed" if command.on else "unfollowed", name=name)
        return []  # what comes of the others is news

    def left(self, known: Contest, *, was_called: bool) -> list[Effect]:
        """We have left our table, and if it was a tournament's, that as well: it can still be followed."""
        if not was_called or not known.entered:
            return []
        return self._voice.tell("leave_followed", name=known.entered)

    def _opened(self, command: wire.OpenTournament) -> list[Effect]:
        plan, name = command.plan, _name(command.tournament)
        self._told.add(name)
        key = "opened_start" if plan.start else "opened_number" if plan.number else "opened"
        when = lasting(plan.start, self._lang)
        return self._voice.tell(key, Style.LOUD, name=name, when=when, number=plan.number)

    # --- what is typed --------------------------------------------------------------------------------------------

    def drop(self) -> None:
        """Something else is asked: a yes would be to that."""
        self._wish = ""

    def heard(self, verb: Verb) -> list[Effect] | None:
        """What follows if it answers whether a tournament is called off; None: it does not."""
        wish, self._wish = self._wish, ""
        match verb:
            case Verb.ACCEPT if wish:
                return self._voice.send(wire.CancelTournament(id=self._voice.next_id(), tournament=wish))
            case Verb.REFUSE if wish:
                return self._voice.tell("cancel_not", name=_name(wish))
            case Verb.CANCEL:
                self._wish = wish
        return None

    def obey(self, order: Order, model: Model) -> list[Effect]:
        match order.verb:
            case Verb.TOURNAMENTS:
                return self._look(is_ours=False)
            case Verb.TOURNAMENT:
                return self._make(order)
            case Verb.WITHDRAW:
                return self._voice.send(wire.Withdraw(id=self._voice.next_id()))
            case Verb.HERE:
                return self._voice.send(wire.CheckIn(id=self._voice.next_id()))
            case Verb.SCHEDULE:
                return self._schedule(order.rest, model.contest)
            case Verb.FOLLOW | Verb.UNFOLLOW:
                return self._follow(order, model.contest)
        name = self._meant(order.rest, model.contest)
        if not name:
            return self._which()
        match order.verb:
            case Verb.ENTER:
                return self._voice.send(wire.SignUp(id=self._voice.next_id(), tournament=name))
            case Verb.BEGIN:
                return self._voice.send(wire.BeginTournament(id=self._voice.next_id(), tournament=name))
            case Verb.STANDINGS:
                return self._ask_standings(name, is_ours=False)
            case Verb.CANCEL if self._wish == name:
                self._wish = ""
                return self._voice.send(wire.CancelTournament(id=self._voice.next_id(), tournament=name))
            case Verb.CANCEL:
                self._wish = name
                return self._voice.tell("cancel_sure", Style.LOUD, name=_name(name))
        raise AssertionError(order.verb)

    def _which(self) -> list[Effect]:
        """None was named, and none must be meant: here they are."""
        return [*self._voice.fault("needs_tournament"), *self._look(is_ours=False)]

    def _meant(self, said: str, known: Contest) -> str:
        """The tournament that was said by name or number, or that must be meant; empty: none."""
        if not said:
            return known.meant()
        named = known.named(said)
        is_known = any(name_key(line.name) == name_key(said) for line in known.listed)
        return (named if is_known else self.name_of(said) or named)[:_MOST_NAME]

    def _make(self, order: Order) -> list[Effect]:
        given = order.options or {}
        if not order.rest and not given:
            return [Print(self._voice.say(f"make_tournament.{key}")) for key in _EXPLAINED]
        name = valid_name(order.rest)
        if name is None:
            return self._voice.fault("bad_tournament" if order.rest else "nameless_tournament")
        plan = read_plan(given, of_day=self._of_day())
        if isinstance(plan, Fault):
            option, _, value = plan.word.partition("=")
            typed = (order.typed or {}).get(option, option)
            possible = f"{typed}={option_values(option, self._lang)}"
            return self._voice.fault(plan.key, word=safe_text(f"{typed}={value}", _MOST_WORD), possible=possible)
        if (wrong := contradicted(plan, order.typed or {}, self._lang)) is not None:
            return [Print(wrong, Style.FAULT)]
        return self._voice.send(wire.OpenTournament(id=self._voice.next_id(), tournament=name, plan=plan))

    def _schedule(self, said: str, known: Contest) -> list[Effect]:
        """The last word is a round if it is a number, and no number of the list that stands alone for one."""
        name, _, last = said.rpartition(" ")
        number = int(last) if last.isascii() and last.isdigit() and len(last) <= _MOST_DIGITS else None
        if number is None or (not name and not known.meant()):
            name, number = said, 0
        meant = self._meant(name, known)
        if not meant:
            return self._which()
        command = wire.AskTables(id=self._voice.next_id(), tournament=meant, round=number, page=0)
        return self._ask(command, _Asked(is_ours=False))

    def _follow(self, order: Order, known: Contest) -> list[Effect]:
        said, on = order.rest, order.verb is Verb.FOLLOW
        name, _, last = said.rpartition(" ")
        if on and (switch := read_switch(last)) is not None:
            said, on = name, switch
        if not said and not on and known.followed:
            said = known.followed[-1]
        meant = self._meant(said, known)
        if not meant:
            return self._which()
        return self._voice.send(wire.Follow(id=self._voice.next_id(), tournament=meant, on=on))

    # --- what happens ---------------------------------------------------------------------------------------------

    def told(self, news: wire.TournamentNews, before: Contest, model: Model) -> list[Effect]:
        """What has happened; `before`: what was known until then."""
        name, who, own = _name(news.tournament), _name(news.who), model.name
        is_us = who == own
        text = safe_text(news.text, _TEXT_CELLS)
        values = {
            "name": name,
            "who": who,
            "round": news.round,
            "next": news.round + 1,
            "table": news.table,
            "when": lasting(news.s, self._lang),
            "text": text,
        }
        key, style = f"tournament.{news.news.value}", Style.PLAIN
        is_ours = before.entered == name
        match news.news:
            case wire.Happening.SIGNED_UP | wire.Happening.WITHDREW if is_us:
                return []  # the answer to our command says it
            case wire.Happening.DROPPED_OUT if is_us and is_ours and not before.is_on:
                key, style = "tournament.you_missed_check_in", Style.LOUD
            case wire.Happening.DROPPED_OUT if is_us:
                key, style = "tournament.you_dropped_out", Style.LOUD
            case news_ if news_ in _HEARS_ALL:
                style = Style.QUIET
            case wire.Happening.CHECK_IN:
                if is_ours:
                    return [*self._voice.tell("tournament.you_check_in", Style.LOUD, **values), Bell()]
            case wire.Happening.CALLED:
                values["others"] = ", ".join(_name(seat) for seat in news.seats if _name(seat) != own)
                return [*self._voice.tell(key, Style.LOUD, **values), Bell()]
            case wire.Happening.BYE:
                style = Style.LOUD
            case wire.Happening.ROUND:
                said = self._voice.tell(key, **values)
                return said + (self._voice.tell("tournament.digest", Style.QUIET, **values) if text else [])
            case wire.Happening.TABLE_OVER:
                return self._table_over(news, values, own)
            case wire.Happening.ROUND_OVER:
                return self._round_over(news, values, before, model)
            case wire.Happening.OVER:
                if not who:
                    key = "tournament.over_nobody"
                elif is_us:
                    key, style = "tournament.you_won", Style.LOUD
                return [*self._voice.tell(key, style, **values), *self._ask_standings(name, is_ours=True)]
            case wire.Happening.CANCELLED:
                key, style = f"{key}_why" if text else key, Style.FAULT
                values["text"] = reason(self._lang, text)
        return self._voice.tell(key, style, **values)

    def _table_over(self, news: wire.TournamentNews, values: dict[str, object], own: str) -> list[Effect]:
        seats = [_name(seat) for seat in news.seats]
        shown = places_line(news.seats, news.places, own, self._lang)
        if not shown:
            key = "tournament.table_void" if news.places else "tournament.table_done"
            return self._voice.tell(key, Style.QUIET, **values)
        if own not in seats:
            return self._voice.tell("tournament.table_over", Style.QUIET, places=shown, **values)
        return self._voice.tell("tournament.your_table_over", Style.LOUD, places=shown, **values)

    def _round_over(
        self, news: wire.TournamentNews, values: dict[str, object], before: Contest, model: Model
    ) -> list[Effect]:
        """With how they stand now, unless that would come into our own play, or comes at once with the end of all."""
        said = self._voice.tell("tournament.round_over" if news.s else "tournament.last_round_over", **values)
        if values["text"]:
            said += self._voice.tell("tournament.seed", Style.QUIET, **values)
        is_ladder = before.kind_of(_name(news.tournament)) is wire.TournamentKind.LADDER
        if is_ladder or not news.s or (model.place is Place.SEATED and model.is_playing):
            return said
        return said + self._ask_standings(_name(news.tournament), is_ours=True)


def _name(name: str) -> str:
    return safe_text(name, _NAME_CELLS)
