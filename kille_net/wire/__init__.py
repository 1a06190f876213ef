"""What may be said: frames, messages and the state of one stream; knows nothing of the game."""
