"""Doubles of Serper's search and scrape: POST, key in X-API-KEY, 403 for a wrong one."""

from __future__ import annotations

from datetime import date

from aiohttp import web

from dowse.pocketweb.checks import Check, address, flag, number_in, text, whole
from dowse.pocketweb.listings import Listing, Wanted
from dowse.pocketweb.reading import ReaderDouble
from dowse.pocketweb.searching import SearchDouble
from dowse.pocketweb.seen import SeenRequest

_FIELDS: dict[str, Check] = {
    "q": text,
    "num": whole(1, 100),
    "page": whole(1, 100),
    "gl": text,
    "hl": text,
    "location": text,
    "tbs": text,
    "autocorrect": flag,
}
_SCRAPE_FIELDS: dict[str, Check] = {"url": address, "includeMarkdown": flag}


class Serper(SearchDouble):
    name = "serper"

    def error(self, status: int, message: str) -> web.Response:
        return _error(status, message)

    def answer(self, seen: SeenRequest) -> web.Response:
        if seen.headers.get("x-api-key") != self.key:
            return self.error(403, "Unauthorized.")
        body = self.checked(seen, _FIELDS, required="q")
        if isinstance(body, web.Response):
            return body
        query = str(body["q"])
        count, page = number_in(body, "num", 10), number_in(body, "page", 1)
        found = self.listings(Wanted.from_operators(query))[(page - 1) * count : page * count]
        answer: dict[str, object] = {"searchParameters": {"type": "search", "engine": "google", **body}}
        if found and not self.scripted:
            answer |= _boxes(found[0])
        answer["organic"] = [_organic(listing, place, self.scripted) for place, listing in enumerate(found, 1)]
        if found and not self.scripted:
            answer |= _more(query, found[-1])
        return web.json_response(answer | {"credits": 1})


class SerperScrape(ReaderDouble):
    """It says nothing of a page it could not read: the text is empty."""

    name = "serper"
    operation = "scrape"

    def error(self, status: int, message: str) -> web.Response:
        return _error(status, message)

    def answer(self, seen: SeenRequest) -> web.Response:
        if seen.headers.get("x-api-key") != self.key:
            return self.error(403, "Unauthorized.")
        body = self.checked(seen, _SCRAPE_FIELDS, required="url")
        if isinstance(body, web.Response):
            return body
        url = str(body["url"])
        page, failed = self.reading(url), bool(self.failure(url))
        answer: dict[str, object] = {"text": "" if failed else page.text}
        if body.get("includeMarkdown", False):
            answer["markdown"] = "" if failed else page.markdown
        answer["metadata"] = {"title": page.title, "og:title": page.title, "og:url": url}
        return web.json_response(answer | {"jsonld": {}, "credits": 2})


def _error(status: int, message: str) -> web.Response:
    return web.json_response({"message": message, "statusCode": status}, status=status)


def _organic(listing: Listing, place: int, scripted: bool) -> dict[str, object]:
    item: dict[str, object] = {"title": listing.title, "link": listing.url}
    # Real results now and then have no snippet: the field is then absent, not empty.
    if listing.snippet:
        item["snippet"] = listing.snippet
    if listing.published:
        day = date.fromisoformat(listing.published[:10])
        item["date"] = f"{day:%b} {day.day}, {day.year}"
    if place == 1 and not scripted:
        item["sitelinks"] = [{"title": "Contents", "link": f"{listing.url}#contents"}]
    return item | {"position": place}


def _boxes(best: Listing) -> dict[str, object]:
    return {
        "knowledgeGraph": {
            "title": best.title,
            "type": "Web page",
            "description": best.snippet,
            "descriptionSource": "Pocket Web",
            "descriptionLink": best.url,
            "attributes": {"Published": best.published or "unknown"},
        },
        "answerBox": {"title": best.title, "snippet": best.snippet, "link": best.url},
    }


def _more(query: str, last: Listing) -> dict[str, object]:
    question = {"question": f"Where can I read about {query}?", "snippet": last.snippet}
    return {
        "peopleAlsoAsk": [question | {"title": last.title, "link": last.url}],
        "relatedSearches": [{"query": f"{query} explained"}, {"query": f"{query} example"}],
    }
