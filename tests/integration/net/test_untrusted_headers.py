"""Headers of the caller's choice, and redirects that are not followed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from aiohttp import web

from dowse.core.models import Validators
from dowse.core.wire_errors import WireFailed
from dowse.net.clients import Earlier, Fetched
from tests.fakes.wire import BuildClient

Serve = Callable[[Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]], Awaitable[int]]
Seen = list[dict[str, str]]
Site = tuple[Callable[..., Awaitable[Fetched]], Seen]
GIVEN = {"user-agent": "Browser/1", "Accept": "text/html", "DNT": "1"}


async def loopback(host: str, port: int) -> list[str]:
    return ["127.0.0.1"]


@pytest.fixture
async def site(serve: Serve, client: BuildClient) -> Site:
    """Gets paths of a site where `/old` leads to `/new`, and what arrived there."""
    seen: Seen = []

    async def handler(request: web.BaseRequest) -> web.Response:
        seen.append({name.lower(): value for name, value in request.headers.items()})
        if request.path == "/old":
            told = {"Location": "/new", "Set-Cookie": "id=1; Path=/"}
            return web.Response(status=302, headers=told, body=b"moved")
        return web.Response(body=b"here")

    port = await serve(handler)
    opened = client(f"site.example:{port}", resolver=loopback)

    async def get(path: str, **options: object) -> Fetched:
        return await opened.get(f"http://site.example:{port}{path}", timeout_s=5, max_bytes=1000, **options)  # type: ignore[arg-type]

    return get, seen


async def test_given_headers_replace_our_own_whatever_their_capitals(site: Site) -> None:
    get, seen = site

    await get("/new", headers=GIVEN)

    assert {name: value for name, value in seen[0].items() if name != "host"} == {
        "accept-encoding": "gzip, deflate, br, zstd",
        "user-agent": "Browser/1",
        "accept": "text/html",
        "dnt": "1",
    }


async def test_every_hop_is_asked_alike_and_a_redirect_adds_no_cookie_and_no_referrer(site: Site) -> None:
    get, seen = site

    fetched = await get("/old", headers=GIVEN)

    assert fetched.body == b"here"
    assert len(seen) == 2
    assert seen[0] == seen[1]


async def test_news_are_asked_for_beside_given_headers(site: Site) -> None:
    get, seen = site
    url = (await get("/new")).url

    await get("/new", headers=GIVEN, earlier=Earlier(url, Validators(etag='"1"')))

    assert (seen[1]["if-none-match"], seen[1]["user-agent"]) == ('"1"', "Browser/1")


async def test_a_redirect_that_is_not_followed_is_the_answer(site: Site) -> None:
    get, seen = site

    fetched = await get("/old", follows=False)

    assert (fetched.status, fetched.headers["location"], fetched.body) == (302, "/new", b"")
    assert fetched.url.endswith("/old")
    assert len(seen) == 1


async def test_who_does_not_follow_gets_pages_as_ever(site: Site) -> None:
    get, _ = site

    assert (await get("/new", follows=False)).body == b"here"


async def test_a_header_that_would_be_two_is_not_sent(site: Site) -> None:
    get, seen = site

    with pytest.raises(WireFailed):
        await get("/new", headers={"Accept-Language": "de\r\nCookie: id=1"})

    assert seen == []
