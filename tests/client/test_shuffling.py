"""A client catches a server that cheats in the shuffle, and accuses none that does not."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import Any

import msgspec
import pytest

from kille_net.client.core import Core
from kille_net.client.effects import Print, Send, Style
from kille_net.client.errand import Errand
from kille_net.client.invitation import Invitation
from kille_net.client.model import Model, reduce
from kille_net.client.shuffling import Remark, Shuffling
from kille_net.game.cards import Pack
from kille_net.game.shuffle import Material, Seeded
from kille_net.server.people import Player
from kille_net.server.play import Play
from kille_net.server.sources import Shuffle
from kille_net.wire import RemoteProtocolError, decode, encode
from kille_net.wire import messages as m
from tests.catalogue.rows import row
from tests.catalogues import TEXTS
from tests.client.shuffled import Client, Table, Tamper, drawn, honest, secrets
from tests.deep import size
from tests.server.house import options

ZERO = "0" * 64


def changed(kind: type[m.Message], change: Callable[[Any], dict[str, Any]]) -> Tamper:
    """Every message of that kind with fields of it changed."""

    def tamper(message: m.ServerMessage) -> list[m.ServerMessage]:
        if not isinstance(message, kind):
            return [message]
        return [msgspec.structs.replace(message, **change(message))]

    return tamper


def dropped(kind: type[m.Message]) -> Tamper:
    return lambda message: [] if isinstance(message, kind) else [message]


# --- nobody is accused ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", range(2, 9))
def test_an_honest_server_is_said_to_be_so_by_everyone_who_saw_it_all(seats: int) -> None:
    table = Table(seats, watchers=1)
    for _ in range(2):  # the second is a rematch
        table.play()
    for client in (*table.clients, *table.watchers):
        assert client.keys == ["fine", "fine"]
    assert table.now == 0.0, "nobody has waited"


def test_who_has_no_part_is_named_and_the_rest_is_fine() -> None:
    table = Table(3)
    table.clients[2].tamper = dropped(m.ShuffleBegan)  # it does not know that it is asked
    table.play()
    first, _, third = table.clients
    assert first.remarks == [Remark("without", seats=(2,)), Remark("fine")]
    assert third.faults


def test_who_keeps_back_its_nonce_is_named_and_the_next_start_is_fine() -> None:
    table = Table(3)
    table.clients[1].is_silent = True
    table.play()
    first, second, third = table.clients
    assert first.remarks == third.remarks
    assert first.remarks == [Remark("void", seats=(1,)), Remark("without", seats=(1,)), Remark("fine")]
    assert second.keys[-1] == "weak", "its own nonce was not in"


@pytest.mark.parametrize("number", range(size(40, 2_000)))
def test_lines_that_are_lost_at_any_moment_accuse_nobody(number: int) -> None:
    table = Table(2 + number % 4)
    whim = Random(number)
    lost: list[Client] = []
    table.start()
    for _ in range(2):
        ended = table.ended
        while table.ended == ended:
            waits = table.waits
            if lost and (waits is None or waits > 5.0 or whim.random() < 0.1):
                table.come_back(lost.pop())
            elif whim.random() < 0.1 and table.clients[-1].model.is_playing:
                client = whim.choice(table.clients[:-1])
                if client not in lost:
                    lost.append(client)
                    table.lose(client)
            else:
                table.step()
        while lost:
            table.come_back(lost.pop())
        table.start()
    dishonest = {"secret", "nonces", "left_out", "changed", "order", "replayed", "dealer", "stacked", "no_secret"}
    for client in table.clients:
        assert not dishonest & set(client.keys), client.keys
        assert "unshuffled" not in client.keys
    assert table.clients[-1].keys[-1] in {"fine", "weak", "void"}


def test_a_client_that_came_back_checks_what_it_saw() -> None:
    table = Table(3)
    table.start()
    table.until(m.Showdown)
    client = table.clients[0]
    table.lose(client)
    for _ in range(4):
        table.step()
    table.come_back(client)
    table.play()
    assert client.keys == ["partly"]


def test_a_client_that_was_away_at_the_end_says_that_it_cannot_check() -> None:
    table = Table(3)
    table.start()
    table.until(m.Dealt)
    client = table.clients[0]
    table.lose(client)
    while not table.ended:
        table.step()
    table.come_back(client)
    assert client.faults == ["missed"]


def test_one_that_is_started_anew_says_how_much_it_saw() -> None:
    table = Table(3)
    table.start()
    table.until(m.Dealt)
    old = table.clients[0]
    table.lose(old)
    table.clients[0] = fresh = Client(old.player, ids=old.ids)
    table.come_back(fresh)
    while not table.ended:
        table.step()
    assert fresh.keys == ["partly"]


# --- a server that cheats ---------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Swapping:
    """Packs of a match in which two cards have changed places."""

    hand: int
    one: int
    other: int

    def lay(self, hand: int, pack: Pack) -> Pack:
        cards = list(pack)
        if hand == self.hand:
            cards[self.one], cards[self.other] = cards[self.other], cards[self.one]
        return tuple(cards)


@dataclass(frozen=True, slots=True)
class Stacked(Material):
    """A shuffle that deals other packs than it says."""

    swapping: Swapping = field(default_factory=lambda: Swapping(1, 0, 41))
    dealer_shift: int = 0

    def pack(self, hand: int, redeal: int) -> Pack:
        return self.swapping.lay(hand, Material.pack(self, hand, redeal))

    def first_dealer(self, seats: int) -> int:
        return (Material.first_dealer(self, seats) + self.dealer_shift) % seats


def stacked(swapping: Swapping, dealer_shift: int = 0) -> Callable[[], Shuffle]:
    true_ones = secrets()

    def draw() -> Shuffle:
        true = true_ones()
        assert isinstance(true, Material)
        return Stacked(true.secret, true.match_id, swapping=swapping, dealer_shift=dealer_shift)

    return draw


def other_nonce(message: m.NoncesCommitted | m.NoncesRevealed, seat: int, told: str | None) -> tuple[str | None, ...]:
    per_seat = message.commits if isinstance(message, m.NoncesCommitted) else message.nonces
    return (*per_seat[:seat], told, *per_seat[seat + 1 :])


def secret_first() -> Tamper:
    """A secret that is revealed while cards are dealt by it, to whoever may use it."""

    def tamper(message: m.ServerMessage) -> list[m.ServerMessage]:
        if isinstance(message, m.Dealt):
            return [message, m.SecretRevealed(seq=0, match=drawn("id 0", 16).hex(), secret=drawn("secret 0").hex())]
        return [message]

    return tamper


def nonces_after_the_deal() -> Tamper:
    kept: list[m.ServerMessage] = []

    def tamper(message: m.ServerMessage) -> list[m.ServerMessage]:
        if isinstance(message, m.NoncesRevealed):
            kept.append(message)
            return []
        if isinstance(message, m.Dealt) and kept:
            return [message, kept.pop()]
        return [message]

    return tamper


def nonces_without_digests() -> Tamper:
    """The seats are asked to reveal before the others are bound."""

    def tamper(message: m.ServerMessage) -> list[m.ServerMessage]:
        if isinstance(message, m.NoncesCommitted):
            return [m.NoncesRevealed(seq=0, nonces=message.commits), message]
        return [message]

    return tamper


def commits_twice(message: m.ServerMessage) -> list[m.ServerMessage]:
    return [message, message] if isinstance(message, m.NoncesCommitted) else [message]


def false_void(message: m.ServerMessage) -> list[m.ServerMessage]:
    return [m.ShuffleVoided(seq=0, seats=1)] if isinstance(message, m.NoncesRevealed) else [message]


def anew(message: m.ServerMessage) -> list[m.ServerMessage]:
    """The server has seen the nonces, does not like what follows, and begins again as if nothing had been."""
    if isinstance(message, m.NoncesRevealed):
        return [m.ShuffleBegan(seq=0, match="9" * 32, commitment=ZERO, dealer=None, seats=7, ms=5000), message]
    return [message]


def begun_again(message: m.ServerMessage) -> list[m.ServerMessage]:
    """A second hand that says that it is the first."""
    if isinstance(message, m.HandBegan) and message.hand == 2:
        return [msgspec.structs.replace(message, hand=1)]
    return [message]


def void_for_nothing(message: m.ServerMessage) -> list[m.ServerMessage]:
    return [m.ShuffleVoided(seq=0, seats=0)] if isinstance(message, m.NoncesRevealed) else [message]


CHEATS: dict[str, tuple[Tamper, str]] = {
    "another secret": (changed(m.SecretRevealed, lambda _: {"secret": ZERO}), "secret"),
    "the secret of another match": (changed(m.SecretRevealed, lambda _: {"match": "0" * 32}), "secret"),
    "no secret": (dropped(m.SecretRevealed), "no_secret"),
    "a secret that comes early": (secret_first(), "order"),
    "another commitment": (changed(m.ShuffleBegan, lambda _: {"commitment": ZERO}), "secret"),
    "digests in another order": (changed(m.NoncesCommitted, lambda c: {"commits": c.commits[::-1]}), "left_out"),
    "our digest replaced": (changed(m.NoncesCommitted, lambda c: {"commits": other_nonce(c, 0, ZERO)}), "left_out"),
    "our digest dropped": (changed(m.NoncesCommitted, lambda c: {"commits": other_nonce(c, 0, None)}), "left_out"),
    "the digest of another": (changed(m.NoncesCommitted, lambda c: {"commits": other_nonce(c, 1, ZERO)}), "nonces"),
    "digests twice": (commits_twice, "order"),
    "nonces in another order": (changed(m.NoncesRevealed, lambda n: {"nonces": n.nonces[::-1]}), "nonces"),
    "our nonce replaced": (changed(m.NoncesRevealed, lambda n: {"nonces": other_nonce(n, 0, ZERO)}), "nonces"),
    "our nonce dropped": (changed(m.NoncesRevealed, lambda n: {"nonces": other_nonce(n, 0, None)}), "nonces"),
    "the nonce of another replaced": (
        changed(m.NoncesRevealed, lambda n: {"nonces": other_nonce(n, 2, ZERO)}),
        "nonces",
    ),
    "no nonces": (dropped(m.NoncesRevealed), "order"),
    "nonces after the deal": (nonces_after_the_deal(), "order"),
    "nonces before the digests": (nonces_without_digests(), "order"),
    "a start without a commitment": (dropped(m.ShuffleBegan), "order"),
    "a void that blames us for nothing": (false_void, "not_heard"),
    "a void that blames nobody": (void_for_nothing, "order"),
    "a start anew without a void": (anew, "order"),
    "a match that begins again": (begun_again, "order"),
    "a rematch that is none": (changed(m.ShuffleBegan, lambda _: {"dealer": 0}), "dealer"),
    "another first dealer": (changed(m.HandBegan, lambda h: {"dealer": (h.dealer + 1) % 3}), "dealer"),
}


@row(37)
@pytest.mark.parametrize("name", CHEATS)
def test_a_server_that_cheats_is_caught(name: str) -> None:
    tamper, key = CHEATS[name]
    table = Table(3)
    table.clients[0].tamper = tamper
    try:
        table.play()
    except RemoteProtocolError:
        assert name == "another first dealer", "the game itself has no such event"
        return
    assert table.clients[0].faults[:1] == [key]
    assert "fine" not in table.clients[0].keys


@row(37)
@pytest.mark.parametrize("seats", [2, 3, 5, 8])
def test_another_first_dealer_is_caught(seats: int) -> None:
    table = Table(seats, stacked(dealer_shift=1, swapping=Swapping(0, 0, 0)), watchers=1)
    table.play()
    assert all(client.faults == ["dealer"] for client in (*table.clients, *table.watchers))


@row(37)
@pytest.mark.parametrize("dealer", range(3))
def test_a_dealer_who_is_named_in_a_first_match_is_caught(dealer: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server says that the deal goes on, where there was no match before."""
    monkeypatch.setattr(Play, "_next_dealer", dealer)
    table = Table(3)
    table.play()
    assert all(client.faults == ["dealer"] for client in table.clients)


@row(37)
def test_a_deal_that_does_not_go_on_from_the_match_before_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(3)
    table.play()
    last = [one.dealer for one in table.clients[0].heard if isinstance(one, m.HandBegan)][-1]
    monkeypatch.setattr(Play, "_next_dealer", last)
    table.play()
    assert all(client.keys == ["fine", "dealer"] for client in table.clients)


@row(37)
@pytest.mark.parametrize("seat", range(4))
def test_a_stacked_pack_is_caught_by_the_seat_that_was_dealt_from_it(seat: int) -> None:
    table = Table(4, stacked(swapping=Swapping(1, seat, 20 + seat)), watchers=1)
    table.play()
    caught = [client for client in (*table.clients, *table.watchers) if client.faults == ["stacked"]]
    assert caught
    assert all(client.keys in (["fine"], ["stacked"]) for client in (*table.clients, *table.watchers))
    assert any(remark.hand == 1 for client in caught for remark in client.remarks)


@row(37)
def test_a_transcript_that_is_played_again_is_caught() -> None:
    same = secrets()()
    table = Table(3, lambda: same, watchers=1)
    table.play()
    assert table.clients[0].keys == ["fine"]
    table.play()
    for client in (*table.clients, *table.watchers):
        assert client.faults[:1] == ["replayed"]
        assert client.keys.count("fine") == 1


@row(37)
def test_a_match_that_the_server_shuffles_alone_is_not_passed_over() -> None:
    table = Table(3, lambda: Seeded("known", bytes(16)), watchers=1)
    table.play()
    assert all(client.keys == ["unshuffled"] for client in (*table.clients, *table.watchers))


@row(37)
def test_what_was_drawn_for_one_match_is_good_for_no_other() -> None:
    """The second match is dealt without a word of its shuffle."""
    table = Table(3, watchers=1)
    table.play()
    kinds = (m.ShuffleBegan, m.NoncesCommitted, m.NoncesRevealed)
    for client in (table.clients[0], *table.watchers):
        client.tamper = lambda message: [] if isinstance(message, kinds) else [message]
    table.play()
    for client in (table.clients[0], *table.watchers):
        assert client.keys[:1] == ["fine"]
        assert client.faults


@row(37)
def test_a_late_nonce_is_told_and_the_shuffle_is_not_called_fine() -> None:
    """A server that leaves us out, and never said that it had our nonce, may have been slow, or may have chosen."""
    table = Table(3)
    client = table.clients[0]
    tamper = CHEATS["our digest dropped"][0]
    command = 0

    def slow(message: m.ServerMessage) -> list[m.ServerMessage]:
        nonlocal command
        if isinstance(message, m.Ok) and message.id == command:
            return []
        return list(tamper(message))

    client.tamper = slow
    table.start()
    while not any(isinstance(one, m.CommitNonce) for one in client.commands):
        table.step()
    command = next(one.id for one in client.commands if isinstance(one, m.CommitNonce))
    while not table.ended:
        table.step()
    assert client.faults[0] == "late"
    assert "fine" not in client.keys


@row(37)
def test_what_a_server_says_after_a_lost_line_must_be_what_it_said_before() -> None:
    for field_name in ("commitment", "commits", "nonces"):
        table = Table(3)
        table.start()
        table.until(m.Showdown)
        client = table.clients[0]
        table.lose(client)
        table.step()

        def lie(state: m.ShuffleState, name: str = field_name) -> dict[str, Any]:
            return {name: ZERO if name == "commitment" else (ZERO, ZERO, ZERO)}

        client.tamper = changed(m.ShuffleState, lie)
        table.come_back(client)
        assert client.faults == ["changed"]


@row(37)
def test_a_client_reveals_nothing_where_its_digest_is_not_published() -> None:
    table = Table(3)
    client = table.clients[0]
    client.tamper = CHEATS["our digest replaced"][0]
    table.start()
    table.until(m.NoncesCommitted)
    assert not any(isinstance(command, m.RevealNonce) for command in client.commands)


@row(37)
def test_a_client_draws_a_new_nonce_for_every_start() -> None:
    table = Table(2)
    table.clients[1].is_silent = True
    table.play()
    table.clients[1].is_silent = False
    table.play()
    revealed = [one.nonces[0] for one in table.clients[0].heard if isinstance(one, m.NoncesRevealed)]
    assert len(set(revealed)) == len(revealed) == 2


@row(26)
@pytest.mark.parametrize(
    "lie",
    [
        changed(m.NoncesRevealed, lambda n: {"nonces": n.nonces[:-1]}),
        changed(m.NoncesCommitted, lambda c: {"commits": (*c.commits, None)}),
        changed(m.ShuffleBegan, lambda _: {"seats": 255}),
        changed(m.ShuffleBegan, lambda _: {"dealer": 7}),
    ],
)
def test_seats_that_the_table_does_not_have_end_the_connection(lie: Tamper) -> None:
    table = Table(3)
    table.clients[0].tamper = lie
    with pytest.raises(RemoteProtocolError) as caught:
        table.play()
    assert caught.value.code is m.ByeCode.BAD_FIELD


# --- every byte -------------------------------------------------------------------------------------------------------

BORING = frozenset({"ms", "seq", "seats"})
"""Fields that change nothing of the shuffle; `seats` does not where the bit of the one who hears it stays."""


def replayed(heard: Sequence[m.ServerMessage], name: str) -> list[str] | None:
    """What a client says of what it heard; None: it ends the connection."""
    model = Model(name=name)
    ids, nonces = iter(range(1, 1_000)), iter(range(1_000))
    shuffling = Shuffling(lambda number: drawn(f"{name} {next(nonces)}", number), lambda: next(ids))
    keys: list[str] = []
    try:
        for message in heard:
            model = reduce(model, message, 0.0)
            keys += [one.key for one in shuffling.message(message, model) if isinstance(one, Remark)]
    except RemoteProtocolError:
        return None
    return keys


def is_alike(true: m.ServerMessage, other: object) -> bool:
    if type(other) is not type(true):
        return False
    if isinstance(true, m.ShuffleBegan) and isinstance(other, m.ShuffleBegan) and (true.seats ^ other.seats) & 1:
        return False
    return all(getattr(other, name) == getattr(true, name) for name in set(true.__struct_fields__) - BORING)


def told_of_the_shuffle(message: m.ServerMessage) -> bool:
    return isinstance(message, m.ShuffleEvent | m.Dealt | m.Swapped | m.Showdown | m.HandBegan)


@row(37)
@pytest.mark.parametrize("number", range(size(3, 1_000)))
def test_no_byte_of_a_transcript_can_be_another(number: int) -> None:
    """Whatever byte a server changes of the drawing, of a card or a dealer: the client parts from it, or says so."""
    first = secrets()
    for _ in range(number):
        first()
    table = Table(2, first)
    table.play()
    client = table.clients[0]
    assert client.keys == ["fine"]
    heard = [message for message in client.heard if not isinstance(message, m.Answer)]
    assert replayed(heard, "Player 0") == ["fine"]
    whim = Random(number)
    mutants = 0
    for at, message in enumerate(heard):
        if not told_of_the_shuffle(message):
            continue
        payload = encode(message)
        tries = range(len(payload)) if size(0, 1) or isinstance(message, m.ShuffleEvent) else range(0, len(payload), 7)
        for place in tries:
            lie = bytearray(payload)
            lie[place] ^= whim.choice((1, whim.randrange(1, 256)))
            try:
                other = decode(bytes(lie))
            except RemoteProtocolError:
                continue
            if is_alike(message, other):
                continue
            said = replayed([*heard[:at], other, *heard[at + 1 :]], "Player 0")  # type: ignore[list-item]  # any message of either end
            assert said is None or "fine" not in said, (message, other)
            mutants += 1
    assert mutants > 100


# --- the core and the errand ------------------------------------------------------------------------------------------


class WithCore(Client):
    """The same with the whole of the client behind it."""

    def __init__(self, player: Player, lang: str) -> None:
        super().__init__(player)
        self.core = Core(
            Invitation(host="h", name=player.name, lang=lang), plain=True, draw=lambda number: drawn("core", number)
        )
        self.ids = count(50_000)
        self.lines: list[Print] = []
        self.core.message(welcome(player.name), 0.0)

    def take(self, told: m.ServerMessage) -> None:
        if isinstance(told, m.Answer) and told.id >= 50_000:
            return
        self.heard.append(told)
        for effect in self.core.message(told, 0.0):
            if isinstance(effect, Print):
                self.lines.append(effect)
            if isinstance(effect, Send) and isinstance(effect.message, m.CommitNonce | m.RevealNonce):
                self.commands.append(effect.message)
        if isinstance(told, m.Question):
            self.answer(told)


class WithErrand(Client):
    """The same with that of a bot."""

    def __init__(self, player: Player) -> None:
        super().__init__(player)
        self.errand = Errand("Room", options(2), None, draw=lambda number: drawn("errand", number))
        self.errand.message(welcome(player.name), 0.0)
        self.ids = count(50_000)

    def take(self, told: m.ServerMessage) -> None:
        self.heard.append(told)
        for step in self.errand.message(told, 0.0):
            if isinstance(step, Remark):
                self.remarks.append(step)
            if isinstance(step, m.CommitNonce | m.RevealNonce):
                self.commands.append(step)
        if isinstance(told, m.Question):
            self.answer(told)


def welcome(name: str) -> m.Welcome:
    return m.Welcome(version=1, agent="", name=name, settings={}, ticket=None, resumed=m.Resumed.ROOM, last_id=0)


@pytest.mark.parametrize(
    ("lang", "fine", "false"),
    [
        ("en", "The shuffle is checked: ", "*** FALSE SHUFFLE: the secret "),
        ("sv", "Blandningen är kontrollerad: ", "*** FALSK BLANDNING: det hemliga talet "),
    ],
)
def test_the_core_has_its_part_and_says_in_one_line_what_came_of_it(lang: str, fine: str, false: str) -> None:
    made: list[WithCore] = []

    def make(player: Player) -> WithCore:
        made.append(WithCore(player, lang))
        return made[-1]

    for tamper, begins, style in ((honest, fine, Style.QUIET), (CHEATS["another secret"][0], false, Style.FAULT)):
        table = Table(2, first=make)
        made[-1].tamper = tamper
        table.play()
        assert table.clients[1].keys == ["fine"], "the core has had its part"
        told = [line for line in made[-1].lines if line.text.startswith((fine, false))]
        assert [(line.text[: len(begins)], line.style) for line in told] == [(begins, style)]


def test_an_errand_has_its_part_and_tells_what_came_of_it() -> None:
    table = Table(2, first=WithErrand)
    table.play()
    assert [client.keys for client in table.clients] == [["fine"], ["fine"]]
    table.clients[0].tamper = CHEATS["another secret"][0]
    table.play()
    assert table.clients[0].faults == ["secret"]


def test_every_remark_has_its_text() -> None:
    keys = {
        "fine",
        "redrawn",
        "partly",
        "weak",
        "late",
        "without",
        "void",
        "not_heard",
        "missed",
        *(key for _, key in CHEATS.values()),
    }
    keys |= {"changed", "replayed", "stacked", "unshuffled"}
    for lang in ("sv", "en"):
        assert {f"shuffle.{key}" for key in keys} == {key for key in TEXTS[lang] if key.startswith("shuffle.")}
