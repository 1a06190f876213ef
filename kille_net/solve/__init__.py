"""How well two can play: the exact value of Kille at two seats, and the choices that reach it."""
