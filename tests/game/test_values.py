"""Views and events as values, and whether the rules are compiled where that was asked for (hatch_build.py)."""

import pickle
from collections.abc import Iterator
from copy import copy, deepcopy
from dataclasses import fields, replace
from os import environ
from typing import Final, get_origin

import pytest

from kille_net.game import actions, events, hand, match, table, values, views
from kille_net.game.values import Value
from tests.game.playing import some_matches

COMPILED = environ.get("KILLE_COMPILE") == "1"


@pytest.mark.parametrize("module", [actions, events, hand, match, table, values, views])
def test_the_rules_are_compiled_where_they_should_be(module: object) -> None:
    assert str(vars(module)["__file__"]).endswith(".py") != COMPILED


def all_kinds() -> Iterator[Value]:
    """An event of each kind, and a view."""
    found: dict[type, Value] = {}
    for number in range(40):
        _, steps, end = some_matches(number)
        found |= {type(event): event for step in steps for event in step}
        found[views.View] = views.observe(end, number % end.seats)
    yield from found.values()


def test_values_are_equal_to_their_copies_and_to_no_others() -> None:
    kinds = list(all_kinds())
    assert len(kinds) > 14
    for value in kinds:
        twins = [pickle.loads(pickle.dumps(value)), copy(value), deepcopy(value), replace(value)]  # type: ignore[type-var]  # a dataclass
        for twin in twins:
            assert (twin, hash(twin), repr(twin)) == (value, hash(value), repr(value))
        assert sum(value == other for other in kinds) == 1


def test_no_field_is_set_again() -> None:
    """The types say so, which mypy holds everybody to; compiled, the fields themselves do."""
    for value in all_kinds():
        for field in fields(value):  # type: ignore[arg-type]  # the same
            if COMPILED:
                with pytest.raises(AttributeError):
                    setattr(value, field.name, getattr(value, field.name))
            else:
                assert get_origin(field.type) is Final
