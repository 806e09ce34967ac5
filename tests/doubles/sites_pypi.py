"""Double of PyPI's JSON API: it knows packages by their normalised names only and redirects from all others."""

from __future__ import annotations

import re

from aiohttp import web

from tests.doubles import corpus
from tests.doubles.seen import SeenRequest
from tests.doubles.sites import SiteDouble

_ROUTE = re.compile(r"/pypi/([^/]+)(?:/[^/]+)?/json")
# Packages whose documentation is a page of the corpus.
_PACKAGES = {"lantern": "/docs/retrying"}
_SEPARATORS = re.compile(r"[-_.]+")


class PypiApi(SiteDouble):
    name = "pypi"
    variable = "PYPI_URL"

    def checks(self, seen: SeenRequest) -> web.Response | None:
        route = _ROUTE.fullmatch(seen.path.removeprefix(self.path))
        if route is None:
            return web.Response(text="<html>404 Not Found</html>", content_type="text/html", status=404)
        normalised = _SEPARATORS.sub("-", route[1]).lower()
        if route[1] != normalised:
            return web.Response(status=301, headers={"Location": seen.path.replace(route[1], normalised, 1)})
        return super().checks(seen)

    def missing(self, seen: SeenRequest) -> web.Response:
        name = seen.path.split("/")[-2]
        about = corpus.document(_PACKAGES.get(name, ""))
        if about is None:
            return super().missing(seen)
        address = self._origin() + about.path
        info = {"name": name, "version": "2.4.0", "summary": about.description, "package_url": address}
        files = [{"filename": f"{name}-2.4.0.tar.gz", "upload_time_iso_8601": f"{about.published}T08:30:00.000000Z"}]
        return web.json_response({"info": info, "last_serial": 1, "releases": {}, "urls": files, "vulnerabilities": []})
