"""A page that was read before: asked whether it has changed, and not sent again if it has not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from dowse.core.errors import PageUnreadable
from dowse.core.models import Body, Onward, Status, Text, Validators
from dowse.fetch.direct import DirectFetcher, may_be_kept
from dowse.net.clients import UntrustedClient
from dowse.net.guard import Guard
from tests.doubles import PocketWeb, SeenRequest
from tests.fakes.wire import page_clients, raw_servers
from tests.support.tables import each_row

DATE = "Wed, 02 Apr 2025 10:11:12 GMT"
CONDITIONS = ("if-none-match", "if-modified-since")


@pytest.fixture
async def fetcher(web: PocketWeb) -> AsyncIterator[DirectFetcher]:
    client = UntrustedClient(Guard((f"127.0.0.1:{web.port}",)), "dowse/test")
    yield DirectFetcher(client, max_bytes=100_000)
    await client.close()


def read(body: Body) -> Text:
    """As it is remembered."""
    return Text(body.data.decode(), url=body.url, validators=body.validators)


def conditions(request: SeenRequest) -> dict[str, str]:
    return {name: request.headers[name] for name in CONDITIONS if name in request.headers}


async def test_a_page_that_is_the_same_is_not_sent_again(web: PocketWeb, fetcher: DirectFetcher) -> None:
    web.pages.publishes("/notes", "<p>one")
    first = await fetcher.fetch(web.page("/notes"), timeout_s=5)

    again = await fetcher.fetch(web.page("/notes"), timeout_s=5, known=read(first))

    assert again == Body(web.page("/notes"), b"", "", validators=first.validators, is_unchanged=True)
    assert web.pages.unchanged == ["/notes"]
    sent = {"if-none-match": first.validators.etag, "if-modified-since": first.validators.last_modified}
    assert [conditions(request) for request in web.pages.requests] == [{}, sent]


async def test_a_page_that_has_changed_is_sent(web: PocketWeb, fetcher: DirectFetcher) -> None:
    web.pages.publishes("/notes", "<p>one")
    first = await fetcher.fetch(web.page("/notes"), timeout_s=5)
    web.pages.publishes("/notes", "<p>two")

    again = await fetcher.fetch(web.page("/notes"), timeout_s=5, known=read(first))

    assert (again.data, again.is_unchanged, web.pages.unchanged) == (b"<p>two", False, [])
    assert again.validators != first.validators


@pytest.mark.parametrize("given", [{"ETag": 'W/"4f1c"'}, {"ETag": "unquoted"}, {"Last-Modified": DATE}])
async def test_any_validator_will_do(web: PocketWeb, fetcher: DirectFetcher, given: dict[str, str]) -> None:
    web.pages.serves("/notes", "<p>one", headers=given)
    first = await fetcher.fetch(web.page("/notes"), timeout_s=5)

    again = await fetcher.fetch(web.page("/notes"), timeout_s=5, known=read(first))

    assert (again.is_unchanged, again.validators) == (True, first.validators)


async def test_only_the_end_of_a_redirect_is_asked(web: PocketWeb, fetcher: DirectFetcher) -> None:
    web.pages.publishes("/notes", "<p>one").fails("/old", "redirect", redirect_to="/notes")
    first = await fetcher.fetch(web.page("/old"), timeout_s=5)

    again = await fetcher.fetch(web.page("/old"), timeout_s=5, known=read(first))

    assert (again.url, again.is_unchanged) == (web.page("/notes"), True)
    assert [(request.path, bool(conditions(request))) for request in web.pages.requests[2:]] == [
        ("/old", False),
        ("/notes", True),
    ]


async def test_only_the_end_of_a_refresh_is_asked(web: PocketWeb, fetcher: DirectFetcher) -> None:
    leading = '<meta http-equiv="refresh" content="0;url=/notes">'
    web.pages.publishes("/notes", "<p>one").publishes("/old", leading)
    first = await fetcher.fetch(web.page("/old"), timeout_s=5)

    again = await fetcher.fetch(web.page("/old"), timeout_s=5, known=read(first))

    assert (again.url, again.is_unchanged) == (web.page("/notes"), True)
    assert [bool(conditions(request)) for request in web.pages.requests[2:]] == [False, True]


async def test_a_page_that_leads_elsewhere_now_is_read_there(web: PocketWeb, fetcher: DirectFetcher) -> None:
    web.pages.publishes("/notes", "<p>one")
    first = await fetcher.fetch(web.page("/notes"), timeout_s=5)
    web.pages.serves("/new", "<p>moved").fails("/notes", "redirect", redirect_to="/new")

    again = await fetcher.fetch(web.page("/notes"), timeout_s=5, known=read(first))

    assert (again.url, again.data) == (web.page("/new"), b"<p>moved")
    assert [bool(conditions(request)) for request in web.pages.requests[1:]] == [True, False]


async def test_an_unchanged_page_leads_nowhere(web: PocketWeb, fetcher: DirectFetcher) -> None:
    known = Text("one", url=web.page("/notes"), validators=Validators('"1"'))
    web.pages.serves("/notes", "", status=304, headers={"Refresh": "0; url=/elsewhere"})

    again = await fetcher.fetch(web.page("/notes"), timeout_s=5, known=known)

    assert (again.url, again.is_unchanged) == (web.page("/notes"), True)


async def test_new_validators_of_an_unchanged_page_replace_the_old_ones(web: PocketWeb, fetcher: DirectFetcher) -> None:
    web.pages.serves("/notes", "<p>one", headers={"ETag": '"1"'})
    known = Text("one", url=web.page("/notes"), validators=Validators('W/"1"', DATE))

    again = await fetcher.fetch(web.page("/notes"), timeout_s=5, known=known)

    assert (again.is_unchanged, again.validators) == (True, Validators('"1"', DATE))


@pytest.mark.parametrize(
    "known",
    [
        None,
        Text("one"),
        Text("one", url="http://elsewhere.example/", validators=Validators('"1"')),
        Text("one", url="/notes", validators=Validators('"1"\r\nX-Injected: yes')),
    ],
)
async def test_nothing_new_is_an_error_if_the_request_was_unconditional(
    web: PocketWeb, fetcher: DirectFetcher, known: Text | None
) -> None:
    web.pages.serves("/notes", "", status=304)

    with pytest.raises(PageUnreadable) as caught:
        await fetcher.fetch(web.page("/notes"), timeout_s=5, known=known)

    assert (caught.value.status, caught.value.onward) == (Status.ERROR, Onward.SCRAPE_APIS)
    assert caught.value.detail == "HTTP 304"


@pytest.mark.parametrize("etag", ['"1"\r\nX-Injected: yes', '"\udce9"', '"' + "x" * 5000 + '"'])
async def test_a_hostile_tag_is_not_sent_and_the_page_is_read(
    web: PocketWeb, fetcher: DirectFetcher, etag: str
) -> None:
    web.pages.serves("/notes", "<p>one")
    known = Text("one", url=web.page("/notes"), validators=Validators(etag, DATE))

    again = await fetcher.fetch(web.page("/notes"), timeout_s=5, known=known)

    assert again.data == b"<p>one"
    assert conditions(web.pages.requests[0]) == {}
    assert "x-injected" not in web.pages.requests[0].headers


async def test_a_bot_check_is_none_of_the_page(web: PocketWeb, fetcher: DirectFetcher) -> None:
    known = Text("one", url=web.page("/notes"), validators=Validators('"1"'))
    web.pages.serves("/notes", "", status=304, headers={"cf-mitigated": "challenge"})

    with pytest.raises(PageUnreadable) as caught:
        await fetcher.fetch(web.page("/notes"), timeout_s=5, known=known)

    assert caught.value.status is Status.BLOCKED


async def test_a_page_that_asks_for_no_copies_comes_without_means_to_ask_again(
    web: PocketWeb, fetcher: DirectFetcher
) -> None:
    web.pages.publishes("/notes", "<p>one", cache_control="no-store")

    body = await fetcher.fetch(web.page("/notes"), timeout_s=5)

    assert body == Body(web.page("/notes"), b"<p>one", "text/html", "utf-8", may_be_kept=False)


async def test_an_unchanged_page_may_ask_for_no_copies_from_now_on(web: PocketWeb, fetcher: DirectFetcher) -> None:
    web.pages.publishes("/notes", "<p>one")
    first = await fetcher.fetch(web.page("/notes"), timeout_s=5)
    web.pages.publishes("/notes", "<p>one", cache_control="no-store")

    again = await fetcher.fetch(web.page("/notes"), timeout_s=5, known=read(first))

    assert again == Body(web.page("/notes"), b"", "", is_unchanged=True, may_be_kept=False)


async def test_each_of_several_headers_may_forbid_copies() -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\ncache-control: no-store\r\n")
        writer.write(b"Content-Type: text/plain\r\nContent-Length: 2\r\n\r\nhi")
        await writer.drain()

    async with raw_servers() as serve, page_clients() as client:
        port = await serve(talk)
        direct = DirectFetcher(client(f"127.0.0.1:{port}"), max_bytes=1000)

        assert not (await direct.fetch(f"http://127.0.0.1:{port}/", timeout_s=5)).may_be_kept


@each_row(
    ("cache_control", "allowed"),
    [
        ("", True),
        ("max-age=3600, public", True),
        ("no-cache, must-revalidate", True),
        ("max-age=0", True),
        ("x-no-store", True),
        ("extension=no-store", True),
        ("no-store", False),
        ("NO-STORE", False),
        ("max-age=0,no-store", False),
        ("public , private", True),
        ("private", True),
        ('extension="a, no-store"', False),
        ("," * 16_000, True),
    ],
)
def test_a_server_may_forbid_copies(cache_control: str, allowed: bool) -> None:
    assert may_be_kept(cache_control) is allowed
