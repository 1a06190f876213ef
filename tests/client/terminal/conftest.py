"""What of these tests can be collected here."""

import shutil

collect_ignore = [] if shutil.which("tmux") else ["test_tmux.py"]
"""A machine without tmux shows all the rest; what is skipped would be a hole in the report."""
