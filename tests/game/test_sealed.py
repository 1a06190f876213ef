"""Records whose secret was committed to and comes on the last line: true ones, and each alteration."""

import json
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest

from kille_net.game.cards import Card
from kille_net.game.match import Match, Stage
from kille_net.game.record import Line, MatchLine, Recorder, SeatLabel, to_json
from kille_net.game.replay import verify
from kille_net.game.rules import Format, Ruleset
from kille_net.game.shuffle import Material
from tests.catalogue.rows import row
from tests.game.playing import choose, whim_of

Told = list[dict[str, Any]]


def drawn(text: str, size: int = 32) -> bytes:
    return sha256(text.encode()).digest()[:size]


def material(number: int, seats: int) -> Material:
    """With a seat that has no nonce."""
    nonces = tuple(None if seat == 1 else drawn(f"nonce {number} {seat}") for seat in range(seats))
    return Material(drawn(f"secret {number}"), drawn(f"id {number}", 16), nonces)


def record(number: int = 0, seats: int = 3, kind: Format = Format.POTS, *, dealer: int | None = None) -> Told:
    chance = material(number, seats)
    first = chance.first_dealer(seats) if dealer is None else dealer
    match = Match(Ruleset(format=kind, pots=2), seats, first)
    header = MatchLine(
        id=chance.match_id,
        rules=match.ruleset,
        seats=tuple(SeatLabel(f"Seat {seat}") for seat in range(seats)),
        first_dealer=first,
        shuffle=chance.told(),
        is_rematch=dealer is not None,
    )
    recorder = Recorder(header, revealed=chance.revealed())
    lines: list[Line] = [header]
    whim = whim_of(number)
    while match.stage is not Stage.OVER:
        if match.wants_pack:
            pack = chance.pack(*match.next_pack)
            lines += recorder.dealt(pack, match.deal(pack))
        else:
            seat, action = choose(match, whim)
            lines += recorder.acted(seat, action, match.act(seat, action))
    return [json.loads(to_json(line)) for line in lines]


def complaint(told: Told) -> tuple[int | None, str] | None:
    error = verify(map(json.dumps, told)).error
    return None if error is None else (error.line, error.text)


@pytest.mark.parametrize("kind", Format)
@pytest.mark.parametrize("seats", range(2, 9))
def test_a_record_whose_packs_follow_from_its_secret_holds(seats: int, kind: Format) -> None:
    assert complaint(record(seats, seats, kind)) is None


def test_a_rematch_may_begin_with_any_dealer() -> None:
    told = record(dealer=(material(0, 3).first_dealer(3) + 1) % 3)
    assert told[0]["rematch"] is True
    assert complaint(told) is None
    del told[0]["rematch"]
    assert complaint(told) == (1, "the first dealer is not the one that the secret gives")


NONCE = 'each of the "nonces" of "shuffle" must be 64 hexadecimal digits'
NONCES = 'the "nonces" of "shuffle" must be a list with one for each seat'
SECRET = '"secret" must be 64 hexadecimal digits'
COMMITTED = "the secret is not the one that was committed to"
DEALER = "the first dealer is not the one that the secret gives"
PACK = "pack 1 is not the one that the secret gives"


def last(told: Told) -> int:
    return len(told)


def other_secret(told: Told) -> tuple[int, str]:
    told[-1]["secret"] = "0" * 64
    return last(told), COMMITTED


def no_secret(told: Told) -> tuple[int, str]:
    del told[-1]["secret"]
    return last(told), SECRET


def long_secret(told: Told) -> tuple[int, str]:
    told[-1]["secret"] += "00"
    return last(told), SECRET


def other_commitment(told: Told) -> tuple[int, str]:
    told[0]["shuffle"]["commitment"] = "0" * 64
    return last(told), COMMITTED


def no_commitment(told: Told) -> tuple[int, str]:
    del told[0]["shuffle"]["commitment"]
    return 1, 'the "commitment" of "shuffle" must be 64 hexadecimal digits'


def other_id(told: Told) -> tuple[int, str]:
    told[0]["id"] = "f" * 32
    return last(told), COMMITTED


def secret_and_commitment_of_another_match(told: Told) -> tuple[int, str]:
    """Both fit each other, and the packs do not."""
    chance = Material(drawn("other"), bytes.fromhex(told[0]["id"]))
    told[0]["shuffle"]["commitment"] = chance.commitment.hex()
    told[-1]["secret"] = chance.secret.hex()
    return _first_pack(told)


def nonces_in_another_order(told: Told) -> tuple[int, str]:
    told[0]["shuffle"]["nonces"].reverse()
    return _first_pack(told)


def nonce_replaced(told: Told) -> tuple[int, str]:
    told[0]["shuffle"]["nonces"][2] = "1" * 64
    return _first_pack(told)


def nonce_added(told: Told) -> tuple[int, str]:
    told[0]["shuffle"]["nonces"][1] = "1" * 64
    return _first_pack(told)


def nonce_dropped(told: Told) -> tuple[int, str]:
    told[0]["shuffle"]["nonces"][0] = None
    return _first_pack(told)


def nonce_missing(told: Told) -> tuple[int, str]:
    told[0]["shuffle"]["nonces"].pop()
    return 1, NONCES


def no_nonces(told: Told) -> tuple[int, str]:
    del told[0]["shuffle"]["nonces"]
    return 1, NONCES


def no_nonce(told: Told) -> tuple[int, str]:
    told[0]["shuffle"]["nonces"][0] = 7
    return 1, NONCE


def capital_digits(told: Told) -> tuple[int, str]:
    told[0]["shuffle"]["nonces"][0] = told[0]["shuffle"]["nonces"][0].upper()
    return 1, NONCE


def no_true_rematch(told: Told) -> tuple[int, str]:
    told[0]["rematch"] = 1
    return 1, '"rematch" must be true or false'


def two_cards_of_the_talon(told: Told) -> tuple[int, str]:
    """Which nobody ever saw."""
    pack = told[2]["packs"][0]
    at = next(k for k in range(40, 0, -1) if pack[k] != pack[41])
    pack[at], pack[41] = pack[41], pack[at]
    return 3, PACK


def _first_pack(told: Told) -> tuple[int, str]:
    """Everything is shuffled otherwise; whether the dealer is told first is a matter of luck."""
    return (2, PACK) if _dealer_of(told) == told[0]["first_dealer"] else (1, DEALER)


def _dealer_of(told: Told) -> int:
    shuffle = told[0]["shuffle"]
    nonces = tuple(None if nonce is None else bytes.fromhex(nonce) for nonce in shuffle["nonces"])
    chance = Material(bytes.fromhex(told[-1]["secret"]), bytes.fromhex(told[0]["id"]), nonces)
    return chance.first_dealer(len(nonces))


LIES: tuple[Callable[[Told], tuple[int, str]], ...] = (
    other_secret,
    no_secret,
    long_secret,
    other_commitment,
    no_commitment,
    other_id,
    secret_and_commitment_of_another_match,
    nonces_in_another_order,
    nonce_replaced,
    nonce_added,
    nonce_dropped,
    nonce_missing,
    no_nonces,
    no_nonce,
    capital_digits,
    no_true_rematch,
    two_cards_of_the_talon,
)


@row(37)
@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.__name__)
def test_an_alteration_is_found_on_its_line(lie: Callable[[Told], tuple[int, str]]) -> None:
    told = record()
    where = lie(told)
    assert complaint(told) == where


@pytest.mark.parametrize("number", range(3))
def test_no_two_cards_of_any_pack_can_change_places(number: int) -> None:
    honest = record(number, 2 + number)
    for line in (line for line in honest if line["type"] == "hand"):
        for pack in line["packs"]:
            for at in range(41):
                if pack[at] == pack[at + 1]:
                    continue
                pack[at], pack[at + 1] = pack[at + 1], pack[at]
                assert complaint(honest) is not None
                pack[at], pack[at + 1] = pack[at + 1], pack[at]
        break
    assert complaint(honest) is None


def test_each_digit_of_what_was_told_counts() -> None:
    told = record()
    fields: list[tuple[Any, Any]] = [(told[-1], "secret"), (told[0], "id"), (told[0]["shuffle"], "commitment")]
    nonces = told[0]["shuffle"]["nonces"]
    fields += [(nonces, seat) for seat, nonce in enumerate(nonces) if nonce is not None]
    for holder, key in fields:
        true = holder[key]
        for at, digit in enumerate(true):
            holder[key] = true[:at] + ("1" if digit == "0" else "0") + true[at + 1 :]
            assert complaint(told) is not None, (key, at)
        holder[key] = true
    assert complaint(told) is None


def test_the_secret_of_a_match_that_was_broken_off_is_revealed() -> None:
    chance = material(0, 2)
    header = MatchLine(
        id=chance.match_id,
        rules=Ruleset(),
        seats=(SeatLabel("Åsa"), SeatLabel("Bo")),
        first_dealer=chance.first_dealer(2),
        shuffle=chance.told(),
    )
    lines = [header, *Recorder(header, revealed=chance.revealed()).broken_off("rain")]
    told = [json.loads(to_json(line)) for line in lines]
    assert told[-1]["secret"] == chance.secret.hex()
    assert complaint(told) is None
    assert Card.KUKU.code not in json.dumps(told)
