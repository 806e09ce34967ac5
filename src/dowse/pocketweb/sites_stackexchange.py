"""Double of Stack Exchange's API 2.3: errors with numbers of their own, nearly all of them with the status 400."""

from __future__ import annotations

import re

from aiohttp import web

from dowse.pocketweb.seen import SeenRequest
from dowse.pocketweb.sites import SiteDouble

_METHODS = re.compile(
    r"/(questions/IDS|questions/IDS/answers|answers/IDS|posts/IDS/comments)".replace("IDS", r"[\d;]+")
)
_RULES = {
    "site": re.compile(r"[a-z0-9.-]+"),
    "filter": re.compile(r"default|withbody|none|total|![\w.()*~-]+"),
    "key": re.compile(r".+"),
    "page": re.compile(r"[1-9]\d?"),
    "pagesize": re.compile(r"[1-9]\d?|100"),
    "sort": re.compile(r"activity|creation|votes"),
    "order": re.compile(r"asc|desc"),
}
_MOST_IDS = 100
_ERRORS = {400: "bad_parameter", 404: "no_method", 500: "internal_error", 502: "throttle_violation"}


class StackExchangeApi(SiteDouble):
    name = "stackexchange"
    variable = "STACKEXCHANGE_API_URL"

    def checks(self, seen: SeenRequest) -> web.Response | None:
        if not _METHODS.fullmatch(seen.path.removeprefix(self.path)):
            return self.error(404, "this method cannot be called this way")
        if "site" not in seen.params:
            return self.error(400, "site is required")
        wrong = next((n for n, value in seen.params.items() if n not in _RULES or not _RULES[n].fullmatch(value)), "")
        if wrong or seen.path.count(";") >= _MOST_IDS:
            return self.error(400, wrong or "ids")
        if "key" in seen.params and seen.params["key"] != self.key:
            return self.error(400, "`key` doesn't match a known application")
        return super().checks(seen)

    def missing(self, _seen: SeenRequest) -> web.Response:
        """What does not exist is not an error, it is only not among the items."""
        return web.json_response({"items": [], "has_more": False, "quota_max": 300, "quota_remaining": 280})

    def throttled(
        self, message: str = "too many requests from this IP, more requests available in 600 seconds"
    ) -> None:
        """From now on, as after too many requests."""
        self.replies(json=_error(502, message), status=400)

    def error(self, status: int, message: str) -> web.Response:
        """Mistakes of the client come with the status 400, whatever their number."""
        return web.json_response(_error(status, message), status=status if status >= 429 else 400)


def _error(number: int, message: str) -> dict[str, object]:
    name = _ERRORS.get(number, "temporarily_unavailable")
    return {"error_id": number, "error_message": message, "error_name": name}
