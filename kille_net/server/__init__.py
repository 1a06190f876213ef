"""Who is here and when: lobby, rooms and the sessions that carry their messages."""
