"""One table and its people; sync, handed the time, knows no stream."""
