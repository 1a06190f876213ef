"""What the compiler of the wheel is told beside types (hatch_build.py).

`free_list_len=1`: of what each hand or question makes anew, the last one's memory is kept for the next. `acyclic`: the
collector need not look at it, since nothing in it leads back to it.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

__all__ = ["mypyc_attr"]

if TYPE_CHECKING:
    from mypy_extensions import mypyc_attr  # nothing that runs needs it
else:
    _T = TypeVar("_T")

    def mypyc_attr(**_attributes: int) -> Callable[[_T], _T]:
        """Says it to the compiler alone."""
        return lambda made: made
