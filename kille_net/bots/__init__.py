"""Players that are functions from a view to an action; know the game only."""
