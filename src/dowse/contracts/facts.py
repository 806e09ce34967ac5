"""What is known about a page beside its text: the fields of a result, a line above the text, and warnings."""

from __future__ import annotations

from collections.abc import Mapping

from dowse.core.models import Facts, Page

LOW = "low"
_WHOLE = "the content could not be told from menus and the like, so this is the text of the whole page"
# Hidden menus and dialogs are everywhere: half of all pages have 20 words of them, and one in ten has 600.
_MANY_HIDDEN = 200


def fact_fields(page: Page) -> dict[str, object]:
    """What is known and not said by another field of the result."""
    facts = page.facts
    told = {
        "kind": facts.kind,
        "author": facts.author,
        "published": facts.published,
        "published_confidence": facts.published_confidence if facts.published else "",
        "modified": facts.modified,
        "modified_confidence": facts.modified_confidence if facts.modified else "",
        "language": facts.language,
        "site": facts.site,
        "canonical_url": facts.canonical_url if facts.canonical_url != page.final_url else "",
    }
    return {name: value for name, value in told.items() if value}


def facts_line(result: Mapping[str, object]) -> str:
    """Who wrote the page and when, of a result with these fields; empty where nothing of it is known."""
    author, site = result.get("author"), result.get("site")
    parts = [f"By {author}" if author else "", _dated(result, "published"), _dated(result, "modified")]
    # Most sites have a name, and alone it says little more than the address does; some have only that.
    is_telling = any(parts) and str(site) not in str(result.get("url", ""))
    return " · ".join(filter(None, [*parts, str(site) if site and is_telling else ""]))


def sure_date(facts: Facts) -> str:
    """When a page was published, if the page leaves no doubt about it."""
    return facts.published if facts.published_confidence != LOW else ""


def fact_warnings(page: Page) -> tuple[str, ...]:
    """What somebody who reads the text should know about how it was made."""
    hidden = page.facts.hidden_words
    warnings = [_WHOLE] if page.facts.is_whole else []
    if hidden >= _MANY_HIDDEN and hidden > page.word_count:
        warnings.append(f"{hidden:,} words that a reader of the page cannot see were left out")
    return tuple(warnings)


def _dated(result: Mapping[str, object], name: str) -> str:
    """Such as "published 2026-03-02"; the time of day is in the field only."""
    date = str(result.get(name, "")).partition("T")[0]
    is_doubtful = result.get(f"{name}_confidence") == LOW
    return f"{name} {date}{' (uncertain)' if is_doubtful else ''}" if date else ""
