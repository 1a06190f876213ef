"""The line client in a burst: nothing is garbled or lost, few prints and draws, and the keys go on."""

from math import inf

from tests.bench.line import SCENES, burst, quiet, sitting
from tests.bench.shown import LAST, Run, see

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


def test_an_echo_is_what_stands_at_the_prompt_and_when() -> None:
    shown = [
        (0.0, b"first\r\n> "),
        (1.0, b"ab"),
        (2.0, b"\r\x1b[J"),  # the prompt is taken away, and lines come
        (3.0, b"<Bo> " + LAST.encode()),
        (4.0, b"\r\n> abc"),
        (5.0, b"\r\x1b[J> "),
    ]
    pressed = [(0.5, "a"), (0.75, "ab"), (1.5, "abc"), (4.5, ""), (4.75, "x")]
    seen = see(Run(shown=shown, pressed=pressed), COLUMNS)
    assert seen.echoes == [0.5, 0.25, 2.5, 0.5, inf]
    assert seen.last == 4.0
    assert seen.rows[:4] == ["first", f"<Bo> {LAST}", ">", ""]


def test_what_has_gone_out_at_the_top_is_kept() -> None:
    lines = [f"line {k}" for k in range(100)]
    shown = [(float(k), f"{line}\r\n".encode()) for k, line in enumerate(lines)]
    assert see(Run(shown=shown), COLUMNS).rows[:101] == [*lines, ""]
