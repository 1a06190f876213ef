"""What is kept of a password, and whether another is the same: argon2id, which is slow on purpose.

Owns that and its cost. Refuses to know whose password it is, who tries, and in which thread it is worked out.
"""

import unicodedata
from dataclasses import dataclass, field
from typing import Final

__all__ = ["NOBODYS", "Trial", "prove"]

NOBODYS: Final = f"$argon2id$v=19$m=19456,t=2,p=1${'A' * 22}${'A' * 43}"
"""A lock that no password opens, at the cost of any other: for what is not there."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A password, and the lock that it is to open; None: one is to be made for it."""

    password: str = field(repr=False)
    lock: str | None = field(repr=False)


def prove(trial: Trial) -> str | None:
    """The lock that the password opens; None: it does not open that of the trial."""
    from argon2 import PasswordHasher  # noqa: PLC0415  only where there is a password
    from argon2.exceptions import VerifyMismatchError  # noqa: PLC0415  only where there is a password

    # 30 milliseconds and 19 MiB: the least that OWASP's cheat sheet on storing passwords gives.
    hasher = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1, hash_len=32, salt_len=16)
    password = unicodedata.normalize("NFC", trial.password)
    if trial.lock is None:
        return hasher.hash(password)
    try:
        hasher.verify(trial.lock, password)
    except VerifyMismatchError:
        return None
    return trial.lock
