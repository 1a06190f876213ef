"""How the game is explained: the page of the rules, and a lesson on each card, format and word.

Owns what is told of each, and in which order. Every fact that the rules have in a table (what refuses, what the talon
does, lives, asks, lengths, the order of the cards) is taken from it; the texts of each language only say it. Refuses to
know who asks: a lesson is lines, of which those that begin with two spaces belong to the one before.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from kille_net.client.commands import TABLE_BY_VERB, Verb
from kille_net.client.options import option_word, value_word
from kille_net.client.showing.example import example
from kille_net.client.showing.strategy import strategy
from kille_net.client.showing.texts import CARDS, CRIES, cry, say
from kille_net.client.showing.topics import Subject, Term, Topic, also_called, term_names, topic_names
from kille_net.game.cards import FULL_PACK, MATADORS, Card
from kille_net.game.rules import (
    FORMATS,
    LENGTHS,
    MAX_SEATS,
    MIN_SEATS,
    REFUSALS,
    Effect,
    Format,
    HarlekinRank,
    Length,
    Ruleset,
)
from kille_net.languages import DEFAULT, NATIVE
from kille_net.wire.messages import TournamentKind
from kille_net.wire.options import DEFAULT_OPTIONS, DEFAULT_PLAN

__all__ = ["card_line", "lesson", "order_line", "page", "primer"]

_COPIES: Final = FULL_PACK.count(Card.BLAREN)
_RANKED: Final = tuple(card for card in Card if card is not Card.HARLEKIN)
_T_RULES: Final = (*("score", "missing", "bye", "time", "order", "out", "late", "check_in", "start", "duplicate"),)
"""Rules C1 to C10."""
_DIGITS: Final = tuple(card for card in Card if card.code.isdigit())
_FIGURES: Final[Mapping[Card, str]] = {
    Card.BLAREN: "mask",
    Card.KAVALL: "rider",
    **dict.fromkeys(_DIGITS, "lily"),
}
"""Of cards whose name does not say what they show; the texts are `figure.…`."""


# --- words ------------------------------------------------------------------------------------------------------------


def _tell(lang: str, key: str, /, **values: object) -> str:
    return say(lang, f"lesson.{key}", **values)


def _item(text: str) -> str:
    return f"  {text}"


def _cards(cards: Iterable[Card], lang: str) -> str:
    """Their names; the number cards, where all are among them, as a range."""
    left = list(cards)
    shown: list[str] = []
    if set(left) >= set(_DIGITS):
        at = left.index(_DIGITS[0])
        spoken = _tell(lang, "range", first=CARDS[lang][_DIGITS[0]], last=CARDS[lang][_DIGITS[-1]])
        shown = [*(CARDS[lang][card] for card in left[:at]), spoken]
        left = left[at + len(_DIGITS) :]
    return ", ".join([*shown, *(CARDS[lang][card] for card in left)])


def _format(game: Format, lang: str) -> str:
    return say(lang, f"value.{game.value}")


def _number(number: int, lang: str) -> str:
    return say(lang, f"number.{number}")


def _by_effect(table: Mapping[Card, Effect], kind: str, lang: str) -> list[str]:
    """A line for each effect, with the cards that have it."""
    cards = {effect: [card for card in sorted(table) if table[card] is effect] for effect in Effect}
    return [
        _tell(lang, "row", name=_cards(cards[effect], lang), text=_tell(lang, f"{kind}.{effect.value}"))
        for effect in Effect
        if cards[effect]
    ]


# --- the page ---------------------------------------------------------------------------------------------------------


def page(rules: Ruleset, lang: str, command: str, *, pots: int | None) -> list[str]:
    """How a match of these rules is played. `pots`: None where their number is not known."""
    game = rules.format
    return [
        _tell(lang, "title", format=_format(game, lang)),
        *_hand(rules, lang),
        f"{_tell(lang, 'two')} {_two(game, lang)}",
        _ask(game, lang),
        _end(game, lang, pots),
        _more(lang, command),
    ]


def primer(lang: str, command: str) -> list[str]:
    """What a newcomer needs, in two minutes; of the format that is played where nobody says otherwise."""
    rules = Ruleset()
    start = _tell(
        lang,
        "start",
        fewest=_number(MIN_SEATS, lang).capitalize(),
        most=_number(MAX_SEATS, lang),
        cards=len(FULL_PACK),
        kinds=len(Card),
        copies=_number(_COPIES, lang),
    )
    verbs = (Verb.STAND, Verb.SWAP, Verb.KUKU, Verb.ASK, Verb.ACCEPT, Verb.REFUSE)
    keys = {verb.value: TABLE_BY_VERB[verb].words(lang)[1] for verb in verbs}
    return [
        _tell(lang, "title", format=_format(rules.format, lang)),
        start,
        *_hand(rules, lang),
        _tell(lang, "few_left", seats=_ask_at(rules.format, lang), command=command),
        _end(rules.format, lang, None),
        _tell(lang, "keys", **keys),
        _more(lang, command),
    ]


def _hand(rules: Ruleset, lang: str) -> list[str]:
    """A hand from the deal to the showdown."""
    return [
        _aim(rules.format, lang),
        order_line(lang),
        _tell(lang, "turn", count=_number(len(REFUSALS), lang)),
        *map(_item, _by_effect(REFUSALS, "refuses", lang)),
        f"{_tell(lang, 'refused')} {_tell(lang, 'passes_on')}",
        _tell(lang, "call", card=CARDS[lang][Card.KUKU]),
        _tell(lang, "row", name=CARDS[lang][Card.HARLEKIN], text=_harlekin(rules.dealt_harlekin, lang)),
        f"{_tell(lang, 'talon')} {_tell(lang, 'talon_drawn')}",
        *map(_item, _by_effect(rules.rules.talon, "talon", lang)),
        f"{_tell(lang, 'turn_up')} {_tell(lang, 'losers')} {_tell(lang, 'everybody')}",
    ]


def _more(lang: str, command: str) -> str:
    return _tell(lang, "more", command=command, topics=", ".join(topic_names(lang)))


def _aim(game: Format, lang: str) -> str:
    return _tell(lang, f"aim_{game.value}", lives=_number(FORMATS[game].lives, lang))


def order_line(lang: str) -> str:
    """The cards from low to high."""
    bottom, top = CARDS[lang][_RANKED[0]], CARDS[lang][_RANKED[-1]]
    return _tell(lang, "order", cards=_cards(_RANKED, lang), top=top, bottom=bottom)


def _harlekin(dealt: HarlekinRank, lang: str) -> str:
    return _tell(lang, f"harlequin_{dealt.value}")


def _two(game: Format, lang: str) -> str:
    """What a deal to the last two has of its own."""
    rules = FORMATS[game]
    keys = [
        "harlequin_whole" if rules.whole_pack else "harlequin_talon",
        "kuku_shows" if rules.kuku_shows_itself else "kuku_waits",
        *["tie_again"] * rules.ties_again,
    ]
    return " ".join(_tell(lang, key) for key in keys)


def _ask(game: Format, lang: str) -> str:
    rules = FORMATS[game]
    asks = None if rules.max_asks is None else _number(rules.max_asks, lang)
    return " ".join(
        [
            _tell(lang, "ask", seats=_ask_at(game, lang)),
            _tell(lang, "middle_answers" if max(rules.ask_at) > MIN_SEATS else "dealer_answers"),
            _tell(lang, "yes_whole" if rules.whole_pack else "yes_talon", asks=asks),
            _tell(lang, "no_more"),
        ]
    )


def _ask_at(game: Format, lang: str) -> str:
    """With how many left there is an ask: `two or three`."""
    *others, most = [_number(seats, lang) for seats in sorted(FORMATS[game].ask_at)]
    return _tell(lang, "or", left=", ".join(others), right=most) if others else most


def _end(game: Format, lang: str, pots: int | None) -> str:
    number = f"numbers_{game.value}" if pots is None else f"number_{game.value}"
    how = "final" if FORMATS[game].final else "most_points"
    return f"{_tell(lang, number, pots=pots)} {_tell(lang, how)}"


# --- the lessons ------------------------------------------------------------------------------------------------------


def lesson(subject: Subject, lang: str) -> list[str]:
    """All there is to say about it."""
    match subject:
        case Card():
            return _card(subject, lang)
        case Term():
            return [_term(subject, lang)]
        case Topic.CARDS:
            return _all_cards(lang)
        case Topic.MATADORS:
            return _matadors(lang)
        case Topic.TALON:
            return _talon(lang)
        case Topic.LIVES:
            return _lives(lang)
        case Topic.FORMATS:
            return _formats(lang)
        case Topic.POTS:
            return _one_format(Format.POTS, lang)
        case Topic.STICKS:
            return _one_format(Format.STICKS, lang)
        case Topic.BETTER:
            return [_tell(lang, "better_title"), *_in_each(lang, _ask)]
        case Topic.DUEL:
            return [_tell(lang, "duel_title"), *_in_each(lang, _two)]
        case Topic.TOURNAMENTS:
            return _tournaments(lang)
        case Topic.STRATEGY:
            return strategy(lang)
        case Topic.WORDS:
            return _words(lang)
        case Topic.EXAMPLE:
            return example(lang)


def _in_each(lang: str, tell: Callable[[Format, str], str]) -> Iterator[str]:
    for game in Format:
        yield _tell(lang, "in_format", format=_format(game, lang))
        yield _item(tell(game, lang))


def card_line(card: Card, lang: str, dealt: HarlekinRank = HarlekinRank.HIGH) -> str:
    """What a card does, in one line. `dealt`: how a Harlekin that is dealt counts (H4)."""
    if card in REFUSALS:
        text = _refuses(card, lang)
        if card is Card.KUKU:
            text = f"{text} {_tell(lang, 'call', card=CARDS[lang][card])}"
    else:
        text = _harlekin(dealt, lang) if card is Card.HARLEKIN else _tell(lang, "plain")
    return _tell(lang, "row", name=_named(card, lang), text=text)


def _refuses(card: Card, lang: str) -> str:
    return _tell(lang, f"refuses.{REFUSALS[card].value}")


def _named(card: Card, lang: str) -> str:
    name, swedish = CARDS[lang][card], CARDS[NATIVE][card]
    return name if name == swedish else _tell(lang, "named", name=name, swedish=swedish)


def _card(card: Card, lang: str) -> list[str]:
    also = dict.fromkeys((*also_called(card, NATIVE), *also_called(card, lang)))
    lines = [f"{_named(card, lang)}. {_tell(lang, 'also', names=', '.join(also))}", *_rank(card, lang)]
    if card in _FIGURES:
        lines[0] += f" {_tell(lang, f'figure.{_FIGURES[card]}')}"
    if card in REFUSALS:
        hears = _tell(lang, "asked_for", cry=cry(lang, card.code), text=_refuses(card, lang))
        lines += [hears, *_drawn(card, lang)]
        lines.append(_tell(lang, "refused"))
    elif card is not Card.HARLEKIN:
        lines += [_tell(lang, "row", name=CARDS[lang][card], text=_tell(lang, "plain")), _tell(lang, "plain_talon")]
    if card is Card.KUKU:
        lines.append(_tell(lang, "call", card=CARDS[lang][card]))
    if card in {Card.KUKU, Card.HARLEKIN}:
        lines += [_tell(lang, "two_in", format=_format(game, lang), text=_two_of(card, game, lang)) for game in Format]
    if card in MATADORS:
        lines.append(_tell(lang, "matador"))
    return lines


def _rank(card: Card, lang: str) -> list[str]:
    """Where it stands in the order, or that it stands nowhere."""
    if card is Card.HARLEKIN:
        none = _tell(lang, "rank_none", top=CARDS[lang][_RANKED[-1]])
        ways = [_item(_dealt_harlekin(rank, lang)) for rank in HarlekinRank]
        return [none, *ways, _tell(lang, "harlequin_cost")]
    at = _RANKED.index(card)
    below = CARDS[lang][_RANKED[at - 1]]
    if at + 1 == len(_RANKED):
        highest = _tell(lang, "rank_highest", n=at + 1, all=len(_RANKED), below=below)
        return [f"{highest} {_tell(lang, 'never_lowest')}"]
    above = CARDS[lang][_RANKED[at + 1]]
    key = "rank" if at else "rank_lowest"
    return [f"{_tell(lang, key, n=at + 1, all=len(_RANKED), below=below, above=above)} {_tell(lang, 'tie')}"]


def _dealt_harlekin(rank: HarlekinRank, lang: str) -> str:
    option = f"{option_word('dealt_harlekin', lang)}={value_word(rank.value, lang)}"
    return _tell(lang, "row", name=option, text=_harlekin(rank, lang))


def _drawn(card: Card, lang: str) -> list[str]:
    """What it does on the talon, in one line where the formats agree."""
    effects = {game: FORMATS[game].talon[card] for game in Format}
    if len(set(effects.values())) == 1:
        return [_tell(lang, "drawn", text=_tell(lang, f"talon.{effects[Format.POTS].value}"))]
    return [
        _tell(lang, "drawn_in", format=_format(game, lang), text=_tell(lang, f"talon.{effect.value}"))
        for game, effect in effects.items()
    ]


def _two_of(card: Card, game: Format, lang: str) -> str:
    rules = FORMATS[game]
    if card is Card.HARLEKIN:
        return _tell(lang, "harlequin_whole" if rules.whole_pack else "harlequin_talon")
    return _tell(lang, "kuku_shows" if rules.kuku_shows_itself else "kuku_waits")


def _all_cards(lang: str) -> list[str]:
    """Low to high, the number cards on one line."""
    plain = _tell(lang, "plain")
    rows: list[str] = []
    for card in Card:
        if card not in _DIGITS:
            rows.append(card_line(card, lang))
        elif card is _DIGITS[0]:
            rows.append(_tell(lang, "row", name=_cards(_DIGITS, lang), text=plain))
    title = _tell(lang, "cards_title", kinds=len(Card), copies=_number(_COPIES, lang))
    return [title, *map(_item, rows), _tell(lang, "tie")]


def _matadors(lang: str) -> list[str]:
    rows = [
        _tell(
            lang, "cried", name=_named(card, lang), cry=cry(lang, card.code), text=_tell(lang, f"refuses.{how.value}")
        )
        for card, how in sorted(REFUSALS.items())
    ]
    return [
        _tell(lang, "matadors_title", count=_number(len(REFUSALS), lang)),
        *map(_item, rows),
        _tell(lang, "refused"),
        _tell(lang, "call", card=CARDS[lang][Card.KUKU]),
        _tell(lang, "matadors_away"),
    ]


def _talon(lang: str) -> list[str]:
    lines = [_tell(lang, key) for key in ("talon_title", "talon", "talon_old", "talon_drawn")]
    for game in Format:
        lines.append(_tell(lang, "in_format", format=_format(game, lang)))
        lines += map(_item, _by_effect(FORMATS[game].talon, "talon", lang))
    return [*lines, _tell(lang, "talon_short")]


def _lives(lang: str) -> list[str]:
    keys = ("lives_title", "losers", "everybody", "lives_low", "lives_one", "lives_struck", "lives_zero")
    return [*(_tell(lang, key) for key in keys), *_in_each(lang, _aim)]


def _formats(lang: str) -> list[str]:
    rows = [
        _tell(lang, "row", name=_format(game, lang), text=f"{_aim(game, lang)} {_end(game, lang, None)}")
        for game in Format
    ]
    return [_tell(lang, "formats_title"), *map(_item, rows), *_lengths(lang)]


def _one_format(game: Format, lang: str) -> list[str]:
    rules = FORMATS[game]
    return [
        _tell(lang, "format_title", format=_format(game, lang)),
        _aim(game, lang),
        _tell(lang, "ties_out" if rules.final else "lives_zero"),
        _tell(lang, "deal_on"),
        f"{_tell(lang, 'talon')} {_tell(lang, 'talon_drawn')}",
        *map(_item, _by_effect(rules.talon, "talon", lang)),
        f"{_tell(lang, 'two')} {_two(game, lang)}",
        _ask(game, lang),
        _end(game, lang, None),
        _tell(lang, "no_stakes"),
        *_lengths(lang),
    ]


def _lengths(lang: str) -> list[str]:
    """The table of pots by length and seats, and what is played where nobody says otherwise."""
    rows = [(_tell(lang, "lengths_seats"), [*range(MIN_SEATS, MAX_SEATS + 1)])]
    rows += [(say(lang, f"value.{length.value}"), [*LENGTHS[length].values()]) for length in Length]
    width = max(len(name) for name, _ in rows)
    room, play = (say(lang, f"value.{length.value}") for length in (DEFAULT_OPTIONS.length, Length.LONG))
    default = _tell(lang, "lengths_default", room=room, play=play)
    table = [_item(name.ljust(width) + "".join(f"{number:4}" for number in numbers)) for name, numbers in rows]
    return [_tell(lang, "lengths_title"), *table, default]


def _tournaments(lang: str) -> list[str]:
    """How they are made and entered, the kinds, and the rules C1 to C10."""
    kinds = [
        _tell(lang, "row", name=value_word(kind.value, lang), text=_tell(lang, f"tournament.{kind.value}"))
        for kind in TournamentKind
    ]
    verbs = (Verb.TOURNAMENTS, Verb.TOURNAMENT, Verb.ENTER, Verb.WITHDRAW, Verb.HERE, Verb.STANDINGS, Verb.FOLLOW)
    named = {verb.value: TABLE_BY_VERB[verb].words(lang)[0] for verb in verbs}
    plan = {
        "late": option_word("late", lang),
        "call": DEFAULT_PLAN.call,
        "minutes": DEFAULT_PLAN.minutes,
        "pause": DEFAULT_PLAN.pause,
    }
    return [
        _tell(lang, "tournaments_title"),
        _tell(lang, "tournaments_how", **named, **plan),
        *map(_item, kinds),
        *(f"{number}. {_tell(lang, f'tournaments.{key}', **named, **plan)}" for number, key in enumerate(_T_RULES, 1)),
    ]


def _term(term: Term, lang: str) -> str:
    swedish, other = term_names(term, NATIVE)[0], term_names(term, _other(lang))[0]
    meaning = _tell(lang, f"word.{term.value}", cards=len(FULL_PACK), count=_number(len(REFUSALS), lang))
    return _tell(lang, "pair_meaning", swedish=swedish, other=other, meaning=meaning)


def _other(lang: str) -> str:
    """What Swedish words stand beside."""
    return DEFAULT if lang == NATIVE else lang


def _words(lang: str) -> list[str]:
    cries = [_tell(lang, "cry_when", cry=cry(lang, key), when=_tell(lang, f"cry.{key}")) for key in CRIES]
    figures = [
        _tell(lang, "pair", swedish=CARDS[NATIVE][card], other=CARDS[_other(lang)][card])
        for card in Card
        if card not in _DIGITS
    ]
    return [
        _tell(lang, "words_title"),
        *(_item(_term(term, lang)) for term in Term),
        _tell(lang, "cries_title"),
        *map(_item, cries),
        _tell(lang, "figures_title"),
        *map(_item, figures),
    ]
