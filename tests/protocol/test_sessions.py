"""Whole conversations between two connections, line by line."""

from itertools import pairwise
from typing import Any, cast

import pytest

from kille_net.wire import (
    MESSAGE_TYPES,
    TRANSITIONS,
    ByeCode,
    Connection,
    RefusalCode,
    RemoteProtocolError,
    Role,
    State,
)
from tests.catalogue.rows import row
from tests.each import each
from tests.protocol.documents import Talk, plain, schema, talks, typed, vectors

Cell = tuple[State, Role, str]
ANSWERS = {"ok", "no", *schema()["x-lists"].values()}


def play(talk: Talk) -> set[Cell]:
    """Let two connections hold the talk; give the cells of the table that its senders were in."""
    ends = {Role.CLIENT: Connection(Role.CLIENT), Role.SERVER: Connection(Role.SERVER)}
    cells: set[Cell] = set()
    for line in talk.lines:
        sender = cast("Connection[Any, Any]", ends[line.sender])
        receiver = cast("Connection[Any, Any]", ends[Role.SERVER if line.sender is Role.CLIENT else Role.CLIENT])
        if line.code is not None:
            receiver.receive_data(line.frame)
            with pytest.raises(RemoteProtocolError) as caught:
                receiver.next_message()
            assert (caught.value.code, caught.value.place) == (line.code, line.place)
            continue
        assert line.message is not None
        message = typed(line.message)
        cells.add((sender.state, line.sender, line.message["t"]))
        assert sender.send(message) == line.frame
        receiver.receive_data(line.frame)
        got = receiver.next_message()
        assert got == message
        assert plain(message) == line.message
        assert receiver.next_message() is None
    return cells


@row(24)
@each(talks())
def test_two_connections_hold_the_session(talk: Talk) -> None:
    play(talk)


@each(talks())
def test_a_session_ends_with_bye_and_nothing_after_it(talk: Talk) -> None:
    """§4.4"""
    tags = [line.message["t"] for line in talk.lines if line.message]
    assert tags.index("bye") == len(tags) - 1
    assert talk.lines[-1].message is not None


@each(talks())
def test_the_first_event_of_a_room_is_its_making(talk: Talk) -> None:
    """§6.6, §7.1: computers that are seated with the maker are no events."""
    said = [line.message for line in talk.lines if line.message]
    made = {m["id"] for m in said if m["t"] == "create"} & {m["id"] for m in said if m["t"] == "ok"}
    snapshots = [after for before, after in pairwise(said) if before["t"] == "ok" and before["id"] in made]
    assert [(m["t"], m["seq"]) for m in snapshots] == [("snapshot", 1)] * len(made)


@each(talks())
def test_a_command_gets_one_answer(talk: Talk) -> None:
    """§5.3"""
    said = [line.message for line in talk.lines if line.message]
    asked = [m["id"] for m in said if m["t"] not in ANSWERS and "id" in m]
    answered = [m["id"] for m in said if m["t"] in ANSWERS]
    assert sorted(asked) == sorted(answered)
    assert len(set(asked)) == len(asked)


@each(talks())
def test_events_are_numbered_without_a_gap(talk: Talk) -> None:
    """§7.1, §7.2: the snapshot begins, each event counts on, a question has the number of its turn."""
    last: int | None = None
    refused = {line.message["id"] for line in talk.lines if line.message and line.message.get("code") == "old_turn"}
    for line in talk.lines:
        message = line.message or {"t": ""}
        if message["t"] == "snapshot":
            last = message["seq"]
        elif message["t"] == "ask":
            assert message["seq"] == last
        elif message["t"] == "kuku":
            assert message["seq"] <= (last or 0) or message["id"] in refused, "§7.7"
        elif "seq" in message:
            assert last is not None
            last += 1
            assert message["seq"] == last


def test_every_cell_of_the_table_is_in_a_session() -> None:
    """§4.3"""
    found = set[Cell]().union(*(play(talk) for talk in talks()))
    tags = {kind: tag for tag, kind in MESSAGE_TYPES.items()}
    table = {
        (state, role, tags[kind])
        for state, by_role in TRANSITIONS.items()
        for role, row in by_role.items()
        for kind in row
    }
    assert found == table


def test_every_message_has_a_valid_vector() -> None:
    assert {vector.message["t"] for vector in vectors("valid")} == set(MESSAGE_TYPES)


def test_every_code_is_in_a_vector_or_a_session() -> None:
    said = [line.message for talk in talks() for line in talk.lines if line.message]
    rejected = {vector.code for vector in vectors("rejected")}
    assert rejected == set(list(ByeCode)[:8]), "the faults"
    assert {m["code"] for m in said if m["t"] == "bye"} == {code.value for code in ByeCode}
    assert {m["code"] for m in said if m["t"] == "no"} == {code.value for code in RefusalCode}
    assert {line.code for talk in talks() for line in talk.lines if line.code} == rejected


def cells_of_places(talk: Talk) -> set[tuple[str, str, bool]]:
    """§5.4: each command of the client, where its player was, and whether it meant something there."""
    said = [line.message for line in talk.lines if line.message]
    answers = {m["id"]: m for m in said if m["t"] in ANSWERS}
    commands = {m["id"]: m["t"] for m in said if m["t"] in schema()["x-places"]}
    place, name = "lobby", ""
    cells: set[tuple[str, str, bool]] = set()
    for message in said:
        match message:
            case {"t": "welcome"}:
                name = message["name"]
                place = "seated" if message["resumed"] == "room" else "lobby"
            case {"t": "ok", "id": number} if commands[number] == "leave":
                place = "lobby"
            case {"t": "snapshot", "room": {"seats": seats}}:
                place = "seated" if name in {seat["name"] for seat in seats} else "watching"
            case {"t": "room", "news": "kicked", "who": who} if who == name:
                place = "lobby"
            case {"t": "room", "news": "failed" | "closed" | "table_over"}:
                place = "lobby"
            case {"t": command, "id": number} if number in commands and command == commands[number]:
                cells.add((command, place, answers[number].get("code") != "wrong_place"))
    return cells


def test_every_command_is_said_in_every_place() -> None:
    """§5.4: where it means something and where it does not."""
    found = set[tuple[str, str, bool]]().union(*map(cells_of_places, talks()))
    assert found == {
        (command, place, place in row["where"])
        for command, row in schema()["x-places"].items()
        for place in ("lobby", "watching", "seated")
    }


def test_every_command_of_the_host_is_refused_to_another() -> None:
    """§5.4"""
    said = [[line.message for line in talk.lines if line.message] for talk in talks()]
    refused = [{m["id"] for m in one if m.get("code") == "not_host"} for one in said]
    tags = {
        m["t"] for one, ids in zip(said, refused, strict=True) for m in one if m.get("id") in ids and m["t"] != "no"
    }
    assert tags == {command for command, row in schema()["x-places"].items() if row["host"]}
