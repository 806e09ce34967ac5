"""Double of crates.io: refuses anonymous programs, and leads to a README unless it is asked for JSON."""

from __future__ import annotations

import re

from aiohttp import web

from tests.doubles.seen import SeenRequest
from tests.doubles.sites import SiteDouble

_ROUTE = re.compile(r"/crates/[\w-]+(?:/[\w.+-]+/(?:dependencies|readme))?")


class CratesApi(SiteDouble):
    name = "crates"
    variable = "CRATES_API_URL"

    def checks(self, seen: SeenRequest) -> web.Response | None:
        if not _ROUTE.fullmatch(seen.path.removeprefix(self.path)):
            return self.error(404, "Not Found")
        if seen.path.endswith("/readme") and "json" not in seen.headers.get("accept", ""):
            return web.Response(status=302, headers={"Location": "https://static.crates.io/readmes/"})
        return super().checks(seen)

    def error(self, status: int, message: str) -> web.Response:
        return web.json_response({"errors": [{"detail": message}]}, status=status)
