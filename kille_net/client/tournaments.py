"""Tournaments, as the reader meets them: what is asked of the server about them, what comes of it, and what is told.

Owns the numbers of the list, the answers that come in pages, and the question before a tournament is called off.
Refuses to keep what is known of them (`contest` does), and to know the tables' own play.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from kille_net.client.choosing import SIGNING, meant, offered, takes_entrants
from kille_net.client.commands import Order, Verb, is_all
from kille_net.client.contest import ENDED, Contest, Part
from kille_net.client.effects import Effect, Print, Style
from kille_net.client.model import Model
from kille_net.client.options import Fault, option_values, read_plan, read_switch
from kille_net.client.showing.contradictions import contradicted
from kille_net.client.showing.texts import say_many
from kille_net.client.showing.tournaments import (
    lasting,
    part_lines,
    standings_lines,
    tables_lines,
    tournament_words,
    tournaments_lines,
)
from kille_net.client.tidings import tidings
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
_PAST: Final = 3
"""Tournaments that are over, in a list where not all were asked for."""
_TOP: Final = 10
"""Rows of standings that nobody has asked for."""
_EXPLAINED: Final = ("how", "example", "begins", "others", "more")


@dataclass(slots=True)
class _Asked:
    """What a question of ours has brought so far."""

    is_ours: bool
    """Whether we ask, and not the reader."""
    among: Verb | None = None
    """What the reader wants to do with one of the list."""
    is_all: bool = False
    """Whether all that is over is to be shown."""
    about: str = ""
    """The tournament that we want to know of."""
    was_in: str = ""
    """In which we took part when we were lost."""
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
        self._by_itself: set[int] = set()
        """Ids of what the reader has not asked for."""
        self._seen_out = ""
        """The tournament of which the reader knows to be knocked out."""
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
        return self._look(_Asked(is_ours=True))

    def look_again(self, known: Contest, *, is_called: bool = False) -> list[Effect]:
        """How is it with us? News that came while we were away is not told again (§6.13)."""
        if not known.entered and not is_called:
            return []
        self._told.discard(known.entered)
        return self._look(_Asked(is_ours=True, was_in=known.entered))

    def _look(self, asked: _Asked, page: int = 0) -> list[Effect]:
        return self._ask(wire.ListTournaments(id=self._voice.next_id(), page=page), asked)

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
                    return self._look(asked, message.page + 1)
                return self._listed(model, asked)
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

    def _listed(self, model: Model, asked: _Asked) -> list[Effect]:
        known = model.contest.listed
        self._numbered = [line.name for line in known]
        new = [line for line in model.contest.open if line.name not in self._told]
        self._told = {line.name for line in known}
        if asked.about:
            about = [line for line in known if line.name == asked.about]
            return [Print(tournament_words(line, self._lang, "tournament_is")) for line in about]
        if asked.is_ours:
            others = [line for line in new if line.name not in model.contest.followed]
            return self._with_us(new, asked.was_in, model) + self._mentioned(others)
        shown = {line.name for line in (known if asked.among is None else offered(asked.among, known))}
        if not asked.is_all:
            shown -= {line.name for line in [one for one in known if one.stage in ENDED][_PAST:]}
        lines: list[Effect] = [Print(line) for line in tournaments_lines(known, self._lang, shown)]
        if asked.among is not None:
            key = "needs_tournament" if shown else f"none_to.{asked.among}"
            return [*self._voice.fault(key), *(lines if shown else [])]
        if len(shown) < len(known):
            lines.append(Print(say_many(self._lang, "tournaments_past", len(known) - len(shown)), Style.QUIET))
        return lines + self._voice.tell("hint_tournaments" if known else "hint_no_tournaments", Style.QUIET)

    def _with_us(self, new: list[wire.TournamentLine], was_in: str, model: Model) -> list[Effect]:
        """How it is in ours, for who has just come, or come back, to the lobby."""
        known = model.contest
        if was_in and was_in != known.entered:
            line = next((line for line in known.listed if line.name == was_in), None)
            if line is not None and line.stage in ENDED:
                return [Print(tournament_words(line, self._lang, "tournament_is"))]
            return self._voice.tell("tournament.not_in", name=was_in)
        if model.place is not Place.LOBBY or known.entered not in {line.name for line in new}:
            return []
        said: list[Effect] = [Print(line) for line in part_lines(model, self._lang, known.listed_at)]
        return said + (self._voice.tell("hint_standings", Style.QUIET) if known.is_on else [])

    def _mentioned(self, lines: list[wire.TournamentLine]) -> list[Effect]:
        """One line on those that the reader has not heard of."""
        lines = [line for line in lines if not line.entered]
        enterable = [line for line in lines if takes_entrants(line)]
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
        said += [Print(line, Style.LOUD if at in loud else Style.PLAIN) for at, line in enumerate(lines)]
        if known.part is not Part.KNOCKED_OUT or known.entered != name or self._seen_out == name:
            return said
        self._seen_out = name
        return said + self._voice.tell("tournament.you_knocked_out", Style.LOUD, name=name)

    def refused(self, command: wire.Command | None) -> bool:
        """Whether nothing need be said of it: nobody has asked but we."""
        if command is not None and command.id in self._by_itself:
            self._by_itself.discard(command.id)
            return True
        asked = None if command is None else self._asked.pop(command.id, None)
        return asked is not None and asked.is_ours

    def too_late(self, command: wire.Command | None, known: Contest) -> list[Effect] | None:
        """Which of the two it is, that the tournament has begun or is over; None: that is not known."""
        if not isinstance(command, wire.SignUp | wire.BeginTournament | wire.CancelTournament):
            return None
        name = known.named(_name(command.tournament))
        line = next((line for line in known.listed if line.name == name), None)
        if line is None or line.stage in SIGNING:
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
                if not before.is_on:
                    return self._voice.tell("withdrawn_before", name=before.entered)
                return self._voice.tell("withdrawn", name=before.entered) + self._may_follow(before)
            case wire.CheckIn():
                return self._voice.tell("checked_in")
            case wire.Follow() if command.id in self._by_itself:
                self._by_itself.discard(command.id)
                return self._look(_Asked(is_ours=True))  # where it stands is in the status
            case wire.BeginTournament() | wire.CancelTournament():
                return self._came_of(before.named(_name(command.tournament)), before)
            case wire.Follow():
                name = before.named(_name(command.tournament))
                return self._voice.tell("followed" if command.on else "unfollowed", name=name)
        return []  # what comes of the others is news

    def left(self, known: Contest, *, was_called: bool) -> list[Effect]:
        """We have left our table, and if it was a tournament's, that as well: it can still be followed."""
        if not was_called or not known.entered:
            return []
        return self._voice.tell("left_tournament", name=known.entered) + self._may_follow(known)

    def _may_follow(self, known: Contest) -> list[Effect]:
        """The one that we were in goes on without us."""
        if known.entered in known.followed:
            return []
        return self._voice.tell("hint_follow", Style.QUIET, name=known.entered)

    def _opened(self, command: wire.OpenTournament) -> list[Effect]:
        plan, name = command.plan, _name(command.tournament)
        self._told.add(name)
        key = "opened_start" if plan.start else "opened_number" if plan.number else "opened"
        when = lasting(plan.start, self._lang)
        said = self._voice.tell(key, Style.LOUD, name=name, when=when, number=plan.number)
        follow = wire.Follow(id=self._voice.next_id(), tournament=command.tournament, on=True)
        self._by_itself.add(follow.id)
        return said + self._voice.send(follow)

    def _came_of(self, name: str, before: Contest) -> list[Effect]:
        """What came of a tournament that we let begin, or called off; whoever hears its news has heard it."""
        if name in {before.entered, *before.followed}:
            return []
        return self._look(_Asked(is_ours=True, about=name))

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
                return self._look(_Asked(is_ours=False, is_all=is_all(order.rest)))
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
        name = self._meant(order.verb, order.rest, model.contest)
        if not name:
            return self._which(order.verb)
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

    def _which(self, verb: Verb) -> list[Effect]:
        """None was named, and none must be meant: here are those of which it can be said."""
        return self._look(_Asked(is_ours=False, among=verb))

    def _meant(self, verb: Verb, said: str, known: Contest) -> str:
        """The tournament that was said by name or number, or that must be meant; empty: none."""
        if not said:
            return meant(verb, known)
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
        is_named = any(name_key(line.name) == name_key(name) for line in known.listed)
        if number is None and is_named:
            return self._voice.fault("bad_round", word=safe_text(last, _MOST_WORD))
        if number is None or (not name and not meant(Verb.SCHEDULE, known)):
            name, number = said, 0
        which = self._meant(Verb.SCHEDULE, name, known)
        if not which:
            return self._which(Verb.SCHEDULE)
        command = wire.AskTables(id=self._voice.next_id(), tournament=which, round=number, page=0)
        return self._ask(command, _Asked(is_ours=False))

    def _follow(self, order: Order, known: Contest) -> list[Effect]:
        said, on = order.rest, order.verb is Verb.FOLLOW
        name, _, last = said.rpartition(" ")
        if on and (switch := read_switch(last)) is not None:
            said, on = name, switch
        if not said and not on and known.followed:
            said = known.followed[-1]
        which = self._meant(order.verb, said, known)
        if not which:
            return self._which(order.verb)
        return self._voice.send(wire.Follow(id=self._voice.next_id(), tournament=which, on=on))

    # --- what happens ---------------------------------------------------------------------------------------------

    def told(self, news: wire.TournamentNews, before: Contest, model: Model) -> list[Effect]:
        """What has happened; `before`: what was known until then."""
        said, wants_standings = tidings(news, before, model, self._voice)
        return said + (self._ask_standings(_name(news.tournament), is_ours=True) if wants_standings else [])


def _name(name: str) -> str:
    return safe_text(name, _NAME_CELLS)
