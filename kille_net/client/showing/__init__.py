"""How all that the client knows is told and drawn: pure, from values to lines. Refuses to know terminals."""
