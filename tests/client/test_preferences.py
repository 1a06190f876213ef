"""What a person likes is heeded: bell, clocks that do not move, no pictures."""

from dataclasses import replace

import pytest

from kille_net.client.effects import Bell, Show
from kille_net.client.invitation import Invitation
from kille_net.client.preferences import Preferences
from kille_net.client.terminal.title import Title, takes_title
from tests.client.test_core import PLAN, Client, at_table

SIZE = (100, 30)


def liking(**choices: bool) -> Invitation:
    return replace(PLAN, preferences=Preferences(**choices))


@pytest.mark.parametrize("bell", [True, False])
def test_the_bell_rings_unless_it_is_off(*, bell: bool) -> None:
    client, outlet, table = at_table(plan=liking(bell=bell))
    client.now += 10
    table.ask(0)
    client.forget().hear(*outlet.take())
    assert (Bell() in client.effects) is bell


def clocks(client: Client, *times: float) -> list[str]:
    """What the status says of the time that is left, at these times."""
    shown = []
    for now in times:
        client.core.heard(now)
        words = " ".join(span.text for line in client.core.status(now, SIZE) for span in line).split()
        shown.append(next(words[k - 1] for k, word in enumerate(words) if word == "s" and words[k - 1].isdigit()))
    return shown


def test_clocks_run() -> None:
    client, _, _ = at_table(ms=60_000, plan=liking())
    assert clocks(client, 0.0, 1.0, 2.0, 31.0) == ["60", "59", "58", "29"]


def test_without_motion_they_change_every_ten_seconds() -> None:
    client, _, _ = at_table(ms=60_000, plan=liking(motion=False))
    assert clocks(client, 0.0, 0.1, 5.0, 9.9, 10.1, 31.0, 59.9) == ["60", "60", "60", "60", "50", "30", "10"]
    client.core.heard(0.0)
    drawn = {str(client.core.status(now / 10, SIZE)) for now in range(600)}
    assert len(drawn) <= 7


@pytest.mark.parametrize("pictures", [True, False])
def test_cards_are_drawn_unless_pictures_are_off(*, pictures: bool) -> None:
    client, _, _ = at_table(plan=liking(pictures=pictures))
    client.forget().type("card husar")
    assert any(isinstance(effect, Show) for effect in client.effects) is pictures
    assert bool(client.lines)


def test_whose_turn_it_is_is_known_for_the_title() -> None:
    client, _, table = at_table()
    assert client.core.is_our_turn
    client.type("stand" if table.match.legal(0) & 1 else "no")
    assert not client.core.is_our_turn


def test_the_title_is_written_when_it_changes_alone() -> None:
    title = Title("mine", is_used=True)
    assert title.show(mark=False) == ""
    assert "]2;mine" in title.show(mark=True)
    assert title.show(mark=True) == ""
    assert title.show(mark=False).endswith("\x1b[23;2t")
    assert Title("mine", is_used=False).show(mark=True) == ""


@pytest.mark.parametrize(
    ("term", "takes"),
    [("xterm-256color", True), ("tmux-256color", True), ("linux", False), ("vt100", False), ("", False)],
)
def test_which_terminals_take_a_title(*, term: str, takes: bool) -> None:
    assert takes_title(term) is takes
