"""Double of Crossref's REST API: lists of works, and its word for parameters that it does not know."""

from __future__ import annotations

import re

from aiohttp import web

from tests.doubles.listings import Listing
from tests.doubles.seen import SeenRequest
from tests.doubles.sites_searching import SearchedSite

_WORKS = "/works"
_PARAMETERS = frozenset({"query.bibliographic", "filter", "rows", "select", "sort", "order", "offset", "mailto"})
_FIELDS = frozenset(
    "DOI URL abstract author container-title created is-referenced-by-count issued published publisher title "
    "type volume".split()
)
_FILTERS = {
    "doi": re.compile(r"10\.\d{4,9}/.+"),
    "from-pub-date": re.compile(r"\d{4}(-\d\d){0,2}"),
    "until-pub-date": re.compile(r"\d{4}(-\d\d){0,2}"),
}
_MOST_ROWS = 1000
_PREFIX = "10.5555/pocket."


class CrossrefApi(SearchedSite):
    name = "crossref"
    variable = "CROSSREF_API_URL"

    def checks(self, seen: SeenRequest) -> web.Response | None:
        if seen.path != self.path + _WORKS:
            return self.error(404, "Resource not found.")
        params = seen.params
        if unknown := sorted(set(params) - _PARAMETERS):
            return self.error(400, f"Parameter {unknown[0]} specified but there is no such parameter")
        if unknown := sorted(set(filter(None, params.get("select", "").split(","))) - _FIELDS):
            return self.error(400, f"Select {unknown[0]} specified but there is no such select")
        for name, value in _filters(params).items():
            if name not in _FILTERS or not _FILTERS[name].fullmatch(value):
                return self.error(400, f"Filter {name} specified but there is no such filter for this route")
        rows = params.get("rows", "20")
        if not rows.isdecimal() or int(rows) > _MOST_ROWS:
            return self.error(400, f"Integer specified as {rows} but must be a positive integer less than 1000")
        return super().checks(seen)

    def missing(self, seen: SeenRequest) -> web.Response:
        filters, rows = _filters(seen.params), int(seen.params.get("rows", "20"))
        since, until = filters.get("from-pub-date", ""), filters.get("until-pub-date", "")
        asked = seen.params.get("query.bibliographic", "") or filters.get("doi", "").removeprefix(_PREFIX)
        found = self.matches(asked.replace("-", " "), rows, since=since, until=until)
        selected = seen.params.get("select", "").split(",")
        message = {
            "facets": {},
            "total-results": len(found),
            "items": [{name: value for name, value in _work(item).items() if name in selected} for item in found],
            "items-per-page": rows,
            "query": {"start-index": 0, "search-terms": None},
        }
        return web.json_response(_answer("ok", "work-list", message))

    def error(self, status: int, message: str) -> web.Response:
        if status != 400:
            return web.Response(text=message, status=status)
        told = [{"type": "parameter-not-found", "value": "", "message": message}]
        return web.json_response(_answer("failed", "validation-failure", told), status=status)


def _answer(status: str, kind: str, message: object) -> dict[str, object]:
    return {"status": status, "message-type": kind, "message-version": "1.0.0", "message": message}


def _filters(params: dict[str, str]) -> dict[str, str]:
    parts = (part.partition(":") for part in params.get("filter", "").split(",") if part)
    return {name: value for name, _, value in parts}


def _work(listing: Listing) -> dict[str, object]:
    date = [int(part) for part in (listing.published or "2020-01-01").split("-")]
    return {
        "DOI": _PREFIX + listing.url.rpartition("/")[2],
        "URL": listing.url,
        "abstract": f"<jats:p>{listing.snippet}</jats:p>",
        "author": [{"given": "A.", "family": "Otter", "sequence": "first", "affiliation": []}],
        "container-title": ["Annals of the Pocket Web"],
        "issued": {"date-parts": [date]},
        "title": [listing.title],
        "type": "journal-article",
    }
