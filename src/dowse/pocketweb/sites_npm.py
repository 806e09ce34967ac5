"""Double of npm's registry: whole documents, single versions, and no other methods."""

from __future__ import annotations

import re

from aiohttp import web

from dowse.pocketweb.seen import SeenRequest
from dowse.pocketweb.sites import SiteDouble

_ROUTE = re.compile(r"/(?:@[^/@]+/)?[^/@]+(?:/[^/]+)?")


class NpmApi(SiteDouble):
    name = "npm"
    variable = "NPM_REGISTRY_URL"

    def checks(self, seen: SeenRequest) -> web.Response | None:
        if seen.method != "GET" or not _ROUTE.fullmatch(seen.path.removeprefix(self.path)):
            return self.error(405, "method not allowed")
        return super().checks(seen)

    def error(self, status: int, message: str) -> web.Response:
        return web.json_response({"error": message}, status=status)
