"""Jina's reader and search: what their headers and fields do, and the address in the path."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from dowse.contracts.endpoint import HttpRequest
from dowse.contracts.wires import jina
from dowse.core.errors import RequestRefused
from dowse.core.models import Body, Facts, Text
from tests.fakes.scripted import PlainExtractor
from tests.fakes.wiring import PAGE, WireBench

JSON = {"accept": "application/json"}
LINKED = "# Page\n\nSee [**the guide**](https://example.org/guide)."
READ = ("GET", "/{url:path}")


class Dated(PlainExtractor):
    """Knows the day on which every page was published."""

    async def extract(self, body: Body, *, timeout_s: float) -> Text:
        return Text(body.data.decode(), "Page", 3, facts=Facts(published="2026-09-14"))


@pytest.mark.parametrize(
    ("sent", "host"),
    [({}, ()), ({"x-site": "example.org"}, ("example.org",)), ({"x-site": "https://docs.test/a"}, ("docs.test",))],
)
async def test_x_site_searches_one_site(sent: Mapping[str, str], host: tuple[str, ...]) -> None:
    query = await WireBench("jina").searched("GET", "/search", query={"q": "bridge"}, headers=sent)
    assert query.include_domains == host


@pytest.mark.parametrize(
    ("headers", "body", "read"),
    [
        ({}, {}, [PAGE]),
        ({"x-respond-with": "no-content"}, {}, []),
        ({}, {"respondWith": "no-content"}, []),
        ({"x-respond-with": "markdown"}, {}, [PAGE]),
    ],
)
async def test_no_content_reads_no_page(headers: Mapping[str, str], body: dict[str, object], read: list[str]) -> None:
    bench = WireBench("jina")
    reply = await bench.ask("POST", "/search", headers=headers, body={"q": "bridge", **body})
    assert (reply.status, bench.read) == (200, read)


@pytest.mark.parametrize(
    ("query", "field", "expected"),
    [
        ({"num": "4"}, "num_results", 4),
        ({"num": "4", "count": "2"}, "num_results", 2),
        ({"page": "3"}, "page", 3),
        ({"hl": "de"}, "language", "de"),
        ({"gl": "ch"}, "country", "CH"),
        ({"location": "Basel"}, "location", "Basel"),
    ],
)
async def test_fields_of_a_search_reach_the_provider(query: dict[str, str], field: str, expected: object) -> None:
    asked = await WireBench("jina").searched("GET", "/search", query={"q": "bridge", **query})
    assert getattr(asked, field) == expected


async def test_the_query_in_the_path_is_the_one_that_counts() -> None:
    path = "/search/{query:path}"
    asked = await WireBench("jina").searched("GET", path, params={"query": "a/b"}, query={"q": "bridge"})
    assert asked.text == "a/b"


async def test_x_timeout_bounds_a_search() -> None:
    bench = WireBench("jina")
    await bench.searched("GET", "/search", query={"q": "bridge"}, headers={"x-timeout": "5"})
    assert bench.bench.provider.given_s[0] < 5


async def test_text_is_shown_to_those_who_ask_for_it_and_json_to_all_others() -> None:
    bench, sent = WireBench("jina"), {"q": "bridge"}
    told = [
        await bench.ask("GET", "/search", query=sent, headers=each) for each in ({}, JSON, {"accept": "text/plain"})
    ]
    assert told[0].data == told[1].data
    assert isinstance(told[2].data, str)
    assert [each["url"] for each in json.loads(told[2].data)] == [PAGE]


@pytest.mark.parametrize(
    ("headers", "links"),
    [
        (JSON, None),
        ({**JSON, "x-with-links-summary": "true"}, {"https://example.org/guide": "https://example.org/guide"}),
        ({**JSON, "x-with-links-summary": "false"}, None),
    ],
)
async def test_links_are_summed_up_on_request(headers: Mapping[str, str], links: object) -> None:
    reply = await WireBench("jina", text=LINKED).ask(*READ, params={"url": PAGE}, headers=headers)
    assert isinstance(reply.data, dict)
    assert reply.data["data"].get("links") == links


@pytest.mark.parametrize(
    ("headers", "age_s", "is_fresh"),
    [
        ({}, 60, False),
        ({"x-no-cache": "true"}, 0, True),
        ({"x-no-cache": "false"}, 60, False),
        ({"x-cache-tolerance": "900"}, 60, False),
        ({"x-cache-tolerance": "30"}, 60, True),
        ({"x-cache-tolerance": "900", "x-no-cache": "true"}, 60, True),
    ],
)
async def test_a_copy_is_no_older_than_the_headers_allow(
    headers: Mapping[str, str], age_s: float, is_fresh: bool
) -> None:
    bench = WireBench("jina", is_remembering=True)
    await bench.ask(*READ, params={"url": PAGE})
    bench.bench.clock.advance(age_s)
    await bench.ask(*READ, params={"url": PAGE}, headers=headers)
    assert bench.read == [PAGE] * (2 if is_fresh else 1)


async def test_the_day_of_a_page_is_told_in_text_and_in_json() -> None:
    bench = WireBench("jina", extractor=Dated())
    text = await bench.ask(*READ, params={"url": PAGE})
    told = await bench.ask(*READ, params={"url": PAGE}, headers=JSON)
    assert text.data == (
        f"Title: Page\n\nURL Source: {PAGE}\n\nPublished Time: 2026-09-14\n\n"
        "Markdown Content:\n# Page\n\nThe text of the page.\n"
    )
    assert isinstance(told.data, dict)
    assert told.data["data"]["publishedTime"] == "2026-09-14"
    undated = await WireBench("jina").ask(*READ, params={"url": PAGE})
    assert "Published Time" not in str(undated.data)


@pytest.mark.parametrize(
    ("params", "query", "address"),
    [
        ({"url": "https://example.org/page"}, {}, "https://example.org/page"),
        ({"url": "https:/example.org/page"}, {}, "https://example.org/page"),
        ({"url": "http:/example.org/a//b"}, {}, "http://example.org/a//b"),
        ({"url": "https:/example.org/page"}, {"a": "1", "b": "x y"}, "https://example.org/page?a=1&b=x+y"),
        ({}, {"url": "https://example.org/page"}, "https://example.org/page"),
    ],
)
async def test_an_address_in_the_path_survives_folding_and_keeps_its_query(
    params: dict[str, str], query: dict[str, str], address: str
) -> None:
    bench = WireBench("jina")
    await bench.ask(*READ, params=params, query=query)
    assert bench.read == [address]


@pytest.mark.parametrize(
    ("headers", "body", "content", "warning"),
    [
        ({}, {}, LINKED, None),
        ({"x-return-format": "text"}, {}, "Page\n\nSee the guide.", None),
        ({"x-respond-with": "Text"}, {}, "Page\n\nSee the guide.", None),
        ({}, {"respondWith": "text"}, "Page\n\nSee the guide.", None),
        ({"x-return-format": "html"}, {}, LINKED, "without effect here: x-return-format html"),
        ({"x-target-selector": "#main"}, {}, LINKED, "without effect here: x-target-selector"),
        ({}, {"colour": "red"}, LINKED, "without effect here: colour"),
    ],
)
async def test_the_form_of_a_page_is_the_wanted_one_or_the_answer_says_so(
    headers: Mapping[str, str], body: dict[str, object], content: str, warning: str | None
) -> None:
    bench = WireBench("jina", text=LINKED)
    reply = await bench.ask("POST", "", headers={**JSON, **headers}, body={"url": PAGE, **body})
    assert isinstance(reply.data, dict)
    assert reply.data["data"]["content"].strip() == content
    assert reply.headers.get("X-Dowse-Warnings") == warning


async def test_a_form_is_as_good_as_json() -> None:
    bench = WireBench("jina")
    headers = {"content-type": "application/x-www-form-urlencoded"}
    reply = await bench.ask("POST", "", headers=headers, data=b"url=https%3A%2F%2Fexample.org%2Fpage")
    assert (reply.status, bench.read) == (200, [PAGE])


@pytest.mark.parametrize(
    ("status", "name"),
    [
        (400, "ParamValidationError"),
        (401, "AuthenticationFailedError"),
        (403, "SecurityCompromiseError"),
        (404, "AssertionFailureError"),
        (429, "RateLimitTriggeredError"),
    ],
)
def test_an_error_has_the_name_that_clients_know(status: int, name: str) -> None:
    reply = jina.fail(RequestRefused(status, "x"), HttpRequest())
    assert isinstance(reply.data, dict)
    assert (reply.data["name"], reply.data["status"], reply.status) == (name, status * 100, status)
