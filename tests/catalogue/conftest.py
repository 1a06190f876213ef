"""Taking each defence out is a part of the long run alone."""

from tests.deep import IS_DEEP

collect_ignore = [] if IS_DEEP else ["test_defences.py"]
