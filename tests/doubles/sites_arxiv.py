"""A double of arXiv: the API that answers with a feed, and the papers that the feed names."""

from __future__ import annotations

import re
from html import escape

from aiohttp import web

from tests.doubles.listings import Listing
from tests.doubles.seen import SeenRequest
from tests.doubles.sites_searching import SearchedSite, stamp

_API = "/api/query"
_KNOWN = frozenset({"id_list", "search_query", "start", "max_results", "sortBy", "sortOrder"})
_SORTED_BY = ("", "relevance", "lastUpdatedDate", "submittedDate")
_TERM = r"(?:all|ti|au|abs|cat):\w+"
_DATES = r"submittedDate:\[(\d{8})\d{4} TO (\d{8})\d{4}\]"
_SEARCH = re.compile(rf"(?:{_TERM}|{_DATES})(?: (?:AND|OR|ANDNOT) (?:{_TERM}|{_DATES}))*")
_NUMBER = re.compile(r"(?:\d{4}\.\d{4,5}|[a-z-]{2,12}/\d{7})(?:v\d{1,3})?")
_FEED = """<?xml version='1.0' encoding='UTF-8'?>
<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns:arxiv="http://arxiv.org/schemas/atom" \
xmlns="http://www.w3.org/2005/Atom">
  <id>https://arxiv.org/api/pocket</id>
  <title>arXiv Query: search_query=&amp;id_list=&amp;start=0&amp;max_results=1</title>
  <updated>2026-01-01T00:00:00Z</updated>
  <opensearch:itemsPerPage>1</opensearch:itemsPerPage>
  <opensearch:totalResults>{total}</opensearch:totalResults>
  <opensearch:startIndex>0</opensearch:startIndex>
{entries}</feed>
"""
_ERROR = """  <entry>
    <id>https://arxiv.org/api/errors#pocket</id>
    <title>Error</title>
    <updated>2026-01-01T00:00:00Z</updated>
    <summary>{message}</summary>
    <author><name>arXiv api core</name></author>
  </entry>
"""
_ENTRY = """  <entry>
    <id>{url}</id>
    <title>{title}</title>
    <updated>{published}</updated>
    <link href="{url}" rel="alternate" type="text/html"/>
    <summary>{summary}</summary>
    <category term="cs.SE" scheme="http://arxiv.org/schemas/atom"/>
    <published>{published}</published>
    <arxiv:primary_category term="cs.SE"/>
    <author><name>A. Otter</name></author>
  </entry>
"""


class ArxivApi(SearchedSite):
    """Knows the papers a test gives it; a number it does not know is an empty feed. Its search finds the corpus."""

    name = "arxiv"
    variable = "ARXIV_API_URL"

    @property
    def endpoint(self) -> str:
        return self.path + _API

    def paper(self, number: str, entry: str) -> ArxivApi:
        """Answer to a number with an entry. The papers it names are looked for here, at `/pdf/…` and `/html/…`."""
        entry = re.sub(r"https?://arxiv\.org/pdf/", f"{self._origin()}{self.path}/pdf/", entry)
        feed = _FEED.format(total=1, entries=entry)
        self.has(_API, feed, params={"id_list": number}, content_type="application/atom+xml; charset=utf-8")
        return self

    def checks(self, seen: SeenRequest) -> web.Response | None:
        refusal = super().checks(seen)
        if refusal is not None or seen.path != self.endpoint:
            return refusal
        if "search_query" in seen.params:
            if not _SEARCH.fullmatch(seen.params["search_query"]) or seen.params.get("sortBy", "") not in _SORTED_BY:
                return self.error(400, "incorrect search_query or sortBy")
        elif wrong := [number for number in _numbers(seen) if not _NUMBER.fullmatch(number)]:
            return self.error(400, f"incorrect id format for {wrong[0]}")
        unknown = sorted(set(seen.params) - _KNOWN)
        return self.error(400, f"unknown parameter {unknown[0]}") if unknown else None

    def missing(self, seen: SeenRequest) -> web.Response:
        if seen.path != self.endpoint:
            return web.Response(status=404, text="<h1>No document for this number</h1>", content_type="text/html")
        found = self._searched(seen.params) if "search_query" in seen.params else []
        return _feed(200, _FEED.format(total=len(found), entries="".join(map(_entry, found))))

    def _searched(self, params: dict[str, str]) -> list[Listing]:
        asked = params["search_query"]
        dates = re.search(_DATES, asked)
        since, until = (f"{part[:4]}-{part[4:6]}-{part[6:]}" for part in dates.groups()) if dates else ("", "")
        words = " ".join(re.findall(r"(?:all|ti|au|abs):(\w+)", asked))
        return self.matches(words, int(params.get("max_results", "10")), since=since, until=until)

    def error(self, status: int, message: str) -> web.Response:
        return _feed(status, _FEED.format(total=1, entries=_ERROR.format(message=escape(message))))


def _numbers(seen: SeenRequest) -> list[str]:
    return seen.params.get("id_list", "").split(",")


def _entry(listing: Listing) -> str:
    return _ENTRY.format(
        url=escape(listing.url),
        title=escape(listing.title),
        summary=escape(listing.snippet),
        published=stamp(listing),
    )


def _feed(status: int, text: str) -> web.Response:
    return web.Response(status=status, text=text, content_type="application/atom+xml", charset="utf-8")
