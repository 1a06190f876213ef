"""What `kille` tells the shell when it ends; the numbers are part of the interface and never change their meaning."""

from enum import IntEnum


class Exit(IntEnum):
    """How a command ended. A command returns one of these, or nothing for `DONE`."""

    DONE = 0
    DOES_NOT_HOLD = 1  # what was asked about is not so: a record, a judgement, a bound
    WRONG_USE = 2  # also: standard output cannot be written
    NO_SERVER = 3  # none there, or lost for good
    REFUSED = 4  # by the server: version, password, name, ban
    SIGHUP = 129
    SIGINT = 130
    SIGPIPE = 141  # whoever read standard output has gone away before the end
    SIGTERM = 143
