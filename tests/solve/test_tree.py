"""The tree of a hand of two against the engine, hand by hand."""

from random import Random

import pytest

from kille_net.game.actions import Action, Phase
from kille_net.game.cards import FULL_PACK, Card, Pack
from kille_net.game.hand import Hand
from kille_net.game.rules import Format, Ruleset
from kille_net.solve.tree import DEALER, FIRST, Choice, Draw, End, Node, Tree, grow, is_dealt_again, stacked
from tests.deep import rounds


@pytest.fixture(scope="module", params=list(Format))
def grown(request: pytest.FixtureRequest) -> tuple[Ruleset, dict[tuple[Card, Card], Tree]]:
    rules = Ruleset(format=request.param)
    return rules, {tree.cards: tree for tree in grow(rules)}


def end_of(hand: Hand) -> End:
    if hand.showdown is None:
        assert hand.phase is Phase.DEAL
        return End.AGAIN
    lost = hand.showdown.lost
    return End.NOBODY_LOSES if not lost else End.DEALER_LOSES if lost == (DEALER,) else End.FIRST_LOSES


def drawn(draw: Draw, talon: Pack) -> End:
    return next(end for card in talon if (end := draw.ends[card]) is not None)


def test_whatever_the_pack_and_the_choices_the_tree_ends_as_the_engine_does(
    grown: tuple[Ruleset, dict[tuple[Card, Card], Tree]],
) -> None:
    rules, trees = grown
    ends: set[End] = set()
    for number in rounds(2000, 200_000):
        dice = Random(number)
        pack = tuple(dice.sample(FULL_PACK, len(FULL_PACK)))
        if dice.random() < 0.5:  # more of what refuses
            high = [Card.VARDSHUS, Card.KAVALL, Card.HUSU, Card.HUSAR, Card.KUKU, *pack[:1]]
            pack = stacked((*pack[:1], *dice.sample(high, 3))) if pack[0] < Card.VARDSHUS else pack
        if is_dealt_again(*pack[:2]):
            continue
        hand = Hand(rules, (1, 1), DEALER)
        hand.deal(pack)
        node: Node = trees[pack[0], pack[1]].root
        while isinstance(node, Choice):
            k = dice.randrange(len(node.actions))
            action = node.actions[k]
            if action is not None:
                assert hand.why_not(node.seat, action) is None
                hand.act(node.seat, action)
            node = node.branches[k]
        end = drawn(node, pack[2:]) if isinstance(node, Draw) else node
        assert end is end_of(hand)
        ends.add(end)
    ties = End.AGAIN if rules.rules.ties_again else End.NOBODY_LOSES
    assert ends >= {End.FIRST_LOSES, End.DEALER_LOSES, ties}


def choices(node: Node) -> list[Choice]:
    if not isinstance(node, Choice):
        return []
    return [node, *(choice for branch in node.branches for choice in choices(branch))]


def test_what_a_seat_cannot_tell_apart_asks_it_the_same(
    grown: tuple[Ruleset, dict[tuple[Card, Card], Tree]],
) -> None:
    actions: dict[object, tuple[Action | None, ...]] = {}
    held: dict[object, set[Card]] = {}
    for tree in grown[1].values():
        for choice in choices(tree.root):
            key = choice.seat, choice.seen
            assert actions.setdefault(key, choice.actions) == choice.actions
            held.setdefault(key, set()).add(tree.cards[choice.seat])
    assert all(len(cards) == 1 for cards in held.values()), "a seat knows the card that it was dealt"


def test_the_first_to_speak_does_not_know_the_dealers_card(
    grown: tuple[Ruleset, dict[tuple[Card, Card], Tree]],
) -> None:
    roots = [tree.root for tree in grown[1].values() if tree.cards[FIRST] is Card.N5]
    asked = {root.seen for root in roots if isinstance(root, Choice) and root.seat == FIRST}
    assert len(asked) == 1


def test_no_pack_begins_with_three_of_a_kind() -> None:
    with pytest.raises(ValueError, match="not in list"):
        stacked((Card.N5, Card.N5, Card.N5))
