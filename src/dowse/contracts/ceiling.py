"""How much text an answer may have: pages within the caller's budget, and everything below what clients accept."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from dowse.core.models import Status
from dowse.core.tokens import divide_budget, estimate_tokens
from dowse.document.cut import truncate

MAX_TOKENS = 24_000
"""The most that a caller may ask for."""
CEILING = 24_950
"""The most that is sent: the usual clients cut a tool's answer at 25k tokens."""

# What a text may cost more where it stands between others.
_JOINT_TOKENS = 6
# What stands around the results in the typed half: attempts, warnings and the like.
_FRAME_TOKENS = 700
# What the passages say already.
_EXTRAS = ("key_points", "code_blocks", "anchors")

Item = Mapping[str, object]


def shortened(texts: Mapping[int, str], excess: int) -> dict[int, str]:
    """Texts by their numbers, so many tokens shorter in all; each still ends where a reader would pause."""
    costs = [estimate_tokens(text) for text in texts.values()]
    granted = divide_budget(costs, max(0, sum(costs) - excess - _JOINT_TOKENS * len(texts)))
    return {number: truncate(texts[number], tokens) for number, tokens in zip(texts, granted, strict=True)}


def typed_tokens(value: object) -> int:
    """What something costs in the typed half of an answer, where quotes and line ends are escaped."""
    return _tokens(json.dumps(value, ensure_ascii=False))


def _tokens(text: str) -> int:
    """At most so many tokens; counted only where it matters, since no token is shorter than a byte."""
    size = len(text.encode("utf-8", "replace"))
    return size if size <= CEILING - _FRAME_TOKENS else estimate_tokens(text)


def below_ceiling(items: Sequence[Item], render: Callable[[Sequence[Item]], str]) -> tuple[Sequence[Item], str]:
    """Results and their text, of which clients show one or the other to a model.

    If either is too long, summaries and key points go first, then snippets are shortened, then pages; at last results
    are left out.
    """
    text = render(items)
    for lighten in (_without_extras, _shorter_snippets, _shorter_pages, _fewer):
        excess = max(_tokens(text), typed_tokens(items) + _FRAME_TOKENS) - CEILING
        if excess <= 0:
            break
        items = lighten(items, excess)
        text = render(items)
    return items, text


def _without_extras(items: Sequence[Item], _excess: int) -> Sequence[Item]:
    return [{name: value for name, value in item.items() if name not in _EXTRAS} | {"summary": ""} for item in items]


def _shorter_snippets(items: Sequence[Item], excess: int) -> Sequence[Item]:
    snippets = {number: str(item["snippet"]) for number, item in enumerate(items)}
    shorter = shortened(snippets, excess)
    marked = [text if text in ("", snippets[number]) else f"{text}…" for number, text in shorter.items()]
    return [{**item, "snippet": snippet} for item, snippet in zip(items, marked, strict=True)]


def _shorter_pages(items: Sequence[Item], excess: int) -> Sequence[Item]:
    """Pages as far as they fit; a note stays whole, so that it can be relied on."""
    pages = {number: str(item["page_content"]) for number, item in enumerate(items) if _is_readable(item)}
    lighter = list(items)
    for number, text in shortened(pages, excess).items():
        if text != pages[number]:
            # Which blocks are shown was true of the longer text.
            kept = {name: value for name, value in items[number].items() if name not in ("blocks", "anchors")}
            lighter[number] = {**kept, "page_content": text, "status": Status.TRUNCATED.value}
    return lighter


def _fewer(items: Sequence[Item], excess: int) -> Sequence[Item]:
    """Without the last ones: addresses alone can be too long."""
    kept = list(items)
    while kept and excess > 0:
        last = kept.pop()
        excess -= sum(estimate_tokens(str(last[name])) for name in ("title", "link", "snippet", "page_content"))
    return kept


def _is_readable(item: Item) -> bool:
    return Status(str(item["status"])).readable
