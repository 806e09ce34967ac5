"""What the models take. A new family is one line; of a model that is in none, nothing is assumed."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(frozen=True, slots=True)
class Family:
    """The optional parameters of a kind of model; a parameter that it does not take is an error for OpenAI.

    `can_be_made_to_search` is about `tool_choice`, `effort` about how long it thinks. `output_tokens` are enough for a
    summary, and for thinking in those that do: what they think counts.
    """

    takes_temperature: bool = False
    can_be_made_to_search: bool = False
    effort: str = ""
    output_tokens: int = 16_000


_WRITES = Family(takes_temperature=True, can_be_made_to_search=True, output_tokens=600)
# "minimal" would be quicker, and is refused together with web search.
_THINKS = Family(effort="low")
_UNKNOWN = Family()

# The first one that fits counts. That GPT-5 takes no tool choice is told in openai-python issue 2537.
_FAMILIES: tuple[tuple[str, Family], ...] = (
    ("gpt-4o*", _WRITES),
    ("gpt-4.1*", _WRITES),
    ("chatgpt-*", _WRITES),
    ("gpt-5*-chat*", _UNKNOWN),  # does not think, so that an effort is refused
    ("gpt-5*-pro*", _UNKNOWN),  # thinks hard, or not at all
    ("gpt-5.4*", Family(effort="low", can_be_made_to_search=True)),
    ("gpt-5*", _THINKS),
    ("o[134]*", _UNKNOWN),
)


def family_of(model: str) -> Family:
    """What a model takes; a fine-tuned one, or one by a router's longer name, is like the one it is made of."""
    name = model.removeprefix("ft:").rpartition("/")[2]
    return next((family for pattern, family in _FAMILIES if fnmatchcase(name, pattern)), _UNKNOWN)
