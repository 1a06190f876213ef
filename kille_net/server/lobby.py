"""The rooms of one server and who is in them; sync, handed the time, knows no stream."""
