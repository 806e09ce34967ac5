"""Adapts a query to the limits of a provider (cut, capped, emulated, or dropped with a warning), and its hits to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from dowse.core.models import Category, Found, Hit, Query, TimeRange
from dowse.core.text import cut_at_word
from dowse.settings.spec import QueryLimits

# Near-duplicates are few; more would only be kept.
_MOST_SPARE = 10
# Filter name -> its value in a query that does not use it.
_UNUSED: dict[str, object] = {
    "category": Category.GENERAL,
    "language": "",
    "safe_search": None,
    "time_range": TimeRange.ANY,
    "start_date": "",
    "end_date": "",
    "country": "",
    "location": "",
    "autocorrect": True,
}


def fit(provider: str, query: Query, limits: QueryLimits) -> tuple[Query, tuple[str, ...]]:
    """The query as the provider takes it, and warnings about the difference.

    Missing features are emulated where possible: domains with `site:`, a page by asking for all results up to it.
    """
    warnings: list[str] = []
    for name, unused in _UNUSED.items():
        if getattr(query, name) != unused and not _takes(name, query, limits):
            query = replace(query, **{name: unused})  # type: ignore[arg-type]  # the table's values fit their fields
            warnings.append(f"{provider} cannot filter by {name}, so it was left out.")
    if query.page > 1 and "page" not in limits.filters:
        query = replace(query, num_results=query.earlier + query.num_results, page=1)
    if query.num_results > limits.max_results:
        warnings.append(f"{provider} gives at most {limits.max_results} results; {query.num_results} were requested.")
        query = replace(query, num_results=limits.max_results)
    if len(query.text) > limits.max_query_chars:
        warnings.append(f"{provider} takes at most {limits.max_query_chars} characters; the query was cut.")
        query = replace(query, text=cut_at_word(query.text, limits.max_query_chars))
    query, lacking = _without_lacking_domains(query, limits)
    warnings += [f"{provider} cannot filter by {name}, so it was left out." for name in lacking]
    text, left_out = _with_domains(query, limits)
    if left_out:
        warnings.append(f"{provider} takes no longer queries, so {left_out} domain filters were left out.")
    return replace(query, text=text), tuple(warnings)


def divide_hits(hits: Sequence[Hit], wanted: int) -> Found:
    """The wanted number of hits, and some of the others as spare ones."""
    return Found(tuple(hits[:wanted]), spare=tuple(hits[wanted : wanted + _MOST_SPARE]))


def _takes(name: str, query: Query, limits: QueryLimits) -> bool:
    return query.category in limits.categories if name == "category" else name in limits.filters


def _without_lacking_domains(query: Query, limits: QueryLimits) -> tuple[Query, list[str]]:
    """The query without domains that the API can filter neither natively nor by an operator."""
    include = query.include_domains if limits.include_operator or "include_domains" in limits.filters else ()
    exclude = query.exclude_domains if limits.exclude_operator or "exclude_domains" in limits.filters else ()
    kept = replace(query, include_domains=include, exclude_domains=exclude)
    given = {"include_domains": query.include_domains, "exclude_domains": query.exclude_domains}
    return kept, [name for name, domains in given.items() if domains != getattr(kept, name)]


def _with_domains(query: Query, limits: QueryLimits) -> tuple[str, int]:
    """The text with `site:` operators, as many as fit, and how many did not."""
    native = limits.filters
    include = (
        []
        if "include_domains" in native
        else [f"{limits.include_operator}{domain}" for domain in query.include_domains]
    )
    exclude = (
        []
        if "exclude_domains" in native
        else [f"{limits.exclude_operator}{domain}" for domain in query.exclude_domains]
    )
    room = limits.max_query_chars - len(query.text)
    kept = _that_fit(exclude, room, joint=" ")
    either = _that_fit(include, room - len(" ".join(["", *kept])) - len(" ()"), joint=" OR ")
    group = [f"({' OR '.join(either)})"] if either else []
    return " ".join([query.text, *group, *kept]), len(include) + len(exclude) - len(either) - len(kept)


def _that_fit(words: list[str], room: int, *, joint: str) -> list[str]:
    ends = accumulate(len(word) + len(joint) for word in words)
    return [word for word, end in zip(words, ends, strict=True) if end <= room]
