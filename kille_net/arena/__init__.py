"""Many matches between bots, and what they say about the bots."""
