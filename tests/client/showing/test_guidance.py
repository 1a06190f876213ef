"""What can be done, in words."""

from dataclasses import replace

import pytest

from kille_net.client.model import Model
from kille_net.client.showing.guidance import choices, help_lines
from kille_net.game.actions import Action
from kille_net.wire.states import Place
from tests.client.fake_server import room
from tests.client.looking import seated


def test_the_answers_to_a_question() -> None:
    model = seated()
    assert model.view is not None
    view = replace(model.view, dealer=1)
    assert choices(view, (Action.STAND, Action.SWAP), "sv") == "stå (s), byt (b)"
    assert choices(replace(view, dealer=0), (Action.STAND, Action.SWAP), "en") == "stand (s), draw from the talon (b)"


@pytest.mark.parametrize("place", list(Place))
@pytest.mark.parametrize("lang", ["sv", "en"])
def test_help_is_short_lines_about_what_can_be_done(place: Place, lang: str) -> None:
    for plain in (True, False):
        state = room("Ada", "Bo", "Cilla")
        seat = 0 if place is Place.SEATED else None
        model = Model(name="Ada", room=None if place is Place.LOBBY else state, seat=seat)
        lines = help_lines(model, lang, plain=plain)
        assert len(lines) > 5
        assert all(line.isprintable() for line in lines)
        assert ("Ctrl-K" in lines[-1]) is (place is Place.SEATED and not plain)
        assert ("kuku" in lines[-1]) is (place is Place.SEATED and plain)
        assert "reset" in lines[-1] or plain
