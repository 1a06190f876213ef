"""A house in which tournaments are played: guests that answer every question at once, and plans for them."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Final

from msgspec.structs import replace

from kille_net.server import archive
from kille_net.server.effects import Effect, Save
from kille_net.server.scheduling.tournament import Tournament
from kille_net.server.tournament.saved import TournamentSaved
from kille_net.wire import messages as m
from kille_net.wire.options import DEFAULT_PLAN
from tests.server.house import Guest, House, code, options

__all__ = [
    "NAME",
    "Killed",
    "Mortal",
    "ask",
    "back",
    "bots",
    "bound",
    "entered",
    "kept",
    "names",
    "news",
    "plan",
    "play_on",
    "run",
    "say",
    "tables",
    "the",
]

NAME: Final = "Torsdag"


def plan(kind: m.TournamentKind = m.TournamentKind.SWISS, seats: int = 4, **others: Any) -> m.Plan:  # noqa: ANN401 -- the fields of a plan
    """The quickest tournament, unless told otherwise."""
    table = replace(options(seats), clock=5, computers=others.pop("computers", 0))
    plain = replace(DEFAULT_PLAN, kind=kind, options=table, through=1, late=0, pause=10, at_once=32)
    return replace(plain, **others)


def bound(house: House, of: m.Plan) -> float:
    """Seconds after which a tournament that began is surely over, whoever is there."""
    tournament = the(house)
    tables = len(tuple(tournament.entrants)) + of.options.seats  # one each, and what computers fill up
    waves = -(-tables // min(of.at_once, house._limits.tables))
    wave = of.call + of.minutes * 60 + 2
    if of.kind is m.TournamentKind.LADDER:
        return 7 * 86_400 + waves * wave
    rounds = 6 if of.kind is m.TournamentKind.KNOCK_OUT else max(tournament.rounds, of.rounds, 3)
    return of.start + of.check_in + rounds * (of.pause + waves * wave)


# --- who is there -----------------------------------------------------------------------------------------------------


def bots(house: House, number: int) -> list[Guest]:
    return [house.guest(f"Bot {k}", bot=True) for k in range(1, number + 1)]


def persons(house: House, number: int) -> list[Guest]:
    return [house.guest(f"Gast {k}") for k in range(1, number + 1)]


def names(guests: Iterable[Guest]) -> list[str]:
    return [guest.name for guest in guests]


def entered(house: House, of: m.Plan, guests: Sequence[Guest], *, begin: bool = True) -> Tournament:
    """A tournament in which these take part, made by the first of them."""
    assert say(house, guests[0], m.OpenTournament, plan=of) is None
    for guest in guests:
        assert say(house, guest, m.SignUp) is None
    if begin and the(house).stage is m.TournamentStage.OPEN:
        assert say(house, guests[0], m.BeginTournament) is None
    return the(house)


# --- what is said -----------------------------------------------------------------------------------------------------


def ask(house: House, guest: Guest, kind: Callable[..., m.Command], **fields: Any) -> m.Answer | None:  # noqa: ANN401 -- the fields of a plan
    """A command about the tournament of that name, unless it names another or none."""
    if "tournament" in kind.__struct_fields__:  # type: ignore[attr-defined]  # a struct
        fields.setdefault("tournament", NAME)
    return house.do(guest, lambda number: kind(id=number, **fields))


def say(house: House, guest: Guest, kind: Callable[..., m.Command], **fields: Any) -> m.RefusalCode | None:  # noqa: ANN401 -- the fields of a plan
    """The same; why it was refused, None: it was not."""
    return code(ask(house, guest, kind, **fields))


def the(house: House, name: str = NAME) -> Tournament:
    tournament = house.lobby.calendar.named(name)
    assert tournament is not None
    return tournament


def news(guest: Guest, kind: m.Happening | None = None) -> list[m.TournamentNews]:
    return [one for one in guest.all(m.TournamentNews) if kind in {None, one.news}]


def tables(house: House, guest: Guest, round_: int = 0) -> list[m.TableLine]:
    """All pages of them."""
    first = ask(house, guest, m.AskTables, page=0, round=round_)
    assert isinstance(first, m.Tables)
    found = list(first.tables)
    for page in range(1, first.pages):
        more = ask(house, guest, m.AskTables, page=page, round=round_)
        assert isinstance(more, m.Tables)
        found += more.tables
    return found


# --- time -------------------------------------------------------------------------------------------------------------


def answer_all(house: House, guests: Sequence[Guest]) -> bool:
    """Let all answer what they are asked; whether anybody was."""
    was = False
    for guest in guests:
        if not guest.player.is_here:
            continue
        for message in guest.new():
            if isinstance(message, m.Question):
                do = m.Do.STAND if message.legal & 1 else m.Do.REFUSE
                house.do(guest, partial(_decide, message.turn, do))
                was = True
    return was


def _decide(turn: int, do: m.Do, number: int) -> m.Decide:
    return m.Decide(id=number, turn=turn, do=do)


def play_on(house: House, guests: Sequence[Guest], seconds: float, step: float = 0.5) -> None:
    """Let time pass, and all answer at once whatever they are asked."""
    until = house.now + seconds
    while house.now < until:
        while answer_all(house, guests):
            house.wait(0)
        house.wait(min(step, until - house.now))


def run(house: House, guests: Sequence[Guest], while_: Callable[[Tournament], bool] | None = None) -> float:
    """Let it be played until it is over, or no longer so; how long that took."""
    tournament, began = the(house), house.now
    while tournament.is_running and (while_ is None or while_(tournament)):
        if not answer_all(house, guests):
            house.step()
            assert house.now - began < 20 * 86_400, "it never ends"
    assert not house.faults
    return house.now - began


def back(house: House, guests: Iterable[Guest]) -> None:
    """They are connected again, and read what they are told."""
    for guest in guests:
        if not guest.player.is_here:
            guest.new()
            house.carry(house.lobby.come_back(guest.player, house.now))


# --- what is kept -----------------------------------------------------------------------------------------------------


def kept(house: House) -> list[TournamentSaved]:
    """All that the store knows, also those that are over."""
    assert house.store is not None
    db = house.store._db
    rows = db.execute("SELECT id, state FROM tournament ORDER BY id").fetchall()
    return [archive._tournament(db, *row) for row in rows]


class Killed(Exception):
    """The power went."""


class Mortal(House):
    """Dies once, right after something was kept and before anybody was told."""

    dies_at = 0
    """At which keeping, from 1; 0: never."""
    carried = 0

    def carry(self, effects: Iterable[Effect]) -> None:
        effects = list(effects)
        self.carried += 1
        if self.carried == self.dies_at:
            assert self.store is not None
            self.store.keep([effect.change for effect in effects if isinstance(effect, Save)])
            raise Killed
        super().carry(effects)
