"""That the shuffle is one: no bias, nothing to foretell it by, and two who compute it agree."""

import ast
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from hashlib import sha256
from pathlib import Path
from random import Random
from random import seed as seed_of_the_module
from secrets import token_bytes

import pytest

from kille_net.game.cards import FULL_PACK, Card, Pack, is_pack
from kille_net.game.shuffle import Material, Seeded, commit, commit_nonce, match_id_of
from kille_net.game.stream import first_below, pack_of, shuffled
from kille_net.server.serve import drawn_sources
from tests.catalogue.rows import row
from tests.deep import size
from tests.game import second_shuffle

ROOT = Path(__file__).parents[2]


def z(count: int, tries: int, chance: float) -> float:
    """How many standard deviations the count lies from what chance gives."""
    return float((count - tries * chance) / (tries * chance * (1 - chance)) ** 0.5)


# --- bias (T34) -------------------------------------------------------------------------------------------------------


@row(34)
def test_every_card_falls_on_every_place_alike() -> None:
    """Q1."""
    deals = size(20_000, 1_000_000)
    seeded = Seeded("bias", bytes(16))
    counts = [[0] * len(Card) for _ in FULL_PACK]
    for hand in range(1, deals + 1):
        for place, card in enumerate(seeded.pack(hand, 0)):
            counts[place][card] += 1
    scores = [z(count, deals, 2 / 42) for per_place in counts for count in per_place]
    assert max(map(abs, scores)) < 5
    # The sum of their squares: chi-square on 41 × 20 degrees of freedom, whose own deviation is known.
    freedom = 41 * 20
    statistic = sum((count - deals * 2 / 42) ** 2 / (deals * 2 / 42) for per_place in counts for count in per_place) * (
        41 / 40
    )
    assert abs(statistic - freedom) < 6 * (2 * freedom) ** 0.5
    dealers = Counter(Seeded("bias", match_id_of("bias", k)).first_dealer(7) for k in range(deals // 4))
    assert all(abs(z(dealers[seat], deals // 4, 1 / 7)) < 5 for seat in range(7))


@row(34)
def test_neighbours_in_the_pack_know_nothing_of_each_other() -> None:
    deals = size(4_000, 200_000)
    seeded = Seeded("neighbours", bytes(16))
    pairs = 0
    for hand in range(1, deals + 1):
        pack = seeded.pack(hand, 0)
        assert is_pack(pack)
        pairs += sum(pack[place] is pack[place + 1] for place in range(41))
    assert abs(z(pairs, deals * 41, 1 / 41)) < 5


def fed(*numbers: int) -> Iterator[bytes]:
    """A stream of these bytes, and zeros after them."""
    return iter([bytes(numbers).ljust(64, b"\0")])


@row(34)
@pytest.mark.parametrize("m", range(2, 43))
def test_every_byte_at_every_step_is_taken_or_passed_over_as_it_must_be(m: int) -> None:
    """All 256 values of the byte that chooses among m: each choice has as many, the others are passed over."""
    places = tuple(range(42))
    steps_before = bytes(42 - m)
    chosen: Counter[int] = Counter()
    for value in range(256):
        pack = shuffled(places, fed(*steps_before, value, 1))
        passed_over = shuffled(places, fed(*steps_before, 1))
        cards = list(places)
        for last in range(41, m - 1, -1):
            cards[last], cards[0] = cards[0], cards[last]
        at = m - 1
        if value < 256 // m * m:
            assert pack[at] == cards[value % m]
            chosen[value % m] += 1
        else:
            assert pack == passed_over
    assert set(chosen) == set(range(m))
    assert len(set(chosen.values())) == 1


@row(34)
@pytest.mark.parametrize("seats", range(2, 9))
def test_every_byte_gives_each_seat_the_first_deal_alike(seats: int) -> None:
    dealers: Counter[int] = Counter()
    for value in range(256):
        dealer = first_below(seats, fed(value, 1))
        if value < 256 // seats * seats:
            dealers[dealer] += 1
        else:
            assert dealer == 1, "the next byte decides"
    assert set(dealers) == set(range(seats))
    assert len(set(dealers.values())) == 1


# --- prediction (T35) -------------------------------------------------------------------------------------------------

Server = Callable[[], Material]
"""Draws the secret and the id of each match."""


def true_server() -> Server:
    source = drawn_sources().shuffle

    def draw() -> Material:
        material = source()
        assert isinstance(material, Material)
        return material

    return draw


def bad_server(random: Random) -> Server:
    """What an attacker hopes for."""
    return lambda: Material(random.randbytes(32), random.randbytes(16))


def finds_time_seed(draw: Server, clock: int) -> bool:
    """Whether a seed near the time explains the commitment."""
    target = draw()
    for guess in range(clock - 20, clock + 21):
        material = Material(Random(guess).randbytes(32), target.match_id)
        if material.commitment == target.commitment:
            return True
    return False


@row(35)
def test_a_seed_from_the_time_is_not_what_packs_come_from() -> None:
    clock = 1_700_000_000
    assert finds_time_seed(bad_server(Random(clock + 7)), clock), "the attack is one"
    draw = true_server()
    assert not any(finds_time_seed(draw, clock + k) for k in range(size(25, 250)))


def clone(outputs: list[int]) -> Random:
    """A Mersenne Twister that goes on from 624 outputs of another."""

    def undo_right(y: int, shift: int) -> int:
        value = y
        for _ in range(32 // shift + 1):
            value = y ^ value >> shift
        return value

    def undo_left(y: int, shift: int, mask: int) -> int:
        value = y
        for _ in range(32 // shift + 1):
            value = y ^ (value << shift & mask)
        return value & 0xFFFFFFFF

    state = []
    for output in outputs:
        y = undo_right(output, 18)
        y = undo_left(y, 15, 0xEFC60000)
        y = undo_left(y, 7, 0x9D2C5680)
        state.append(undo_right(y, 11))
    random = Random()
    random.setstate((3, (*state, 624), None))
    return random


def clones_the_twister(draw: Server) -> bool:
    """Whether 52 matches that are over (48 bytes each: 624 words) foretell the secret of the next."""
    told = b"".join(material.secret + material.match_id for material in (draw() for _ in range(52)))
    words = [int.from_bytes(told[at : at + 4], "little") for at in range(0, len(told), 4)]
    guess = clone(words).randbytes(32)
    return guess == draw().secret


@row(35)
def test_secrets_that_are_over_foretell_none_to_come() -> None:
    assert clones_the_twister(bad_server(Random(1))), "the attack is one"
    draw = true_server()
    assert not any(clones_the_twister(draw) for _ in range(size(3, 100)))


def guesses(material: Material) -> Iterator[Pack]:
    """Packs that somebody might work out from all that is public before the first deal."""
    c, i = material.commitment, material.match_id
    nonces = b"".join(nonce or bytes(32) for nonce in material.nonces)
    yield pack_of(c)
    yield pack_of(sha256(c).digest())
    yield pack_of(sha256(c + i + nonces).digest())
    yield Material(c, i, material.nonces).pack(1, 0)
    yield Material(bytes(32), i, material.nonces).pack(1, 0)
    yield Material(sha256(nonces).digest(), i, material.nonces).pack(1, 0)


@row(35)
def test_what_is_public_says_nothing_of_the_packs() -> None:
    """…to those who take the commitment, the id or the nonces for a seed: they guess as well as anybody."""
    decks = size(1_500, 10_000)
    draw = true_server()
    tops = [0] * 6
    cards = [0] * 6
    for _ in range(decks):
        bound = draw()
        material = Material(bound.secret, bound.match_id, (token_bytes(32), None, token_bytes(32)))
        pack = material.pack(1, 0)
        for k, guess in enumerate(guesses(material)):
            assert guess != pack
            tops[k] += guess[0] is pack[0]
            cards[k] += sum(map(Card.__eq__, guess, pack))
    for k in range(6):
        assert abs(z(tops[k], decks, 1 / 21)) < 5
        assert abs(z(cards[k], decks * 42, 1 / 21)) < 5.5
    first = Material(bytes(32), bytes(16))
    assert pack_of(first.deck_key(1, 0)) == first.pack(1, 0), "whoever has the key has the pack"


@row(35)
def test_no_two_matches_have_a_secret_or_an_id_in_common() -> None:
    draw = true_server()
    drawn = [draw() for _ in range(size(2_000, 100_000))]
    assert len({material.secret for material in drawn}) == len(drawn)
    assert len({material.match_id for material in drawn}) == len(drawn)
    bits = sum(int.from_bytes(material.secret, "big").bit_count() for material in drawn)
    assert abs(z(bits, 256 * len(drawn), 0.5)) < 5


# --- no other chance (T36) --------------------------------------------------------------------------------------------


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


@row(36)
@pytest.mark.parametrize("floor", ["server", "game", "wire"])
def test_nothing_that_plays_for_a_secret_imports_the_module_random(floor: str) -> None:
    modules = sorted((ROOT / "kille_net" / floor).rglob("*.py"))
    assert modules
    assert not [path for path in modules if any(name.split(".")[0] == "random" for name in imports(path))]


@row(36)
def test_chance_is_drawn_by_the_outermost_module_of_the_server_alone() -> None:
    """Everywhere else it is handed in; keys and tickets are drawn where they are kept."""
    modules = (ROOT / "kille_net" / "server").rglob("*.py")
    drawing = {path.stem for path in modules if any(name.split(".")[0] == "secrets" for name in imports(path))}
    sync = {"room", "running", "lobby", "drawing", "seating", "herald", "people", "sources", "tickets", "answers"}
    assert not drawing & sync
    assert "serve" in drawing


@row(36)
def test_no_pack_comes_from_the_module_random() -> None:
    """A seed of it that is set anew before each match gives no pack, secret or id a second time."""
    count = size(50, 10_000)
    drawn: set[bytes | Pack] = set()
    for _ in range(count):
        seed_of_the_module(36)
        material = drawn_sources().shuffle()
        drawn |= {material.match_id, material.pack(1, 0)}
    assert len(drawn) == 2 * count


@row(36)
def test_the_lint_that_refuses_it_holds_for_the_server() -> None:
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["ruff"]["lint"]
    assert "S311" in told["select"]
    spared = [pattern for pattern, codes in told["per-file-ignores"].items() if "S311" in codes]
    assert not [pattern for pattern in spared if fnmatch("kille_net/server/serve.py", pattern)]
    assert not [pattern for pattern in spared if fnmatch("kille_net/game/shuffle.py", pattern)]


# --- two who compute it (T37) -----------------------------------------------------------------------------------------


@row(37)
def test_two_implementations_agree() -> None:
    """The other one was written from protocol/game/README.md alone, and shares no step with the package."""
    random = Random("two")
    for _ in range(size(1_000, 100_000)):
        seats = random.randint(2, 8)
        secret, match_id = random.randbytes(32), random.randbytes(16)
        nonces = tuple(random.randbytes(32) if random.random() < 0.8 else None for _ in range(seats))
        hand, redeal = random.choice((random.randint(1, 60), random.getrandbits(32))), random.randint(0, 30)
        material = Material(secret, match_id, nonces)
        order = second_shuffle.place_of_pack(secret, match_id, nonces, hand, redeal)
        assert material.pack(hand, redeal) == tuple(FULL_PACK[place] for place in order)
        assert material.first_dealer(seats) == second_shuffle.first_dealer(secret, match_id, nonces, seats)
        assert commit(match_id, secret) == second_shuffle.commitment(match_id, secret)
        for seat, nonce in enumerate(nonces):
            if nonce is not None:
                assert commit_nonce(match_id, seat, nonce) == second_shuffle.digest(match_id, seat, nonce)


@row(37)
def test_two_implementations_agree_on_packs_that_matches_share() -> None:
    random = Random("shared")
    for _ in range(size(300, 30_000)):
        seed, match_id, packs_of = f"seed {random.random()}", random.randbytes(16), random.randbytes(16)
        shared = random.choice((None, packs_of))
        seeded = Seeded(seed, match_id, shared)
        secret, stands = second_shuffle.secret_of(seed), match_id if shared is None else shared
        hand, redeal, seats = random.randint(1, 60), random.randint(0, 30), random.randint(2, 8)
        order = second_shuffle.place_of_pack(secret, stands, (), hand, redeal)
        assert seeded.pack(hand, redeal) == tuple(FULL_PACK[place] for place in order)
        assert seeded.first_dealer(seats) == second_shuffle.first_dealer(secret, stands, (), seats)
