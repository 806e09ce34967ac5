"""Maps of sites and batches of pages over HTTP: what is found, what is bounded, and who may see a batch."""

from __future__ import annotations

import asyncio
import gzip
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.flows.test_wires import OTHER, Api, serving

GOOD, BLOCKED = "/docs/retrying", "/articles/python-315"


def urlset(*addresses: str) -> str:
    return "<urlset>" + "".join(f"<url><loc>{each}</loc></url>" for each in addresses) + "</urlset>"


def index(*addresses: str) -> str:
    entries = "".join(f"<sitemap><loc>{each}</loc></sitemap>" for each in addresses)
    return f"<sitemapindex>{entries}</sitemapindex>"


async def test_a_map_joins_the_start_page_robots_txt_sitemaps_and_llms_txt(server: Server, web: PocketWeb) -> None:
    page = web.page
    web.pages.serves("/robots.txt", f"User-agent: *\nSitemap: {page('/map.xml')}\n", content_type="text/plain")
    web.pages.serves("/map.xml", index(page("/one.xml.gz"), page("/map.xml"), page("/gone.xml")))
    inside = urlset(page("/from-sitemap"), page("/from-sitemap?x=1"), "https://elsewhere.example/")
    web.pages.serves("/one.xml.gz", gzip.compress(inside.encode()), content_type="application/gzip")
    web.pages.serves("/llms.txt", "- [Guide](/guide.md): The xylophone", content_type="text/plain")
    async with serving(server, web) as api:
        _, both, _ = await api.post("/v2/map", url=page("/"), limit=100)
        _, only, _ = await api.post("/v2/map", url=page("/"), sitemap="only", ignoreQueryParameters=False)
        _, none, _ = await api.post("/v2/map", url=page("/"), sitemap="skip")
        _, wanted, _ = await api.post("/v2/map", url=page("/"), search="kettle xylophone", limit=2)
        _, first, _ = await api.post("/v1/map", url=page("/"), limit=3)
        _, tavily, _ = await api.post("/compat/tavily/map", url=page("/"), limit=3)
    found = {each["url"]: each for each in both["links"]}
    assert {page("/"), page("/docs/retrying"), page("/from-sitemap")} <= found.keys()
    assert found[page("/guide.md")] == {"url": page("/guide.md"), "title": "Guide", "description": "The xylophone"}
    assert found[page("/docs/retrying")]["title"] == "Retrying requests"
    assert not any("elsewhere" in url for url in found)
    assert [each["url"] for each in only["links"]] == [
        page("/guide.md"),
        page("/from-sitemap"),
        page("/from-sitemap?x=1"),
    ]
    assert page("/from-sitemap") not in [each["url"] for each in none["links"]]
    assert {each["url"] for each in wanted["links"]} == {page("/guide.md"), page("/products/kettle")}
    assert first["links"][0] == page("/")
    assert all(isinstance(each, str) for each in first["links"])
    assert tavily["results"] == first["links"]


async def test_an_index_of_itself_and_of_thousands_of_sitemaps_is_read_only_so_far(
    server: Server, web: PocketWeb
) -> None:
    many = [web.page(f"/s{number}.xml") for number in range(2000)]
    web.pages.serves("/sitemap.xml", index(web.page("/sitemap.xml"), *many))
    async with serving(server, web) as api:
        _, body, _ = await api.post("/v2/map", url=web.page("/"), sitemap="only")
    assert len(web.pages.requests) <= 40
    assert "sitemaps were not read" in body["warning"]


async def test_a_site_that_cannot_be_read_has_no_map_and_a_private_address_none_at_all(
    server: Server, web: PocketWeb
) -> None:
    web.pages.fails("/", "challenge").fails("/sitemap.xml", "500").fails("/llms.txt", "hang")
    async with serving(server, web) as api:
        blocked, body, _ = await api.post("/v2/map", url=web.page("/"), timeout=3000)
        denied, told, _ = await api.post("/v2/map", url="http://169.254.169.254/")
        secret, _, _ = await api.post("/compat/tavily/map", url="http://[::ffff:10.0.0.1]/")
    assert (blocked, body["code"]) == (403, "SCRAPE_SITE_ERROR")
    assert (denied, told["code"]) == (403, "SCRAPE_ADDRESS_NOT_ALLOWED")
    assert secret == 403


async def finished(api: Api, url: str) -> dict[str, Any]:
    """The state of a batch at its end."""
    async with asyncio.timeout(30):
        while True:
            _, state, _ = await api.ask("GET", url.removeprefix(api.origin))
            if state["status"] != "scraping":
                return dict(state)
            await asyncio.sleep(0.02)


async def start(api: Api, *urls: str, **options: object) -> str:
    status, body, _ = await api.post("/v2/batch/scrape", urls=list(urls), **options)
    assert status == 200, body
    return str(body["url"])


async def test_a_batch_reads_its_pages_and_tells_those_that_failed(server: Server, web: PocketWeb) -> None:
    web.pages.fails(BLOCKED, "challenge")
    async with serving(server, web) as api:
        url = await start(api, web.page(GOOD), web.page(BLOCKED), formats=["markdown", "links"])
        state = await finished(api, url)
        _, errors, _ = await api.ask("GET", url.removeprefix(api.origin) + "/errors")
    assert (state["success"], state["status"], state["total"], state["completed"]) == (True, "completed", 2, 2)
    (page,) = state["data"]
    assert page["markdown"].startswith("# Retrying requests")
    assert page["metadata"]["sourceURL"] == web.page(GOOD)
    assert [(each["url"], each["code"]) for each in errors["errors"]] == [(web.page(BLOCKED), "SCRAPE_SITE_ERROR")]


async def test_a_long_batch_is_told_in_parts_that_lead_to_each_other(server: Server, web: PocketWeb) -> None:
    async with serving(server, web) as api:
        state = await finished(api, await start(api, *(web.page(f"{GOOD}?n={n}") for n in range(45))))
        seen = [each["metadata"]["sourceURL"] for each in state["data"]]
        while state["next"]:
            _, state, _ = await api.ask("GET", state["next"].removeprefix(api.origin))
            seen += [each["metadata"]["sourceURL"] for each in state["data"]]
    assert len(seen) == len(set(seen)) == 45


@pytest.mark.promise("wire-batch-private")
async def test_a_batch_is_seen_and_cancelled_by_its_caller_only_through_any_replica(
    server: Server, web: PocketWeb, tmp_path: Path
) -> None:
    web.pages.fails("/hang", "hang")
    shared = {"DOWSE_STATE": f"sqlite:///{tmp_path / 'state.db'}"}
    async with serving(server, web, **shared) as one, serving(server, web, **shared) as two:
        url = await start(one, *(web.page(f"/hang?n={n}") for n in range(3)))
        path = url.removeprefix(one.origin)
        await web.pages.arrived(1)
        foreign = [await each.ask(method, path, OTHER) for each in (one, two) for method in ("GET", "DELETE")]
        seen, state, _ = await two.ask("GET", path)
        cancelled, told, _ = await two.ask("DELETE", path)
        after = [(await each.ask("GET", path))[1]["status"] for each in (one, two)]
        again, _, _ = await two.ask("GET", path.replace("/v2/", "/v1/"))
    assert [status for status, _, _ in foreign] == [404] * 4
    assert (seen, state["status"], state["data"]) == (200, "scraping", [])
    assert (cancelled, told["status"]) == (200, "cancelled")
    assert after == ["cancelled", "cancelled"]
    assert again == 200


async def test_a_batch_is_bounded_in_its_pages_and_a_caller_in_its_batches(server: Server, web: PocketWeb) -> None:
    web.pages.fails("/hang", "hang")
    async with serving(server, web) as api:
        many, _, _ = await api.post("/v2/batch/scrape", urls=[web.page(f"/{n}") for n in range(201)])
        none, _, _ = await api.post("/v2/batch/scrape", urls=["not an address"])
        started = [await api.post("/v2/batch/scrape", urls=[web.page("/hang")]) for _ in range(4)]
        other, _, _ = await api.ask("POST", "/v2/batch/scrape", OTHER, json={"urls": [web.page(GOOD)]})
        unknown, _, _ = await api.ask("GET", "/v2/batch/scrape/" + "0" * 32)
    assert (many, none) == (400, 400)
    assert [status for status, _, _ in started] == [200, 200, 200, 429]
    assert (other, unknown) == (200, 404)
