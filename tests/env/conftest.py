"""Where there is no OpenSpiel for the machine its tests are left out, but not where CI is to test all."""

import os
from importlib.util import find_spec

collect_ignore = ["test_openspiel.py"] if find_spec("pyspiel") is None and os.environ.get("CI") != "true" else []
