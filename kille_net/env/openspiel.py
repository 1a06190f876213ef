"""Kille for OpenSpiel: `pyspiel.load_game("python_kille(players=4)")`, once this module is imported.

Owns chance: each card that is dealt or drawn is a node of its own, whose outcomes are kinds of cards, weighted by how
many of each are left. The engine takes whole packs; so its pack begins with the cards that have come, and the rest
stands in an order that nobody has seen. A step that needs a card which has not come waits for it. Nothing else is
decided here: whom to ask for what is the same as in `aec`, and so is what is seen and paid.

Parameters: `players`, `format`, `dealt_harlekin`, `pots`, `max_asks`, and `unit`: an episode is a `match`, or a `hand`
of full lives, and is paid accordingly (`asking.Paid`). The last player deals first, so that player 0 speaks first. In
`pots` no Harlekin comes to one of two, since that deal is thrown away unplayed (F5); all others come as often as they
are played. So a hand without asks, `python_kille(unit=hand,max_asks=0)`, is a finite tree, as CFR and exploitability
need it. Otherwise no course is the longest, and the length that is told is one that chance does not exceed.

An information state is, as a string, all that a player has been told, and as a tensor what a `View` holds, which
forgets what was dealt again and the hands before.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from enum import Enum
from functools import lru_cache
from typing import Any, Final

import numpy as np
import pyspiel

from kille_net.env.asking import OPTIONS, PASS, Paid, callers, name_of, options, paid
from kille_net.env.encoding import SIZE, Vector, encode, named
from kille_net.game.actions import Action
from kille_net.game.cards import FULL_PACK, Card, Pack
from kille_net.game.events import Dealt, Drew, Event, Reshuffled
from kille_net.game.match import Match, Stage
from kille_net.game.rules import MAX_ASKS, MAX_SEATS, MIN_SEATS, Format, HarlekinRank, Ruleset, Seat
from kille_net.game.views import View, observe, redact

__all__ = ["GAME_TYPE", "KilleGame", "KilleState"]

GAME_TYPE: Final = pyspiel.GameType(
    short_name="python_kille",
    long_name="Kille",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=MAX_SEATS,
    min_num_players=MIN_SEATS,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    provides_factored_observation_string=True,
    parameter_specification={
        "players": 2,
        "format": Format.POTS.value,
        "dealt_harlekin": HarlekinRank.HIGH.value,
        "pots": 1,
        "max_asks": MAX_ASKS,
        "unit": Paid.MATCH.value,
    },
)
_LONG: Final = 1000
"""Choices in a pot, more than ever come."""
_CHANCES: Final = 8
"""Cards for each choice, likewise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Position:
    """Where a game stands; a value, so that states share it."""

    unit: Paid
    max_asks: int
    base: Match
    """As it was when it last wanted a pack."""
    before: tuple[Event, ...]
    """All events up to then."""
    come: tuple[Card, ...] = ()
    """Of that pack, as they came."""
    moves: tuple[tuple[Seat, Action], ...] = ()
    """Since then; the last one waits where a card is missing."""
    match: Match
    """As all see it: without what waits."""
    events: tuple[Event, ...]
    callers: tuple[Seat, ...] = ()
    waits: bool = False
    """For a card."""
    deals_two: bool = False
    """Whether that card is one of two dealt from a whole pack."""

    def __deepcopy__(self, memo: dict[int, object]) -> "_Position":
        return self

    @property
    def is_over(self) -> bool:
        return _is_over(self.match, self.unit)

    @property
    def asked(self) -> Seat:
        seat = self.callers[0] if self.callers else self.match.to_act
        assert seat is not None
        return seat

    @property
    def options(self) -> int:
        """Those of the seat that is asked, as bits."""
        return options(self.match, self.asked, calling=bool(self.callers), max_asks=self.max_asks)

    def is_calling(self, seat: Seat) -> bool:
        """Whether the seat is asked whether it calls its Kuku."""
        return self.callers[:1] == (seat,)

    def left(self) -> Mapping[Card, int]:
        """How many there are of each kind that may come next."""
        pack = Counter(FULL_PACK)
        if self.before and isinstance(self.before[-1], Reshuffled):  # G4
            assert self.base.hand is not None
            pack = Counter(self.base.hand.table.talon + self.base.hand.table.discard)
        pack -= Counter(self.come)
        if self.deals_two:
            del pack[Card.HARLEKIN]
        return pack

    def with_card(self, card: Card) -> "_Position":
        return _settled(replace(self, come=(*self.come, card)))

    def with_option(self, option: int) -> "_Position":
        if option == PASS:
            return replace(self, callers=self.callers[1:])
        return _settled(replace(self, moves=(*self.moves, (self.asked, Action(option))), callers=()))


def _is_over(match: Match, unit: Paid) -> bool:
    has_ended = match.hand is not None and match.hand.showdown is not None
    return match.stage is Stage.OVER or (unit is Paid.HAND and has_ended)


def _settled(position: _Position) -> _Position:
    """What the position has come to with its cards and moves, unless they need a card more."""
    match = position.base.copy()
    events = match.deal(_pack(position.come))
    for seat, action in position.moves:
        events += match.act(seat, action)
    if sum(map(_cards_of, events)) > len(position.come):
        assert match.hand is not None
        deals_two = not position.moves and len(match.hand.order) == MIN_SEATS and match.ruleset.rules.whole_pack
        return replace(position, waits=True, deals_two=deals_two)
    told = (*position.before, *events)
    if match.wants_pack and not _is_over(match, position.unit):
        return _dealt_anew(position.unit, position.max_asks, match, told)
    return replace(position, match=match, events=told, callers=callers(match), waits=False, deals_two=False)


@lru_cache(maxsize=1 << 16)
def _pack(come: tuple[Card, ...]) -> Pack:
    """One that begins so."""
    return (*come, *(Counter(FULL_PACK) - Counter(come)).elements())


def _dealt_anew(unit: Paid, max_asks: int, match: Match, told: tuple[Event, ...]) -> _Position:
    return _settled(_Position(unit=unit, max_asks=max_asks, base=match, before=told, match=match, events=told))


def _cards_of(event: Event) -> int:
    """How many cards it took from the top of the talon."""
    match event:
        case Dealt(cards):
            return sum(card is not None for card in cards)
        case Drew():
            return 1
    return 0


class KilleGame(pyspiel.Game):
    """The game of one set of parameters. Raises ValueError where there is no such thing."""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = {**GAME_TYPE.parameter_specification, **(params or {})}
        seats = given["players"]
        rules = Ruleset.for_seats(
            seats,
            format=Format(given["format"]),
            dealt_harlekin=HarlekinRank(given["dealt_harlekin"]),
            pots=given["pots"],
        )
        super().__init__(
            GAME_TYPE,
            pyspiel.GameInfo(
                num_distinct_actions=OPTIONS,
                max_chance_outcomes=len(Card),
                num_players=seats,
                min_utility=-1.0,
                max_utility=1.0,
                utility_sum=0.0,
                max_game_length=_LONG * rules.pots,
            ),
            params or {},
        )
        match = Match(rules, seats, first_dealer=seats - 1)
        self.beginning = _dealt_anew(Paid(given["unit"]), given["max_asks"], match, ())

    def new_initial_state(self) -> "KilleState":
        return KilleState(self)

    def max_chance_nodes_in_history(self) -> int:
        return _CHANCES * int(self.max_game_length())

    def make_py_observer(self, kind: Any = None, params: Any = None) -> "_Observer":  # noqa: ANN401  OpenSpiel's own
        return _Observer(kind or pyspiel.IIGObservationType(perfect_recall=False), params)


class KilleState(pyspiel.State):
    """A position as OpenSpiel asks for it."""

    def __init__(self, game: KilleGame) -> None:
        super().__init__(game)
        self.position = game.beginning

    def current_player(self) -> int:
        if self.position.is_over:
            return int(pyspiel.PlayerId.TERMINAL)
        return int(pyspiel.PlayerId.CHANCE) if self.position.waits else self.position.asked

    def is_terminal(self) -> bool:
        return self.position.is_over

    def _legal_actions(self, player: int) -> list[int]:
        bits = self.position.options if player == self.position.asked else 0
        return [option for option in range(OPTIONS) if bits >> option & 1]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        left = self.position.left()
        return [(int(card), number / sum(left.values())) for card, number in sorted(left.items())]

    def _apply_action(self, action: int) -> None:
        position = self.position
        self.position = position.with_card(Card(action)) if position.waits else position.with_option(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return Card(action).code if player == pyspiel.PlayerId.CHANCE else name_of(action)

    def returns(self) -> list[float]:
        position = self.position
        worth = paid(position.match, position.unit) if position.is_over else {}
        return [worth.get(seat, 0.0) for seat in range(position.match.seats)]

    def __str__(self) -> str:
        """All that has happened, and what has come of the pack since."""
        position = self.position
        moves = [f"{seat} {action.code}" for seat, action in position.moves] if position.waits else []
        return "\n".join([*map(_line, position.events), *(f"came {card.code}" for card in position.come), *moves])


class _Observer:
    """What a player, or for public information alone a spectator, may know of a state."""

    def __init__(self, kind: Any, params: Any) -> None:  # noqa: ANN401  OpenSpiel's own
        if params:
            raise ValueError("there are no parameters for what is observed")
        if kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            raise ValueError("nobody observes the cards of all")
        self._is_public = kind.public_info
        self._is_private = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        self._remembers = kind.perfect_recall
        self.tensor: Vector | None = np.zeros(SIZE, np.float32) if self._is_public else None
        self.dict = {} if self.tensor is None else named(self.tensor)

    def set_from(self, state: KilleState, player: int) -> None:
        if self.tensor is not None:
            position = state.position
            self.tensor[:] = encode(self._view(position, player), calling=self._is_calling(position, player))

    def string_from(self, state: KilleState, player: int) -> str:
        position = state.position
        if not self._is_public:
            return _text(self._view(position, player).cards)
        viewer = player if self._is_private else None
        lines = (
            [_told(event, viewer) for event in position.events]
            if self._remembers
            else [_line(self._view(position, player))]
        )
        return "\n".join([*lines, "calling?"] if self._is_calling(position, player) else lines)

    def _view(self, position: _Position, player: int) -> View:
        return observe(position.match, player if self._is_private else None)

    def _is_calling(self, position: _Position, player: int) -> bool:
        return self._is_private and position.is_calling(player)


@lru_cache(maxsize=1 << 16)
def _told(event: Event, viewer: Seat | None) -> str:
    return _line(redact(event, viewer))


def _line(what: Event | View) -> str:
    """An event or a view in one line, by the names of its fields."""
    values = ((field.name, getattr(what, field.name)) for field in fields(what))
    return " ".join([type(what).__name__, *(f"{name}={_text(value)}" for name, value in values if name != "rules")])


def _text(value: object) -> str:
    match value:
        case None:
            return "-"
        case Card() | Action():
            return value.code
        case Enum():
            return str(value.value)
        case tuple():
            return f"({' '.join(map(_text, value))})"
    return str(value)


pyspiel.register_game(GAME_TYPE, KilleGame)
