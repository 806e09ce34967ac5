"""Serper: Google's results as JSON, with answer boxes and related searches; and pages as Markdown."""

from __future__ import annotations

from dataclasses import replace

from pydantic import SecretStr

from dowse.core.errors import BadAnswer
from dowse.core.models import Category, Deadline, Found, Hit, Query, Text, TimeRange
from dowse.net.json_api import Api
from dowse.net.json_fields import Json, drop_empty, first_hits, hit, mapping, media, objects, plain, results, string
from dowse.providers.limits import fit
from dowse.providers.table import Kit
from dowse.settings.providers import SERPER as SPEC

# Each category has an endpoint beside that of the web, and a list of its own in the answer.
_LISTS = {
    Category.GENERAL: ("search", "organic"),
    Category.NEWS: ("news", "news"),
    Category.IMAGES: ("images", "images"),
    Category.VIDEOS: ("videos", "videos"),
    Category.SCIENCE: ("scholar", "organic"),
    Category.MAP: ("places", "places"),
}


class Serper:
    name = SPEC.name

    def __init__(self, api: Api, key: SecretStr, *, search_endpoint: str, scrape_endpoint: str) -> None:
        self.timeout_s = api.timeout_s
        self._api = api
        self._key = key
        self._search_endpoint = search_endpoint
        self._scrape_endpoint = scrape_endpoint
        # An address that ends in another way does not tell where the other endpoints are.
        has_siblings = search_endpoint.rstrip("/").endswith("/search")
        self.categories = SPEC.limits.categories if has_siblings else frozenset({Category.GENERAL})

    async def search(self, query: Query, deadline: Deadline) -> Found:
        query, warnings = fit(self.name, query, replace(SPEC.limits, categories=self.categories))
        body = await self._api.post(self._endpoint(query), deadline, headers=self._headers(), body=_payload(query))
        return Found(_hits(body, query), _answers(body), _suggestions(body), warnings)

    async def read(self, url: str, deadline: Deadline) -> Text:
        payload = {"url": url, "includeMarkdown": True}
        body = await self._api.post(self._scrape_endpoint, deadline, headers=self._headers(), body=payload)
        if body.get("text") is None and body.get("markdown") is None:
            raise BadAnswer(self.name, "the answer has no 'text'")
        title = string(mapping(body, "metadata"), "title", "og:title")
        return self._api.page(string(body, "markdown", "text"), title, plain=string(body, "text"))

    def _endpoint(self, query: Query) -> str:
        if query.category is Category.GENERAL:
            return self._search_endpoint
        return self._search_endpoint.rstrip("/").removesuffix("search") + _LISTS[query.category][0]

    def _headers(self) -> dict[str, str]:
        return {"X-API-KEY": self._key.get_secret_value()}


def make(kit: Kit) -> Serper:
    settings = kit.settings
    return Serper(
        kit.api(SPEC.name),
        settings.api_key(SPEC.name),
        search_endpoint=settings.endpoint(SPEC.name),
        scrape_endpoint=settings.endpoint(SPEC.name, "read"),
    )


def _payload(query: Query) -> Json:
    payload: dict[str, object] = {"q": query.text, "num": query.num_results}
    language, _, region = query.language.partition("-")
    optional: dict[str, object] = {
        # A region is Google's country, unless the caller names one: then it only says which Portuguese.
        "hl": query.language.lower() if query.country else language,
        "gl": query.country or region.lower(),
        "location": query.location,
        "tbs": _period(query),
        "page": query.page if query.page > 1 else 0,
    }
    payload |= drop_empty(optional)
    return payload if query.autocorrect else payload | {"autocorrect": False}


def _period(query: Query) -> str:
    """Google's `tbs`: a named range, or a custom one with American dates."""
    if query.start_date or query.end_date:
        bounds = (("cd_min", query.start_date), ("cd_max", query.end_date))
        return ",".join(["cdr:1", *(f"{name}:{_american(date)}" for name, date in bounds if date)])
    return "" if query.time_range is TimeRange.ANY else f"qdr:{query.time_range[0]}"


def _american(date: str) -> str:
    year, month, day = date.split("-")
    return f"{month}/{day}/{year}"


def _hits(body: Json, query: Query) -> tuple[Hit, ...]:
    name = _LISTS[query.category][1]
    if name not in body and "searchParameters" not in body:
        raise BadAnswer(Serper.name, f"the answer has no list {name!r}")
    listed = results(Serper.name, body, name) if name in body else []
    read = {Category.IMAGES: _image, Category.VIDEOS: _video, Category.MAP: _place}.get(query.category, _hit)
    return first_hits(list(map(read, listed)), query.num_results)


def _hit(item: Json) -> Hit | None:
    snippet = string(item, "snippet", "publicationInfo")
    return hit(string(item, "title"), string(item, "link"), snippet, published=string(item, "date"))


def _image(item: Json) -> Hit | None:
    return media(_hit(item), image_url=string(item, "imageUrl"), thumbnail=string(item, "thumbnailUrl"))


def _video(item: Json) -> Hit | None:
    return media(_hit(item), thumbnail=string(item, "imageUrl"), duration=string(item, "duration"))


def _place(item: Json) -> Hit | None:
    """A place without a page of its own is shown on Google's map."""
    on_map = f"https://www.google.com/maps?cid={cid}" if (cid := string(item, "cid")).isdecimal() else ""
    about = [string(item, name) for name in ("category", "address", "phoneNumber")]
    return hit(string(item, "title"), string(item, "website") or on_map, " · ".join(filter(None, about)))


def _answers(body: Json) -> tuple[str, ...]:
    box, graph = mapping(body, "answerBox"), mapping(body, "knowledgeGraph")
    return plain([string(box, "answer", "snippet"), string(graph, "description")])


def _suggestions(body: Json) -> tuple[str, ...]:
    return plain([string(entry, "query") for entry in objects(body.get("relatedSearches"))])
