"""Doubles of Tavily's search and extract: bearer token or keyless, never both; short queries, no empty optional."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from email.utils import format_datetime

from aiohttp import web

from tests.doubles.checks import (
    Check,
    address,
    addresses,
    day,
    flag,
    flag_or,
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

LONGEST_QUERY = 400

_UNAUTHORIZED = "Unauthorized: missing or invalid API key."

_FIELDS: dict[str, Check] = {
    "query": text,
    "search_depth": one_of("basic", "advanced", "fast", "ultra-fast"),
    "topic": one_of("general", "news", "finance"),
    "max_results": whole(0, 20),
    "time_range": one_of("day", "week", "month", "year", "d", "w", "m", "y"),
    "start_date": day,
    "end_date": day,
    "include_domains": texts,
    "exclude_domains": texts,
    "include_answer": flag_or(one_of("basic", "advanced")),
    "include_raw_content": flag_or(one_of("markdown", "text")),
    "include_images": flag,
    "country": text,
    "exact_match": flag,
}
_EXTRACT_FIELDS: dict[str, Check] = {
    "urls": lambda value: address(value) or addresses(20)(value),
    "extract_depth": one_of("basic", "advanced"),
    "format": one_of("markdown", "text"),
    "include_images": flag,
}


class Tavily(SearchDouble):
    name = "tavily"

    def error(self, status: int, message: str) -> web.Response:
        return _error(status, message)

    def answer(self, seen: SeenRequest) -> web.Response:
        if not _is_authorized(seen, self.key):
            return self.error(401, _UNAUTHORIZED)
        body = self.checked(seen, _FIELDS, required="query")
        if isinstance(body, web.Response):
            return body
        if len(str(body["query"])) > LONGEST_QUERY:
            return self.error(400, "Query is too long")
        found = self.listings(_wanted(body))[: number_in(body, "max_results", 5)]
        return web.json_response(
            {
                "query": body["query"],
                "follow_up_questions": None,
                "answer": found[0].snippet if found and body.get("include_answer", False) else None,
                "images": [],
                "results": [self._result(item, place, body) for place, item in enumerate(found)],
                "response_time": 0.42,
                "request_id": str(uuid.uuid4()),
            }
        )

    def _result(self, listing: Listing, place: int, body: dict[str, object]) -> dict[str, object]:
        raw = f"{listing.title}\n\n{listing.snippet}" if body.get("include_raw_content", False) else None
        result: dict[str, object] = {
            "title": listing.title,
            "url": listing.url,
            "content": listing.snippet,
            "score": round(0.95 - place * 0.02, 4),
            "raw_content": raw,
        }
        # Tavily dates news only; a test that scripted a date wants to see it in any topic.
        if listing.published and (body.get("topic") == "news" or self.scripted):
            moment = datetime.fromisoformat(listing.published).replace(tzinfo=UTC)
            result["published_date"] = format_datetime(moment, usegmt=True)
        return result


class TavilyExtract(ReaderDouble):
    """A page it could not read is among the failed results, with HTTP 200."""

    name = "tavily"
    operation = "extract"

    def error(self, status: int, message: str) -> web.Response:
        return _error(status, message)

    def answer(self, seen: SeenRequest) -> web.Response:
        if not _is_authorized(seen, self.key):
            return self.error(401, _UNAUTHORIZED)
        body = self.checked(seen, _EXTRACT_FIELDS, required="urls")
        if isinstance(body, web.Response):
            return body
        asked = texts_in(body, "urls") or (str(body["urls"]),)
        plain = body.get("format", "markdown") == "text"
        pages = {url: self.reading(url) for url in asked if not self.failure(url)}
        return web.json_response(
            {
                "results": [
                    {"url": url, "raw_content": page.text if plain else page.markdown, "images": []}
                    for url, page in pages.items()
                ],
                "failed_results": [{"url": url, "error": self.failure(url)} for url in asked if url not in pages],
                "response_time": 0.42,
                "request_id": str(uuid.uuid4()),
            }
        )


def _error(status: int, message: str) -> web.Response:
    return web.json_response({"detail": {"error": message}}, status=status)


def _is_authorized(seen: SeenRequest, key: str) -> bool:
    """A key in the body overrules the header at the real API and fails there when stale."""
    ways = {"authorization": f"Bearer {key}"}, {"x-tavily-access-mode": "keyless"}
    chosen = {name: seen.headers[name] for way in ways for name in way if name in seen.headers}
    return chosen in ways and not (seen.json and "api_key" in seen.json)


def _wanted(body: dict[str, object]) -> Wanted:
    return Wanted(
        text=str(body["query"]),
        include=texts_in(body, "include_domains"),
        exclude=texts_in(body, "exclude_domains"),
        since=str(body.get("start_date", "")),
        until=str(body.get("end_date", "")),
    )
