"""Our commands and their answers: each gets exactly one, whatever becomes of the line (protocol/v1/protocol.md §5.3).

Owns their ids, and which answers are missing. Refuses to know what an answer means.
"""

from kille_net.wire import messages as wire
from kille_net.wire.errors import RemoteProtocolError
from kille_net.wire.states import LISTS

__all__ = ["Sent"]


class Sent:
    def __init__(self) -> None:
        self._last_id = 0
        self._open: dict[int, wire.Command] = {}
        self._again: set[int] = set()
        """Those that were sent again after a lost line, and may get their answer twice."""

    @property
    def open(self) -> tuple[wire.Command, ...]:
        """Those whose answers are missing."""
        return tuple(self._open.values())

    def next_id(self) -> int:
        self._last_id += 1
        return self._last_id

    def note(self, command: wire.ClientMessage) -> None:
        """It is being sent."""
        assert isinstance(command, wire.Command)
        self._open[command.id] = command

    def resume(self, last_id: int) -> tuple[wire.Command, ...]:
        """On a new line, where the server knows of our ids up to that: what is to be sent again."""
        self._last_id = max(self._last_id, last_id)
        self._again = set(self._open)
        return self.open

    def is_known(self, answer: wire.Answer) -> bool:
        """Whether it came before, on a line that was lost.

        Raises RemoteProtocolError for one to nothing that we have asked: nobody fills us with what we did not.
        """
        command = self._open.get(answer.id)
        if command is None:
            if answer.id in self._again:
                self._again.remove(answer.id)
                return True
            raise RemoteProtocolError(wire.ByeCode.BAD_FIELD, "id")
        if isinstance(answer, wire.Refused):
            return False
        if type(answer) is not LISTS.get(type(command), wire.Ok):
            raise RemoteProtocolError(wire.ByeCode.UNEXPECTED, "t")
        if isinstance(answer, wire.Shown) and answer.page != getattr(command, "page", None):
            raise RemoteProtocolError(wire.ByeCode.BAD_FIELD, "page")
        return False

    def close(self, command_id: int) -> wire.Command | None:
        """Its answer has come: what it was."""
        return self._open.pop(command_id, None)
