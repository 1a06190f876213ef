"""Where the client meets its user: a terminal of its own, or plain lines. Refuses to decide anything."""
