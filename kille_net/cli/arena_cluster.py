"""What `kille arena` says of the cluster that plays for it.

Owns the lines. Refuses to know what is played.
"""

from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

import click

from kille_net.cli.errors import CliError
from kille_net.cli.exit_codes import Exit
from kille_net.cli.speaking import tell, tell_error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kille_net.arena.cluster import Cluster

__all__ = ["connected"]

_LIBRARY: Final = "distributed"


@contextmanager
def connected(address: str) -> "Iterator[Cluster]":
    """The cluster at the address; raises CliError where there is none, and for another Kille or a loss later on."""
    if find_spec(_LIBRARY) is None:
        raise CliError(tell("arena.no_distributed"), code=Exit.WRONG_USE)
    from kille_net.arena.chunks import OtherKille
    from kille_net.arena.cluster import NoCluster, cluster

    try:
        with cluster(
            address, lambda: click.echo(f"kille: {tell('arena.no_worker', cluster=address)}", err=True)
        ) as one:
            yield one
    except NoCluster as error:
        cause = error.__cause__
        why = tell_error(cause) if isinstance(cause, OSError) else str(cause or "")
        key = "arena.no_cluster.why" if why else "arena.no_cluster"
        raise CliError(tell(key, cluster=address, why=why), code=Exit.NO_SERVER) from error
    except OtherKille as error:
        raise CliError(tell("arena.other_kille", workers=f"{error}" or address), code=Exit.REFUSED) from None
