"""Looking back on records: every way to a step shows the same, and a seat sees what it saw and nothing else."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kille_net.client.playback import Playback
from kille_net.client.replaying import NoSuchMatch, Replay, Viewer, load
from kille_net.client.showing import texts
from kille_net.game.actions import Action, Phase
from kille_net.game.cards import FULL_PACK, Card, Pack
from kille_net.game.events import (
    AskAnswered,
    BetterCardsAsked,
    CardRefused,
    CardsThrown,
    Dealt,
    Drew,
    MatchEnded,
    RedealReason,
    Reshuffled,
    Showdown,
    Stood,
)
from kille_net.game.folding import fold
from kille_net.game.match import Match
from kille_net.game.record import By, EndLine, HandLine, Line, MatchLine, Recorder, RecordError, SeatLabel, to_json
from kille_net.game.rules import Format, HarlekinRank, Ruleset, Seat
from kille_net.game.table import bit_of
from kille_net.game.views import observe
from tests.catalogue.rows import row
from tests.client.looking import SIZES, text_of
from tests.game.playing import choose, header, played, some_matches
from tests.game.test_two_worlds import Knowledge

LANGS = ("sv", "en")
MATCHES = range(14)


def looked_at(lines: list[Line]) -> Replay:
    return load(map(to_json, lines))


def viewers(replay: Replay) -> Iterator[Viewer]:
    yield None
    yield from range(len(replay.names))


# --- steps and the ways between them ----------------------------------------------------------------------------------


@pytest.mark.parametrize("number", MATCHES)
def test_a_view_is_what_the_seat_would_have_come_to_by_what_it_was_told(number: int) -> None:
    lines, steps, match = some_matches(number)
    replay = looked_at(lines)
    assert [list(replay.events(n, None)) for n in range(1, replay.last + 1)] == steps
    for seat in range(match.seats):
        view = replay.view(0, seat)
        for n in range(1, replay.last + 1):
            for event in replay.events(n, seat):
                view = fold(view, event)
            assert view == replay.view(n, seat)
        assert view == observe(match, seat)


@pytest.mark.parametrize("number", MATCHES)
def test_with_all_cards_open_every_seat_holds_what_it_holds(number: int) -> None:
    replay = looked_at(some_matches(number)[0])
    for n in range(1, replay.last + 1):
        view = replay.view(n, None)
        own = tuple(replay.view(n, seat).cards[seat] for seat in range(len(replay.names)))
        assert view.cards == own
        assert not view.legal


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("lang", LANGS)
def test_jumping_to_a_step_shows_what_stepping_to_it_shows(number: int, lang: str) -> None:
    replay = looked_at(some_matches(number)[0])
    for viewer in viewers(replay):
        stepping = Playback(replay, lang, viewer=viewer)
        back = Playback(replay, lang, viewer=viewer, position=replay.last)
        on = []
        for n in range(replay.last + 1):
            assert stepping.position == n
            on.append(stepping.picture((80, 24)))
            assert Playback(replay, lang, viewer=viewer, position=n).picture((80, 24)) == on[-1]
            stepping.press(" ")
        for n in range(replay.last, -1, -1):
            assert back.picture((80, 24)) == on[n]
            back.press("left")
        assert back.position == 0


@pytest.mark.parametrize("number", range(6))
def test_hands_and_pots(number: int) -> None:
    lines, _, _ = some_matches(number)
    replay = looked_at(lines)
    told = [line for line in lines if isinstance(line, HandLine)]
    assert replay.hands == len(told)
    assert [n for hand in range(replay.hands + 1) for n in replay.steps_of(hand)] == list(range(replay.last + 1))
    at, seen = 0, []
    while (at := replay.next_hand(at)) != replay.last:
        seen.append(at)
        assert replay.hand_at(at) == len(seen)
        assert replay.previous_hand(at + 1) == at
        assert replay.previous_hand(at) == (seen[-2] if len(seen) > 1 else 0)
        assert replay.view(at, None).pot == told[len(seen) - 1].pot
    assert len(seen) == replay.hands
    pots = [told[0].pot]
    at = replay.next_pot(0)
    while (after := replay.next_pot(at)) != replay.last:
        assert replay.previous_pot(after) == at
        at = after
        pots.append(replay.view(at, None).pot)
    assert pots == list(dict.fromkeys(hand.pot for hand in told))
    for hand in (-1, replay.hands + 1):
        with pytest.raises(LookupError):
            replay.steps_of(hand)


@pytest.mark.parametrize("number", range(6))
def test_on_to_where_something_changes(number: int) -> None:
    replay = looked_at(some_matches(number)[0])
    still = (Stood, BetterCardsAsked, AskAnswered)
    for n in range(replay.last):
        after = replay.next_change(n)
        for step in range(n + 1, after):
            assert all(isinstance(event, (*still, CardRefused, Drew)) for event in replay.events(step, None))
        if after != replay.last:
            assert not all(isinstance(event, still) for event in replay.events(after, None))


def test_words_are_sought_in_what_the_viewer_was_told() -> None:
    replay = looked_at(some_matches(6)[0])
    n = replay.find("WINS POT", 0, None, "en")
    assert n is not None
    assert any("wins pot 1" in line for line in replay.told(n, None, "en"))
    assert replay.find("wins pot 1.", n, None, "en") == n, "round by the beginning"
    assert replay.find("no such words", n, None, "en") is None
    dealt = next(n for n in range(replay.last) if any(isinstance(event, Dealt) for event in replay.events(n, None)))
    words = replay.told(dealt, None, "en")[1]
    assert replay.find(words, 0, None, "en") == dealt
    assert replay.find(words, 0, 0, "en") is None


# --- which records ----------------------------------------------------------------------------------------------------


def test_one_of_several_matches() -> None:
    first, second = (some_matches(number)[0] for number in (2, 5))
    text = [to_json(line) for line in (*first, *second)]
    for number, lines in enumerate((first, second), 1):
        replay = load(text, number)
        assert (replay.header, replay.number, replay.matches) == (lines[0], number, 2)
        assert replay.hands == sum(isinstance(line, HandLine) for line in lines)
        assert f"{number} of 2" in "\n".join(replay.title(None, "en"))
    with pytest.raises(NoSuchMatch) as few:
        load(text, 3)
    assert few.value.matches == 2


@pytest.mark.parametrize("number", [1, 2])
def test_all_of_the_file_must_hold(number: int) -> None:
    text = [to_json(line) for at in (2, 5) for line in some_matches(at)[0]]
    wrong = json.loads(text[-1])
    wrong["winner"] = None
    with pytest.raises(RecordError) as bad:
        load([*text[:-1], json.dumps(wrong)], number)
    assert bad.value.line == len(text)


@pytest.mark.parametrize("hands", [1, 3])
def test_a_match_that_was_broken_off(hands: int) -> None:
    lines, _, _ = played(3, 3, Ruleset(pots=5), hands=hands)
    replay = looked_at(lines)
    assert replay.hands == hands
    assert replay.steps_of(hands)[-1] == replay.last
    for viewer in viewers(replay):
        assert replay.events(replay.last, viewer) == (MatchEnded(None, replay.view(0, None).points, "the power went"),)
        assert replay.told(replay.last, viewer, "en")[0].startswith("The match is broken off (the power went).")
        view = replay.view(replay.last, viewer)
        assert view.phase is Phase.OVER
        assert not [line for line in replay.story(viewer, "en", hands) if "show them" in line], "nobody showed"


def test_a_match_that_was_broken_off_before_it_began() -> None:
    replay = looked_at([header(Ruleset(), 4), EndLine(winner=None, points=(0,) * 4, reason="rain")])
    assert (replay.hands, replay.last) == (0, 1)
    for key in " npNPcat?so":
        playback = Playback(replay, "sv")
        playback.press(key)
        for size in SIZES:
            playback.picture(size)
    assert list(replay.story(None, "sv"))[-1].startswith("Matchen är avbruten (rain)")


@pytest.mark.parametrize("by", list(By))
def test_what_the_clock_did_is_told_so(by: By) -> None:
    lines, _, _ = played(3, 3, Ruleset(), hands=2)
    told = [
        replace(line, actions=tuple(replace(move, by=by) for move in line.actions))
        if isinstance(line, HandLine)
        else line
        for line in lines
    ]
    defaults = [
        move
        for line in lines
        if isinstance(line, HandLine)
        for move in line.actions
        if move.action in {Action.STAND, Action.REFUSE}
    ]
    assert defaults
    for viewer in (None, 0):
        late = [line for line in looked_at(told).story(viewer, "en") if line.startswith("Time is up: ")]
        assert len(late) == (len(defaults) if by is By.CLOCK else 0)


# --- what a seat may not see ------------------------------------------------------------------------------------------

MARK = re.compile(r"<(\w+)>")


@pytest.fixture
def marked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever a card is named, it is named by its code in <>, and nothing else is."""
    for table in (texts.CARDS, texts.ONE_CARD):
        monkeypatch.setitem(table, "en", {card: f"<{card.code}>" for card in Card})


def may_know(replay: Replay, n: int, viewer: Seat) -> set[Card]:
    """By who has seen which card, which the table itself keeps, and what lies open beside it."""
    bit = bit_of(viewer)
    known: set[Card] = set()
    for step in (n - 1, n):
        hand = replay._frames[step].match.hand
        if hand is None:
            continue
        table = hand.table
        known |= {
            card for card, by in zip(table.cards(), table.known_by(), strict=True) if card is not None and by & bit
        }
        known |= {card for card, by in table.gone if by & bit} | set(table.beside)
    for event in replay.events(n, None):
        match event:
            case Dealt(cards) if (own := cards[viewer]) is not None:
                known.add(own)
            case CardsThrown(reason, cards):
                own = cards[viewer]
                known |= set() if own is None else {own}
                if reason is RedealReason.HARLEKIN:
                    known.add(Card.HARLEKIN)
                if reason is RedealReason.TIE:
                    known |= {card for card in cards if card is not None}
            case Showdown(cards):
                known |= {card for card in cards if card is not None}
    return known


@row(28)
@pytest.mark.usefixtures("marked")
@pytest.mark.parametrize("number", MATCHES)
def test_a_seat_is_never_shown_a_card_that_it_could_not_know(number: int) -> None:
    replay = looked_at(some_matches(number)[0])
    told = 0
    for viewer in range(len(replay.names)):
        playback = Playback(replay, "en", viewer=viewer)
        for n in range(1, replay.last + 1):
            playback.press(" ")
            known = may_know(replay, n, viewer)
            shown = "\n".join([*replay.told(n, viewer, "en"), *replay.told(n, viewer, "en", to_others=True)])
            table = "\n".join(text_of(playback.picture((200, 3)))[-3:])
            named = {Card.of_code(code) for code in MARK.findall(shown + table)}
            assert named <= known, (n, viewer)
            told += len(named)
    assert told


def world(seats: int, ruleset: Ruleset, packs: list[Pack], moves: list[tuple[Seat, Action]]) -> Replay:
    """A match that is broken off in its first hand, with packs laid by hand."""
    label = MatchLine(
        id=bytes(16),
        rules=ruleset,
        seats=tuple(SeatLabel(f"P{seat}") for seat in range(seats)),
        first_dealer=0,
        shuffle={"kind": "by hand"},
    )
    match, recorder = Match(ruleset, seats, 0), Recorder(label)
    lines: list[Line] = [label]
    left = iter(packs)
    for move in [None, *moves]:
        if move is not None:
            lines += recorder.acted(*move, match.act(*move))
        while match.phase is Phase.DEAL and (pack := next(left, None)):
            lines += recorder.dealt(pack, match.deal(pack))
    return looked_at([*lines, *recorder.broken_off("so far")])


@row(28)
@given(
    seats=st.integers(2, 8),
    ruleset=st.builds(Ruleset, format=st.sampled_from(Format), dealt_harlekin=st.sampled_from(HarlekinRank)),
    seed=st.integers(0, 1_000_000),
    steps=st.integers(0, 12),
    who=st.integers(0, 7),
)
def test_in_two_worlds_that_differ_in_what_a_seat_may_not_know_it_is_shown_the_same(
    seats: int, ruleset: Ruleset, seed: int, steps: int, who: int
) -> None:
    """Rule T5."""
    viewer, whim = who % seats, Random(seed)
    match = Match(ruleset, seats, 0)
    packs: list[Pack] = []
    moves: list[tuple[Seat, Action]] = []
    knowledge: Knowledge | None = None
    for step in range(steps + 1):
        if step:
            move = choose(match, whim)
            after = match.copy()
            if any(isinstance(event, Showdown) for event in after.act(*move)):
                break
            moves.append(move)
            events = match.act(*move)
            assert knowledge is not None
            knowledge.learn(events)
        while match.phase is Phase.DEAL:
            pack = tuple(whim.sample(FULL_PACK, 42))
            after = match.copy()
            events = after.deal(pack)
            if any(isinstance(event, Showdown) for event in events):
                continue  # it would turn all up
            packs.append(pack)
            match.deal(pack)
            assert match.hand is not None
            if not any(isinstance(event, Reshuffled) for event in events):
                knowledge = Knowledge(viewer, match.hand.order, ruleset)
                knowledge.learn(events)
    assert knowledge is not None
    one = world(seats, ruleset, packs, moves)
    other = world(seats, ruleset, [*packs[:-1], knowledge.another_world(packs[-1], whim)], moves)
    assert one.last == other.last
    for lang in LANGS:
        assert list(one.story(viewer, lang)) == list(other.story(viewer, lang))
        assert one.pasted(viewer, lang, 1) == other.pasted(viewer, lang, 1)
        for n in range(one.last + 1):
            pictures = [Playback(replay, lang, viewer=viewer, position=n).picture((120, 40)) for replay in (one, other)]
            assert pictures[0] == pictures[1]
            for words in ("Harl", "8", "u"):
                assert one.find(words, n, viewer, lang) == other.find(words, n, viewer, lang)
            assert one.next_change(n) == other.next_change(n)


# --- as text ----------------------------------------------------------------------------------------------------------

HOSTILE = ("\x1b[2J\x07Ada", "a\nb", "\u202eBo", "日" * 40, "{0}%s", "", "\ud800x", "e" + "\u0301" * 50)


def hostile() -> Replay:
    lines, _, _ = played(1, 8, Ruleset(), hands=2)
    assert isinstance(lines[0], MatchLine)
    assert isinstance(lines[-1], EndLine)
    first = replace(lines[0], seats=tuple(SeatLabel(name, "\x1bbot") for name in HOSTILE))
    told = [json.dumps(line.to_object()) for line in [first, *lines[1:-1], replace(lines[-1], reason="\x1b]0;x\x07")]]
    return load(told)


@pytest.mark.parametrize("lang", LANGS)
def test_no_name_gets_to_a_terminal_as_it_is(lang: str) -> None:
    replay = hostile()
    for viewer in viewers(replay):
        lines = list(replay.story(viewer, lang))
        for hand in range(1, replay.hands + 1):
            lines += replay.pasted(viewer, lang, hand)
        for n in range(replay.last + 1):
            lines += text_of(Playback(replay, lang, viewer=viewer, position=n).picture((80, 24)))
        assert all(line.isprintable() for line in lines)
        "\n".join(lines).encode()


@pytest.mark.parametrize("lang", LANGS)
def test_a_hand_to_paste_names_everybody_and_says_who_lost_and_why(lang: str) -> None:
    lines, _, _ = some_matches(9)
    replay = looked_at(lines)
    losers = ("loses a life", "förlorar ett liv")
    for viewer in viewers(replay):
        for hand in range(1, replay.hands + 1):
            pasted = replay.pasted(viewer, lang, hand)
            assert all(texts_cells(line) <= 72 for line in pasted)
            text = " ".join(pasted)
            outcome = next(line.outcome for line in lines if isinstance(line, HandLine) and line.n == hand)
            assert outcome is not None
            assert sum(text.count(words) for words in losers) == len(outcome.lost)
            for seat in outcome.lost:
                assert any(f"{replay.names[seat]} {words}" in text for words in losers)
            assert not re.search(r"\b(You|you|Du|du|dig|your|din)\b", text)


def texts_cells(line: str) -> int:
    from wcwidth import wcswidth  # noqa: PLC0415  here alone

    return wcswidth(line)
