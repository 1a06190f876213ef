"""Players that are functions from a view to an action; know the game only."""

from kille_net.bots.base import Bot, Factory, as_bot
from kille_net.bots.loading import BUILT_IN, BotError, file_of, load, load_within

__all__ = ["BUILT_IN", "Bot", "BotError", "Factory", "as_bot", "file_of", "load", "load_within"]
