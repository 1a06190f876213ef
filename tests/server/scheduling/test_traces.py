"""What is heard of tournaments hangs on nothing but what is done in them, and tells no card (rule C10 apart)."""

from random import Random
from typing import Final

import pytest

from kille_net.game.cards import FULL_PACK, Card, Pack
from kille_net.wire import messages as m
from tests.deep import size
from tests.server.house import Guest, House, Stacked, pack
from tests.server.scheduling.house import answer_all, ask, bots, entered, persons, plan, say, the

KIND = m.TournamentKind
RUNS: Final = size(5, 100)


def trace(seed: str, kind: m.TournamentKind) -> list[list[tuple[float, m.ServerMessage]]]:
    """All that anybody hears, and when, in a tournament in which anybody comes and goes."""
    dice = Random(seed)
    house = House()
    guests = [*bots(house, 5), *persons(house, 3)]
    dice.shuffle(guests)
    follower = house.guest("Follower")
    rounds = 3 if kind is KIND.LADDER else 0
    tournament = entered(house, plan(kind, 3, rounds=rounds, late=3, minutes=2, computers=1), guests, begin=False)
    say(house, follower, m.Follow, on=True)
    if kind is not KIND.LADDER:
        say(house, guests[0], m.BeginTournament)
    while tournament.is_running:
        guest = dice.choice(guests)
        chance = dice.random()
        if chance < 0.01 and guest.player.is_here:
            house.lose(guest)
        elif chance < 0.02 and not guest.player.is_here:
            house.carry(house.lobby.come_back(guest.player, house.now))
        elif chance < 0.025 and house.lobby.room_of(guest.player) is not None:
            house.leave(guest)
        elif not answer_all(house, [one for one in guests if dice.random() < 0.8]):
            house.step()
    ask(house, follower, m.AskStandings, page=0)
    assert not house.faults
    return [guest.heard for guest in (*guests, follower)]


class TestTheSame:
    @pytest.mark.parametrize("kind", KIND)
    def test_seeds_give_the_same_course(self, kind: m.TournamentKind) -> None:
        for run in range(RUNS):
            assert trace(f"{kind} {run}", kind) == trace(f"{kind} {run}", kind)


LOW, MIDDLE, HIGH = Card(2), Card(5), Card(8)


def world(packs: list[Pack]) -> tuple[list[Guest], list[Guest], Guest, House]:
    """Two tables, of which only the first is played; who sits there, who sits at the other, who follows."""
    shuffles = iter([Stacked(packs, 2), Stacked([pack(LOW, MIDDLE, HIGH)], 2)])
    house = House(shuffle=lambda: next(shuffles))
    guests = persons(house, 6)
    follower = house.guest("Follower")
    entered(house, plan(KIND.SWISS, 3, rounds=1, minutes=60), guests, begin=False)
    say(house, follower, m.Follow, on=True)
    say(house, guests[0], m.BeginTournament)
    first = the(house).book.find(1, 1).seats
    own = [guests[number - 1] for number in first]
    others = [guest for guest in guests if guest not in own]
    for _ in range(200):
        if the(house).book.unfinished and house.lobby.room_of(own[0].player) is not None:
            answer_all(house, own)
        ask(house, follower, m.AskStandings, page=0)
        ask(house, follower, m.AskTables, page=0, round=0)
        ask(house, follower, m.ListTournaments, page=0)
    assert len(the(house).book.unfinished) == 1
    return own, others, follower, house


class TestTwoWorlds:
    """In both the same seat loses every hand; who holds the middle card and who the high one is exchanged, and so is
    all that is left of the pack.
    """

    def test_are_the_same_to_who_is_not_at_the_table(self) -> None:
        plain = pack(LOW, MIDDLE, HIGH)
        left = list(FULL_PACK)
        for card in (LOW, HIGH, MIDDLE):
            left.remove(card)
        other = (LOW, HIGH, MIDDLE, *reversed(left))
        assert sorted(plain) == sorted(other)
        one, two = world([plain]), world([other])
        assert [guest.heard for guest in one[0]] != [guest.heard for guest in two[0]], "those at the table do see it"
        assert [guest.heard for guest in one[1]] == [guest.heard for guest in two[1]]
        assert one[2].heard == two[2].heard
        assert one[2].all(m.TournamentNews)

    def test_nothing_that_is_told_of_a_tournament_has_room_for_a_card(self) -> None:
        for kind in (m.TournamentNews, m.TournamentLine, m.StandingLine, m.TableLine):
            named = " ".join(map(str, kind.__annotations__.values()))
            assert "Card" not in named
            assert not {"cards", "card", "packs", "view"} & set(kind.__struct_fields__)
