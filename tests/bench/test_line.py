"""The line client in a burst: nothing is garbled or lost, few prints and draws, and the keys go on."""

from math import inf

from tests.bench.line import SCENES, burst, quiet, see, sitting

COLUMNS = 80
SECONDS = 0.5
RATE = 1000
BEATS = 20
"""Prints a second, at most."""


def test_a_burst_leaves_what_a_quiet_run_leaves_and_keys_are_echoed_in_it() -> None:
    frames = SCENES["watched"](round(RATE * SECONDS))
    with sitting(None, COLUMNS, "en") as client:
        expected = see(quiet(client, frames), COLUMNS).rows
    assert len(expected) > RATE * SECONDS
    with sitting(None, COLUMNS, "en") as client:
        run = burst(client, frames, SECONDS, seed=1)
    seen = see(run, COLUMNS)
    assert seen.rows == expected
    took = run.ended - run.began
    assert run.prints <= BEATS * took + 2
    assert run.draws <= run.prints + len(run.pressed) + took + 2, "a key, a print and a second are one draw each"
    assert run.cpu < 0.6 * took
    assert max(seen.echoes) < inf
    assert sorted(seen.echoes)[len(seen.echoes) * 9 // 10] < 0.5
