"""What of a plan contradicts the rest of it, in a sentence with its own numbers.

Owns how each contradiction is told. Refuses to know which there are (`wire.plans` does).
"""

from collections.abc import Mapping

from kille_net.client.options import option_word
from kille_net.client.showing.texts import say
from kille_net.wire.messages import Plan
from kille_net.wire.plans import contradiction

__all__ = ["contradicted"]

_NAMED = ("clock", "number", "computers", "through", "seats", "most", "check_in", "start", "duplicate")


def contradicted(plan: Plan, typed: Mapping[str, str], lang: str) -> str | None:
    """What cannot be so, and why; None: the plan makes sense. `typed`: what options were called, by their own names."""
    setting = contradiction(plan)
    if setting is None:
        return None
    if setting == "number" and plan.number <= plan.most:
        setting = "number_computers"
    values = {f"value_{name}": getattr(plan, name, getattr(plan.options, name, "")) for name in _NAMED}
    names = {name: typed.get(name, option_word(name, lang)) for name in _NAMED}
    return say(lang, f"contradiction.{setting}", half=max(1, plan.options.seats // 2), **names, **values)
