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


async def failure(fetcher: DirectFetcher, url: str, timeout_s: float = 5) -> tuple[Status, str, bool]:
    with pytest.raises(PageUnreadable) as caught:
        await fetcher.fetch(url, timeout_s=timeout_s)
    return caught.value.status, caught.value.detail, caught.value.retry_elsewhere


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
        (400, (Status.ERROR, "HTTP 400", False)),
        (401, (Status.LOGIN_REQUIRED, "HTTP 401", False)),
        (402, (Status.LOGIN_REQUIRED, "HTTP 402", False)),
        (403, (Status.BLOCKED, "HTTP 403", True)),
        (404, (Status.NOT_FOUND, "HTTP 404", False)),
        (407, (Status.LOGIN_REQUIRED, "HTTP 407", False)),
        (410, (Status.NOT_FOUND, "HTTP 410", False)),
        (418, (Status.ERROR, "HTTP 418", False)),
        (429, (Status.BLOCKED, "HTTP 429", True)),
        (451, (Status.BLOCKED, "HTTP 451", False)),
        (500, (Status.ERROR, "HTTP 500", True)),
        (502, (Status.ERROR, "HTTP 502", True)),
        (503, (Status.BLOCKED, "HTTP 503", True)),
        (304, (Status.ERROR, "HTTP 304", False)),
    ],
)
async def test_status_decides_what_is_tried_next(reach: Reach, code: int, expected: tuple[Status, str, bool]) -> None:
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
    assert await failure(*await reach(body=body, content_type=header)) == (Status.UNSUPPORTED, detail, False)


async def test_challenge_with_status_200_is_blocked(reach: Reach) -> None:
    page = b"<title>Just a moment...</title><script>window._cf_chl_opt={}</script>"

    outcome = await failure(*await reach(body=page, content_type="text/html"))

    assert outcome == (Status.BLOCKED, "challenge page", True)


async def test_page_over_the_limit_is_too_large(reach: Reach) -> None:
    status, _, retry = await failure(*await reach(body=b"x" * 1001, content_type="text/plain"))

    assert (status, retry) == (Status.TOO_LARGE, False)


async def test_redirect_loop_is_an_error_that_nobody_else_can_help(reach: Reach) -> None:
    outcome = await failure(*await reach(302, location="/page"))

    assert outcome == (Status.ERROR, "too many redirects", False)


async def test_denied_address_is_told_without_its_reason(reach: Reach) -> None:
    fetcher, _ = await reach()

    assert await failure(fetcher, "http://169.254.169.254/") == (Status.DENIED, "address not allowed", False)


async def test_unknown_host_is_an_error_that_nobody_else_can_help(reach: Reach) -> None:
    fetcher, _ = await reach()

    assert await failure(fetcher, "http://gone.example/") == (Status.ERROR, "host not found", False)


async def test_refused_connection_may_be_tried_elsewhere() -> None:
    fetcher = DirectFetcher(UntrustedClient(Guard(("site.example:1",), loopback), "dowse/test"), max_bytes=1000)

    assert await failure(fetcher, "http://site.example:1/") == (Status.ERROR, "no connection", True)


async def test_silent_server_is_a_timeout_and_may_be_tried_elsewhere() -> None:
    async def silent(host: str, port: int) -> list[str]:
        return await asyncio.get_running_loop().create_future()

    fetcher = DirectFetcher(UntrustedClient(Guard(resolver=silent), "dowse/test"), max_bytes=1000)

    assert await failure(fetcher, "http://site.example/", 0.1) == (Status.TIMEOUT, "no answer in time", True)
