"""The rules of Kille as values and pure functions; knows no wire, clock, die, file or socket."""
