"""The rules by number, as `kille_net/game/rules.md` has them: what programs and findings about bots name.

Owns how that file is read. They are in one language: who reads them writes programs.
"""

import re
from importlib.resources import files
from typing import Final

__all__ = ["numbered_rules"]

_RULE: Final = re.compile(r"^- \*\*([A-Z][0-9]+)\*\* ")
_MARKS: Final = re.compile(r"\*\*?|`")
"""What is bold, slanted, or code."""


def numbered_rules() -> dict[str, list[str]]:
    """By its number ("T1"), a rule as paragraphs; what belongs to one begins with two spaces."""
    rules: dict[str, list[str]] = {}
    number = ""
    for line in files("kille_net.game").joinpath("rules.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            number = ""
        elif (begins := _RULE.match(line)) is not None:
            number = begins[1]
            rules[number] = [_MARKS.sub("", line.removeprefix("- "))]
        elif number and line.strip(" |-"):
            rules[number].append("  " + _MARKS.sub("", line.strip().removeprefix("- ")))
    return rules
