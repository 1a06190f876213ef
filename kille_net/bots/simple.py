"""The two weak players: one that plays anything, and one that plays as a beginner does."""

from random import Random
from typing import Final

from kille_net.bots.base import Bot
from kille_net.bots.reading import is_low, own
from kille_net.game.actions import Action
from kille_net.game.cards import Card
from kille_net.game.views import View

__all__ = ["EasyBot", "RandomBot"]


class RandomBot(Bot):
    """Does any one of the things that it may do, each as likely as the others."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng

    def decide(self, view: View) -> Action:
        return self._rng.choice(view.legal)

    def calls_kuku(self, view: View) -> bool:
        return self._rng.random() < 0.5  # noqa: PLR2004  one of two


SWAP_BELOW: Final = Card.N7
"""A beginner's rule: a card under 7 is a bad one, wherever one sits."""
FORGETS: Final = 0.12
"""How often a beginner overlooks a thing it knows."""


class EasyBot(Bot):
    """Swaps what is low by one rule for every seat, and overlooks a thing now and then."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng

    def decide(self, view: View) -> Action:
        bad = is_low(view) or own(view) < SWAP_BELOW
        if self._rng.random() < FORGETS:
            bad = not bad
        legal = view.legal
        if Action.ACCEPT in legal or Action.DEPENDS in legal:
            return Action.REFUSE if not bad else Action.ACCEPT if Action.ACCEPT in legal else Action.DEPENDS
        if bad and Action.ASK in legal:
            return Action.ASK
        return Action.SWAP if bad else Action.STAND

    def calls_kuku(self, view: View) -> bool:
        return self._rng.random() >= FORGETS
