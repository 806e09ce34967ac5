"""Shapes of Firecrawl, v1 and v2: documents, search results, states of batches."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count

from dowse.contracts.wires.failures import describe_page
from dowse.contracts.wires.fields import Fields, types_of
from dowse.contracts.wires.searching import passages, published
from dowse.core import urls
from dowse.core.models import CacheState, Page, Result, SearchOutcome
from dowse.flows.batch import KEPT_S, BatchState

_SERVED = ("markdown", "links")
_LINK = re.compile(r"\]\(<?(https?://[^\s()<>]{1,2048})")
_MOST_LINKS = 1000
# Options that this server always applies, or that concern the accounting of the original.
SILENT_OPTIONS = (
    *("onlyMainContent", "removeBase64Images", "blockAds", "storeInCache", "fastMode", "proxy", "integration"),
    *("origin", "zeroDataRetention", "onlyCleanContent", "skipTlsVerification"),
)


@dataclass(frozen=True, slots=True)
class ScrapeOptions:
    """The wanted formats of a page; `unserved` are formats that this server does not have."""

    formats: tuple[str, ...]
    unserved: tuple[str, ...] = ()

    @classmethod
    def of(cls, fields: Fields, default: Sequence[str] = ("markdown",)) -> ScrapeOptions:
        named = types_of("formats", fields.raw("formats")) or tuple(default)
        served = tuple(each for each in named if each in _SERVED)
        # Without any that is served, the text itself is better than nothing.
        fallback = ("markdown",) if named and not served else ()
        return cls(served or fallback, tuple(each for each in named if each not in _SERVED))

    @classmethod
    def parse(cls, text: str) -> ScrapeOptions:
        return cls(tuple(each for each in text.split(",") if each in _SERVED))

    def __str__(self) -> str:
        return ",".join(self.formats)

    @property
    def warnings(self) -> tuple[str, ...]:
        return (f"formats that this server does not have: {', '.join(self.unserved[:9])}",) if self.unserved else ()


def document(page: Page, formats: Collection[str]) -> dict[str, object]:
    """A page that was read."""
    shown: dict[str, object] = {"markdown": page.text} if "markdown" in formats else {}
    if "links" in formats:
        shown["links"] = links_in(page)
    return {**shown, "metadata": metadata(page)}


def metadata(page: Page) -> dict[str, object]:
    """Metadata of a page, with the error of an unread one."""
    facts = page.facts
    optional = {
        "title": page.title,
        "description": facts.description,
        "language": facts.language,
        "publishedTime": facts.published,
        "modifiedTime": facts.modified,
        "ogSiteName": facts.site,
    }
    known = {name: value for name, value in optional.items() if value}
    if not page.status.readable:
        failure = describe_page(page)
        known |= {"error": failure.message}
    return {
        **known,
        "sourceURL": page.url,
        "url": page.final_url or page.url,
        "statusCode": _status_code(page),
        "contentType": "text/html",
        "proxyUsed": "basic",
        "cacheState": "miss" if page.freshness.state is CacheState.MISS else "hit",
    }


def _status_code(page: Page) -> int:
    if page.status.readable:
        return 200
    return page.http_status or describe_page(page).status


def links_in(page: Page) -> list[str]:
    """The targets of the links in the text of a page, each once."""
    found = (urls.link(address, page.final_url) for address in _LINK.findall(page.text))
    return list(dict.fromkeys(filter(None, found)))[:_MOST_LINKS]


def web_results(outcome: SearchOutcome, formats: Collection[str]) -> list[dict[str, object]]:
    """Results with the passages as description, and with their pages if formats are wanted."""
    positions = count(1)
    return [_with_page(_web_result(each, next(positions)), each, formats) for each in outcome.results]


def _web_result(result: Result, position: int) -> dict[str, object]:
    hit = result.hit
    return {"url": hit.url, "title": hit.title, "description": passages(result), "position": position}


def news_results(outcome: SearchOutcome, formats: Collection[str]) -> list[dict[str, object]]:
    """News, with snippet and date."""
    positions = count(1)
    return [
        _with_page(
            {
                "title": each.hit.title,
                "url": each.hit.url,
                "snippet": passages(each),
                "date": published(each),
                "imageUrl": each.hit.thumbnail or each.hit.image_url,
                "position": next(positions),
            },
            each,
            formats,
        )
        for each in outcome.results
    ]


def image_results(outcome: SearchOutcome, _formats: Collection[str]) -> list[dict[str, object]]:
    """Images, each with the page that it is on."""
    positions = count(1)
    return [
        {
            "title": each.hit.title,
            "imageUrl": each.hit.image_url or each.hit.thumbnail,
            "url": each.hit.url,
            "position": next(positions),
        }
        for each in outcome.results
    ]


def _with_page(shown: dict[str, object], result: Result, formats: Collection[str]) -> dict[str, object]:
    if not formats:
        return shown
    if not result.page.status.readable:
        return {**shown, "metadata": metadata(result.page)}
    return {**shown, **document(result.page, formats)}


def batch_state(state: BatchState, url: str) -> dict[str, object]:
    """The state of a batch; pages that could not be read are in its errors, not in its data."""
    formats = ScrapeOptions.parse(state.job.options).formats
    next_url = f"{url}?skip={state.skip + len(state.pages)}" if state.has_more else None
    return {
        "success": True,
        "status": state.status,
        "total": len(state.job.urls),
        "completed": state.completed,
        "creditsUsed": 0,
        "expiresAt": datetime.fromtimestamp(state.job.began_at + KEPT_S, UTC).isoformat().replace("+00:00", "Z"),
        "next": next_url,
        "data": [document(page, formats) for page in state.pages],
    }


def batch_errors(state: BatchState) -> Mapping[str, object]:
    """The pages of a batch that could not be read."""
    failed = [(page, describe_page(page)) for page in state.failures]
    return {
        "errors": [
            {"id": str(number), "url": page.url, "error": failure.message, "code": failure.code}
            for number, (page, failure) in enumerate(failed)
        ],
        "robotsBlocked": [page.url for page in state.failures if page.status == "robots"],
    }
