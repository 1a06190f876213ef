"""How the parts of the core speak: to the reader in one language, to the server in commands with numbers.

Refuses to know what there is to say.
"""

from typing import Final

from kille_net.client.effects import Effect, Print, Send, Style
from kille_net.client.sent import Sent
from kille_net.client.showing.texts import say
from kille_net.wire.messages import Command

__all__ = ["Voice"]


class Voice:
    def __init__(self, lang: str, sent: Sent) -> None:
        self.lang: Final = lang
        self._sent = sent

    def say(self, key: str, /, **values: object) -> str:
        return say(self.lang, key, **values)

    def tell(self, key: str, style: Style = Style.PLAIN, /, **values: object) -> list[Effect]:
        return [Print(self.say(key, **values), style)]

    def fault(self, key: str, /, **values: object) -> list[Effect]:
        return self.tell(key, Style.FAULT, **values)

    def next_id(self) -> int:
        """The number of the command that is sent next."""
        return self._sent.next_id()

    def send(self, command: Command) -> list[Effect]:
        self._sent.note(command)
        return [Send(command)]
