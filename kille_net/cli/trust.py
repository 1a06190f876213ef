"""The options by which a user says how a server is to be trusted, the same for people and bots."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kille_net.cli.settings import Settings

if TYPE_CHECKING:
    from kille_net.client.trust import Trust

__all__ = ["trust_of", "trust_options"]

_Command = TypeVar("_Command", bound=Callable[..., Any])


def trust_options(command: _Command) -> _Command:
    """Adds `trust`, `tls` and `insecure_plaintext`, for `trust_of`."""
    for option in (
        click.option(
            "--insecure-plaintext",
            is_flag=True,
            help="Speak plain text to another machine, although everybody on the way can read and change what is said.",
        ),
        click.option("--tls", is_flag=True, help="Encrypt on this machine too, where it is not needed."),
        click.option("--trust", is_flag=True, help="Take the server as it is, although its key has changed."),
    ):
        command = option(command)
    return command


def trust_of(settings: Settings, *, trust: bool, tls: bool, insecure_plaintext: bool) -> "Trust":
    from kille_net.client.trust import FILE, Privacy, Trust

    if tls and insecure_plaintext:
        raise click.UsageError("--tls and --insecure-plaintext exclude each other.")
    privacy = Privacy.TLS if tls else Privacy.PLAIN if insecure_plaintext else Privacy.AS_FAR
    return Trust(file=settings.folder() / FILE, privacy=privacy, takes_changed=trust)
