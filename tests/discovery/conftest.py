"""These tests send into networks of their own, which not every machine lets one make: there they are not collected."""

import os
import shutil
import subprocess

_TOOLS = ("unshare", "nsenter", "ip")


def _may_make_networks() -> bool:
    if shutil.which("unshare") is None:
        return False
    made = subprocess.run(["unshare", "-n", "-r", "true"], capture_output=True, check=False).returncode == 0
    return made and (os.environ.get("CI") == "true" or all(map(shutil.which, _TOOLS)))


collect_ignore = [] if _may_make_networks() else ["test_networks.py"]
