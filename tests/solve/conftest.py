"""Hands of both formats, grown once for all tests of the solver."""

import pytest

from kille_net.game.rules import Format, Ruleset
from kille_net.solve.values import Hand


@pytest.fixture(scope="session")
def hands() -> dict[Format, Hand]:
    return {form: Hand(Ruleset(format=form)) for form in Format}
