"""Firecrawl's statuses, its lockdown, and the fields of its search, scrape and map."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from dowse.contracts.endpoint import HttpRequest
from dowse.contracts.wires import firecrawl
from dowse.contracts.wires.fields import Fields
from dowse.core.errors import (
    AllProvidersFailed,
    DowseError,
    InvalidRequest,
    Overloaded,
    PageUnreadable,
    RateLimited,
    RequestRefused,
    TimedOut,
)
from dowse.core.models import Category, Status
from dowse.flows.batch import RUNNING
from tests.fakes.sites import SITE, Cartographer, urlset
from tests.fakes.wiring import PAGE, WireBench

START = f'<a href="{SITE}/linked?page=2">Linked</a><a href="https://docs.example.org/below">Below</a>'
FILES = {f"{SITE}/sitemap.xml": urlset(f"{SITE}/listed")}
LINKED, LISTED, BELOW = f"{SITE}/linked", f"{SITE}/listed", "https://docs.example.org/below"


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (RequestRefused(502, "bad gateway"), 500),
        (PageUnreadable(Status.NOT_FETCHED), 500),
        (AllProvidersFailed((TimedOut("serper"), TimedOut("tavily")), ()), 500),
        (PageUnreadable(Status.TIMEOUT), 408),
        (AllProvidersFailed((RateLimited("serper"),), ()), 429),
        (Overloaded(1), 503),
        (InvalidRequest("x"), 400),
    ],
)
def test_no_error_has_a_status_at_which_the_sdks_try_again_and_again(error: DowseError, status: int) -> None:
    reply = firecrawl.fail(error, HttpRequest())
    assert reply.status == status
    assert isinstance(reply.data, dict)
    assert reply.data["success"] is False


@pytest.mark.parametrize("version", [1, 2])
async def test_lockdown_is_refused_before_anything_is_fetched(version: int) -> None:
    bench = WireBench("firecrawl")
    path = f"/v{version}/scrape"
    refused = await bench.ask("POST", path, body={"url": PAGE, "lockdown": True})
    assert (refused.status, bench.read) == (404, [])
    assert "SCRAPE_LOCKDOWN_CACHE_MISS" in str(refused.data)
    served = await bench.ask("POST", path, body={"url": PAGE, "lockdown": False})
    assert (served.status, bench.read) == (200, [PAGE])


@pytest.mark.parametrize(
    ("sent", "age_s", "is_fresh"),
    [({}, 60, False), ({"maxAge": 0}, 0, True), ({"maxAge": 900_000}, 60, False), ({"maxAge": 30_000}, 60, True)],
)
async def test_a_copy_is_no_older_than_the_caller_takes(sent: dict[str, object], age_s: float, is_fresh: bool) -> None:
    bench = WireBench("firecrawl", is_remembering=True)
    await bench.post("/v2/scrape", url=PAGE)
    bench.bench.clock.advance(age_s)
    await bench.post("/v2/scrape", url=PAGE, **sent)
    assert bench.read == [PAGE] * (2 if is_fresh else 1)


@pytest.mark.parametrize(
    ("version", "sent", "found"),
    [
        (2, {}, {LINKED, LISTED, BELOW}),
        (1, {}, {f"{LINKED}?page=2", LISTED, BELOW}),
        (2, {"sitemap": "skip"}, {LINKED, BELOW}),
        (2, {"sitemap": "only"}, {LISTED}),
        (1, {"ignoreSitemap": True}, {f"{LINKED}?page=2", BELOW}),
        (1, {"sitemapOnly": True}, {LISTED}),
        (1, {"ignoreSitemap": True, "sitemapOnly": True}, {LISTED}),
        (2, {"includeSubdomains": False}, {LINKED, LISTED}),
        (2, {"ignoreQueryParameters": False}, {f"{LINKED}?page=2", LISTED, BELOW}),
        (1, {"ignoreQueryParameters": True}, {LINKED, LISTED, BELOW}),
        (2, {"search": "listed", "limit": 1}, {LISTED}),
    ],
)
async def test_options_of_a_map_choose_its_sources_and_its_links(
    version: int, sent: dict[str, object], found: set[str]
) -> None:
    told = await WireBench("firecrawl", site=Cartographer(START, FILES)).post(f"/v{version}/map", url=SITE, **sent)
    links = {each if version == 1 else each["url"] for each in told["links"]}
    assert links - {f"{SITE}/"} == found


@pytest.mark.parametrize(
    ("sent", "field", "expected"),
    [
        ({"lang": "de"}, "language", "de"),
        ({"country": "us"}, "country", "us"),
        ({"categories": ["research"]}, "category", Category.SCIENCE),
        ({"categories": ["cats"]}, "category", None),
        ({"timeout": 2500}, "timeout_s", 2.5),
    ],
)
def test_fields_of_a_search_become_those_of_the_query(sent: dict[str, object], field: str, expected: object) -> None:
    assert getattr(firecrawl.to_wanted(Fields({"query": "bridge", **sent})), field) == expected


@pytest.mark.parametrize(
    ("version", "sent", "read"),
    [
        (2, {}, [PAGE]),
        (2, {"highlights": False}, []),
        (1, {}, []),
        (1, {"highlights": True}, [PAGE]),
        (1, {"scrapeOptions": {"formats": ["links"]}}, [PAGE]),
    ],
)
async def test_pages_are_read_for_highlights_or_formats_only(
    version: int, sent: dict[str, object], read: list[str]
) -> None:
    bench = WireBench("firecrawl")
    await bench.post(f"/v{version}/search", query="bridge", **sent)
    assert bench.read == read


async def test_sources_that_are_unknown_are_named_and_v1_has_but_one() -> None:
    second: Any = await WireBench("firecrawl").post("/v2/search", query="bridge", sources=["news", "maps"])
    first: Any = await WireBench("firecrawl").post("/v1/search", query="bridge", sources=["news", "maps"])
    assert second["data"].keys() == {"news"}
    assert second["warning"] == "sources that this server does not have: maps"
    assert [each["url"] for each in first["data"]] == [PAGE]


async def finished(bench: WireBench, job: str, skip: str) -> Any:
    """The state of a batch at its end."""
    async with asyncio.timeout(30):
        while True:
            told: Any = (await bench.ask("GET", "/v2/batch/scrape/{id}", params={"id": job}, query={"skip": skip})).data
            if told["status"] != RUNNING:
                return told
            await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("skip", "shown", "has_more"),
    [("", 20, True), ("20", 5, False), ("3", 20, True), ("30", 0, False), ("-1", 20, True), ("9999999", 20, True)],
)
async def test_a_state_begins_with_the_page_that_its_address_names(skip: str, shown: int, has_more: bool) -> None:
    bench, many = WireBench("firecrawl"), [f"{PAGE}/{number}" for number in range(25)]
    bench.pages.update(dict.fromkeys(many, "# Page\n\nThe text of the page."))
    job = (await bench.post("/v2/batch/scrape", urls=many))["id"]
    told = await finished(bench, job, skip)
    assert (len(told["data"]), told["next"] is not None) == (shown, has_more)
    assert told["completed"] == told["total"] == 25


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({"urls": [PAGE, "nowhere at all"]}, 200),
        ({"urls": [PAGE, "nowhere at all"], "ignoreInvalidURLs": False}, 400),
        ({"urls": [PAGE], "ignoreInvalidURLs": False}, 200),
        ({"urls": []}, 400),
    ],
)
async def test_invalid_addresses_are_told_or_refused(sent: dict[str, object], status: int) -> None:
    bench = WireBench("firecrawl")
    reply = await bench.ask("POST", "/v2/batch/scrape", body=sent)
    await bench.batches.close()
    assert reply.status == status
    if status == 200:
        assert isinstance(reply.data, dict)
        assert reply.data["invalidURLs"] == [each for each in sent["urls"] if each != PAGE]  # type: ignore[attr-defined]
