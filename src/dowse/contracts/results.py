"""A result of `web_search` as it stands in the typed object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dowse.contracts.facts import fact_warnings, sure_date
from dowse.contracts.freshness import cache_fields
from dowse.contracts.notes import content
from dowse.core.digests import Digest
from dowse.core.models import Page, Result, SearchOutcome, Status, fields_of

# Who asks for more results than this wants a list: the others have no room for details.
_MOST_DETAILED = 10
_MOST_CODE_BLOCKS = 10
# A page of short lines has thousands of blocks, and their names would cost more than they say.
_MOST_ANCHORS = 40
_MOST_TOLD = 12


def items_of(outcome: SearchOutcome, *, is_concise: bool = False) -> list[dict[str, object]]:
    """The results in order. A concise one has nothing that says again what the page says."""
    items = [_item(result, outcome) for result in outcome.results]
    if is_concise:
        return [item | {"snippet": "", "summary": ""} if _shows_page(item) else item for item in items]
    first = zip(items[:_MOST_DETAILED], outcome.results[:_MOST_DETAILED], strict=True)
    return [item | _details(result.digest) for item, result in first] + items[_MOST_DETAILED:]


def status_of(page: Page, text: str) -> Status:
    """What became of a page of which `text` is shown."""
    return Status.TRUNCATED if page.status is Status.OK and text != page.text else page.status


def agreement(outcome: SearchOutcome) -> int:
    """How many results were found in more than one independent index."""
    return sum(len(result.indexes) > 1 for result in outcome.results)


def blocks_shown(digest: Digest) -> dict[str, object]:
    """How much of a page is shown, and where that stands; nothing for a page that is whole or shown from its start."""
    if not digest.anchors:
        return {}
    anchors = list(digest.anchors)
    # The last one is where to read on.
    listed = anchors if len(anchors) <= _MOST_ANCHORS else [*anchors[: _MOST_ANCHORS - 1], anchors[-1]]
    return {"blocks": f"{len(anchors)} of {digest.blocks}", "anchors": listed}


def some_of(anchors: Sequence[str]) -> str:
    """The first of them, for a sentence."""
    return ", ".join([*anchors[:_MOST_TOLD], *(["…"] if len(anchors) > _MOST_TOLD else [])])


def _item(result: Result, outcome: SearchOutcome) -> dict[str, object]:
    page, digest, freshness = result.page, result.digest, outcome.freshness
    if page.status is not Status.NOT_FETCHED:
        freshness = freshness.joined(page.freshness)
    text = digest.text if digest else content(page)
    item: dict[str, object] = {
        "title": result.hit.title,
        "link": result.hit.url,
        "snippet": result.hit.snippet,
        "page_content": text,
        "status": status_of(page, text).value,
        "engine": result.hit.engine or outcome.engine,
        "score": result.score,
        "published": result.hit.published or sure_date(page.facts),
        "word_count": page.word_count,
        "fetch_time_ms": page.fetch_ms,
        "summary": digest.summary if digest else "",
        **cache_fields(freshness),
    }
    extras = {
        "image_url": result.hit.image_url,
        "thumbnail": result.hit.thumbnail,
        "duration": result.hit.duration,
        "kind": page.facts.kind,
        "warnings": [*fact_warnings(page), *result.remarks],
        "found_by": list(result.found_by) if len(outcome.providers) > 1 else [],
        "duplicates": list(result.duplicates),
        **(blocks_shown(digest) if digest else {}),
    }
    return item | {name: value for name, value in extras.items() if value}


def _details(digest: Digest | None) -> dict[str, object]:
    points = [fields_of(point) for point in digest.key_points] if digest else []
    code = [fields_of(block) for block in digest.code_blocks[:_MOST_CODE_BLOCKS]] if digest else []
    return {name: value for name, value in {"key_points": points, "code_blocks": code}.items() if value}


def _shows_page(item: Mapping[str, object]) -> bool:
    return Status(str(item["status"])).readable and item["page_content"] != ""
