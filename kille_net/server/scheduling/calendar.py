"""All tournaments of a server: which there are, what players want of them, and the tables that they ask for.

Owns the names of tournaments and how many there may be. Refuses to know rooms: a `Hall` holds the tables.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import count
from types import MappingProxyType
from typing import Any, Final, Protocol, TypeAlias

from kille_net.server import effects
from kille_net.server.called import Outcome
from kille_net.server.effects import Effect, Fault, Refusing, Save, Tell
from kille_net.server.limits import Limits
from kille_net.server.people import Player
from kille_net.server.saving import MatchesOpened, TableOf
from kille_net.server.scheduling.listing import MOST_LINES, line, page, standing_page, table_page
from kille_net.server.scheduling.play import Call, Clear, Think
from kille_net.server.scheduling.tournament import BY_MAKER, BY_OPERATOR, Tournament
from kille_net.server.timing import soonest
from kille_net.server.tournament.saved import TournamentSaved
from kille_net.wire import messages as m
from kille_net.wire.plans import contradiction
from kille_net.wire.text import name_key, valid_name

__all__ = ["COMMANDS", "Calendar", "Hall"]

_KEPT: Final = 16
"""Tournaments that are over and may still be asked for."""


class Hall(Protocol):
    """Where tables are held; nothing of it waits."""

    def has_place(self) -> bool: ...
    def free_name(self, tournament: str, round_: int, table: int) -> str:
        """What a table may be called."""
        ...

    def hold(self, call: Call, of: TableOf, name: str, plan: m.Plan) -> list[Effect]:
        """Hold a table, which must have a place."""
        ...

    def clear(self, name: str) -> list[Effect]:
        """Give a table up."""
        ...

    def release(self, player: Player) -> list[Effect]:
        """Take the player away from its table; where it is otherwise, it stays."""
        ...

    def part(self, player: Player) -> None:
        """Nobody waits for the player here any more."""
        ...


class Calendar:
    """What it returns is to be done, in order."""

    def __init__(self, hall: Hall, limits: Limits, *, epoch: Callable[[], float], draw_seed: Callable[[], str]) -> None:
        self._hall = hall
        self._limits = limits
        self._make = partial(Tournament, epoch=epoch, draw_seed=draw_seed)
        self._ids = count(1)
        self._running: dict[str, Tournament] = {}
        """By the key of its name."""
        self._past: dict[str, Tournament] = {}
        self._of: dict[Player, Tournament] = {}
        """Who takes part."""
        self.is_closed = False
        """Whether nothing begins any more."""

    def close(self) -> None:
        """Let nothing begin any more."""
        self.is_closed = True
        for tournament in self._running.values():
            tournament.is_held = True

    # --- what others ask of it --------------------------------------------------------------------------------------

    @property
    def tournaments(self) -> tuple[Tournament, ...]:
        """Those that are running first."""
        return (*self._running.values(), *reversed(self._past.values()))

    def named(self, name: str) -> Tournament | None:
        key = name_key(name)
        return self._running.get(key) or self._past.get(key)

    def of(self, player: Player) -> Tournament | None:
        """In which the player takes part."""
        return self._of.get(player)

    # --- commands ---------------------------------------------------------------------------------------------------

    def command(self, player: Player, command: m.Command, now: float) -> list[Effect]:
        """Do it, and answer it. Raises Refusing."""
        return _COMMANDS[type(command)](self, player, command, now)

    def _list(self, player: Player, command: m.ListTournaments, _now: float) -> list[Effect]:
        lines = [line(one, entered=one.keeps(player)) for one in self.tournaments]
        pages, shown = page(lines, command.page, MOST_LINES)
        return [_answer(player, m.Tournaments(id=command.id, page=command.page, pages=pages, tournaments=shown))]

    def _open(self, player: Player, command: m.OpenTournament, now: float) -> list[Effect]:
        made = self._made(command.tournament, command.plan, player)
        return [_ok(player, command), *self._let(made, lambda: made.open(now), now)]

    def _made(self, name: str, plan: m.Plan, maker: Player | None) -> Tournament:
        kept = valid_name(name)
        if kept is None:
            raise Refusing(m.RefusalCode.BAD_NAME)
        if contradiction(plan) is not None:
            raise Refusing(m.RefusalCode.BAD_PLAN)
        key = name_key(kept)
        if key in self._running:
            raise Refusing(m.RefusalCode.TOURNAMENT_EXISTS)
        own = sum(one.maker is maker for one in self._running.values()) if maker is not None else 0
        if len(self._running) >= self._limits.tournaments or own >= self._limits.tournaments_of_player:
            raise Refusing(m.RefusalCode.TOO_MANY_TOURNAMENTS)
        tournament = self._make(next(self._ids), kept, plan, maker)
        self._past.pop(key, None)
        self._running[key] = tournament
        return tournament

    def _sign_up(self, player: Player, command: m.SignUp, now: float) -> list[Effect]:
        tournament = self._find(command.tournament)
        if self.of(player) is not None:
            raise Refusing(m.RefusalCode.ALREADY_ENTERED)
        done = self._let(tournament, lambda: tournament.sign_up(player, now), now)
        return [_ok(player, command), *done]

    def _withdraw(self, player: Player, command: m.Withdraw, now: float) -> list[Effect]:
        return [_ok(player, command), *self.drop(player, now)]

    def _check_in(self, player: Player, command: m.CheckIn, now: float) -> list[Effect]:
        tournament = self._own(player)
        done = self._let(tournament, lambda: tournament.check_in(player, now), now)
        return [_ok(player, command), *done]

    def _begin(self, player: Player, command: m.BeginTournament, now: float) -> list[Effect]:
        tournament = self._made_by(player, command.tournament)
        return [_ok(player, command), *self._let(tournament, lambda: tournament.begin(now), now)]

    def _cancel(self, player: Player, command: m.CancelTournament, now: float) -> list[Effect]:
        tournament = self._made_by(player, command.tournament)
        return [_ok(player, command), *self._let(tournament, lambda: tournament.cancel(BY_MAKER), now)]

    def _standings(self, player: Player, command: m.AskStandings, _now: float) -> list[Effect]:
        return [_answer(player, standing_page(self._find(command.tournament), command))]

    def _tables(self, player: Player, command: m.AskTables, _now: float) -> list[Effect]:
        return [_answer(player, table_page(self._find(command.tournament), command))]

    def _follow(self, player: Player, command: m.Follow, _now: float) -> list[Effect]:
        followers = self._find(command.tournament).crier.followers
        if command.on:
            followers.add(player)
        else:
            followers.discard(player)
        return [_ok(player, command)]

    def _find(self, name: str) -> Tournament:
        tournament = self.named(name)
        if tournament is None:
            raise Refusing(m.RefusalCode.NO_SUCH_TOURNAMENT)
        return tournament

    def _own(self, player: Player) -> Tournament:
        tournament = self.of(player)
        if tournament is None:
            raise Refusing(m.RefusalCode.NOT_ENTERED)
        return tournament

    def _made_by(self, player: Player, name: str) -> Tournament:
        tournament = self._find(name)
        if tournament.maker is not player:
            raise Refusing(m.RefusalCode.NOT_MAKER)
        return tournament

    # --- what whoever runs the server wants -------------------------------------------------------------------------

    def open(self, name: str, plan: m.Plan, now: float) -> list[Effect]:
        """Make one. Raises Refusing."""
        made = self._made(name, plan, None)
        return self._let(made, lambda: made.open(now), now)

    def begin(self, name: str, now: float) -> list[Effect]:
        """Let it begin before its time. Raises Refusing."""
        tournament = self._find(name)
        return self._let(tournament, lambda: tournament.begin(now), now)

    def cancel(self, name: str, now: float) -> list[Effect]:
        """Raises Refusing."""
        tournament = self._find(name)
        return self._let(tournament, lambda: tournament.cancel(BY_OPERATOR), now)

    def drop(self, player: Player, now: float) -> list[Effect]:
        """Take the player out of the one that it takes part in. Raises Refusing."""
        tournament = self._own(player)
        done = self._let(tournament, lambda: tournament.withdraw(player, now), now)
        return [*self._hall.release(player), *done]

    # --- what happens around it -------------------------------------------------------------------------------------

    def left(self, player: Player, now: float) -> list[Effect]:
        """The player has left its table on purpose, or the server for good."""
        tournament = self.of(player)
        if tournament is None:
            return []
        return self._let(tournament, lambda: tournament.withdraw(player, now), now)

    def came_back(self, player: Player, now: float) -> list[Effect]:
        tournament = self.of(player)
        return [] if tournament is None else self._let(tournament, lambda: tournament.came_back(now), now)

    def keeps(self, player: Player) -> bool:
        """Whether the player is not to be forgotten, however long it is away. A ladder keeps nobody: it has no end."""
        tournament = self.of(player)
        return tournament is not None and tournament.plan.kind is not m.TournamentKind.LADDER

    def forget(self, player: Player) -> None:
        """The server knows the player no more."""
        for tournament in self.tournaments:
            tournament.crier.followers.discard(player)
            if tournament.maker is player:
                tournament.maker = None

    def table_over(self, of: TableOf, outcome: Outcome, now: float) -> list[Effect]:
        tournament = self._by_id(of.tournament)
        if tournament is None:
            return [Save(MatchesOpened((bytes.fromhex(outcome.match),)))] if outcome.match else []
        return self._let(tournament, lambda: tournament.table_over(of.round, of.number, outcome, now), now)

    def thought(self, number: int, result: Any, now: float) -> list[Effect]:  # noqa: ANN401 -- as `Tournament.thought`
        """What a tournament wanted to be worked out; an exception: that failed, by a bug of ours."""
        tournament = self._by_id(number)
        if tournament is None:
            return []
        if isinstance(result, Exception):
            return [Fault(result), *self._wreck(tournament)]
        return self._let(tournament, lambda: tournament.thought(result, now), now)

    def _by_id(self, number: int) -> Tournament | None:
        return next((one for one in self._running.values() if one.id == number), None)

    # --- time -------------------------------------------------------------------------------------------------------

    def deadline(self) -> float | None:
        """When `tick` is to be called next; None: not before something happens."""
        if self.is_closed:
            return None
        return soonest(*[one.deadline() for one in self._running.values()]) if self._running else None

    def tick(self, now: float) -> list[Effect]:
        """Do what is due in one tournament, if anything is."""
        if self.is_closed:
            return []
        for tournament in self._running.values():
            due = tournament.deadline()
            if due is not None and due <= now:
                return self._let(tournament, partial(tournament.tick, now), now)
        return []

    # --- doing what a tournament asks for ---------------------------------------------------------------------------

    def _let(self, tournament: Tournament, step: Callable[[], None], now: float) -> list[Effect]:
        """Let something happen to it. Raises Refusing; whatever else goes wrong there ends the tournament alone."""
        done: list[Effect] = []
        try:
            step()
            self._carry(tournament, done)
        except Refusing:
            raise
        except Exception as error:  # a bug in a tournament must not end the others
            done += [Fault(error), *self._wreck(tournament)]
        return done

    def _wreck(self, tournament: Tournament) -> list[Effect]:
        done: list[Effect] = []
        try:
            tournament.fail()
            self._carry(tournament, done)
        except Exception as error:  # …not even then
            done.append(Fault(error))
            tournament.stage = m.TournamentStage.CANCELLED
            self._put_away(tournament)
            self._note_players(tournament)
        return done

    def _carry(self, tournament: Tournament, done: list[Effect]) -> None:
        """Do what it asks for; `done` takes what is to be done elsewhere."""
        while orders := tournament.take():
            for order in orders:
                match order:
                    case Call():
                        done += self._hold(tournament, order)
                    case Clear(room):
                        done += self._hall.clear(room)
                    case Think(work):
                        done.append(effects.Think(tournament.id, work))
                    case _:
                        done.append(order)
        if not tournament.is_running:
            self._put_away(tournament)
        self._note_players(tournament)

    def _note_players(self, tournament: Tournament) -> None:
        here = tournament.entrants.taking_part if tournament.is_running else []
        own = {one.player for one in here if one.player is not None}
        gone = [player for player, other in self._of.items() if other is tournament and player not in own]
        for player in gone:
            del self._of[player]
        self._of.update(dict.fromkeys(own, tournament))
        for player in gone:
            self._hall.part(player)

    def _hold(self, tournament: Tournament, call: Call) -> list[Effect]:
        if self.is_closed or not self._hall.has_place():
            return []
        table, plan = call.table, tournament.plan
        name = self._hall.free_name(tournament.name, table.round, table.number)
        of = TableOf(
            tournament=tournament.id, round=table.round, number=table.number, call=plan.call, most=plan.minutes * 60.0
        )
        tournament.called(table, name)
        told = [order for order in tournament.take() if not isinstance(order, Call | Clear | Think)]
        return [*told, *self._hall.hold(call, of, name, plan)]

    def _put_away(self, tournament: Tournament) -> None:
        key = name_key(tournament.name)
        if self._running.get(key) is not tournament:
            return
        del self._running[key]
        self._past[key] = tournament
        if len(self._past) > _KEPT:
            del self._past[next(iter(self._past))]

    # --- over a restart ---------------------------------------------------------------------------------------------

    def restore(
        self,
        saved: Sequence[TournamentSaved],
        last: int,
        players: Mapping[int, Player],
        held: Iterable[TableOf],
        now: float,
    ) -> list[Effect]:
        """Be what was saved; `last`: the highest id that a tournament had; `held`: the tables that there are, or
        of which is known already what came of them.
        """
        tables: dict[int, set[tuple[int, int]]] = defaultdict(set)
        for of in held:
            tables[of.tournament].add((of.round, of.number))
        self._ids = count(last + 1)
        done: list[Effect] = []
        for one in saved:
            state = one.state
            maker = None if state.maker is None else players.get(state.maker)
            tournament = self._make(one.id, state.name, state.plan, maker)
            self._running[name_key(state.name)] = tournament
            done += self._let(tournament, partial(tournament.restore, one, players, tables[one.id], now), now)
        return done


def _ok(player: Player, command: m.Command) -> Effect:
    return _answer(player, m.Ok(id=command.id))


def _answer(player: Player, answer: m.Answer) -> Effect:
    return Tell((player,), answer)


_Method: TypeAlias = Callable[[Calendar, Player, Any, float], list[Effect]]
_COMMANDS: Final[Mapping[type[m.Message], _Method]] = MappingProxyType(
    {
        m.ListTournaments: Calendar._list,
        m.OpenTournament: Calendar._open,
        m.SignUp: Calendar._sign_up,
        m.Withdraw: Calendar._withdraw,
        m.CheckIn: Calendar._check_in,
        m.BeginTournament: Calendar._begin,
        m.CancelTournament: Calendar._cancel,
        m.AskStandings: Calendar._standings,
        m.AskTables: Calendar._tables,
        m.Follow: Calendar._follow,
    }
)
COMMANDS: Final = frozenset(_COMMANDS)
"""Commands that are about tournaments."""
