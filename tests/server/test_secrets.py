"""Nothing leaves a room that its receiver may not know: not in bytes, sizes, order or times (protocol/v1/protocol.md
§7.6).
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import count
from random import Random

import msgspec
import pytest
import trio.testing

from kille_net.bots.simple import EasyBot
from kille_net.client.showing.texts import CARDS
from kille_net.game.actions import Action
from kille_net.game.cards import FULL_PACK, Card, Pack
from kille_net.game.shuffle import Material, Seeded, commit_nonce
from kille_net.game.views import View, observe
from kille_net.server.serve import drawn_sources
from kille_net.server.sources import Sources
from kille_net.wire import encode
from kille_net.wire import messages as m
from tests.catalogue.rows import row
from tests.deep import size
from tests.server.house import Guest, House, Stacked, choices, options
from tests.server.house import pack as pack_from
from tests.server.streams import hall

PAIRS = 150
LOGGED = size(4, 1_000)
"""Matches, each of some ten hands, in each of which this and that breaks down."""
CALM = pack_from(Card.N1, Card.N2)
"""What a hand goes on with that is dealt again: no Harlekin to deal it again once more."""


class Blind:
    """A computer whose decisions come from a seed, whatever it holds."""

    listens = False

    def __init__(self, seed: str) -> None:
        self.random = Random(seed)

    def decide(self, view: View) -> Action:
        chosen = self.random.random()
        legal = [action for action in view.legal if action is not Action.KUKU]
        return legal[int(chosen * len(legal))]

    def calls_kuku(self, view: View) -> bool:
        return False

    def saw(self, event: object) -> None:
        raise AssertionError("it does not listen")


def shuffled(random: Random) -> Pack:
    cards = list(FULL_PACK)
    random.shuffle(cards)
    return tuple(cards)


def other_world(pack: Pack, seats: int, first: int, viewer: int | None, random: Random) -> Pack:
    """The same pack with the cards permuted that the viewer is not dealt; `first` is dealt to first."""
    kept = None if viewer is None else (viewer - first) % seats
    places = [place for place in range(len(pack)) if place != kept]
    mixed = places[:]
    random.shuffle(mixed)
    cards = list(pack)
    for place, source in zip(places, mixed, strict=True):
        cards[place] = pack[source]
    return tuple(cards)


def run(seed: str, pack: Pack, seats: int, kind: m.Format) -> tuple[list[list[tuple[float, bytes]]], int]:
    """Play one hand; per player and for a watcher, what it was sent and when, and whose hand decides how much."""
    computers = seats // 2
    numbers = Random(seed + "pace")
    seed_of: Iterator[int] = iter(range(100))
    house = House(
        shuffle=lambda: Stacked([pack, CALM], seats - 1),
        computer=lambda _: Blind(f"{seed}{next(seed_of)}"),
        chance=numbers.random,
    )
    room = options(seats, computers=computers, kind=kind, clock=20, window=1500, pace=900, rest=60_000, pots=5)
    people = house.table(room, *(f"Player {k}" for k in range(seats - computers)))
    watcher = house.guest("Watcher")
    house.watch(watcher)
    house.start(people[0])
    moves = Random(seed + "moves")
    for _ in range(60):
        guest, wait, chosen, does = moves.choice(people), moves.uniform(0, 2), moves.random(), moves.random()
        turn = people[0].all(m.Turn)[-1:]
        if not turn or people[0].all(m.Showdown):
            break
        asked = [other for other in people if other.all(m.Question) and other.turn == turn[0].turn]
        if does < 0.7 and asked:
            legal = [do for do in choices(asked[0].last(m.Question)) if do is not m.Do.KUKU]
            house.act(asked[0], legal[int(chosen * len(legal))])
        elif does < 0.8:
            house.act(guest, m.Do.SWAP, turn[0].turn)
        elif does < 0.9:
            house.do(guest, lambda k: m.Say(id=k, text="hm"))
        elif does < 0.95 and guest in people[2:]:
            (house.lose if guest.player.is_here else house.come_back)(guest)
        else:
            house.come_back(guest if guest.player.is_here else watcher)  # its snapshot must look alike, too
        house.wait(wait)
    assert not house.faults
    return [[(at, encode(message)) for at, message in guest.heard] for guest in (*people, watcher)], computers


SHOWING = frozenset({"dealt", "swapped", "refused", "drew", "undone", "struck", "thrown", "showdown", "kuku_called"})
"""Events that may tell their receiver of a card, or follow from one by the rules."""


def kind_of(message: bytes) -> str:
    return str(msgspec.msgpack.decode(message)["t"])


@row(28)
@pytest.mark.parametrize("kind", m.Format)
@pytest.mark.parametrize("seats", [2, 3, 4, 6, 8])
def test_two_worlds_look_alike_until_they_may_differ(kind: m.Format, seats: int) -> None:
    random = Random(f"worlds{seats}{kind}")
    compared = 0
    for number in range(PAIRS // 10):
        pack = shuffled(random)
        seed = f"{seats}{kind}{number}"
        first, computers = run(seed, pack, seats, kind)
        viewers: list[tuple[int, int | None]] = [(0, 0), (len(first) - 1, None)]
        if len(first) > 2:
            viewers.append((1, computers + 1))
        for index, viewer in viewers:
            second, _ = run(seed, other_world(pack, seats, 0, viewer, random), seats, kind)
            for one, other in zip(first[index], second[index], strict=False):
                if one != other:
                    assert one[0] == other[0], "at the same time"
                    kinds = {kind_of(one[1]), kind_of(other[1])}
                    # A turn, a stood, an asked that differed by itself would tell of a hidden card.
                    assert kinds & SHOWING
                    assert len(kinds) == 2 or kinds <= SHOWING
                    break
                compared += 1
    assert compared > PAIRS


@row(29)
def test_a_seat_with_kuku_is_asked_as_one_without() -> None:
    """§7.6: same messages, same sizes, same times, for itself and for the others (rule 6 of the server)."""

    def heard(card: Card) -> list[list[tuple[float, str, int]]]:
        cards = [Card.N3, card, Card.N7, Card.N9]
        rest = list(FULL_PACK)
        for one in cards:
            rest.remove(one)
        house = House(shuffle=lambda: Stacked([(*cards, *rest)], 3), chance=lambda: 0.3)
        guests = house.match(options(4, clock=20, window=1500, pace=800), "Ada", "Bo", "Cilla", "Doris")
        house.wait(0.5)
        house.act(guests[0], m.Do.STAND)
        house.wait(2.0)
        house.act(guests[1], m.Do.STAND)
        house.wait(30.0)
        return [[(at, type(message).__name__, len(encode(message))) for at, message in guest.heard] for guest in guests]

    assert heard(Card.KUKU) == heard(Card.N5)


@row(28)
@pytest.mark.parametrize("seat", range(8))
def test_sizes_do_not_tell_of_a_dealt_harlekin_that_is_low(seat: int) -> None:
    """§7.6, H4: who sees only how long each frame on each line is, an `ask` with its view too, learns no card."""

    def sizes(card: Card) -> list[list[tuple[float, str, int]]]:
        cards = [card if k == seat else Card(Card.N3 + k % 4) for k in range(8)]
        house = House(shuffle=lambda: Stacked([pack_from(*cards)], 7))
        room = options(8, harlekin=m.Rank.LOW, rest=60_000)
        guests = house.match(room, *(f"Player {k}" for k in range(8)))
        watcher = house.guest("Watcher")
        house.watch(watcher)
        for guest in guests[:-1]:
            house.act(guest, m.Do.STAND)
        assert all(len(guest.all(m.Question)) == 1 for guest in guests)
        assert guests[seat].last(m.Question).view.low == tuple(k == seat and card is Card.HARLEKIN for k in range(8))
        heard = [
            [(at, type(message).__name__, len(encode(message))) for at, message in guest.heard] for guest in guests
        ]
        return [*heard, [(at, type(message).__name__, len(encode(message))) for at, message in watcher.heard]]

    assert sizes(Card.HARLEKIN) == sizes(Card.N9)


def cards_in(value: object) -> Iterator[int]:
    """The cards that a message names, wherever in it."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in {"card", "gave", "got"} and inner is not None:
                yield inner
            elif key in {"cards", "beside", "gone"}:
                yield from (card for card in inner if card is not None)
            else:
                yield from cards_in(inner)


@row(27)
@pytest.mark.parametrize("kind", m.Format)
@pytest.mark.parametrize("seats", [2, 4, 8])
def test_no_frame_holds_a_card_outside_its_receivers_view(kind: m.Format, seats: int) -> None:
    """§7.6. Every card in play is one of a kind, so that a card that is named is that card."""
    random = Random(f"taint{seats}{kind}")
    for _ in range(25):
        singles = list(Card)
        random.shuffle(singles)
        pack = (*singles, *singles)  # nobody comes as far as the second of a kind within one hand
        if seats == 2 and Card.HARLEKIN in singles[:2]:
            continue  # dealt again at once (F5): the first cards are known of, and not in the view any more
        house = House(shuffle=partial(Stacked, [pack, CALM], seats - 1))
        room_options = options(seats, kind=kind, window=1000, rest=60_000, clock=9)
        guests = house.table(room_options, *(f"P{k}" for k in range(seats)))
        watcher = house.guest("Watcher")
        house.watch(watcher)
        house.start(guests[0])
        room = house.lobby._rooms._of[watcher.player]
        running = room.play.match
        assert running is not None
        known: dict[Guest, set[int]] = {guest: set() for guest in (*guests, watcher)}
        read = dict.fromkeys(known, 0)
        for _ in range(100):
            for seat, guest in enumerate((*guests, watcher)):
                view = observe(running.match, seat if guest is not watcher else None)
                known[guest] |= {int(card) for card in (*view.cards, *view.beside, *view.gone) if card is not None}
                for _, message in guest.heard[read[guest] :]:
                    assert set(cards_in(msgspec.msgpack.decode(encode(message)))) <= known[guest]
                read[guest] = len(guest.heard)
            if watcher.all(m.Showdown):
                break
            for guest in guests:
                if guest.all(m.Question) and guest.turn == watcher.last(m.Turn).turn:
                    legal = [do for do in choices(guest.last(m.Question)) if do not in {m.Do.KUKU, m.Do.ASK}]
                    house.act(guest, random.choice(legal))
            house.wait(1.0)


# --- what whoever runs the server may read (T33) ---------------------------------------------------------------------


@row(33)
async def test_the_log_holds_no_card_seed_ticket_password_or_byte_of_a_peer(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, autojump_clock: trio.testing.MockClock
) -> None:
    caplog.set_level("DEBUG")
    secrets = {"seed-s3cret", "pass-w0rd", "chat-s3cret", "raw-byt3s"}
    tickets = (f"{0xFACE + number:064x}" for number in count())
    shuffles = (Seeded("seed-s3cret", number.to_bytes(16, "big")) for number in count())
    sources = Sources(
        shuffle=lambda: next(shuffles), chance=lambda: 0.5, computer=lambda _: EasyBot(Random(1)),
        ticket=lambda: next(tickets),
    )  # fmt: skip
    async with hall(sources=sources) as place:
        for number in range(LOGGED):
            name = f"Ada{number}"
            ada = await place.guest(name, bot=True)
            made = await ada.ask(
                lambda k: m.Create(id=k, room=f"Room {k}", options=options(2, computers=1), password="pass-w0rd")
            )
            assert isinstance(made, m.Ok)
            await ada.ask(lambda k: m.Say(id=k, text="chat-s3cret"))
            await ada.send(m.Ready(id=900, ready=True))
            while True:
                match await ada.next():
                    case m.Question() as question:
                        await ada.ask(lambda k, q=question: m.Decide(id=k, turn=q.turn, do=choices(q)[0]))  # type: ignore[misc]  # bound at once
                    case m.RoomChanged(news=m.News.ENDED):
                        break
            with monkeypatch.context() as patch:
                patch.setattr("kille_net.server.play.RunningMatch.begin", _show_a_card)
                await ada.ask(lambda k: m.Start(id=k))
            welcome = next(message for message in ada.heard if isinstance(message, m.Welcome))
            assert welcome.ticket is not None
            secrets.add(welcome.ticket)
            with monkeypatch.context() as patch:
                patch.setattr("kille_net.server.lobby.Lobby.come_back", _show_a_card)
                await (again := place.connect()).hello("raw-byt3s", ticket=welcome.ticket)
                await again.end()
            rude = place.connect()
            await rude.stream.send_all(b"\x00\x00\x00\x0b\x81\xa9raw-byt3s\xc0")
            await rude.end()
            await ada.stream.send_all(b"\x00\x00\x00\x0b\x81\xa9raw-byt3s\xc0")
            await ada.end()
    lines = caplog.text.splitlines()
    told = {found[1] for line in lines if (found := re.search(r"event=([a-z_]+)", line))}
    assert told == {"started", "let_in", "room_made", "match_begun", "match_ended", "room_failed", "room_closed",
                    "session_failed", "session_ended", "not_let_in"}  # fmt: skip
    assert len([line for line in lines if "match_begun" in line]) == LOGGED
    for secret in secrets:
        assert secret not in caplog.text
    for card in Card:
        for word in (card.code, CARDS["sv"][card], CARDS["en"][card], repr(card)):
            assert not word.isalpha() or word.lower() not in caplog.text.lower()


@row(33)
async def test_nothing_shows_a_secret_of_a_shuffle_before_the_match_is_over(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, autojump_clock: trio.testing.MockClock
) -> None:
    """Neither a log, nor what goes over any line, nor the words of a fault in the middle of it."""
    caplog.set_level("DEBUG")
    materials = [Material(bytes([number]) * 32, bytes([0x40 + number]) * 16) for number in range(0xA0, 0xB0)]
    given = iter(materials)
    async with hall(sources=replace(drawn_sources(), shuffle=lambda: next(given))) as place:
        ada = await place.guest("Ada", bot=True)
        room = options(2, computers=1)
        assert isinstance(await ada.ask(lambda k: m.Create(id=k, room="Room", options=room, password=None)), m.Ok)
        await ada.send(m.Ready(id=900, ready=True))
        began = await ada.until(m.ShuffleBegan)
        nonce = b"\xee" * 32
        digest = commit_nonce(bytes.fromhex(began.match), 0, nonce).hex()
        await ada.send(m.CommitNonce(id=901, match=began.match, commit=digest))
        await ada.until(m.NoncesCommitted)
        await ada.send(m.RevealNonce(id=902, match=began.match, nonce=nonce.hex()))
        question = await ada.until(m.Question)
        with monkeypatch.context() as patch:
            patch.setattr("kille_net.server.running.RunningMatch.decide", _show_what_it_holds)
            await ada.send(m.Decide(id=903, turn=question.turn, do=choices(question)[0]))
            assert (await ada.until(m.RoomChanged)).news is m.News.FAILED
    said = b"".join(encode(message) for message in ada.heard) + caplog.text.encode()
    assert b"room_failed" in said
    for material in materials:
        for form in (material.secret, material.secret.hex().encode(), repr(material.secret)[2:-1].encode()):
            assert form not in said


def _show_what_it_holds(running: object, *_: object) -> None:
    raise KeyError(vars(running), repr(running))


def _show_a_card(*_: object, **__: object) -> None:
    raise KeyError(Card.HARLEKIN, "harlekin", "seed-s3cret")
