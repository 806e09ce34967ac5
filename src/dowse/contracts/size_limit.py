"""Size limit of a search: results and their text stay below the size at which clients cut a tool's answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace

from dowse.contracts.output import CEILING, ResultOutput, WebSearchOutput, to_json
from dowse.core.models import Status
from dowse.core.tokens import divide_budget, estimate_tokens
from dowse.document.cut import truncate

# The extra cost of a text between others.
_JOINT_TOKENS = 6
# Attempts, warnings and the like around the results in structured output.
_FRAME_TOKENS = 700

Results = tuple[ResultOutput, ...]


def fit_search(
    found: WebSearchOutput, render: Callable[[WebSearchOutput], str], *, is_structured: bool = False
) -> tuple[WebSearchOutput, str]:
    """The search and its text; if structured output is sent as well, clients show one or the other to a model.

    If one is too long, summaries and key points go first, then snippets are shortened, then pages; at last results are
    left out.
    """
    count, warnings = len(found.results), found.warnings
    text = render(found)
    for reduce in (_drop_extras, _shorten_snippets, _shorten_pages, _drop_last):
        excess = max(_most_tokens(text), _structured_tokens(found) if is_structured else 0) - CEILING
        if excess <= 0:
            break
        results = reduce(found.results, excess)
        found = replace(found, results=results, warnings=warnings + _about_missing(count - len(results)))
        text = render(found)
    return found, text


def shorten_texts(texts: Mapping[int, str], excess: int) -> dict[int, str]:
    """Texts by their numbers, so many tokens shorter in all; each still ends where a reader would pause."""
    costs = list(map(estimate_tokens, texts.values()))
    granted = divide_budget(costs, max(0, sum(costs) - excess - _JOINT_TOKENS * len(texts)))
    return {number: truncate(texts[number], tokens) for number, tokens in zip(texts, granted, strict=True)}


def _structured_tokens(found: WebSearchOutput) -> int:
    listed = json.dumps(list(map(to_json, found.results)), ensure_ascii=False)
    return _most_tokens(listed) + _FRAME_TOKENS


def _most_tokens(text: str) -> int:
    """An upper bound; counted only where it matters, since no token is shorter than a byte."""
    size = len(text.encode("utf-8", "replace"))
    return size if size <= CEILING - _FRAME_TOKENS else estimate_tokens(text)


def _about_missing(missing: int) -> tuple[str, ...]:
    return (f"{missing} more results did not fit into one answer; lower num_results",) if missing else ()


def _drop_extras(results: Results, _excess: int) -> Results:
    """The passages say it already."""
    return tuple(replace(result, summary="", key_points=(), code_blocks=(), anchors=()) for result in results)


def _shorten_snippets(results: Results, excess: int) -> Results:
    snippets = {number: result.snippet for number, result in enumerate(results)}
    shorter = shorten_texts(snippets, excess)
    marked = [text if text in ("", snippets[number]) else f"{text}…" for number, text in shorter.items()]
    return tuple(replace(result, snippet=snippet) for result, snippet in zip(results, marked, strict=True))


def _shorten_pages(results: Results, excess: int) -> Results:
    """Pages as far as they fit; a note stays whole, so that it can be relied on."""
    pages = {number: result.page_content for number, result in enumerate(results) if result.status.readable}
    shorter = shorten_texts(pages, excess)
    # The blocks that are shown were those of the longer text.
    return tuple(
        replace(result, page_content=shorter[number], status=Status.TRUNCATED, blocks="", anchors=())
        if shorter.get(number, result.page_content) != result.page_content
        else result
        for number, result in enumerate(results)
    )


def _drop_last(results: Results, excess: int) -> Results:
    """Addresses alone can be too long."""
    kept = list(results)
    while kept and excess > 0:
        last = kept.pop()
        excess -= sum(map(estimate_tokens, (last.title, last.link, last.snippet, last.page_content)))
    return tuple(kept)
