"""The OpenAPI document: valid, complete, true to the tables and outputs that it is made from, and that of the snapshot.

To renew the snapshot: delete openapi.json, run this once with UPDATE_SNAPSHOTS=1, and read what has changed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from dowse.app import App
from dowse.contracts.endpoint import HttpReply, HttpRequest
from dowse.contracts.rest.examples import EXAMPLES
from dowse.contracts.rest.page import render
from dowse.core.runtime import CallContext
from dowse.settings.sources import load

pytestmark = pytest.mark.promise("rest-schema")

REST = App(load({"DOWSE_STATE": "memory:"}, {}).settings).wires[0]
SNAPSHOT = Path(__file__).with_name("openapi.json")
PATHS = ("search", "read", "answer", "extract", "rerank", "providers", "usage", "doctor", "explain", "stats")


async def fetch(path: str) -> HttpReply:
    endpoint = next(each for each in REST.endpoints if each.path == path)
    return await endpoint.call(HttpRequest(base_url="https://search.example.org/api/v1"), CallContext())


@pytest.fixture
async def document() -> Any:
    return json.loads(json.dumps((await fetch("/openapi.json")).data))


async def test_the_document_is_valid(document: Any) -> None:
    OpenAPIV31SpecValidator(document).validate()
    assert document["openapi"] == "3.1.0"
    assert document["servers"] == [{"url": "https://search.example.org/api/v1"}]


async def test_the_document_is_that_of_the_snapshot(document: Any) -> None:
    """Clients are generated from it: a changed name, type or status breaks them."""
    document["info"].pop("version")
    if not SNAPSHOT.exists() and os.environ.get("UPDATE_SNAPSHOTS") == "1":
        SNAPSHOT.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    assert document == json.loads(SNAPSHOT.read_text(encoding="utf-8"))


async def test_every_operation_has_a_schema_and_examples_that_fit_it(document: Any) -> None:
    schemas = document["components"]["schemas"]
    assert sorted(document["paths"]) == sorted(f"/{name}" for name in PATHS)
    assert {path.path for path in REST.endpoints} == {*document["paths"], "/openapi.json", "/docs"}
    for name in PATHS:
        jsonschema.validate(EXAMPLES[name], schemas[name])
        for method, operation in document["paths"][f"/{name}"].items():
            content = operation["responses"]["200"]["content"]
            assert content["application/json"]["example"] == EXAMPLES[name]
            assert ("304" in operation["responses"]) == (method == "get")
            body = operation.get("requestBody", {}).get("content", {}).get("application/json")
            if body:
                jsonschema.validate(body["example"], body["schema"])


async def test_every_argument_of_a_tool_is_documented(document: Any) -> None:
    """Those too that the tool does not list to models, which pay for each word."""
    body = document["paths"]["/search"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert {"query", "timeout_s", "offline_mode", "safe_search", "include_domains"} <= set(body["properties"])
    listed = document["paths"]["/search"]["get"]["parameters"]
    assert {each["name"] for each in listed} == {*body["properties"], "If-None-Match"}
    assert set(document["paths"]["/extract"]["post"]["requestBody"]["content"]) == {"application/json", "text/html"}


class Elements(HTMLParser):
    """The elements of a page with their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def addresses(self) -> Iterator[str]:
        return (
            value or "" for _, attributes in self.found for name, value in attributes.items() if name in ("src", "href")
        )


async def test_the_page_shows_every_operation_and_loads_nothing() -> None:
    reply = await fetch("/docs")
    assert isinstance(reply.data, str)
    page = Elements()
    page.feed(reply.data)
    tags = {tag for tag, _ in page.found}
    assert tags & {"script", "img", "link", "iframe", "object", "form"} == set()
    assert all(address.startswith("#") or address == "openapi.json" for address in page.addresses())
    assert {attributes["id"] for tag, attributes in page.found if tag == "section"} >= set(PATHS)
    policy = reply.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-") and "unsafe" not in policy


async def test_no_text_of_the_document_is_markup_on_the_page(document: Any) -> None:
    markup = "<script>alert(1)</script>"
    document["info"]["description"] = document["paths"]["/search"]["post"]["summary"] = markup
    document["servers"] = [{"url": markup}]
    html = render(document)
    assert markup not in html
    assert html.count("&lt;script&gt;") == 3
