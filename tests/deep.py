"""How much a test does: a little with every change, as much as hardening asks for when KILLE_DEEP is set."""

import os
from typing import Final

__all__ = ["IS_DEEP", "size"]

IS_DEEP: Final = os.environ.get("KILLE_DEEP", "") not in {"", "0"}


def size(small: int, deep: int) -> int:
    return deep if IS_DEEP else small
