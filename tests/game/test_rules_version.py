"""That an engine which judges otherwise has another number: what each version says of fixed matches, as a digest.

A change that fails here either was not to change any judgement, or counts RULES_VERSION up and adds a line: a match
that was begun under the number before is then ended with its reason, and its record refused, instead of judged anew.
"""

import json
from hashlib import sha256
from typing import Final

from kille_net.game.record import to_json
from kille_net.game.rules import RULES_VERSION, Format, HarlekinRank, Ruleset
from tests.game.perft import read
from tests.game.playing import played

OUTCOMES: Final = {
    1: "ccf9609e3dd9660fa9d53a7d1787ca3e89e64aa3455b2acf21b814fdcc79204f",
}
"""Version → of its matches."""
COUNTS: Final = {
    1: (24, "b8694a5f880e2e04f5272be4c69debfc551e64768c648ddc53c3e7ace727a0a5"),
}
"""Version → of how many first rows of protocol/game/perft.json, and of what these are; others may follow on them."""


def outcomes() -> str:
    """Of the records of matches of each kind, and of where they end."""
    digest = sha256()
    for seats in range(2, 9):
        for format_ in Format:
            for rank in HarlekinRank:
                for number in range(3):
                    ruleset = Ruleset.for_seats(seats, format=format_, dealt_harlekin=rank)
                    (_, *lines), _, match = played(number, seats, ruleset)
                    end = json.dumps([match.winner, match.lives, match.points])
                    digest.update("\n".join([*map(to_json, lines), end]).encode())
    return digest.hexdigest()


def counts(rows: int) -> str:
    return sha256(json.dumps(read()[:rows], sort_keys=True).encode()).hexdigest()


def test_an_engine_that_judges_otherwise_has_another_number() -> None:
    assert outcomes() == OUTCOMES[RULES_VERSION]


def test_a_table_of_counts_that_says_otherwise_has_another_number() -> None:
    count, digest = COUNTS[RULES_VERSION]
    assert counts(count) == digest


def test_no_version_is_forgotten() -> None:
    assert list(OUTCOMES) == list(COUNTS) == list(range(1, RULES_VERSION + 1))
    assert len(set(OUTCOMES.values())) == RULES_VERSION, "each judges otherwise than the one before"
