"""tests.each: every case is tried, whatever the ones before it came to."""

import pytest

from tests.each import each


def test_every_case_is_tried_and_every_one_that_fails_is_named() -> None:
    tried: list[tuple[int, str]] = []

    @each([1, 2, 3], "ab")
    def odd(number: int, letter: str) -> None:
        tried.append((number, letter))
        if letter == "b":
            with pytest.raises(ValueError, match="never"):
                assert number % 2
        assert number % 2

    with pytest.raises(BaseExceptionGroup, match="4 of 6 cases") as caught:
        odd()
    assert tried == [(1, "a"), (1, "b"), (2, "a"), (2, "b"), (3, "a"), (3, "b")]
    assert [error.__notes__ for error in caught.value.exceptions] == [
        [f"with {case}"] for case in ("1, b", "2, a", "2, b", "3, b")
    ]


def test_where_all_is_well_it_passes() -> None:
    each(range(3))(lambda number: None)()


def test_a_test_of_nothing_fails() -> None:
    with pytest.raises(AssertionError, match="nothing"):
        each([])(lambda number: None)()
