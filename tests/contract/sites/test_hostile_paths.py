"""Addresses made to turn the request of a loader into another one of the same API."""

from __future__ import annotations

import re
from contextlib import suppress

import pytest

from dowse.core import urls
from dowse.core.errors import DowseError
from dowse.core.models import Deadline
from tests.contract.sites.conftest import Bench
from tests.doubles.sites_github import TOKEN
from tests.fakes import FakeClock

HOSTILE = (
    *("..", ".", "%2e%2e", "%2E.", "...git", "..git", ".git", "%2e%2e%2egit", "a%2f..%2fb", "a%2Fb", "a%5Cb", "%2f"),
    *("a%3Fb=c", "a%23b", "%00", "a%0ab", "%252e%252e", "%252f", "..;", "..%00", "_session", "%ff", "a%20b", ";x", "@"),
)
TEMPLATES = {
    "github": (
        "https://github.com/{0}/brook",
        "https://github.com/otter/{0}",
        "https://github.com/otter/{0}/releases",
        "https://github.com/otter/brook/{0}/12",
        "https://github.com/otter/brook/issues/{0}",
        "https://github.com/otter/brook/blob/{0}/x.py",
        "https://github.com/otter/brook/blob/main/{0}/x.py",
        "https://github.com/otter/brook/releases/tag/{0}",
    ),
    "pypi": ("https://pypi.org/project/{0}/", "https://pypi.org/project/otter/{0}/"),
    "npm": (
        "https://www.npmjs.com/package/{0}",
        "https://www.npmjs.com/package/@{0}/x",
        "https://www.npmjs.com/package/@otter/{0}",
        "https://www.npmjs.com/package/otter/v/{0}",
    ),
    "crates": ("https://crates.io/crates/{0}", "https://crates.io/crates/otter/{0}"),
    "mdn": (
        "https://developer.mozilla.org/{0}/docs/Web",
        "https://developer.mozilla.org/en-US/docs/{0}/Web",
        "https://developer.mozilla.org/en-US/docs/Web/{0}",
    ),
    "hackernews": ("https://news.ycombinator.com/item?id={0}",),
    "stackexchange": (
        "https://stackoverflow.com/questions/{0}/title",
        "https://stackoverflow.com/a/{0}",
        "https://{0}.stackexchange.com/questions/12/title",
    ),
}
# The requests that each loader may send for any of these addresses.
ALLOWED = {
    "github": r"/graphql|/repos/[\w-]+/(?!\.{1,2}(/|$))[\w.-]+(/(?!\.{1,2}(/|$))[^/]+)*",
    "pypi": r"/pypi/\w[\w.-]*(/\w[\w.!+-]*)?/json",
    "npm": r"/(?!_)(@[\w~-][\w.~-]*/)?[\w~-][\w.~-]*(/\w[\w.+-]*)?",
    "crates": r"/crates/\w[\w-]*(/\d[\w.+-]*)?(/\w+)?",
    "mdn": r"/[a-zA-Z-]+/docs(/(?!\.{1,2}/)[^/]+)+/index\.json",
    "hackernews": r"/items/\d+|/search",
    "stackexchange": r"/(questions|answers|comments|posts)/[\d;]+(/\w+)?",
}


@pytest.mark.promise("hardened-site-paths")
@pytest.mark.parametrize("site", TEMPLATES)
async def test_no_address_becomes_another_request_of_the_api(bench: Bench, site: str) -> None:
    double = bench.web.sites[site]
    if site == "github":
        double.has("/repos/otter/brook", '{"full_name": "otter/brook", "private": false}')
    loader = bench.loader(site, GITHUB_TOKEN=TOKEN)
    for template in TEMPLATES[site]:
        for part in (*HOSTILE, "otter", "12"):
            parsed = urls.parse(template.format(part))
            if parsed is None or not loader.accepts(parsed):
                continue
            with suppress(DowseError):
                await loader.read(parsed.href, Deadline.after(FakeClock(), 30))
    sent = {seen.path.removeprefix(double.path) for seen in double.requests}
    # The control: the harmless parts do reach the API.
    assert sent
    assert not any({"b", "b="} & seen.params.keys() for seen in double.requests)
    assert {path for path in sent if not re.fullmatch(ALLOWED[site], path)} == set()
