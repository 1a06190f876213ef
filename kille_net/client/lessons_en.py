"""English: how the game is explained (see `lessons` for where each text stands)."""

from collections.abc import Mapping
from typing import Final

__all__ = ["LESSONS", "NUMBERS"]

NUMBERS: Final = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
"""As they stand before what is counted."""

LESSONS: Final[Mapping[str, str]] = {
    # --- the page ---
    "title": "The rules of Kille, format {format}:",
    "start": "{fewest} to {most} play. The pack has {cards} cards: {kinds} kinds, {copies} of each. Each player is "
    "dealt one and keeps it secret.",
    "aim_pots": "Everybody has one card and {lives} lives. The lowest card at the end of a hand costs a life; the last "
    "with lives wins the pot, a point, and all have {lives} lives again.",
    "aim_sticks": "Everybody has one card and {lives} life. The lowest card at the end of a hand is out; the last one "
    "in wins the parti, a stick.",
    "order": "Low to high: {cards}. A Harlequin is as high as the {top}, or low: below the {bottom}.",
    "range": "{first} to {last}",
    "turn": "The dealer's left begins, the dealer is last. On your turn you stand, or swap cards with the next on your "
    "left, who cannot say no; but {count} cards can:",
    "row": "{name}: {text}",
    "refuses.skip": "the swap goes on past it to the next seat.",
    "refuses.undo": "no swap. The card that was offered goes back to where it was dealt, and that seat is struck; all "
    "on its way have the card they were dealt again.",
    "refuses.strike": "no swap, and the asker is struck, which costs a life at the end of the hand.",
    "refuses.stop": "no swap, and the swapping is over. Asking costs nothing.",
    "call": "Whoever holds a {card} may also call it at any moment, on turn or not (kuku), which ends the hand.",
    "refused": "A card that has refused lies face up, and its seat has no turn any more.",
    "passes_on": "After a swap the turn goes to whom you swapped with.",
    "harlequin_high": "high when dealt or drawn, low when swapped to you. It crosses face up, and two that "
    "meet in a swap are both high.",
    "harlequin_low": "high when drawn, low when dealt or swapped to you. It crosses face up, and two that "
    "meet in a swap are both high.",
    "talon": "The dealer has nobody to ask and swaps with the talon instead, and so does a swap that passes the "
    "dealer; then the swapping is over.",
    "talon_drawn": "What is drawn is the drawer's, unless it is a matador, which all see:",
    "talon.skip": "it is laid aside, and the next card is drawn.",
    "talon.undo": "it bites as at the table; the drawer's card goes back to where it was dealt, and that seat is "
    "struck.",
    "talon.strike": "the drawer is struck, and keeps the old card.",
    "talon.stop": "no swap; the drawer keeps the old card and is not struck.",
    "turn_up": "Then all turn up.",
    "losers": "The struck and the low Harlequins lose a life, and of the others the lowest card, "
    "ties together; a Cuckoo or a high Harlequin never does.",
    "everybody": "If that were everybody, the lowest card goes free; and where nobody was struck, nobody loses.",
    "two": "With two left it is a little different.",
    "harlequin_whole": "A dealt Harlequin is shown, the whole pack is shuffled and dealt again.",
    "harlequin_talon": "A dealt Harlequin throws both cards on the discard pile, and both get new ones from the talon.",
    "kuku_shows": "A dealt Cuckoo, where no Harlequin is dealt, turns up by itself, and the hand is over.",
    "kuku_waits": "A dealt Cuckoo does not turn up by itself; its holder may call it.",
    "tie_again": "Equal cards at the end, nobody struck, are dealt again from a fresh shuffle.",
    "ask": "With {seats} left the first to speak may ask the dealer for better cards (ask) before swapping or "
    "standing.",
    "or": "{left} or {right}",
    "dealer_answers": "The dealer says yes or no.",
    "middle_answers": "Of two the dealer says yes or no; of three the dealer says no, or that it depends, and then the "
    "middle seat says yes or no.",
    "yes_whole": "Yes: the whole pack is shuffled, and the same dealer deals again, {asks} times a hand at most.",
    "yes_talon": "Yes: both cards go to the discard pile and both get new ones from the talon, as often as they agree.",
    "no_more": "No: the swaps begin, and there is no second ask in the hand.",
    "number_pots": "Pots to play: {pots}.",
    "number_sticks": "Partier to play: {pots}.",
    "numbers_pots": "A match is a set number of pots.",
    "numbers_sticks": "A match is a set number of partier, and a final.",
    "most_points": "The most points win; a tie is settled by one more pot between the tied.",
    "final": "Then all with sticks play the final, with as many lives as sticks; the last with lives wins the match.",
    "few_left": "With {seats} left some things are different, and better cards may be asked for: {command} better, "
    "{command} duel.",
    "keys": "At the table: {stand} stands, {swap} swaps, {kuku} calls the Cuckoo, {ask} asks for better cards, "
    "{accept} and {refuse} answer; help tells the rest.",
    "more": "More: {command} TOPIC, which is one of {topics}; or a card, or a word.",
    # --- cards ---
    "cards_title": "The {kinds} kinds of card, {copies} of each, low to high:",
    "plain": "does nothing by itself; whoever asks gets it.",
    "plain_talon": "Drawn from the talon it is the drawer's, and nobody else sees it before the end.",
    "named": "{name} ({swedish})",
    "also": "Also called {names}.",
    "rank": "Number {n} of {all} from below: above {below}, below {above}.",
    "rank_lowest": "The lowest of all: below {above}, number 2 of {all}.",
    "rank_highest": "The highest of all, number {n} of {all}: above {below}.",
    "rank_none": "It has no number in the order: it is as high as the {top}, or lower than all.",
    "harlequin_cost": "A high one never loses as the lowest card, and you are asked before you swap it away; a low one "
    "costs a life.",
    "tie": "Two of a kind are equal, and lose together.",
    "asked_for": "Whoever asks for it hears {cry}: {text}",
    "cried": "{name}: {cry} – {text}",
    "drawn": "Drawn from the talon: {text}",
    "drawn_in": "Drawn from the talon, in {format}: {text}",
    "two_in": "With two left, in {format}: {text}",
    "never_lowest": "It never loses as the lowest card.",
    "matador": "It is a matador. You may swap it away like any card; you are asked first whether you mean it.",
    "figure.mask": "It shows the grotesque face of a fool.",
    "figure.lily": "A number card; its marks are small French lilies.",
    "figure.rider": "It shows a rider on his horse.",
    "matadors_title": "The {count} matadors, low to high, and what they say to whoever asks:",
    "matadors_away": "A matador may be swapped away like any card; you are asked first whether you mean it.",
    # --- other topics ---
    "talon_title": "The talon: the cards that were not dealt.",
    "talon_old": "The old card goes face down under the talon, out of play; only the drawer sees the new one before "
    "the end. A Harlequin that is drawn is high.",
    "talon_short": "Should the talon run short in a duel, it is shuffled together with the discard pile.",
    "lives_title": "Who loses a life:",
    "lives_one": "Nobody loses more than one life in a hand.",
    "lives_struck": "Who is struck keeps card and place to the end of the hand, turns up with the others, and may "
    "still call a Cuckoo.",
    "lives_low": "If the struck and the low Harlequins are everybody, the low Harlequins go free.",
    "lives_zero": "Who has no lives left is passed over by everything and looks on, until the next pot or parti.",
    "formats_title": "The two formats:",
    "format_title": "The format {format}:",
    "lengths_title": "Pots or partier in a match, by its length and the number of seats:",
    "lengths_seats": "seats",
    "lengths_default": "A room opens on {room}, a match against the computers on {play}. Any other number can be set.",
    "deal_on": "After every hand the deal moves on to the next with lives on the left.",
    "ties_out": "Who is struck and who is tied for lowest leave together.",
    "no_stakes": "There are no stakes: nothing is paid, bought back or sold.",
    "better_title": "Better cards:",
    "in_format": "In {format}:",
    "duel_title": "When two are left:",
    "words_title": "Words at the table, Swedish and English:",
    "cries_title": "What is cried:",
    "figures_title": "The cards:",
    "pair": "{swedish} – {english}",
    "pair_meaning": "{swedish} – {english}: {meaning}",
    "cry_when": "{cry}: {when}",
    "word.dealer": "who deals the hand, and speaks last.",
    "word.first": "who sits on the dealer's left, and speaks first. Some call that seat förhand, others efterhand.",
    "word.middle": "the one between the first to speak and the dealer, when three are left.",
    "word.pack": "the {cards} cards.",
    "word.talon": "the cards that were not dealt.",
    "word.draw": "to give your card to the talon and draw another, as the dealer may.",
    "word.discard": "where the cards go that are thrown in a duel.",
    "word.swap": "to demand the next player's card and give your own for it.",
    "word.stand": "to keep your card.",
    "word.struck": "who is to lose a life at the end of the hand, because of a Hussar or a Pig.",
    "word.out": "to lose the last life.",
    "word.stop": "the moment after which nobody swaps.",
    "word.showdown": "when all turn up.",
    "word.duel": "a hand between the last two.",
    "word.hand": "one deal, from the cards to the showdown.",
    "word.pot": "hands until one alone has lives; in Swedish a parti in both formats.",
    "word.stick": "the mark for a parti won, and a life in the final.",
    "word.final": "the last part of sticks, in which sticks are lives.",
    "word.life": "what a lost hand costs.",
    "word.matador": "one of the {count} cards that refuse a swap.",
    "word.better": "new cards for all who are left, if the others agree.",
    "word.redeal": "the same hand dealt again.",
    "word.point": "what a pot is worth.",
    "cry.kuku": "whoever holds the Cuckoo, when asked, or at any moment.",
    "cry.husar": "the Hussar, to whoever asks for it.",
    "cry.husu": "the Pig, to whoever asks for it.",
    "cry.kavall": "the Horse, to whoever asks for it.",
    "cry.vardshus": "the Inn, to whoever asks for it.",
    "cry.show": "when the swapping is over and all turn up.",
    "cry.content": "whoever stands.",
    "cry.ask": "whoever asks for better cards.",
    "cry.yes": "whoever agrees to better cards.",
    "cry.no": "whoever does not.",
    "cry.depends": "the dealer of three, who leaves the answer to the middle seat.",
    # --- the example ---
    "example_title": "A hand with a Horse and a Cuckoo:",
    "example_intro": "Here all cards are told. At the table you know your own, what you gave and got, and what lies "
    "face up.",
    "example_turn": "{who} has {card} and is to act:",
    "example_why": "{name}: {text}",
    "example_passed": "{who} was passed over and has no turn.",
}
