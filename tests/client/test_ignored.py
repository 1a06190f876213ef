"""Whoever is ignored says nothing to us, and hears nothing of it."""

from dataclasses import replace

import pytest

from kille_net.wire import messages as wire
from tests.client.test_core import PLAN, WELCOME, Client, in_room


def say(client: Client, who: str, text: str, seq: int) -> list[str]:
    return client.forget().hear(wire.Said(seq=seq, who=who, text=text)).lines


@pytest.mark.parametrize("name", ["Bo", "bo", "BO", "\u0412o"])
def test_what_an_ignored_one_says_is_not_shown(name: str) -> None:
    """A name that looks the same is the same."""
    client = in_room()
    assert client.type(f"/ignore {name}").lines == [
        f"You see nothing more of what {name} says; unignore {name} undoes it."
    ]
    assert not client.sent
    assert say(client, "Bo", "hej", 1) == []
    assert say(client, "Cilla", "hej", 2) == ["<Cilla> hej"]
    assert client.forget().type("ignore").lines == [f"You ignore {name}."]
    client.type("unignore bo")
    assert say(client, "Bo", "hej", 3) == ["<Bo> hej"]
    assert client.forget().type("ignore").lines == ["You ignore nobody."]


def test_what_else_an_ignored_one_does_is_told() -> None:
    client = in_room("Ada", "Bo", "Cilla").type("ignore Bo").forget()
    state = client.core.model.room
    assert state is not None
    client.hear(wire.RoomChanged(seq=1, news=wire.News.READY, who="Bo", room=state))
    assert client.lines == ["Bo is ready."]


def test_a_lost_line_changes_nothing() -> None:
    client = in_room().type("ignore Bo")
    client.took(client.core.lost(1.0, 1))
    state = client.core.model.room
    assert state is not None
    client.hear(replace_welcome(wire.Resumed.ROOM))
    client.hear(wire.Snapshot(seq=5, room=state, view=None, match=0, open=None, rest=None))
    assert say(client, "Bo", "hej", 6) == []


def replace_welcome(resumed: wire.Resumed) -> wire.Welcome:
    return wire.Welcome(
        version=WELCOME.version,
        agent=WELCOME.agent,
        name=WELCOME.name,
        settings={},
        ticket=None,
        resumed=resumed,
        last_id=99,
    )


def test_what_cannot_be_is_one_line() -> None:
    client = in_room()
    assert client.type("ignore Ada").lines == ["You cannot ignore yourself."]
    assert client.forget().type("unignore Bo").lines == ["You do not ignore Bo."]
    assert client.forget().type("unignore").lines == ["You ignore nobody."]
    assert client.forget().type("ignore \x1b[2J").lines[0].isprintable()
    for number in range(70):
        say(client, f"Somebody{number}", "hej", number + 1)
        client.type(f"ignore Somebody{number}")
    say(client, "One more", "hej", 71)
    assert client.forget().type("ignore One more").lines == ["You ignore 64 already; unignore one first."]


def test_only_who_is_there_or_has_spoken_can_be_ignored() -> None:
    client = in_room()
    unknown = "Nobody here is called Zed, and nobody of that name has said anything."
    assert client.type("ignore Zed").lines == [unknown]
    assert say(client, "Zed", "hej", 1) == ["<Zed> hej"]
    assert client.forget().type("ignore zed").lines[0].startswith("You see nothing more of what zed says")
    assert say(client, "Zed", "hej", 2) == []


def test_the_words_are_swedish_too() -> None:
    client = in_room(plan=replace(PLAN, lang="sv"))
    client.type("ignorera Bo")
    assert say(client, "Bo", "hej", 1) == []
    client.type("visa Bo")
    assert say(client, "Bo", "hej", 2) == ["<Bo> hej"]
    assert ("Bo", 1, "") in client.core.completions("ignorera B")
