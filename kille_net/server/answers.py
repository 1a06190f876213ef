"""Which commands of a player came, and what was answered: each is done at most once (protocol/v1/protocol.md §5.3).

Owns ids and the last answers. Refuses to know what the commands were.
"""

from collections.abc import Sequence
from typing import Final

from kille_net.wire.messages import Answer, RefusalCode, Refused

__all__ = ["KEPT", "Answers"]

KEPT: Final = 64
"""Answers that are kept for a command that comes again."""


class Answers:
    def __init__(self) -> None:
        self.last_id = 0
        """The highest id that has come."""
        self._answers: dict[int, Answer | None] = {}  # None: still to come
        self._forgotten = -1  # the highest id whose answer is

    def is_new(self, command_id: int) -> bool:
        """Whether a command with that id has surely not come before."""
        return command_id > self._forgotten and command_id not in self._answers

    def expect(self, command_id: int) -> None:
        """A new command has come; its answer follows."""
        self._answers[command_id] = None
        self.last_id = max(self.last_id, command_id)

    def note(self, answer: Answer) -> None:
        self._answers[answer.id] = answer
        if len(self._answers) > KEPT:
            oldest = next((number for number, kept in self._answers.items() if kept is not None), answer.id)
            del self._answers[oldest]
            self._forgotten = max(self._forgotten, oldest)

    def restore(self, answers: Sequence[Answer]) -> None:
        """As they were, by id; of those before nothing is known any more."""
        for answer in answers:
            self.expect(answer.id)
            self.note(answer)
        if len(answers) >= KEPT:
            self._forgotten = max(self._forgotten, answers[0].id - 1)

    def again(self, command_id: int) -> Answer | None:
        """What to say to a command that is not new; None: the answer is still to come."""
        if command_id in self._answers:
            return self._answers[command_id]
        return Refused(id=command_id, code=RefusalCode.OLD_ID)
