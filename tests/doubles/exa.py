"""Doubles of Exa's search and contents: camelCase only, key in x-api-key, errors with a tag."""

from __future__ import annotations

import uuid

from aiohttp import web

from tests.doubles.checks import (
    Check,
    addresses,
    flag,
    flag_or,
    moment,
    nested,
    number_in,
    one_of,
    text,
    texts,
    texts_in,
    whole,
)
from tests.doubles.listings import Listing, Wanted
from tests.doubles.reading import ReaderDouble
from tests.doubles.searching import SearchDouble
from tests.doubles.seen import SeenRequest

_LENGTH = whole(1, 1_000_000)
_CONTENTS: dict[str, Check] = {
    "text": flag_or(nested({"maxCharacters": _LENGTH, "includeHtmlTags": flag})),
    "highlights": flag_or(nested({"maxCharacters": _LENGTH, "query": text})),
    "summary": flag_or(nested({"query": text})),
}
_FIELDS: dict[str, Check] = {
    "query": text,
    "type": one_of("auto", "fast", "instant", "deep"),
    "category": one_of(
        "company", "research paper", "news", "pdf", "github", "personal site", "people", "financial report"
    ),
    "numResults": whole(1, 100),
    "includeDomains": texts,
    "excludeDomains": texts,
    "startPublishedDate": moment,
    "endPublishedDate": moment,
    "moderation": flag,
    "userLocation": text,
    "contents": nested(_CONTENTS),
}
# What is nested for a search stands at the top here.
_CONTENTS_FIELDS: dict[str, Check] = {
    "urls": addresses(100),
    "maxAgeHours": whole(-1, 720),
    "livecrawlTimeout": whole(1, 60_000),
    **_CONTENTS,
}
_TAGS = {
    400: "INVALID_REQUEST_BODY",
    401: "INVALID_API_KEY",
    402: "NO_MORE_CREDITS",
    403: "ACCESS_DENIED",
    429: "RATE_LIMIT_EXCEEDED",
}


class Exa(SearchDouble):
    name = "exa"

    def error(self, status: int, message: str) -> web.Response:
        return _error(status, message)

    def answer(self, seen: SeenRequest) -> web.Response:
        if seen.headers.get("x-api-key") != self.key:
            return self.error(401, "Invalid API key")
        body = self.checked(seen, _FIELDS, required="query")
        if isinstance(body, web.Response):
            return body
        found = self.listings(_wanted(body))[: number_in(body, "numResults", 10)]
        return web.json_response(
            {
                "requestId": uuid.uuid4().hex,
                "resolvedSearchType": "neural",
                "results": [_result(item, place, body.get("contents")) for place, item in enumerate(found)],
                "searchTime": 12.5,
                "costDollars": {"total": 0.007},
            }
        )


class ExaContents(ReaderDouble):
    """A page it could not read is no result, and an error among the statuses, with HTTP 200."""

    name = "exa"
    operation = "contents"

    def error(self, status: int, message: str) -> web.Response:
        return _error(status, message)

    def answer(self, seen: SeenRequest) -> web.Response:
        if seen.headers.get("x-api-key") != self.key:
            return self.error(401, "Invalid API key")
        body = self.checked(seen, _CONTENTS_FIELDS, required="urls")
        if isinstance(body, web.Response):
            return body
        asked = texts_in(body, "urls")
        return web.json_response(
            {
                "requestId": uuid.uuid4().hex,
                "results": [self._page(url, body.get("text", False)) for url in asked if not self.failure(url)],
                "statuses": [self._status(url) for url in asked],
                "costDollars": {"total": 0.001},
            }
        )

    def _page(self, url: str, asked: object) -> dict[str, object]:
        page = self.reading(url)
        result: dict[str, object] = {"id": url, "url": url, "title": page.title, "publishedDate": None, "author": None}
        if asked is False:
            return result
        most = number_in(asked, "maxCharacters", len(page.markdown)) if isinstance(asked, dict) else None
        return result | {"text": page.markdown[:most]}

    def _status(self, url: str) -> dict[str, object]:
        if tag := self.failure(url):
            return {"id": url, "status": "error", "error": {"tag": tag, "httpStatusCode": 404}}
        return {"id": url, "status": "success", "source": "crawled"}


def _error(status: int, message: str) -> web.Response:
    tag = _TAGS.get(status, "INTERNAL_ERROR")
    return web.json_response({"requestId": uuid.uuid4().hex, "error": message, "tag": tag}, status=status)


def _wanted(body: dict[str, object]) -> Wanted:
    return Wanted(
        text=str(body["query"]),
        include=texts_in(body, "includeDomains"),
        exclude=texts_in(body, "excludeDomains"),
        since=str(body.get("startPublishedDate", ""))[:10],
        until=str(body.get("endPublishedDate", ""))[:10],
    )


def _result(listing: Listing, place: int, contents: object) -> dict[str, object]:
    """Text and highlights come only when asked for, and `false` is not asking."""
    asked = contents if isinstance(contents, dict) else {}
    result: dict[str, object] = {
        "id": listing.url,
        "title": listing.title,
        "url": listing.url,
        "publishedDate": f"{listing.published[:10]}T00:00:00.000Z" if listing.published else None,
        "author": None,
        "score": round(0.9 - place * 0.01, 4),
    }
    if asked.get("highlights", False) is not False:
        result["highlights"] = [listing.snippet] if listing.snippet else []
        result["highlightScores"] = [0.5] if listing.snippet else []
    if asked.get("text", False) is not False:
        result["text"] = f"{listing.title}\n\n{listing.snippet}"
    if asked.get("summary", False) is not False:
        result["summary"] = listing.snippet
    return result
