"""Who may be connected: the counts at their edges, and that they come back to nothing."""

import random

from kille_net.server.admission import Admission, Entry
from kille_net.server.limits import Limits
from tests.deep import size

LIMITS = Limits(connections=10, connections_of_address=3, greeting_connections=6, greeting_connections_of_address=2)


def enter(admission: Admission, address: str, times: int, *, is_near: bool = False) -> list[Entry]:
    """Enter so often, and be let in each time."""
    entries = []
    for _ in range(times):
        entry = admission.enter(address, is_near=is_near)
        assert entry is not None
        entries.append(entry)
    return entries


def test_one_address_has_so_many_that_are_not_yet_welcomed() -> None:
    admission = Admission(LIMITS, 100)
    first, _ = enter(admission, "a", 2)
    assert admission.enter("a", is_near=False) is None
    enter(admission, "b", 1)
    assert first.welcome()
    enter(admission, "a", 1)


def test_one_address_has_so_many_that_are_welcomed() -> None:
    admission = Admission(LIMITS, 100)
    entries = []
    for _ in range(3):
        entries += enter(admission, "a", 1)
        assert entries[-1].welcome()
    (late,) = enter(admission, "a", 1)
    assert not late.welcome()
    (other,) = enter(admission, "b", 1)
    assert other.welcome()
    entries[0].leave()
    assert late.welcome()


def test_all_addresses_together_have_so_many_that_are_not_yet_welcomed() -> None:
    admission = Admission(LIMITS, 100)
    (first, *_) = [entry for address in "abc" for entry in enter(admission, address, 2)]
    assert admission.enter("d", is_near=False) is None
    assert first.welcome()
    enter(admission, "d", 1)


def test_this_machine_is_bounded_in_all_and_not_as_an_address() -> None:
    admission = Admission(LIMITS, 100)
    entries = enter(admission, "here", 6, is_near=True)
    assert admission.enter("here", is_near=True) is None, "not yet welcomed, in all"
    assert all(entry.welcome() for entry in entries)
    enter(admission, "here", 4, is_near=True)
    assert admission.enter("here", is_near=True) is None, "in all"


def test_there_are_no_more_than_there_are_files_for() -> None:
    admission = Admission(LIMITS, 1)
    enter(admission, "a", 1)
    assert admission.enter("b", is_near=True) is None


def test_a_place_is_given_back_once_whatever_is_done_with_it() -> None:
    admission = Admission(LIMITS, 100)
    first, other = enter(admission, "a", 2)
    assert first.welcome()
    assert first.welcome()
    first.leave()
    first.leave()
    assert (admission.greeting, admission.connections) == (1, 1)
    other.leave()
    assert (admission.greeting, admission.connections) == (0, 0)


def test_counts_are_those_of_a_list_of_all_and_come_back_to_nothing() -> None:
    for seed in range(size(20, 5_000)):
        chance = random.Random(seed)
        admission = Admission(LIMITS, chance.choice((7, 100)))
        there: list[tuple[Entry, str, bool]] = []
        welcomed: set[Entry] = set()
        for _ in range(200):
            address = chance.choice("abcde")
            is_near = address == "e"
            greeting = [spot for spot in there if spot[0] not in welcomed]
            match chance.choice(("enter", "enter", "welcome", "leave")):
                case "enter":
                    own = sum(spot[1] == address for spot in greeting)
                    is_free = len(greeting) < 6 and len(there) < min(10, admission._most) and (is_near or own < 2)
                    entry = admission.enter(address, is_near=is_near)
                    assert (entry is not None) == is_free
                    if entry is not None:
                        there.append((entry, address, is_near))
                case "welcome" if greeting:
                    entry, address, is_near = chance.choice(greeting)
                    own = sum(spot[1] == address for spot in there if spot[0] in welcomed)
                    assert entry.welcome() == (is_near or own < 3)
                    if is_near or own < 3:
                        welcomed.add(entry)
                case "leave" if there:
                    spot = there.pop(chance.randrange(len(there)))
                    spot[0].leave()
                    welcomed.discard(spot[0])
            assert admission.greeting == sum(spot[0] not in welcomed for spot in there)
            assert admission.connections == len(there)
        for entry, _, _ in there:
            entry.leave()
        assert not admission._greeting
        assert not admission._welcomed
