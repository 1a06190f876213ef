"""A test that goes through many cases of one kind, counts once, and fails with every case that fails.

For cases that take no time by themselves: thousands of items cost more to collect in every worker and to report than
they cost to run. Cases that take long, or need fixtures, are pytest's own parameters.
"""

from collections.abc import Callable, Iterable
from functools import update_wrapper
from itertools import product

import pytest

__all__ = ["each"]


def each(*kinds: Iterable[object]) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """Run the test with every combination of one value of each kind, as its parameters in that order.

    The test then raises a BaseExceptionGroup of all that failed, each with its case as a note, and AssertionError where
    there is no case.
    """
    cases = list(product(*kinds))

    def whole_of(test: Callable[..., None]) -> Callable[[], None]:
        def whole() -> None:
            failures: list[BaseException] = []
            for case in cases:
                try:
                    test(*case)
                except (Exception, pytest.fail.Exception) as error:
                    error.add_note(f"with {', '.join(str(getattr(value, 'name', value)) for value in case)}")
                    failures.append(error)
            assert cases, "nothing to go through"
            if failures:
                raise BaseExceptionGroup(f"{len(failures)} of {len(cases)} cases", failures)

        update_wrapper(whole, test)
        del whole.__wrapped__  # type: ignore[attr-defined]  # by which pytest would ask for its parameters
        return whole

    return whole_of
