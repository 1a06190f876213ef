"""kille_net.wire.states: the tables by themselves; protocol/ holds them against its own."""

from typing import get_args

from kille_net.wire import (
    ANSWERS,
    COMMANDS,
    EVENTS,
    HOST_ONLY,
    LISTS,
    MESSAGE_TYPES,
    PLACES,
    TRANSITIONS,
    Bye,
    ClientMessage,
    Place,
    Role,
    ServerMessage,
    Shown,
    State,
)


def test_the_table_has_every_state_and_role() -> None:
    assert set(TRANSITIONS) == set(State)
    assert all(set(by_role) == set(Role) for by_role in TRANSITIONS.values())


def test_each_side_says_what_its_type_says() -> None:
    for role, union in ((Role.CLIENT, ClientMessage), (Role.SERVER, ServerMessage)):
        says = {kind for by_role in TRANSITIONS.values() for kind in by_role[role]}
        assert says == set(get_args(union))


def test_bye_may_be_said_until_the_end_and_ends_it() -> None:
    """§4.4"""
    for state, by_role in TRANSITIONS.items():
        for row in by_role.values():
            assert row.get(Bye) is (None if state is State.CLOSED else State.CLOSED)


def test_every_command_has_a_place() -> None:
    assert set(PLACES) == set(COMMANDS)
    assert all(PLACES.values())
    assert all(PLACES[kind] == {Place.SEATED} for kind in HOST_ONLY)


def test_whoever_asks_for_a_list_gets_a_page_of_it() -> None:
    """§5.3"""
    assert set(LISTS.values()) == set(get_args(Shown))
    assert len(set(LISTS.values())) == len(LISTS)
    assert all("page" in kind.__struct_fields__ for pair in LISTS.items() for kind in pair)
    assert {kind for kind in COMMANDS if "page" in kind.__struct_fields__} == set(LISTS)


def test_commands_answers_and_events_are_apart() -> None:
    groups = [set(COMMANDS), set(ANSWERS), set(EVENTS)]
    assert sum(map(len, groups)) == len(set[type]().union(*groups))
    assert set[type]().union(*groups) < set(MESSAGE_TYPES.values())
