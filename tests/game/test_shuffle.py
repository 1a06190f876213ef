"""From secrets to packs, held against vectors that another implementation made (protocol/game/README.md)."""

import json
from pathlib import Path
from typing import Any

import pytest

from kille_net.game import shuffle
from kille_net.game.cards import FULL_PACK, Card
from kille_net.game.shuffle import Material, Seeded, commit, commit_nonce, match_id_of
from kille_net.game.stream import blocks_of, pack_of, shuffled

VECTORS: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "protocol" / "game" / "shuffle.json").read_text(encoding="utf-8")
)


def nonces_of(vector: dict[str, Any]) -> tuple[bytes | None, ...]:
    return tuple(None if nonce is None else bytes.fromhex(nonce) for nonce in vector["nonces"])


def digests_of(material: Material) -> list[str | None]:
    nonces = enumerate(material.nonces)
    return [None if nonce is None else commit_nonce(material.match_id, k, nonce).hex() for k, nonce in nonces]


def codes(pack: tuple[Card, ...]) -> list[str]:
    return [card.code for card in pack]


def test_the_known_answer_of_a_key_of_zeros() -> None:
    """Rule Q1."""
    first = [FULL_PACK[place] for place in (14, 41, 13, 37, 8, 22, 1, 9, 32, 20)]
    assert list(pack_of(bytes(32))[:10]) == first
    assert VECTORS["packs"][0]["key"] == bytes(32).hex()
    assert VECTORS["packs"][0]["order"][:10] == [14, 41, 13, 37, 8, 22, 1, 9, 32, 20]


@pytest.mark.parametrize("vector", VECTORS["packs"], ids=lambda vector: vector["key"][:8])
def test_a_key_gives_its_pack(vector: dict[str, Any]) -> None:
    key = bytes.fromhex(vector["key"])
    assert codes(pack_of(key)) == vector["pack"]
    assert list(shuffled(tuple(range(42)), blocks_of(key))) == vector["order"]


@pytest.mark.parametrize("vector", VECTORS["secrets"], ids=lambda vector: f"{len(vector['nonces'])}-seats")
def test_a_secret_and_nonces_give_their_packs(vector: dict[str, Any]) -> None:
    secret, match_id = bytes.fromhex(vector["secret"]), bytes.fromhex(vector["match_id"])
    material = Material(secret, match_id, nonces_of(vector))
    assert digests_of(material) == vector["digests"]
    assert material.commitment == commit(match_id, secret)
    assert material.commitment.hex() == vector["commitment"]
    for row in vector["packs"]:
        assert material.deck_key(row["hand"], row["redeal"]).hex() == row["key"]
        assert codes(material.pack(row["hand"], row["redeal"])) == row["pack"]
    assert {m: material.first_dealer(int(m)) for m in vector["first_dealer"]} == vector["first_dealer"]


def test_the_transcript_of_a_match_is_explained_by_its_secret() -> None:
    vector = VECTORS["transcript"]
    material = Material(bytes.fromhex(vector["secret"]), bytes.fromhex(vector["match"]), nonces_of(vector))
    assert material.commitment.hex() == vector["commitment"]
    assert digests_of(material) == vector["commits"]
    assert material.first_dealer(len(material.nonces)) == vector["first_dealer"]
    for row in vector["packs"]:
        assert codes(material.pack(row["hand"], row["redeal"])) == row["pack"]


def test_a_shuffle_goes_on_from_the_bytes_that_were_kept() -> None:
    material = Material(b"s" * 32, b"i" * 16, (b"n" * 32, None))
    again = Material(bytes(material.secret), bytes(material.match_id), tuple(material.nonces))
    assert again == material
    assert again.pack(3, 1) == material.pack(3, 1)
    assert again.told() == material.told()


def test_a_seat_without_a_nonce_counts_as_zero_bytes() -> None:
    without = Material(b"s" * 32, b"i" * 16, (b"n" * 32, None))
    zero = Material(b"s" * 32, b"i" * 16, (b"n" * 32, bytes(32)))
    assert without.pack(1, 0) == zero.pack(1, 0)
    assert without.told() != zero.told(), "but a record tells the one from the other"


def test_a_secret_is_not_shown() -> None:
    material = Material(b"hush" * 8, bytes(16), (b"hush" * 8,))
    assert "hush" not in repr(material)


@pytest.mark.parametrize("vector", VECTORS["seeds"], ids=lambda vector: vector["match_id"][:8])
def test_a_seed_gives_its_packs(vector: dict[str, Any]) -> None:
    match_id = bytes.fromhex(vector["match_id"])
    packs_of = bytes.fromhex(vector["packs_of"]) if "packs_of" in vector else None
    if "number" in vector:
        assert match_id_of(vector["seed"], vector["number"]) == (packs_of or match_id)
    seeded = Seeded(vector["seed"], match_id, packs_of)
    for row in vector["packs"]:
        assert codes(seeded.pack(row["hand"], row["redeal"])) == row["pack"]
    assert {seats: seeded.first_dealer(int(seats)) for seats in vector["first_dealer"]} == vector["first_dealer"]


def test_a_seed_is_text() -> None:
    with pytest.raises(ValueError, match="surrogates"):
        Seeded("\ud800", bytes(16))


def test_seeds_and_ids_are_values() -> None:
    assert Seeded("kille", bytes(16)) == Seeded("kille", bytes(16))
    assert len({Seeded(seed, bytes([k] * 16)) for seed in ("kille", "gnav") for k in range(2)}) == 4
    assert len(match_id_of("kille", 0)) == 16


def test_matches_that_share_packs_share_the_first_dealer_and_nothing_else() -> None:
    one, other = (Seeded("kille", bytes([k] * 16), b"p" * 16) for k in range(2))
    assert [one.pack(hand, redeal) for hand, redeal in ((1, 0), (1, 1), (7, 0))] == [
        other.pack(hand, redeal) for hand, redeal in ((1, 0), (1, 1), (7, 0))
    ]
    assert all(one.first_dealer(seats) == other.first_dealer(seats) for seats in range(2, 9))
    assert one.match_id != other.match_id
    assert one.pack(1, 0) == Seeded("kille", b"p" * 16).pack(1, 0), "the packs of that id"
    assert one.pack(1, 0) != Seeded("kille", one.match_id).pack(1, 0)
    assert one.pack(1, 0) != Seeded("gnav", one.match_id, b"p" * 16).pack(1, 0)


@pytest.mark.parametrize("packs_of", [None, b"p" * 16])
def test_a_seeded_shuffle_goes_on_from_its_match_line(packs_of: bytes | None) -> None:
    seeded = Seeded("kille", b"m" * 16, packs_of)
    assert shuffle.again(b"m" * 16, seeded.told(), seeded.kept) == seeded
    assert ("packs_of" in seeded.told()) == (packs_of is not None), "a record of its own packs stays as it was"
