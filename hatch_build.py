"""What a build does first: compile the catalogues of texts, for wheels and for installs from a checkout alike."""

from pathlib import Path
from typing import Any

from babel.messages.frontend import CommandLineInterface
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Catalogues(BuildHookInterface[Any]):
    """Found by hatchling, as the one hook in this file."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Each `.po` becomes a `.mo` beside it."""
        folder = str(Path(self.root) / "kille_net" / "locale")
        CommandLineInterface().run(["pybabel", "-q", "compile", "-D", "kille", "-d", folder])
