"""What may happen: the rules of Kille as pure values and functions (rules.md).

Owns cards, hands, matches and what each seat may know of them. Refuses to know bytes, clocks, dice, files and people.
"""
