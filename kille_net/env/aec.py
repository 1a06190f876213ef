"""Kille for PettingZoo, as an AEC environment: `env(seats=4)`, with agents `seat_0` to `seat_7`.

Owns the turn order and the rewards of one episode, which is a match. An observation is a dictionary of `observation`
(`encoding.LAYOUT`) and `action_mask` (`asking.OPTIONS`); the seat selected has a choice, all others may look. A seat
without lives is passed over until the next pot; nobody leaves before the end of the match. Nothing that an agent sees
when it is selected hangs on a hidden card; that another is selected may, where it holds a Kuku (M7).
"""

import secrets
import sys
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Box, Dict, Discrete, Space
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from kille_net.env.asking import OPTIONS, PASS, Paid, callers, options, paid
from kille_net.env.encoding import SIZE, encode
from kille_net.env.playing import mask_of
from kille_net.game.actions import Action
from kille_net.game.match import Match, Stage
from kille_net.game.rules import MAX_ASKS, Format, HarlekinRank, Length, Ruleset, Seat
from kille_net.game.shuffle import Seeded, match_id_of
from kille_net.game.views import observe

__all__ = ["ILLEGAL", "Observation", "env", "raw_env"]

ILLEGAL: Final = -1.0
"""The reward of a seat that chooses what it may not, with which the episode is over."""

Observation: TypeAlias = dict[str, npt.NDArray[Any]]


def env(**settings: Any) -> AECEnv[str, Observation, Any]:  # noqa: ANN401  those of `raw_env`
    """The environment as all use it: who errs is told so, who chooses what the mask forbids has lost (ILLEGAL)."""
    checked = wrappers.TerminateIllegalWrapper(raw_env(**settings), illegal_reward=ILLEGAL)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(checked))


class raw_env(AECEnv[str, Observation, Any]):
    """The environment without the wrappers: what the mask forbids raises ValueError, and changes nothing.

    `seats`, `format`, `pots` (None: by the table of the standard length; 1: a single pot) and `dealt_harlekin` are the
    rules, `reward` says what for (`Paid`), and `max_asks` how many asks may be accepted in a hand. Raises ValueError
    where there is no such thing.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  where PettingZoo looks for it
        "name": "kille_v0",
        "render_modes": ["human", "ansi"],
        "is_parallelizable": False,
    }

    def __init__(
        self,
        *,
        seats: int = 4,
        format: str = Format.POTS,  # noqa: A002  the rules' own word
        pots: int | None = None,
        dealt_harlekin: str = HarlekinRank.HIGH,
        reward: str = Paid.MATCH,
        max_asks: int = MAX_ASKS,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # which has no types
        self._rules: Final = Ruleset.for_seats(
            seats, format=Format(format), length=Length.STANDARD, dealt_harlekin=HarlekinRank(dealt_harlekin), pots=pots
        )
        self._paid_by: Final = Paid(reward)
        self._max_asks: Final = max_asks
        self.render_mode = render_mode
        self.possible_agents = [f"seat_{seat}" for seat in range(seats)]
        self._seats: Final = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.observation_spaces: dict[str, Space[Any]] = {
            agent: Dict(
                {
                    "observation": Box(0, 1, (SIZE,), np.float32),
                    "action_mask": Box(0, 1, (OPTIONS,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces: dict[str, Space[Any]] = {agent: Discrete(OPTIONS) for agent in self.possible_agents}
        self._seed = secrets.token_hex()
        self._number = -1
        self._callers: tuple[Seat, ...] = ()

    def observation_space(self, agent: str) -> Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a match. A seed repeats it, and all that come after it; without one, the next of the last seed's."""
        if seed is not None:
            self._seed, self._number = str(seed), -1
        self._number += 1
        self._chance = Seeded(self._seed, match_id_of(self._seed, self._number))
        seats = len(self.possible_agents)
        self._match = Match(self._rules, seats, self._chance.first_dealer(seats))
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._go_on()

    def step(self, action: int | None) -> None:
        """Let the seat selected choose that option, then deal what comes next. Raises ValueError for one it has not."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if action is None or not self._options >> int(action) & 1:
            msg = f"{agent} may not choose {action} now"
            raise ValueError(msg)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if action == PASS:
            self._callers = self._callers[1:]
            self._select()
        else:
            self._match.act(self._seats[agent], Action(int(action)))
            self._go_on()

    def _go_on(self) -> None:
        """After every deal and action: pay what it brought, deal while a pack is wanted, and select whom to ask."""
        self._pay()
        while self._match.wants_pack:
            self._match.deal(self._chance.pack(*self._match.next_pack))
            self._pay()
        self._accumulate_rewards()
        self._callers = callers(self._match)
        self._select()

    def _pay(self) -> None:
        for seat, worth in paid(self._match, self._paid_by).items():
            self.rewards[self.possible_agents[seat]] += worth

    def _select(self) -> None:
        """Find out whom to ask next, and between what it may choose."""
        if self._match.stage is Stage.OVER:
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
            self._options = 0
            return
        seat = self._callers[0] if self._callers else self._match.to_act
        assert seat is not None
        self.agent_selection = self.possible_agents[seat]
        self._options = options(self._match, seat, calling=bool(self._callers), max_asks=self._max_asks)

    def observe(self, agent: str) -> Observation:
        bits = self._options if agent == self.agent_selection else 0
        view = observe(self._match, self._seats[agent])
        return {"observation": encode(view, calling=bool(bits >> PASS & 1)), "action_mask": mask_of(bits)}

    def render(self) -> str | None:
        """The open table as text, in the words of records; on standard output in the mode `human`."""
        if self.render_mode is None:
            return None
        text = _drawn(self._match, "" if self._match.stage is Stage.OVER else self.agent_selection)
        if self.render_mode == "ansi":
            return text
        sys.stdout.write(text + "\n")
        return None

    def close(self) -> None:
        """There is nothing to close."""


def _drawn(match: Match, asked: str) -> str:
    hand = match.hand
    assert hand is not None
    lines = [f"hand {match.number} pot {match.pot} dealer seat_{hand.dealer} {match.phase.value} {asked}".rstrip()]
    for seat in range(match.seats):
        card = hand.table.card(seat)
        marks = [
            mark
            for mark, seats in (
                ("face_up", hand.table.face_up),
                ("low_harlekin", hand.table.low_harlekins),
                ("struck", hand.struck),
            )
            if seat in seats
        ]
        held = "-" if card is None else card.code
        numbers = f"lives {match.lives[seat]} points {match.points[seat]}"
        lines.append(" ".join([f"seat_{seat} {numbers} {held}", hand.deeds[seat].value, *marks]))
    if hand.table.beside:
        lines.append(" ".join(["beside", *(card.code for card in hand.table.beside)]))
    return "\n".join(lines)
