"""Doubles of Serper's search and scrape: POST, key in X-API-KEY, 403 for a wrong one."""

from __future__ import annotations

from datetime import date

from aiohttp import web

from tests.doubles.checks import Check, address, flag, number_in, text, whole
from tests.doubles.listings import Listing, Wanted
from tests.doubles.reading import ReaderDouble
from tests.doubles.searching import SearchDouble
from tests.doubles.seen import SeenRequest

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


# Where each kind of result is, and how its list is called.
_LISTS = {
    "search": "organic",
    "news": "news",
    "images": "images",
    "videos": "videos",
    "scholar": "organic",
    "places": "places",
}


class Serper(SearchDouble):
    name = "serper"

    def results_body(self, results: object) -> dict[str, object]:
        return {"organic": results}

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(f"/serper/{kind}" for kind in _LISTS)

    def error(self, status: int, message: str) -> web.Response:
        return _error(status, message)

    def answer(self, seen: SeenRequest) -> web.Response:
        if seen.headers.get("x-api-key") != self.key:
            return self.error(403, "Unauthorized.")
        body = self.checked(seen, _FIELDS, required="q")
        if isinstance(body, web.Response):
            return body
        query, kind = str(body["q"]), seen.path.rpartition("/")[2]
        count, page = number_in(body, "num", 10), number_in(body, "page", 1)
        found = self.listings(Wanted.from_operators(query))[(page - 1) * count : page * count]
        answer: dict[str, object] = {"searchParameters": {"type": kind, "engine": "google", **body}}
        if kind != "search":
            listed = [_special(kind, listing, place) for place, listing in enumerate(found, 1)]
            return web.json_response({**answer, _LISTS[kind]: listed, "credits": 1})
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


def _special(kind: str, listing: Listing, place: int) -> dict[str, object]:
    """A result of news, images, videos, scholar or places."""
    picture, small = f"https://img.example/{place}.jpg", f"https://img.example/{place}-small.jpg"
    web_page: dict[str, object] = {"title": listing.title, "link": listing.url, "snippet": listing.snippet}
    items: dict[str, dict[str, object]] = {
        "news": {**web_page, "date": "2 hours ago", "source": "Pocket News", "imageUrl": small},
        "images": {"title": listing.title, "imageUrl": picture, "imageWidth": 640, "imageHeight": 480}
        | {"thumbnailUrl": small, "source": "Pocket", "domain": "pocket.example", "link": listing.url},
        "videos": {**web_page, "imageUrl": small, "duration": "3:05", "source": "Pocket Tube", "date": "Oct 2, 2026"},
        "scholar": {**web_page, "publicationInfo": "A Author - Journal, 2026", "year": 2026, "citedBy": 3},
        "places": {"title": listing.title, "address": "1 Main Street", "latitude": 1.5, "longitude": 2.5}
        | {"category": "Museum", "website": listing.url, "cid": "12345"},
    }
    return items[kind] | {"position": place}


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
