"""Pages that only lead to another one are followed as redirects are, and no further."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator

import pytest

from dowse.errors import PageUnreadable
from dowse.fetch.direct import DirectFetcher
from dowse.fetch.refresh import refreshed
from dowse.models import Onward, Status
from dowse.net.clients import UntrustedClient
from dowse.net.guard import Guard
from tests.doubles import PocketWeb
from tests.support.tables import each_row

URL = "https://site.example/old/page?a=1"
HTML = {"content-type": "text/html; charset=utf-8"}


@each_row(
    ("tag", "target"),
    [
        ('<meta http-equiv="refresh" content="0; url=https://new.example/a">', "https://new.example/a"),
        ("<META HTTP-EQUIV=Refresh CONTENT='0;URL=/new'>", "https://site.example/new"),
        ('<meta content="5, url=new" http-equiv="refresh">', "https://site.example/old/new"),
        ("""<meta http-equiv="refresh" content="0; url='../up'">""", "https://site.example/up"),
        ('<meta http-equiv="refresh" content="0; /.well-known/x">', "https://site.example/.well-known/x"),
        ('<meta http-equiv="refresh" content="0;url=/a?b=1&amp;c=2">', "https://site.example/a?b=1&c=2"),
        ('<meta http-equiv="refresh" content="0.5;url=//other.example">', "https://other.example/"),
    ],
)
def test_the_address_of_a_refresh_is_found(tag: str, target: str) -> None:
    page = f"<!doctype html><html><head><title>Moved</title>{tag}</head><body><a href=x>Moved here</a></body></html>"

    assert refreshed(URL, HTML, page.encode()) == target


def test_the_header_says_the_same() -> None:
    assert refreshed(URL, HTML | {"refresh": "0; url=/new"}, b"") == "https://site.example/new"


@each_row(
    "page",
    [
        '<meta http-equiv="refresh" content="300">',
        '<meta http-equiv="refresh" content="6; url=/new">',
        '<meta http-equiv="refresh" content="0; url=https://">',
        '<meta http-equiv="refresh" content="0; url=/old/page?token=2">',
        '<meta name="refresh" content="0; url=/new">',
        '<!-- <meta http-equiv="refresh" content="0; url=/new"> -->',
        '<meta http-equiv="refresh" content="0; url=/new"><p>' + "A page with something to say. " * 20,
        '<meta http-equiv="refresh" content="0; url=/new">' + " " * 8192,
        " " * 4096 + '<meta http-equiv="refresh" content="0; url=/new">',
        "<p>nothing of the kind",
        "",
    ],
)
def test_other_pages_lead_nowhere(page: str) -> None:
    assert refreshed(URL, HTML, page.encode()) == ""


@pytest.mark.parametrize("content_type", ["Text/HTML", "TEXT/HTML; Charset=UTF-8", "application/xhtml+xml", ""])
def test_a_page_is_one_however_its_type_is_written(content_type: str) -> None:
    page = b'<meta http-equiv="refresh" content="0; url=/new">'

    assert refreshed(URL, {"content-type": content_type}, page) == "https://site.example/new"


@each_row(
    ("content_type", "head", "codec"),
    [
        ("text/html; charset=utf-8", "", "utf-8"),
        ("text/html; charset=ISO-8859-2", "", "iso8859-2"),
        ("text/html", '<meta charset="iso-8859-2">', "iso8859-2"),
        ("text/html", "", "utf-8"),
        ("text/html", "", "cp1252"),
        ("text/html; charset=klingon", "", "cp1252"),
        ("text/html; charset=utf-8", "", "cp1252"),
    ],
)
def test_the_address_is_read_in_the_charset_of_its_page(content_type: str, head: str, codec: str) -> None:
    page = f'{head}<meta http-equiv="refresh" content="0; url=/zámek">'.encode(codec)

    assert refreshed(URL, {"content-type": content_type}, page) == "https://site.example/z%C3%A1mek"


def test_text_that_shows_such_a_page_leads_nowhere() -> None:
    page = b'<meta http-equiv="refresh" content="0; url=/new">'

    assert refreshed(URL, {"content-type": "text/plain"}, page) == ""


@each_row("piece", ["<meta ", "<meta http-equiv=refresh ", "<!--", "<script", "content=", "0;"])
def test_hostile_pages_are_looked_at_in_no_time(piece: str) -> None:
    page = (piece * 8192)[:8192].encode()
    started = time.process_time()
    refreshed(URL, HTML | {"refresh": piece * 2000}, page)

    assert time.process_time() - started < 0.1


@pytest.fixture
async def fetcher(web: PocketWeb) -> AsyncIterator[DirectFetcher]:
    client = UntrustedClient(Guard((f"127.0.0.1:{web.port}",)), "dowse/test")
    yield DirectFetcher(client, max_bytes=100_000)
    await client.close()


def leading_to(target: str) -> str:
    return f'<html><head><meta http-equiv="refresh" content="0;url={target}"></head><body>Moved</body></html>'


async def test_three_pages_in_a_row_are_followed(web: PocketWeb, fetcher: DirectFetcher) -> None:
    web.pages.serves("/1", leading_to("/2")).serves("/2", leading_to("/3")).serves("/3", leading_to("/docs/retrying"))

    body = await fetcher.fetch(web.page("/1"), timeout_s=5)

    assert body.url == web.page("/docs/retrying")
    assert b"retr" in body.data.lower()


async def test_the_fourth_is_not(web: PocketWeb, fetcher: DirectFetcher) -> None:
    for number in range(1, 6):
        web.pages.serves(f"/{number}", leading_to(f"/{number + 1}"))

    assert (await fetcher.fetch(web.page("/1"), timeout_s=5)).url == web.page("/4")
    assert [request.path for request in web.pages.requests] == ["/1", "/2", "/3", "/4"]


async def test_the_target_is_judged_like_every_address(web: PocketWeb, fetcher: DirectFetcher) -> None:
    web.pages.serves("/1", leading_to("http://169.254.169.254/latest/meta-data/"))

    with pytest.raises(PageUnreadable) as caught:
        await fetcher.fetch(web.page("/1"), timeout_s=5)

    assert (caught.value.status, caught.value.onward) == (Status.DENIED, Onward.NOBODY)


async def test_the_time_is_one_for_all_of_them(web: PocketWeb, fetcher: DirectFetcher) -> None:
    web.pages.serves("/1", leading_to("/2")).fails("/2", "hang")

    with pytest.raises(PageUnreadable) as caught:
        await fetcher.fetch(web.page("/1"), timeout_s=0.3)

    assert caught.value.status is Status.TIMEOUT


async def test_a_target_that_is_gone_is_what_became_of_the_page(web: PocketWeb, fetcher: DirectFetcher) -> None:
    web.pages.serves("/1", leading_to("/missing"))

    with pytest.raises(PageUnreadable) as caught:
        await fetcher.fetch(web.page("/1"), timeout_s=5)

    assert caught.value.status is Status.NOT_FOUND


@each_row(
    "markup",
    [
        "<noscript><meta http-equiv=refresh content='0;url=/nojs'></noscript><div id=root></div>",
        """<script>const tag = '<meta http-equiv="refresh" content="0;url=/x">';</script>""",
        """<script>if (a<b) write("it's"); s = '<meta http-equiv=refresh content="0;url=/x">'</script>""",
        """<iframe srcdoc='<meta http-equiv="refresh" content="0;url=/x">'></iframe>""",
        "<textarea><meta http-equiv=refresh content='0;url=/x'></textarea>",
        "<style>/* <meta http-equiv=refresh content='0;url=/x'> ",
    ],
)
def test_what_is_no_tag_of_the_page_leads_nowhere(markup: str) -> None:
    assert refreshed("https://site.example/", {"content-type": "text/html"}, markup.encode()) == ""


def test_a_tag_behind_a_script_leads_on() -> None:
    markup = b"<script>let s = '</b>' + \"<\";</script><META HTTP-EQUIV='Refresh' CONTENT='0; url=/there'>"
    assert refreshed("https://site.example/", {"content-type": "text/html"}, markup) == "https://site.example/there"
