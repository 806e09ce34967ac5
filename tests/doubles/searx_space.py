"""Double of searx.space: its list of public instances, in the shape that its generator writes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Self

from aiohttp import web

from tests.doubles.double import Double
from tests.doubles.seen import SeenRequest

_GENERATED_AT = 1_794_700_800
_PAGE = (
    "<html>\r\n<head><title>{status}</title></head>\r\n<body>\r\n<center><h1>{message}</h1></center>\r\n</body></html>"
)


class SearxSpaceList(Double):
    """Lists what tests say, and with the best grade whatever `addresses` are there when it is asked."""

    name = "searx-space"
    provider = "searxng_pool"
    operation = "instances.json"
    variable = "SEARX_SPACE_URL"
    """The setting that points to it."""

    def __init__(self, key: str, origin: Callable[[], str], addresses: Callable[[], Iterable[str]] = tuple) -> None:
        super().__init__(key, origin)
        self._addresses = addresses
        self._scripted: dict[str, object] = {}

    def lists(self, url: str, entry: object = None) -> Self:
        """Put an instance on the list: as `listed` has it, or as anything else."""
        self._scripted[url] = listed() if entry is None else entry
        return self

    def reset(self) -> None:
        super().reset()
        self._scripted.clear()

    def answer(self, seen: SeenRequest) -> web.Response:
        if seen.path != self.path:
            return self.error(404, "404 Not Found")
        if seen.method != "GET":
            return self.error(405, "405 Not Allowed")
        standing = {f"{url.rstrip('/')}/": listed() for url in self._addresses()}
        return web.json_response(_document({**standing, **self._scripted}))

    def error(self, status: int, message: str) -> web.Response:
        return web.Response(text=_PAGE.format(status=status, message=message), content_type="text/html", status=status)


def listed(
    grade: str | None = "A+", *, uptime: float | None = 99.9, response_s: float | None = 0.4, **further: object
) -> dict[str, object]:
    """The entry of an instance that is up; `further` replaces whole fields."""
    timing = {"success_percentage": 100.0, "all": {"median": response_s, "stdev": 0.05, "mean": response_s}}
    up = {"uptimeDay": 100.0, "uptimeWeek": uptime, "uptimeMonth": uptime, "uptimeYear": uptime}
    return {
        "analytics": False,
        "comments": [],
        "alternativeUrls": {},
        "main": True,
        "network_type": "normal",
        "http": {"status_code": 200, "error": None, "grade": grade, "gradeUrl": "", "score": 110},
        "version": "2026.8.22+9fea41204",
        "git_url": "https://github.com/searxng/searxng",
        "generator": "searxng",
        "contact_url": False,
        "docs_url": "https://docs.searxng.org/",
        "timing": {"initial": {"success_percentage": 100.0, "all": {"value": 0.2}}, "search": timing},
        "tls": {"version": "TLSv1.3", "grade": "A+", "certificate": {"version": 3}},
        "html": {"grade": "V", "ressources": {}},
        "engines": {"wikipedia": {"error_rate": 0}},
        "network": {"ips": {}, "ipv6": False, "asn_privacy": 0},
        "uptime": None if uptime is None else up,
        **further,
    }


def offline(error: str = "Connection refused") -> dict[str, object]:
    """The entry of an instance that could not be reached: it has its status and nothing else."""
    return {
        "analytics": False,
        "comments": [],
        "alternativeUrls": {},
        "main": True,
        "network_type": "normal",
        "http": {"status_code": None, "error": error},
        "version": None,
        "git_url": None,
        "error": error,
    }


def _document(instances: dict[str, object]) -> dict[str, object]:
    return {
        "metadata": {"timestamp": _GENERATED_AT, "ips": {}, "ipv6": True},
        "instances": instances,
        "engines": {"wikipedia": {"categories": ["general"], "stats": {"instance_count": len(instances)}}},
        "engine_errors": [],
        "categories": ["general"],
        "hashes": [],
        "cidrs": {},
        "forks": ["https://github.com/searxng/searxng"],
    }
