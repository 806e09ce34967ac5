from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import NoReturn

import pytest
from aiohttp import web
from aiohttp.test_utils import RawTestServer

from dowse.core.errors import PageUnreadable
from dowse.core.models import Body, Onward, Status, Validators
from dowse.core.protocols import Fetcher
from dowse.core.wire_errors import (
    HostNotFound,
    TooManyRedirects,
    WireDenied,
    WireError,
    WireFailed,
    WireTimeout,
    WireTooLarge,
)
from dowse.fetch.direct import DirectFetcher
from dowse.net.clients import UntrustedClient
from dowse.net.guard import Guard
from tests.support.tables import each_row

LocalFallback = Callable[..., Awaitable[tuple[DirectFetcher, str]]]


async def loopback(host: str, port: int) -> list[str]:
    return ["127.0.0.1"] if host == "site.example" else []


@pytest.fixture
async def fallback() -> AsyncIterator[LocalFallback]:
    """A fetcher and the URL at which a server gives the answer."""
    servers: list[RawTestServer] = []
    clients: list[UntrustedClient] = []

    async def start(status: int = 200, body: bytes = b"", **headers: str) -> tuple[DirectFetcher, str]:
        async def handler(request: web.BaseRequest) -> web.Response:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            return web.Response(status=status, body=body, headers=named)

        server = RawTestServer(handler, host="127.0.0.1")
        await server.start_server()
        servers.append(server)
        clients.append(UntrustedClient(Guard((f"site.example:{server.port}",), loopback), "dowse/test"))
        return DirectFetcher(clients[-1], max_bytes=1000), f"http://site.example:{server.port}/page"

    yield start
    for client in clients:
        await client.close()
    for server in servers:
        await server.close()


async def failure(fetcher: DirectFetcher, url: str, timeout_s: float = 5) -> tuple[Status, Onward, str]:
    with pytest.raises(PageUnreadable) as caught:
        await fetcher.fetch(url, timeout_s=timeout_s)
    return caught.value.status, caught.value.onward, caught.value.detail


async def test_page_comes_with_its_type_and_charset(fallback: LocalFallback) -> None:
    fetcher, url = await fallback(body=b"<p>hi", content_type="text/html; charset=ISO-8859-1")
    as_seam: Fetcher = fetcher

    assert as_seam.name == "direct"
    assert await as_seam.fetch(url, timeout_s=5) == Body(url, b"<p>hi", "text/html", "iso-8859-1")


async def test_page_comes_with_what_tells_later_whether_it_has_changed(fallback: LocalFallback) -> None:
    dated = "Wed, 02 Apr 2025 10:11:12 GMT"
    fetcher, url = await fallback(body=b"<p>hi", content_type="text/html", etag='W/"4f1c"', last_modified=dated)

    assert (await fetcher.fetch(url, timeout_s=5)).validators == Validators('W/"4f1c"', dated)


async def test_untyped_text_gets_a_type(fallback: LocalFallback) -> None:
    fetcher, url = await fallback(body=b"<html><p>hi", content_type="*/*")

    assert (await fetcher.fetch(url, timeout_s=5)).media_type == "text/html"


@pytest.mark.parametrize(
    ("code", "status", "onward"),
    [
        (304, Status.ERROR, Onward.SCRAPE_APIS),
        (400, Status.ERROR, Onward.ANY_READER),
        (401, Status.LOGIN_REQUIRED, Onward.NONE),
        (402, Status.LOGIN_REQUIRED, Onward.NONE),
        (403, Status.BLOCKED, Onward.ANY_READER),
        (404, Status.NOT_FOUND, Onward.NONE),
        (406, Status.ERROR, Onward.ANY_READER),
        (407, Status.LOGIN_REQUIRED, Onward.NONE),
        (408, Status.ERROR, Onward.SCRAPE_APIS),
        (410, Status.NOT_FOUND, Onward.NONE),
        (418, Status.ERROR, Onward.ANY_READER),
        (429, Status.BLOCKED, Onward.ANY_READER),
        (451, Status.BLOCKED, Onward.NONE),
        (500, Status.ERROR, Onward.SCRAPE_APIS),
        (502, Status.ERROR, Onward.SCRAPE_APIS),
        (503, Status.BLOCKED, Onward.ANY_READER),
        (504, Status.ERROR, Onward.SCRAPE_APIS),
        (522, Status.ERROR, Onward.SCRAPE_APIS),
        (999, Status.ERROR, Onward.SCRAPE_APIS),
    ],
)
async def test_http_status_decides_what_became_of_the_page_and_who_is_asked_next(
    fallback: LocalFallback, code: int, status: Status, onward: Onward
) -> None:
    assert await failure(*await fallback(code, b"sorry")) == (status, onward, f"HTTP {code}")


@each_row(
    ("error", "status", "onward"),
    [
        (WireDenied(), Status.DENIED, Onward.NONE),
        (WireTooLarge("large"), Status.TOO_LARGE, Onward.NONE),
        (WireTimeout("late"), Status.TIMEOUT, Onward.SCRAPE_APIS),
        (HostNotFound(), Status.ERROR, Onward.NONE),
        (TooManyRedirects(), Status.ERROR, Onward.ANY_READER),
        (WireFailed("reset"), Status.ERROR, Onward.SCRAPE_APIS),
    ],
)
async def test_failure_of_the_wire_decides_who_is_asked_next(error: WireError, status: Status, onward: Onward) -> None:
    class Failing(UntrustedClient):
        async def get(self, *_: object, **__: object) -> NoReturn:
            raise error

    fetcher = DirectFetcher(Failing(Guard(), "dowse/test"), max_bytes=1000)

    assert await failure(fetcher, "http://site.example/") == (status, onward, str(error))


@pytest.mark.parametrize(
    ("header", "body", "detail"),
    [
        ("application/zip", b"PK\x03\x04", "application/zip"),
        ("image/png", b"\x89PNG\r\n\x1a\n", "image/png"),
        ("application/octet-stream", b"text", "application/octet-stream"),
        ("text/html", b"GIF89a", "image/gif"),
        ("text/html", b"<p>\x00", "application/octet-stream"),
        ("*/*", b"\x01\x02", "application/octet-stream"),
    ],
)
async def test_what_is_no_text_is_unsupported(fallback: LocalFallback, header: str, body: bytes, detail: str) -> None:
    assert await failure(*await fallback(body=body, content_type=header)) == (Status.UNSUPPORTED, Onward.NONE, detail)


async def test_a_pdf_under_a_wrong_name_comes_as_what_it_is(fallback: LocalFallback) -> None:
    fetcher, url = await fallback(body=b"%PDF-1.7", content_type="text/html")

    assert await fetcher.fetch(url, timeout_s=5) == Body(url, b"%PDF-1.7", "application/pdf")


@pytest.mark.parametrize("status", [200, 403, 503])
async def test_a_challenge_that_its_header_names_is_blocked(fallback: LocalFallback, status: int) -> None:
    answer = await fallback(status, b"<p>text</p>", content_type="text/html", cf_mitigated="challenge")
    outcome = await failure(*answer)

    assert outcome == (Status.BLOCKED, Onward.ANY_READER, "challenge page (Cloudflare)")


async def test_page_over_the_limit_is_too_large(fallback: LocalFallback) -> None:
    outcome = await failure(*await fallback(body=b"x" * 1001, content_type="text/plain"))

    assert outcome == (Status.TOO_LARGE, Onward.NONE, "the answer is larger than the limit")


async def test_redirect_loop_is_an_error(fallback: LocalFallback) -> None:
    outcome = await failure(*await fallback(302, location="/page"))

    assert outcome == (Status.ERROR, Onward.ANY_READER, "too many redirects")


async def test_denied_address_is_told_without_its_reason(fallback: LocalFallback) -> None:
    fetcher, _ = await fallback()

    assert await failure(fetcher, "http://169.254.169.254/") == (Status.DENIED, Onward.NONE, "address not allowed")


async def test_unknown_host_is_an_error(fallback: LocalFallback) -> None:
    fetcher, _ = await fallback()

    assert await failure(fetcher, "http://gone.example/") == (Status.ERROR, Onward.NONE, "host not found")


async def test_refused_connection_is_an_error() -> None:
    client = UntrustedClient(Guard(("site.example:1",), loopback), "dowse/test")

    assert await failure(DirectFetcher(client, max_bytes=1000), "http://site.example:1/") == (
        Status.ERROR,
        Onward.SCRAPE_APIS,
        "no connection",
    )
    await client.close()


async def test_silent_server_is_a_timeout() -> None:
    async def silent(host: str, port: int) -> list[str]:
        return await asyncio.get_running_loop().create_future()

    fetcher = DirectFetcher(UntrustedClient(Guard(resolver=silent), "dowse/test"), max_bytes=1000)

    assert await failure(fetcher, "http://site.example/", 0.1) == (
        Status.TIMEOUT,
        Onward.SCRAPE_APIS,
        "no answer in time",
    )
