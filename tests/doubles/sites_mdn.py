"""Double of MDN: every page has an `index.json` beside it, and pages that have moved redirect."""

from __future__ import annotations

import re

from aiohttp import web

from tests.doubles.seen import SeenRequest
from tests.doubles.sites import SiteDouble

_ROUTE = re.compile(r"/[a-z]{2,3}(?:-[A-Z]{2})?/docs/.+/index\.json")


class MdnApi(SiteDouble):
    name = "mdn"
    variable = "MDN_URL"

    def checks(self, seen: SeenRequest) -> web.Response | None:
        if not _ROUTE.fullmatch(seen.path.removeprefix(self.path)):
            return self.missing(seen)
        return super().checks(seen)

    def missing(self, _seen: SeenRequest) -> web.Response:
        return web.Response(text="<html>Page not found</html>", content_type="text/html", status=404)
