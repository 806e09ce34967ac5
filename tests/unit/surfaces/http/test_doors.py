"""Paths and the endpoints behind them."""

from __future__ import annotations

import pytest

from dowse.contracts.endpoint import HttpEndpoint, HttpReply, HttpRequest, Wire
from dowse.core.errors import DowseError, RequestRefused
from dowse.core.protocols import Door
from dowse.core.runtime import CallContext
from dowse.surfaces.http.doors import DoorMatch, Doors
from tests.support.tables import each_row


async def call(_request: HttpRequest, _context: CallContext) -> HttpReply:
    return HttpReply()


def fail(error: DowseError, _request: HttpRequest) -> HttpReply:
    return HttpReply(str(error))


def endpoint(path: str, *methods: str, scopes: tuple[str, ...] = ()) -> HttpEndpoint:
    return HttpEndpoint(methods or ("POST",), path, "web_search", call, fail, scopes=scopes)


FIRECRAWL = Wire(
    "firecrawl",
    Door.FIRECRAWL,
    ("/compat/firecrawl", ""),
    (endpoint("/v1/crawl/{id}", "GET"), endpoint("/v1/crawl/{id}", "DELETE"), endpoint("/v1/crawl")),
)
JINA = Wire("jina", Door.JINA, ("/compat/jina",), (endpoint("/{url:path}", "GET"), endpoint("", "GET", "POST")))
REST = Wire(
    "rest",
    Door.REST,
    ("/api/v1",),
    (endpoint("/search", "GET", "POST"), endpoint("/doctor", "GET", scopes=("console",))),
)
DOORS = Doors([FIRECRAWL, JINA, REST])


@each_row(
    ("path", "wire", "params"),
    [
        ("/v1/crawl", "firecrawl", {}),
        ("/v1/crawl/", "firecrawl", {}),
        ("/compat/firecrawl/v1/crawl/17", "firecrawl", {"id": "17"}),
        ("/compat/jina", "jina", {}),
        ("/compat/jina/", "jina", {}),
        ("/compat/jina/https://example.org/a?b", "jina", {"url": "https://example.org/a?b"}),
        ("/api/v1/search", "rest", {}),
    ],
)
def test_a_path_leads_to_its_wire(path: str, wire: str, params: dict[str, str]) -> None:
    found = DOORS.find(path)
    assert found and found.endpoints
    assert (found.wire.name, dict(found.params)) == (wire, params)


@each_row("path", ["/api/v1/nothing", "/api/v1", "/api/v1/search/more", "/compat/firecrawl/v3"])
def test_below_a_mount_every_path_has_the_shape_of_its_wire(path: str) -> None:
    found = DOORS.find(path)
    assert found and not found.endpoints
    with pytest.raises(RequestRefused) as refused:
        found.endpoint("GET")
    assert refused.value.status == 404
    assert found.fail(refused.value, HttpRequest()).data == str(refused.value)


@each_row(
    "path", ["/", "", "/mcp", "/v1/mcp", "/healthz", "/v1/crawled", "/api/v10/search", "/compat", "/v1/crawl/a/b"]
)
def test_other_paths_belong_to_no_wire(path: str) -> None:
    assert DOORS.find(path) is None


def test_methods_of_one_path_are_told_apart() -> None:
    found = DOORS.find("/v1/crawl/17")
    assert found
    assert found.endpoint("GET") is found.endpoint("HEAD") is not found.endpoint("DELETE")
    with pytest.raises(RequestRefused) as refused:
        found.endpoint("POST")
    assert (refused.value.status, str(refused.value)) == (405, "only GET and DELETE are here")


def test_an_endpoint_may_need_another_scope_than_its_wire() -> None:
    scopes = [match.scopes for match in map(DOORS.find, ("/api/v1/search", "/api/v1/doctor", "/api/v1/none")) if match]
    # The scope of the wire is the default of `Wire`.
    assert scopes == [{"wires"}, {"console"}, {"wires"}]


def test_a_parameter_may_not_take_every_path_of_the_server() -> None:
    with pytest.raises(AssertionError):
        Doors([Wire("greedy", Door.JINA, ("",), (endpoint("/{url:path}", "GET"),))])


def test_a_request_has_its_query_and_headers_but_no_token() -> None:
    scope = {
        "method": "GET",
        "query_string": b"q=a%20b&q=c&api_key=a-token&empty=",
        "headers": [(b"accept", b"a/b"), (b"accept", b"c/d"), (b"x-\xe9", b"\xe9")],
    }
    request = DoorMatch(REST, "/api/v1").request(scope, "https://search.example.org")
    assert request.query == {"q": ("a b", "c"), "empty": ("",)}
    assert request.headers == {"accept": "a/b, c/d", "x-é": "é"}
    assert request.base_url == "https://search.example.org/api/v1"


def test_a_query_with_too_many_fields_is_refused() -> None:
    scope = {"method": "GET", "query_string": b"a=1&" * 600, "headers": []}
    with pytest.raises(RequestRefused) as refused:
        DoorMatch(REST, "/api/v1").request(scope, "")
    assert refused.value.status == 400
