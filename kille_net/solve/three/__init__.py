"""How well three can play: choices that go by all that a seat can know, and what a best answer still gains on them."""
