"""A seat at the table for a person in a terminal; blind to the server's code."""
