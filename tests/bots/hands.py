"""Hands and matches for the tests of bots: prepared packs, and players that note what they are asked."""

from collections.abc import Sequence

from kille_net.arena.play import play_match
from kille_net.bots import Bot
from kille_net.game.actions import DEFAULTS, Action
from kille_net.game.cards import FULL_PACK, Card, Pack
from kille_net.game.events import Event
from kille_net.game.match import Match
from kille_net.game.rules import Ruleset, Seat
from kille_net.game.shuffle import Seeded, match_id_of
from kille_net.game.views import View, observe


def pack(top: str) -> Pack:
    """A whole pack with these cards on top, by their codes."""
    rest = list(FULL_PACK)
    first = [Card.of_code(code) for code in top.split()]
    for card in first:
        rest.remove(card)
    return (*first, *rest)


def hand(top: str, seats: int, play: Sequence[tuple[Seat, Action]] = (), rules: Ruleset | None = None) -> Match:
    """The first hand of a match in which the last seat deals, after these actions."""
    match = Match(rules or Ruleset(), seats, seats - 1)
    match.deal(pack(top))
    for seat, action in play:
        match.act(seat, action)
    return match


def view(top: str, seats: int, play: Sequence[tuple[Seat, Action]] = (), rules: Ruleset | None = None) -> View:
    """What the seat sees whose answer is open in such a hand."""
    match = hand(top, seats, play, rules)
    assert match.to_act is not None
    return observe(match, match.to_act)


def play(bots: Sequence[Bot], rules: Ruleset, number: int = 0) -> Match:
    """A whole match between them with packs of its own."""
    chance = Seeded("tests of bots", match_id_of("tests of bots", number))
    match = Match(rules, len(bots), chance.first_dealer(len(bots)))
    play_match(match, bots, chance.pack)
    return match


class Noting(Bot):
    """Does as another bot does, and keeps what it was asked and what it saw."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self.asked: list[tuple[View, Action]] = []
        self.called: list[tuple[View, bool]] = []
        self.events: list[Event] = []

    def decide(self, view: View) -> Action:
        action = self._bot.decide(view)
        self.asked.append((view, action))
        return action

    def calls_kuku(self, view: View) -> bool:
        calls = self._bot.calls_kuku(view)
        self.called.append((view, calls))
        return calls

    def saw(self, event: Event) -> None:
        self.events.append(event)


def stander(view: View) -> Action:
    """Never takes part in anything."""
    return DEFAULTS[view.phase]
