"""Double of Stack Exchange's API 2.3: errors with numbers of their own, nearly all of them with the status 400."""

from __future__ import annotations

import re
from html import escape

from aiohttp import web

from tests.doubles.listings import Listing
from tests.doubles.seen import SeenRequest
from tests.doubles.sites_searching import SearchedSite, day, seconds

_METHODS = re.compile(
    r"/(search/advanced|questions/IDS|questions/IDS/answers|answers/IDS|posts/IDS/comments)".replace("IDS", r"[\d;]+")
)
_RULES = {
    "site": re.compile(r"[a-z0-9.-]+"),
    "filter": re.compile(r"default|withbody|none|total|![\w.()*~-]+"),
    "key": re.compile(r".+"),
    "page": re.compile(r"[1-9]\d?"),
    "pagesize": re.compile(r"[1-9]\d?|100"),
    "sort": re.compile(r"activity|creation|votes|relevance"),
    "order": re.compile(r"asc|desc"),
    "q": re.compile(r".+"),
    "fromdate": re.compile(r"\d+"),
    "todate": re.compile(r"\d+"),
}
_SEARCH = "/search/advanced"
_ONLY_SEARCHED = frozenset({"q", "fromdate", "todate"})
_QUOTA = {"has_more": False, "quota_max": 300, "quota_remaining": 280}
_MOST_IDS = 100
_ERRORS = {400: "bad_parameter", 404: "no_method", 500: "internal_error", 502: "throttle_violation"}


class StackExchangeApi(SearchedSite):
    name = "stackexchange"
    variable = "STACKEXCHANGE_API_URL"

    def checks(self, seen: SeenRequest) -> web.Response | None:
        if not _METHODS.fullmatch(seen.path.removeprefix(self.path)):
            return self.error(404, "this method cannot be called this way")
        if "site" not in seen.params:
            return self.error(400, "site is required")
        wrong = next((n for n, value in seen.params.items() if n not in _RULES or not _RULES[n].fullmatch(value)), "")
        if not wrong and not seen.path.endswith(_SEARCH):
            wrong = next(iter(_ONLY_SEARCHED & seen.params.keys()), "")
        if wrong or seen.path.count(";") >= _MOST_IDS:
            return self.error(400, wrong or "ids")
        if "key" in seen.params and seen.params["key"] != self.key:
            return self.error(400, "`key` doesn't match a known application")
        return super().checks(seen)

    def missing(self, seen: SeenRequest) -> web.Response:
        """What does not exist is not an error, it is only not among the items."""
        if not seen.path.endswith(_SEARCH):
            return web.json_response({"items": [], **_QUOTA})
        params = seen.params
        since, until = day(params.get("fromdate", "")), day(params.get("todate", ""), before=True)
        found = self.matches(params.get("q", ""), int(params.get("pagesize", "30")), since=since, until=until)
        has_body = params.get("filter") == "withbody"
        return web.json_response({"items": [_question(*each, has_body) for each in enumerate(found, 1)], **_QUOTA})

    def throttled(
        self, message: str = "too many requests from this IP, more requests available in 600 seconds"
    ) -> None:
        """From now on, as after too many requests."""
        self.replies(json=_error(502, message), status=400)

    def error(self, status: int, message: str) -> web.Response:
        """Mistakes of the client come with the status 400, whatever their number."""
        return web.json_response(_error(status, message), status=status if status >= 429 else 400)


def _question(number: int, listing: Listing, has_body: bool) -> dict[str, object]:
    question: dict[str, object] = {
        "tags": listing.keywords.split()[:5],
        "owner": {"user_id": 42, "user_type": "registered", "display_name": "otter42"},
        "is_answered": True,
        "view_count": 240,
        "accepted_answer_id": 1000 + number,
        "answer_count": 2,
        "score": 7,
        "last_activity_date": seconds(listing),
        "creation_date": seconds(listing),
        "question_id": number,
        "content_license": "CC BY-SA 4.0",
        "link": listing.url,
        "title": escape(listing.title),
    }
    return question | ({"body": f"<p>{escape(listing.snippet)}</p>\n"} if has_body else {})


def _error(number: int, message: str) -> dict[str, object]:
    name = _ERRORS.get(number, "temporarily_unavailable")
    return {"error_id": number, "error_message": message, "error_name": name}
