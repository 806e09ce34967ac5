from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from aiohttp import web
from aiohttp.test_utils import RawTestServer

from dowse.errors import PageUnreadable
from dowse.fetch.direct import DirectFetcher
from dowse.interfaces import Fetcher
from dowse.models import Body, Status
from dowse.net.clients import UntrustedClient
from dowse.net.guard import Guard

Reach = Callable[..., Awaitable[tuple[DirectFetcher, str]]]


async def loopback(host: str, port: int) -> list[str]:
    return ["127.0.0.1"] if host == "site.example" else []


@pytest.fixture
async def reach() -> AsyncIterator[Reach]:
    """A fetcher and the URL at which a server gives the answer."""
    servers: list[RawTestServer] = []

    async def start(status: int = 200, body: bytes = b"", **headers: str) -> tuple[DirectFetcher, str]:
        async def handler(request: web.BaseRequest) -> web.Response:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            return web.Response(status=status, body=body, headers=named)

        server = RawTestServer(handler, host="127.0.0.1")
        await server.start_server()
        servers.append(server)
        client = UntrustedClient(Guard((f"site.example:{server.port}",), loopback), "dowse/test")
        return DirectFetcher(client, max_bytes=1000), f"http://site.example:{server.port}/page"

    yield start
    for server in servers:
        await server.close()


async def failure(fetcher: DirectFetcher, url: str, timeout_s: float = 5) -> tuple[Status, str]:
    with pytest.raises(PageUnreadable) as caught:
        await fetcher.fetch(url, timeout_s=timeout_s)
    return caught.value.status, caught.value.detail


async def test_page_comes_with_its_type_and_charset(reach: Reach) -> None:
    fetcher, url = await reach(body=b"<p>hi", content_type="text/html; charset=ISO-8859-1")
    as_seam: Fetcher = fetcher

    assert as_seam.name == "direct"
    assert await as_seam.fetch(url, timeout_s=5) == Body(url, b"<p>hi", "text/html", "iso-8859-1")


async def test_untyped_text_gets_a_type(reach: Reach) -> None:
    fetcher, url = await reach(body=b"<html><p>hi", content_type="*/*")

    assert (await fetcher.fetch(url, timeout_s=5)).media_type == "text/html"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (400, (Status.ERROR, "HTTP 400")),
        (401, (Status.LOGIN_REQUIRED, "HTTP 401")),
        (402, (Status.LOGIN_REQUIRED, "HTTP 402")),
        (403, (Status.BLOCKED, "HTTP 403")),
        (404, (Status.NOT_FOUND, "HTTP 404")),
        (407, (Status.LOGIN_REQUIRED, "HTTP 407")),
        (410, (Status.NOT_FOUND, "HTTP 410")),
        (418, (Status.ERROR, "HTTP 418")),
        (429, (Status.BLOCKED, "HTTP 429")),
        (451, (Status.BLOCKED, "HTTP 451")),
        (500, (Status.ERROR, "HTTP 500")),
        (502, (Status.ERROR, "HTTP 502")),
        (503, (Status.BLOCKED, "HTTP 503")),
        (304, (Status.ERROR, "HTTP 304")),
    ],
)
async def test_http_status_decides_what_became_of_the_page(
    reach: Reach, code: int, expected: tuple[Status, str]
) -> None:
    assert await failure(*await reach(code, b"sorry")) == expected


@pytest.mark.parametrize(
    ("header", "body", "detail"),
    [
        ("application/pdf", b"%PDF-1.7", "application/pdf"),
        ("image/png", b"\x89PNG\r\n\x1a\n", "image/png"),
        ("application/octet-stream", b"text", "application/octet-stream"),
        ("text/html", b"%PDF-1.7", "application/pdf"),
        ("text/html", b"<p>\x00", "application/octet-stream"),
        ("*/*", b"\x01\x02", "application/octet-stream"),
    ],
)
async def test_what_is_no_text_is_unsupported(reach: Reach, header: str, body: bytes, detail: str) -> None:
    assert await failure(*await reach(body=body, content_type=header)) == (Status.UNSUPPORTED, detail)


async def test_challenge_with_status_200_is_blocked(reach: Reach) -> None:
    page = b"<title>Just a moment...</title><script>window._cf_chl_opt={}</script>"

    outcome = await failure(*await reach(body=page, content_type="text/html"))

    assert outcome == (Status.BLOCKED, "challenge page")


async def test_a_challenge_that_its_header_names_is_blocked(reach: Reach) -> None:
    outcome = await failure(*await reach(body=b"<p>text</p>", content_type="text/html", cf_mitigated="challenge"))

    assert outcome == (Status.BLOCKED, "challenge page")


async def test_page_over_the_limit_is_too_large(reach: Reach) -> None:
    outcome = await failure(*await reach(body=b"x" * 1001, content_type="text/plain"))

    assert outcome == (Status.TOO_LARGE, "the answer is larger than the limit")


async def test_redirect_loop_is_an_error(reach: Reach) -> None:
    outcome = await failure(*await reach(302, location="/page"))

    assert outcome == (Status.ERROR, "too many redirects")


async def test_denied_address_is_told_without_its_reason(reach: Reach) -> None:
    fetcher, _ = await reach()

    assert await failure(fetcher, "http://169.254.169.254/") == (Status.DENIED, "address not allowed")


async def test_unknown_host_is_an_error(reach: Reach) -> None:
    fetcher, _ = await reach()

    assert await failure(fetcher, "http://gone.example/") == (Status.ERROR, "host not found")


async def test_refused_connection_is_an_error() -> None:
    fetcher = DirectFetcher(UntrustedClient(Guard(("site.example:1",), loopback), "dowse/test"), max_bytes=1000)

    assert await failure(fetcher, "http://site.example:1/") == (Status.ERROR, "no connection")


async def test_silent_server_is_a_timeout() -> None:
    async def silent(host: str, port: int) -> list[str]:
        return await asyncio.get_running_loop().create_future()

    fetcher = DirectFetcher(UntrustedClient(Guard(resolver=silent), "dowse/test"), max_bytes=1000)

    assert await failure(fetcher, "http://site.example/", 0.1) == (Status.TIMEOUT, "no answer in time")
