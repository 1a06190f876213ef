"""Fingerprints and their words (§2.4)."""

import hashlib
import json

from kille_net.wire.fingerprint import SIZE, WORDS, fingerprint, words
from tests.protocol.documents import V1


def test_the_words_are_those_of_the_protocol() -> None:
    assert list(WORDS) == json.loads((V1 / "words.json").read_text("utf-8"))


def test_each_byte_has_a_short_word_of_its_own_that_begins_no_other() -> None:
    assert len(WORDS) == 256
    assert all(3 <= len(word) <= 9 and word.isascii() and word.islower() for word in WORDS)
    assert not [(one, other) for one in WORDS for other in WORDS if one is not other and other.startswith(one)]


def test_eight_words_tell_the_first_64_bits() -> None:
    found = fingerprint(b"key")
    assert found == hashlib.sha256(b"key").digest()
    assert len(found) == SIZE
    assert words(found).split() == [WORDS[byte] for byte in found[:8]]
    assert words(found[:7] + b"\x00" + found[8:]) != words(found[:7] + b"\x01" + found[8:])
