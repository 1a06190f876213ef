"""What may be named after a command, and what each is, for whoever types half a word.

Owns the names of rooms, tournaments, seats, cards and topics. Refuses to know which command takes what.
"""

from kille_net.client.commands import Takes
from kille_net.client.model import Model
from kille_net.client.showing.lessons import card_line, lesson
from kille_net.client.showing.listing import room_line
from kille_net.client.showing.texts import CARDS
from kille_net.client.showing.topics import find, names
from kille_net.client.showing.tournaments import tournament_line
from kille_net.game.cards import Card

__all__ = ["nameable"]


def nameable(takes: Takes, model: Model, lang: str) -> dict[str, str]:
    """Each name with its meaning; no meaning where the name says all."""
    match takes:
        case Takes.ROOM:
            return {room.name: room_line(n, room, lang) for n, room in enumerate(model.rooms, 1)}
        case Takes.TOURNAMENT | Takes.ROUND:
            return {one.name: tournament_line(n, one, lang) for n, one in enumerate(model.contest.listed, 1)}
        case Takes.SEAT:
            return dict.fromkeys((name for name in model.names if name != "-"), "")
        case Takes.SPEAKER:
            return dict.fromkeys((name for name in model.names if name not in {"-", model.name}), "")
        case Takes.CARD:
            return {CARDS[lang][card]: card_line(card, lang).partition(": ")[2] for card in Card}
        case Takes.TOPIC:
            return {name: lesson(subject, lang)[0] for name in names(lang) if (subject := find(name)) is not None}
    return {}
