"""The options by which a user says how a server is to be trusted, the same for people and bots."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kille_net.cli.settings import Settings
from kille_net.cli.speaking import option, tell

if TYPE_CHECKING:
    from kille_net.client.net.trust import Trust

__all__ = ["trust_of", "trust_options"]

_Command = TypeVar("_Command", bound=Callable[..., Any])


def trust_options(command: _Command) -> _Command:
    """Adds `trust`, `tls` and `insecure_plaintext`, for `trust_of`."""
    for one in (
        option("--insecure-plaintext", is_flag=True),
        option("--tls", is_flag=True),
        option("--trust", is_flag=True),
    ):
        command = one(command)
    return command


def trust_of(settings: Settings, *, trust: bool, tls: bool, insecure_plaintext: bool) -> "Trust":
    from kille_net.client.net.trust import FILE, Privacy, Trust

    if tls and insecure_plaintext:
        raise click.UsageError(tell("cli.both_tls_and_plain"))
    privacy = Privacy.TLS if tls else Privacy.PLAIN if insecure_plaintext else Privacy.AS_FAR
    return Trust(file=settings.folder() / FILE, privacy=privacy, takes_changed=trust)
