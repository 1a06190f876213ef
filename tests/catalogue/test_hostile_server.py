"""A server that sends whatever is well formed: the client believes it, or says that it broke the protocol."""

import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec
import pytest

from kille_net.client.core import Core
from kille_net.client.effects import Effect, Print
from kille_net.client.errand import Errand
from kille_net.client.invitation import Invitation
from kille_net.client.steps import TurnedAway
from kille_net.game.actions import actions_of
from kille_net.wire import messages as wire
from kille_net.wire.codec import decode, encode
from kille_net.wire.errors import RemoteProtocolError
from kille_net.wire.states import TRANSITIONS, Role, State
from tests.catalogue.rows import row
from tests.client.fake_server import NAMES, OPTIONS, Outlet, Table, room
from tests.deep import size
from tests.protocol.documents import vectors

WELCOME = wire.Welcome(version=1, agent="srv", name="Ada", settings={}, ticket=None, resumed=wire.Resumed.NO, last_id=0)
SAID_BY_SERVERS = frozenset(kind for kind in TRANSITIONS[State.OPEN][Role.SERVER] if kind is not wire.Bye)
STRAYS = [message for vector in vectors("valid") if type(message := decode(vector.frame[4:])) in SAID_BY_SERVERS]
LINES = (
    *("", "s", "b", "yes", "no", "kuku", "who", "card", "help", "rules", "say hej", "leave", "ready", "start"),
    *("pause", "rooms", "create X", "join Bordet", "watch Bordet", "add 2 easy", "kick 2", "remove 3", "?", "nonsense"),
    *("coach on", "coach", "why", "help all", "ignore Bo", "unignore"),
)
TEXTS = ("", "Ada", "Bo", "</b>&amp;", "%s {} {0}", "\x1b]52;c;eA==\x07", "\u202e\x00", "x" * 200, "Ådå", "-")


@cache
def transcript(seed: int, game: wire.Format, seats: int) -> tuple[wire.ServerMessage, ...]:
    """What one client hears in its lobby, its room and a match."""
    options = msgspec.structs.replace(OPTIONS, seats=seats, format=game, pots=2)
    outlet = Outlet()
    names = NAMES[:seats]
    start = wire.Snapshot(seq=0, room=room(*names, options=options), view=None, match=0, open=None, rest=None)
    outlet.send(WELCOME, wire.Rooms(id=1, page=0, pages=1, rooms=()), wire.Ok(id=2), start)
    table = Table(outlet, seed, names, options)
    table.begin()
    chance = random.Random(seed)
    for _ in range(20):
        if not table.step(ms=5000):
            break
        outlet.send(outlet.event(wire.Said, who="Bo", text="hej"))
        table.act(chance.choice(actions_of(table.match.legal(0))))
    return tuple(outlet.sent)


def leaves(value: object, path: tuple[object, ...] = ()) -> Iterator[tuple[object, ...]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key != "t":
                yield from leaves(inner, (*path, key))
    elif isinstance(value, list) and value:
        yield path
        for number, inner in enumerate(value):
            yield from leaves(inner, (*path, number))
    else:
        yield path


def changed(message: wire.ServerMessage, chance: random.Random) -> wire.ServerMessage:
    """Another message of the same kind, if the codec takes it; else the same."""
    fields = msgspec.msgpack.decode(encode(message))
    for _ in range(chance.choice((1, 1, 2, 4))):
        path = chance.choice(list(leaves(fields)) or [()])
        if not path:
            continue
        inside = fields
        for key in path[:-1]:
            inside = inside[key]
        old = inside[path[-1]]
        inside[path[-1]] = other(old, chance)
    try:
        found = decode(msgspec.msgpack.encode(fields))
    except RemoteProtocolError:
        return message
    return found  # type: ignore[return-value]  # of the same kind


def other(old: object, chance: random.Random) -> object:
    match old:
        case list():
            doubled = [*old, *old[-1:]]
            return chance.choice((old[:-1], doubled, old[::-1], chance.sample(old, len(old))))
        case bool():
            return not old
        case int():
            return chance.choice((0, 1, old + 1, max(old - 1, 0), 7, 20, 99, 2**31 - 1, None, chance.randrange(300)))
        case None:
            return chance.choice((0, 1, 5, 20))
    if isinstance(old, str) and old in WORDS:
        return chance.choice(WORDS)
    return chance.choice(TEXTS)


WORDS = sorted({str(word) for kind in (wire.News, wire.Phase, wire.Deed, wire.Occupant, wire.RoomStatus, wire.Do,
                                       wire.RedealReason, wire.RefusalCode, wire.Resumed, wire.Format)
                for word in kind})  # fmt: skip


def lies(messages: tuple[wire.ServerMessage, ...], chance: random.Random) -> Iterator[wire.ServerMessage]:
    """The transcript, and something wrong with it here and there."""
    rate = chance.choice((0.01, 0.05, 0.3))
    for number, message in enumerate(messages):
        if number < 1 or chance.random() > rate:
            yield message
            continue
        match chance.randrange(6):
            case 0:
                continue
            case 5:
                stray: Any = chance.choice(STRAYS)
                at = message.seq if isinstance(message, wire.Event) else 0
                is_event = isinstance(stray, wire.Event) and chance.random() < 0.8
                yield msgspec.structs.replace(stray, seq=at) if is_event else changed(stray, chance)
            case 1:
                yield from (message, message)
            case 2:
                yield chance.choice(messages[1:])
                yield message
            case _:
                yield changed(message, chance)


def check(effects: list[Effect]) -> None:
    for effect in effects:
        assert not isinstance(effect, Print) or effect.text.isprintable(), repr(effect)


def plays() -> Iterator[tuple[tuple[wire.ServerMessage, ...], random.Random]]:
    for number in range(size(300, 300_000)):
        chance = random.Random(number)
        yield transcript(number % 7, chance.choice(list(wire.Format)), chance.choice((2, 3, 5, 8))), chance


@row(26)
@pytest.mark.parametrize("plain", [False, True])
def test_a_person_sees_what_it_says_or_leaves_it(*, plain: bool) -> None:
    believed = 0
    for messages, chance in plays():
        core = Core(Invitation(host="h", name="Ada", lang=chance.choice(("sv", "en"))), plain=plain)
        check(core.message(messages[0], 0.0))
        check(core.line("join Bordet"))
        for message in lies(messages[1:], chance):
            try:
                check(core.message(message, 0.0))
            except RemoteProtocolError:
                break
            if chance.random() < 0.2:
                check(core.line(chance.choice(LINES)))
                for line in core.status(chance.uniform(0.0, 99.0), (chance.randrange(1, 200), chance.randrange(1, 50))):
                    assert all(span.text.isprintable() for span in line)
                core.completions(chance.choice(LINES))
        else:
            believed += 1
    assert believed > 10


@row(26)
def test_a_bot_plays_by_what_it_says_or_leaves_it() -> None:
    for messages, chance in plays():
        errand = Errand("Bordet", OPTIONS, 3)
        for message in lies(messages[:1] + messages[2:], chance):
            try:
                errand.message(message, 0.0)
            except (RemoteProtocolError, TurnedAway):
                break


def test_every_message_of_a_server_is_tried() -> None:
    assert {type(message) for message in STRAYS} >= SAID_BY_SERVERS
