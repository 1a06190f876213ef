"""A measure of time that does not count what others on the machine do."""

import os
import subprocess
import sys
import time

import pytest

from tests.own_time import own_time


def worked(seconds: float) -> None:
    """Be busy for so much time of a processor."""
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


def test_work_and_sleep_count() -> None:
    began = own_time()
    worked(0.05)
    time.sleep(0.05)
    assert own_time() - began > 0.09


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="Linux alone tells who waited for a processor")
def test_waiting_for_a_processor_does_not_count() -> None:
    """Beside another who is busy on the same one."""
    before = os.sched_getaffinity(0)
    one = {min(before)}
    try:
        os.sched_setaffinity(0, one)
        with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as other:  # on the same one
            try:
                felt, began = time.monotonic(), own_time()
                worked(0.3)
                felt, took = time.monotonic() - felt, own_time() - began
            finally:
                other.kill()
    finally:
        os.sched_setaffinity(0, before)
    assert felt > 0.4
    assert 0.25 < took < 0.3 + 0.5 * (felt - 0.3)
