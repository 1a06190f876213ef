"""Every text that the client shows, one table per language.

A text is a template for `str.format`. A field that stands for a player is a `Who` and says in which form it is
wanted: `{who}` begins a sentence, `:m` stands inside one, `:o` is its object, `:p` its genitive, and `:takes|take`
picks the verb for others or for you. The cries are Swedish in both languages, in English with a translation beside
them.
"""

from collections.abc import Mapping
from typing import Final

from kille_net.game.cards import Card
from kille_net.wire.text import safe_text

__all__ = ["CARDS", "CRIES", "ONE_CARD", "TEXTS", "Who", "cry", "say"]

_YOU: Final[Mapping[str, Mapping[str, str]]] = {
    "sv": {"": "Du", "m": "du", "o": "dig", "p": "din"},
    "en": {"": "You", "m": "you", "o": "you", "p": "your"},
}


_NAME_CELLS: Final = 32


class Who:
    """A player in a sentence: you, or somebody by name."""

    __slots__ = ("_is_you", "_lang", "_name")

    def __init__(self, name: str, lang: str, *, is_you: bool) -> None:
        self._name = safe_text(name, _NAME_CELLS)
        self._lang = lang
        self._is_you = is_you

    def __format__(self, form: str) -> str:
        others, bar, you = form.partition("|")
        if bar:
            return you if self._is_you else others
        if self._is_you:
            return _YOU[self._lang][form]
        if form != "p":
            return self._name
        if self._lang == "sv":
            return self._name if self._name[-1:].lower() in {"s", "x", "z"} else f"{self._name}s"
        return f"{self._name}'s"


def say(lang: str, key: str, **values: object) -> str:
    """The text `key` with its fields filled in; values are never read as templates."""
    return TEXTS[lang][key].format(**values)


def cry(lang: str, key: str) -> str:
    """What is cried at the table, in quotes."""
    swedish, english = CRIES[key]
    return f"”{swedish}”" if lang == "sv" else f"“{swedish}” ({english})"


CARDS: Final[Mapping[str, Mapping[Card, str]]] = {
    "sv": {
        Card.BLAREN: "Blaren",
        Card.BLOMPOTTAN: "Blompottan",
        Card.KRANSEN: "Kransen",
        **{card: card.code for card in Card if card.code.isdigit()},
        Card.VARDSHUS: "Värdshus",
        Card.KAVALL: "Kavall",
        Card.HUSU: "Husu",
        Card.HUSAR: "Husar",
        Card.KUKU: "Kuku",
        Card.HARLEKIN: "Harlekin",
    },
    "en": {
        Card.BLAREN: "Mask",
        Card.BLOMPOTTAN: "Flowerpot",
        Card.KRANSEN: "Wreath",
        **{card: card.code for card in Card if card.code.isdigit()},
        Card.VARDSHUS: "Inn",
        Card.KAVALL: "Horse",
        Card.HUSU: "Pig",
        Card.HUSAR: "Hussar",
        Card.KUKU: "Cuckoo",
        Card.HARLEKIN: "Harlequin",
    },
}
"""What a card is called where it stands alone."""

ONE_CARD: Final[Mapping[str, Mapping[Card, str]]] = {
    "sv": {
        Card.BLAREN: "Blaren",
        Card.BLOMPOTTAN: "Blompottan",
        Card.KRANSEN: "Kransen",
        Card.N1: "en etta",
        Card.N2: "en tvåa",
        Card.N3: "en trea",
        Card.N4: "en fyra",
        Card.N5: "en femma",
        Card.N6: "en sexa",
        Card.N7: "en sjua",
        Card.N8: "en åtta",
        Card.N9: "en nia",
        Card.N10: "en tia",
        Card.N11: "en elva",
        Card.N12: "en tolva",
        Card.VARDSHUS: "ett Värdshus",
        Card.KAVALL: "en Kavall",
        Card.HUSU: "en Husu",
        Card.HUSAR: "en Husar",
        Card.KUKU: "en Kuku",
        Card.HARLEKIN: "en Harlekin",
    },
    "en": {
        Card.BLAREN: "the Mask",
        Card.BLOMPOTTAN: "the Flowerpot",
        Card.KRANSEN: "the Wreath",
        **{card: f"a {card.code}" for card in Card if card.code.isdigit()},
        Card.N8: "an 8",
        Card.N11: "an 11",
        Card.VARDSHUS: "an Inn",
        Card.KAVALL: "a Horse",
        Card.HUSU: "a Pig",
        Card.HUSAR: "a Hussar",
        Card.KUKU: "a Cuckoo",
        Card.HARLEKIN: "a Harlequin",
    },
}
"""What a card is called inside a sentence."""

CRIES: Final[Mapping[str, tuple[str, str]]] = {
    "kuku": ("Kuku står, ingen byta får!", "the Cuckoo stays, nobody may swap"),
    "husar": ("Husar hugger!", "the Hussar strikes"),
    "husu": ("Svinhugg går igen!", "the Pig bites back"),
    "kavall": ("Kavall förbi!", "pass the Horse"),
    "vardshus": ("Värdshus förbi!", "pass the Inn"),
    "show": ("Upp till bevis!", "show them"),
    "content": ("Nöjd!", "I stand"),
    "ask": ("Nya kort?", "better cards?"),
    "yes": ("Ja!", "yes"),
    "no": ("Nej!", "no"),
    "depends": ("Det beror på!", "it depends"),
}
"""Swedish, and what it means in English. A matador's cry has the code of its card."""

_SV: Final[Mapping[str, str]] = {
    # --- what happened (narrate) ---
    "hand": "Giv {number}, parti {pot}: {dealer} ger. Liv: {lives}.",
    "hand_final": "Giv {number}, slutspelet: {dealer} ger. Liv: {lives}.",
    "dealt_you": "Du får {card}.",
    "dealt": "Korten är givna.",
    "dealt_all": "Korten är givna: {cards}.",
    "stood": "{who}: {cry}",
    "swapped": "{who} byter med {whom:o}.",
    "swapped_known": "{who} byter med {whom:o}: {who:m} gav {gave} och fick {got}.",
    "swapped_from": "{who} byter med {whom:o}: du gav {got} och fick {gave}.",
    "harlekin_low": "Harlekin går öppet över bordet, och är låg hos {who:o}.",
    "harlekins_high": "Två Harlekiner möts: båda är höga.",
    "passed": "{who}: {cry} Bytet går förbi {who:o}.",
    "pig": "{who}: {cry} Inget byte för {asker:o}.",
    "hussar": "{who}: {cry} Inget byte för {asker:o}.",
    "cuckoo": "{who}: {cry} Inget byte för {asker:o}; bytandet är slut.",
    "undone": "Kortet går tillbaka till {who:o}; alla på vägen har sitt första kort igen.",
    "undone_at_once": "Kortet stannar hos {who:o}.",
    "undone_you": "Du har {card} igen.",
    "struck": "{who} är uthuggen.",
    "drew": "{who} går i lek.",
    "drew_known": "{who} går i lek och får {card}.",
    "talon": "{who} går i lek och vänder upp {card}: {cry}",
    "asked": "{who}: {cry}",
    "answered": "{who}: {cry}",
    "thrown_agreed": "Korten läggs bort och det ges om.",
    "thrown_harlekin": "{who} fick en Harlekin med två kvar: det ges om.",
    "thrown_harlekin_unknown": "En Harlekin med två kvar: det ges om.",
    "thrown_tie": "Lika kort i duellen: det ges om.",
    "reshuffled": "Talongen räcker inte: den blandas med slänghögen.",
    "kuku": "{who}: {cry}",
    "kuku_by_rule": "{who} fick en Kuku med två kvar, och den vänds upp. {cry}",
    "showdown": "{cry} {cards}.",
    "lost_struck": "{who} förlorar ett liv, som uthuggen; {left}.",
    "lost_low": "{who} förlorar ett liv, för en låg Harlekin; {left}.",
    "lost_lowest": "{who} förlorar ett liv, med lägsta kortet, {card}; {left}.",
    "left": "{lives} kvar",
    "left_none": "inget kvar: ute",
    "spared_lowest": "Lägsta kortet hos {names} går fritt, annars hade alla förlorat.",
    "spared_low": "Låg Harlekin hos {names} går fritt, annars hade alla förlorat.",
    "nobody_all": "Ingen förlorar ett liv, för alla hade förlorat.",
    "nobody": "Ingen förlorar ett liv: Kuku och hög Harlekin förlorar aldrig.",
    "pot": "{who} vinner parti {pot}. Ställning: {points}.",
    "end": "{who} vinner matchen! Ställning: {points}.",
    "end_broken": "Matchen är avbruten. Ställning: {points}.",
    "end_broken_reason": "Matchen är avbruten ({reason}). Ställning: {points}.",
    "low_harlekin": "{card} (låg)",
    "seat_value": "{name} {value}",
}

_EN: Final[Mapping[str, str]] = {
    # --- what happened (narrate) ---
    "hand": "Hand {number}, pot {pot}: {dealer} {dealer:deals|deal}. Lives: {lives}.",
    "hand_final": "Hand {number}, the final: {dealer} {dealer:deals|deal}. Lives: {lives}.",
    "dealt_you": "You are dealt {card}.",
    "dealt": "The cards are dealt.",
    "dealt_all": "The cards are dealt: {cards}.",
    "stood": "{who}: {cry}",
    "swapped": "{who} {who:swaps|swap} with {whom:o}.",
    "swapped_known": "{who} {who:swaps|swap} with {whom:o}: {who:m} gave {gave} and got {got}.",
    "swapped_from": "{who} {who:swaps|swap} with {whom:o}: you gave {got} and got {gave}.",
    "harlekin_low": "The Harlequin crosses face up, and is low for {who:o}.",
    "harlekins_high": "Two Harlequins meet: both are high.",
    "passed": "{who}: {cry} The swap goes on past {who:o}.",
    "pig": "{who}: {cry} No swap for {asker:o}.",
    "hussar": "{who}: {cry} No swap for {asker:o}.",
    "cuckoo": "{who}: {cry} No swap for {asker:o}; the swapping is over.",
    "undone": "The card goes back to {who:o}; everyone on its way has their first card again.",
    "undone_at_once": "The card stays with {who:o}.",
    "undone_you": "You hold {card} again.",
    "struck": "{who} {who:is|are} struck.",
    "drew": "{who} {who:draws|draw} from the talon.",
    "drew_known": "{who} {who:draws|draw} from the talon and {who:gets|get} {card}.",
    "talon": "{who} {who:draws|draw} from the talon and {who:turns|turn} up {card}: {cry}",
    "asked": "{who}: {cry}",
    "answered": "{who}: {cry}",
    "thrown_agreed": "The cards are thrown in and dealt again.",
    "thrown_harlekin": "{who} {who:was|were} dealt a Harlequin with two left: new cards.",
    "thrown_harlekin_unknown": "A Harlequin with two left: new cards.",
    "thrown_tie": "The same card twice in the duel: it is dealt again.",
    "reshuffled": "The talon runs short: it is shuffled together with the discard pile.",
    "kuku": "{who}: {cry}",
    "kuku_by_rule": "{who} {who:was|were} dealt a Cuckoo with two left, and it is turned up. {cry}",
    "showdown": "{cry} {cards}.",
    "lost_struck": "{who} {who:loses|lose} a life: struck; {left}.",
    "lost_low": "{who} {who:loses|lose} a life: a low Harlequin; {left}.",
    "lost_lowest": "{who} {who:loses|lose} a life: the lowest card, {card}; {left}.",
    "left": "{lives} left",
    "left_none": "none left: out",
    "spared_lowest": "The lowest card, with {names}, goes free: everyone would have lost.",
    "spared_low": "The low Harlequin, with {names}, goes free: everyone would have lost.",
    "nobody_all": "Nobody loses a life: it would have been everyone.",
    "nobody": "Nobody loses a life: a Cuckoo and a high Harlequin never lose.",
    "pot": "{who} {who:wins|win} pot {pot}. Score: {points}.",
    "end": "{who} {who:wins|win} the match! Score: {points}.",
    "end_broken": "The match is broken off. Score: {points}.",
    "end_broken_reason": "The match is broken off ({reason}). Score: {points}.",
    "low_harlekin": "{card} (low)",
    "seat_value": "{name} {value}",
}

TEXTS: Final[Mapping[str, Mapping[str, str]]] = {"sv": _SV, "en": _EN}
