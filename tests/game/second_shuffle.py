"""The shuffle written down once more, from protocol/game/README.md alone: on whole numbers and lists of places.

HMAC is spelled out (RFC 2104), and bytes are drawn from one long stream, so that it shares no step with the package.
"""

from collections.abc import Iterator, Sequence
from hashlib import sha256

__all__ = ["commitment", "digest", "first_dealer", "order", "place_of_pack", "secret_of"]

BLOCK = 64
PLACES = 42


def hmac(key: bytes, text: bytes) -> bytes:
    padded = int.from_bytes(key.ljust(BLOCK, b"\0"), "big")
    inner = (padded ^ int.from_bytes(b"\x36" * BLOCK, "big")).to_bytes(BLOCK, "big")
    outer = (padded ^ int.from_bytes(b"\x5c" * BLOCK, "big")).to_bytes(BLOCK, "big")
    return sha256(outer + sha256(inner + text).digest()).digest()


def commitment(match_id: bytes, secret: bytes) -> bytes:
    return sha256(b"".join([b"kille-commit-v1", match_id, secret])).digest()


def secret_of(seed: str) -> bytes:
    return sha256(b"".join([b"kille-seed-v1", seed.encode("utf-8")])).digest()


def digest(match_id: bytes, seat: int, nonce: bytes) -> bytes:
    return sha256(b"".join([b"kille-nonce-v1", match_id, seat.to_bytes(1, "big"), nonce])).digest()


def key_of(
    purpose: bytes, secret: bytes, match_id: bytes, nonces: Sequence[bytes | None], numbers: tuple[int, int]
) -> bytes:
    text = purpose + match_id
    for number in numbers:
        text += bytes(number >> shift & 255 for shift in (24, 16, 8, 0))
    text += commitment(match_id, secret)
    for nonce in nonces:
        text += nonce or b"\0" * 32
    return hmac(secret, text)


def bytes_of(key: bytes) -> Iterator[int]:
    block = 0
    while True:
        yield from hmac(key, b"kille-shuffle-v1" + block.to_bytes(8, "big"))
        block += 1


def below(stream: Iterator[int], m: int) -> int:
    """Uniform: as many bytes are taken for each number."""
    fair = 256 // m * m
    while (byte := next(stream)) >= fair:
        pass
    return byte % m


def order(key: bytes) -> list[int]:
    """For each place of the pack, from the top, the place in the unshuffled one that its card came from."""
    stream = bytes_of(key)
    left = list(range(PLACES))
    for last in reversed(range(1, PLACES)):
        chosen = below(stream, last + 1)
        left[last], left[chosen] = left[chosen], left[last]
    return left


def place_of_pack(secret: bytes, match_id: bytes, nonces: Sequence[bytes | None], hand: int, redeal: int) -> list[int]:
    return order(key_of(b"kille-deck-v1", secret, match_id, nonces, (hand, redeal)))


def first_dealer(secret: bytes, match_id: bytes, nonces: Sequence[bytes | None], seats: int) -> int:
    return below(bytes_of(key_of(b"kille-dealer-v1", secret, match_id, nonces, (0, 0))), seats)
