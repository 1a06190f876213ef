"""The game for OpenSpiel: by its own tests, against the engine and the solver, and in two worlds (rule T5)."""

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pyspiel
import pytest
from absl import flags
from open_spiel.python.algorithms import generate_playthrough

from kille_net.env import openspiel
from kille_net.env.asking import PASS
from kille_net.game.actions import Action
from kille_net.game.cards import FULL_PACK, Card, Pack
from kille_net.game.events import Event, MatchEnded
from kille_net.game.rules import Format, HarlekinRank, Ruleset, Seat
from kille_net.solve.tree import Choice, Draw, End, Node, grow
from tests.deep import size
from tests.env.worlds import Course, Packs, by_whim

GAMES = [
    "python_kille",
    "python_kille(unit=hand,max_asks=0)",
    "python_kille(players=3,unit=hand)",
    "python_kille(players=4,dealt_harlekin=low)",
    "python_kille(format=sticks,unit=hand)",
    "python_kille(players=3,format=sticks,pots=3)",
    "python_kille(players=8,max_asks=0)",
]


@pytest.mark.parametrize("name", GAMES)
def test_openspiel_simulates_it(name: str) -> None:
    """Legal actions and masks, chances, clones, serialization, observations, sums and bounds of what is returned."""
    games = 20 if "hand" in name else 1
    pyspiel.random_sim_test(pyspiel.load_game(name), num_sims=games, serialize=True, verbose=False)


@pytest.mark.parametrize("name", GAMES[:-1])
def test_openspiel_plays_it_through_again(name: str, tmp_path: Path) -> None:
    flags.FLAGS.mark_as_parsed()
    file = tmp_path / "playthrough.txt"
    file.write_text(generate_playthrough.playthrough(name, [], seed=1), encoding="utf-8")
    original, replayed = generate_playthrough.replay(file)
    assert replayed == original
    assert "IsTerminal() = True" in original


@pytest.mark.parametrize("wrong", ["players=1", "format=chess", "unit=pot", "pots=-1", "dealt_harlekin=middle"])
def test_there_is_no_such_game(wrong: str) -> None:
    with pytest.raises(ValueError, match=r"2 to 8|not a valid|at least one"):
        pyspiel.load_game(f"python_kille({wrong})")


def came(state: Any, *what: Card | Action) -> Any:  # noqa: ANN401  OpenSpiel has no types
    for one in what:
        state.apply_action(one)
    return state


def test_a_card_comes_as_often_as_it_is_left() -> None:
    """Rules P1, F5: no Harlekin to one of two in `pots`, but from the talon; to others it is dealt."""
    state = pyspiel.load_game("python_kille").new_initial_state()
    assert state.chance_outcomes() == [(card, pytest.approx(2 / 40)) for card in Card if card is not Card.HARLEKIN]
    came(state, Card.N5)
    assert dict(state.chance_outcomes())[Card.N5] == pytest.approx(1 / 39)
    came(state, Card.N6, Action.STAND, Action.SWAP)
    left = Counter(FULL_PACK) - Counter([Card.N5, Card.N6])
    assert state.chance_outcomes() == [(card, pytest.approx(left[card] / 40)) for card in Card]
    came(state, Card.KAVALL)
    assert dict(state.chance_outcomes())[Card.KAVALL] == pytest.approx(1 / 39)
    three = pyspiel.load_game("python_kille(players=3)").new_initial_state()
    assert three.chance_outcomes() == [(card, pytest.approx(2 / 42)) for card in Card]


def test_a_talon_that_runs_short_is_shuffled_with_the_discard_pile() -> None:
    """Rule G4: cards in hands stay out."""
    state = pyspiel.load_game("python_kille(format=sticks)").new_initial_state()
    came(state, Card.HARLEKIN, Card.KUKU, Card.HARLEKIN, Card.KUKU)
    plain = [card for card in Card if card not in {Card.HARLEKIN, Card.KUKU}] * 2
    for first, second in zip(plain[:-2:2], plain[1:-2:2], strict=True):
        came(state, first, second, Action.ASK, Action.ACCEPT)
    came(state, Card.HUSU, Card.HUSAR, Action.STAND, Action.SWAP)
    left = Counter(FULL_PACK) - Counter([Card.HUSU, Card.HUSAR])
    assert state.chance_outcomes() == [(card, pytest.approx(left[card] / 40)) for card in Card]
    assert came(state, Card.KUKU).is_terminal()


def followed(course: Course, packs: Packs, moves: int, viewer: Seat = 0) -> tuple[Any, list[str]]:
    """The state after so many moves of a course with these packs, and what the viewer was shown on the way."""
    rules = course.rules
    name = f"players={course.seats},format={rules.format},pots={rules.pots},dealt_harlekin={rules.dealt_harlekin}"
    state = pyspiel.load_game(f"python_kille({name})").new_initial_state()
    coming = iter(packs.values())
    pack: Pack = ()
    shown: list[str] = []

    def is_calling() -> bool:
        return bool(state.current_player() >= 0 and PASS in state.legal_actions())

    def look() -> None:
        # That somebody else is asked for its Kuku is nothing that it sees (M7).
        if not is_calling() or state.current_player() == viewer:
            shown.extend((state.information_state_string(viewer), state.observation_string(viewer)))
            shown.append(str(state.observation_tensor(viewer) + state.information_state_tensor(viewer)))

    def go_on(caller: Seat | None) -> None:
        """Cards come as they lie, and nobody calls a Kuku but the caller."""
        nonlocal pack
        while not state.is_terminal():
            look()
            if state.is_chance_node():
                come = len(state.position.come)
                pack = pack if come else next(coming)
                state.apply_action(pack[come])
            elif is_calling() and state.current_player() != caller:
                state.apply_action(PASS)
            else:
                return

    for seat, action in course.moves[:moves]:
        go_on(seat if action is Action.KUKU else None)
        assert state.current_player() == seat
        state.apply_action(action)
    go_on(None)
    look()
    return state, shown


MATCHES = [
    (2, Ruleset(pots=2)),
    (2, Ruleset(format=Format.STICKS, pots=3)),
    (3, Ruleset(dealt_harlekin=HarlekinRank.LOW)),
    (5, Ruleset(format=Format.STICKS, pots=2)),
    (8, Ruleset()),
]


@pytest.mark.parametrize(("seats", "rules"), MATCHES, ids=str)
def test_the_same_cards_and_moves_lead_where_they_lead_the_engine(seats: int, rules: Ruleset) -> None:
    for number in range(3):
        course = by_whim(rules, seats, number, first_dealer=seats - 1)
        state, _ = followed(course, course.packs, len(course.moves))
        events: list[Event] = [event for _, _, events, _ in course.steps for event in events]
        assert state.position.events == tuple(events)
        assert isinstance(events[-1], MatchEnded)
        others = seats - 1
        assert state.returns() == pytest.approx(
            [1 if seat == events[-1].winner else -1 / others for seat in range(seats)]
        )


@pytest.mark.parametrize(("seats", "rules"), MATCHES[1:4], ids=str)
def test_hidden_cards_change_nothing_of_an_information_state(seats: int, rules: Ruleset) -> None:
    """Rule T5: strings and tensors, through a whole match."""
    differing = 0
    for number in range(3):
        course = by_whim(rules, seats, number, first_dealer=seats - 1)
        whim = Random(number)
        for moves in [*whim.choices(range(len(course.moves)), k=3), len(course.moves)]:
            viewer = whim.randrange(seats)
            other = course.another_world(moves, viewer, whim)
            differing += sum(other[key] != course.packs[key] for key in other)
            assert followed(course, other, moves, viewer)[1] == followed(course, course.packs, moves, viewer)[1]
    assert differing


def test_in_a_hand_a_view_holds_all_that_was_told() -> None:
    """Without asks the tensor of an information state tells as much as the string."""
    game = pyspiel.load_game("python_kille(players=4,unit=hand,max_asks=0)")
    whim = Random(5)
    strings: dict[tuple[float, ...], str] = {}
    for _ in range(400):
        state = game.new_initial_state()
        while not state.is_terminal():
            if not state.is_chance_node():
                tensor, string = tuple(state.information_state_tensor()), state.information_state_string()
                assert strings.setdefault(tensor, string) == string
            state.apply_action(whim.choice(state.legal_actions()))
    assert len(set(strings.values())) == len(strings) > 500


RETURNS = {End.FIRST_LOSES: -1.0, End.DEALER_LOSES: 1.0, End.NOBODY_LOSES: 0.0}


def value(state: Any) -> float:  # noqa: ANN401  OpenSpiel has no types
    """What it is worth to player 0, if all do anything that they may as often."""
    if state.is_terminal():
        returned: float = state.returns()[0]
        return returned
    if state.is_chance_node():
        return sum((chance * value(state.child(card)) for card, chance in state.chance_outcomes()), start=0.0)
    actions = state.legal_actions()
    return sum((value(state.child(action)) for action in actions), start=0.0) / len(actions)


def value_of_tree(node: Node, left: Counter[Card]) -> float:
    """The same in the solver's tree, by the cards that the talon holds."""
    match node:
        case Choice():
            return sum(value_of_tree(branch, left) for branch in node.branches) / len(node.branches)
        case Draw(ends):
            drawn = [(left[card], end) for card, end in zip(Card, ends, strict=True) if end is not None]
            return sum(copies * RETURNS[end] for copies, end in drawn) / sum(copies for copies, _ in drawn)
    return RETURNS[node]


def test_a_hand_of_two_is_worth_what_it_is_in_the_solvers_tree() -> None:
    """Every choice, and every card that can be drawn, with its chance: the same number twice."""
    trees = Random(3).sample(grow(Ruleset()), size(12, 400))
    for tree in trees:
        state = pyspiel.load_game("python_kille(unit=hand,max_asks=0)").new_initial_state()
        expected = value_of_tree(tree.root, Counter(FULL_PACK) - Counter(tree.cards))
        assert value(came(state, *tree.cards)) == pytest.approx(expected, abs=1e-12)


def test_what_nobody_may_observe() -> None:
    game = pyspiel.load_game("python_kille")
    everything = pyspiel.IIGObservationType(
        perfect_recall=True, public_info=True, private_info=pyspiel.PrivateInfoType.ALL_PLAYERS
    )
    with pytest.raises(ValueError, match="nobody observes"):
        openspiel.KilleGame().make_py_observer(everything)
    with pytest.raises(ValueError, match="no parameters"):
        game.make_py_observer(None, {"wide": True})
