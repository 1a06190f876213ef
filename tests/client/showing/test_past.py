"""A hand that is over with open cards, in words: all that moved, each line marked as the past."""

from random import Random

import pytest

from kille_net.bots.simple import RandomBot
from kille_net.client.showing.past import past_lines
from kille_net.game.cards import Card
from kille_net.game.rules import Format
from kille_net.server.people import Computer
from kille_net.wire import messages as m
from tests.server.house import House, choices, options

NAMES = ("Ada", "Bo", "Cilla")
FOUR, FIVE, EIGHT = int(Card.N4), int(Card.N5), int(Card.N8)
HUSU, KUKU = int(Card.HUSU), int(Card.KUKU)


def move(seat: int, do: m.Do, target: int | None, *cards: int | None) -> m.Move:
    return m.Move(seat=seat, do=do, target=target, cards=cards)


def shown(*cards: int | None, moves: tuple[m.Move, ...], deal: int = 1) -> m.HandShown:
    return m.HandShown(hand=7, deal=deal, cards=cards, moves=moves)


SWAPS = shown(
    FOUR,
    EIGHT,
    HUSU,
    moves=(
        move(0, m.Do.SWAP, 1, EIGHT, FOUR, HUSU),
        move(1, m.Do.SWAP, None, FOUR, EIGHT, HUSU),
        move(0, m.Do.STAND, None, FOUR, EIGHT, HUSU),
        move(2, m.Do.SWAP, 3, FOUR, EIGHT, FIVE),
    ),
)
DUEL = shown(
    FOUR,
    KUKU,
    moves=(
        move(1, m.Do.ASK, None, FOUR, KUKU),
        move(0, m.Do.REFUSE, None, FOUR, KUKU),
        move(0, m.Do.SWAP, None, FOUR, KUKU),
        move(1, m.Do.KUKU, None, FOUR, KUKU),
    ),
    deal=2,
)


def test_in_english() -> None:
    assert past_lines(SWAPS, NAMES, "en", Format.POTS) == [
        "Hand 7, which is over, with open cards:",
        "  [7] The cards are dealt: Ada 4, Bo 8, Cilla Pig.",
        "  [7] Ada swaps with Bo: Ada gave a 4 and got an 8.",
        "  [7] Bo asks for a swap, and gets none.",
        "  [7] The cards go back: Ada 4, Bo 8.",
        "  [7] Ada: “Nöjd!” (I stand)",
        "  [7] Cilla draws from the talon and gets a 5.",
    ]
    told = past_lines(DUEL, NAMES[:2], "en", None)
    assert told[0] == "Hand 7, which is over, as it was dealt again, with open cards:"
    assert told[1] == "  [7] The cards are dealt: Ada 4, Bo Cuckoo."
    assert told[4] == "  [7] Ada asks for a swap, and gets none."
    assert told[5].startswith("  [7] Bo: “Kuku")
    assert len(told) == 6


def test_in_swedish() -> None:
    assert past_lines(SWAPS, NAMES, "sv", Format.POTS) == [
        "Giv 7, som är slut, med öppna kort:",
        "  [7] Korten är givna: Ada 4, Bo 8, Cilla Husu.",
        "  [7] Ada byter med Bo: Ada gav en fyra och fick en åtta.",
        "  [7] Bo vill byta, men får inte.",
        "  [7] Korten går tillbaka: Ada 4, Bo 8.",
        "  [7] Ada: ”Nöjd!”",
        "  [7] Cilla går i lek och får en femma.",
    ]


def test_one_who_is_not_in_the_hand_has_no_card() -> None:
    told = past_lines(
        shown(FOUR, None, FIVE, moves=(move(2, m.Do.SWAP, 0, FIVE, None, FOUR),)), NAMES, "en", Format.POTS
    )
    assert told[1:] == [
        "  [7] The cards are dealt: Ada 4, Cilla 5.",
        "  [7] Cilla swaps with Ada: Cilla gave a 5 and got a 4.",
    ]


def test_a_name_that_would_play_tricks_is_made_fit_to_show() -> None:
    told = past_lines(SWAPS, ("A\x1b[2J", "Bo", "Cilla"), "en", Format.POTS)
    assert not any("\x1b" in line for line in told)


@pytest.mark.parametrize("lang", ["en", "sv"])
@pytest.mark.parametrize("kind", m.Format)
def test_whatever_a_server_shows_is_told(kind: m.Format, lang: str) -> None:
    """Every swap that moved cards with both of them, and every line marked."""
    random = Random(f"{kind}")

    def computer(_: m.Level) -> Computer:
        return RandomBot(random)

    house = House(computer=computer)
    people = house.table(options(3, kind=kind, pots=4, computers=1, watching=m.Watching.OPEN), "Ada", "Bo")
    watcher = house.guest("Watcher")
    house.watch(watcher)
    house.start(people[0])
    house.play(people, lambda question: random.choice(choices(question)))
    told = watcher.all(m.HandShown)
    assert told
    for one in told:
        head, *lines = past_lines(one, NAMES, lang, Format(kind.value))
        assert str(one.hand) in head
        assert len(lines) >= 1 + len(one.moves)
        assert all(line.startswith(f"  [{one.hand}] ") for line in lines)
