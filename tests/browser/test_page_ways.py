"""Where a page leads, what it may load on the way, and what becomes of it when it does not come."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal

import pytest

from dowse.core.errors import PageUnreadable
from dowse.core.models import Onward, Status
from dowse.fetch.browser import navigation
from dowse.fetch.browser.fetcher import BrowserFetcher
from dowse.net.guard import Guard
from tests.browser.conftest import UNTIL_TEXT, USER_AGENT, Reading, side_by_side
from tests.browser.test_page_text import LONG
from tests.doubles import closed_port
from tests.processes import chromiums

pytestmark = pytest.mark.asyncio(loop_scope="module")

ARTICLE = "/articles/python-315"


@side_by_side(
    [
        f"<script>location = '{ARTICLE}'</script>",
        f"{LONG}<script>setTimeout(() => location.replace('{ARTICLE}'), 10)</script>",
        f"<meta http-equiv=refresh content='0; url={ARTICLE}'>",
        "<script>location = '/redirect/2'</script>",
        f"<form action={ARTICLE}></form><script>document.forms[0].submit()</script>",
    ],
)
async def test_where_a_page_leads_is_read(reading: Reading, path: str, way: str) -> None:
    reading.pages.serves(path, way)
    body = await reading.read(path)
    assert body.url.rstrip("?") == reading.web.page(ARTICLE)
    assert b"Imports that wait until they are needed" in body.data


async def test_redirects_are_followed(reading: Reading) -> None:
    assert (await reading.read("/redirect/3")).url == reading.web.page(ARTICLE)


async def test_the_address_that_a_script_writes_is_the_pages(reading: Reading) -> None:
    reading.pages.serves("/page", f"{LONG}<script>history.pushState(null, '', '/docs/retrying#waiting')</script>")
    assert (await reading.read("/page")).url == reading.web.page("/docs/retrying#waiting")


async def test_a_page_that_leads_on_for_ever_is_read_where_it_is(reading: Reading) -> None:
    reading.pages.serves("/page", f"{LONG}<script>location = '/page?' + Math.random()</script>")
    assert "The harbour master" in await reading.text("/page")
    assert len([seen for seen in reading.pages.requests if seen.path == "/page"]) == 6


@side_by_side(
    [
        "URL.createObjectURL(new Blob(['<p>inside'], {type: 'text/html'}))",
        "'http://169.254.169.254/latest/'",
        "'http://127.0.0.1:1/'",
        "'http://user:word@127.0.0.1/'",
    ],
)
async def test_a_page_that_leads_to_a_forbidden_address_is_denied(reading: Reading, path: str, address: str) -> None:
    reading.pages.serves(path, f"{LONG}<script>location = {address}</script>")
    assert await reading.failure(path) == (Status.DENIED, Onward.NONE, "address not allowed")


@side_by_side(["file:///etc/passwd", "chrome://version", "view-source:/app", "data:text/html,<p>x"])
async def test_what_the_browser_itself_refuses_leaves_the_page_as_it_is(
    reading: Reading, path: str, address: str
) -> None:
    reading.pages.serves(path, f"{LONG}<script>location = '{address}'</script>")
    assert "The harbour master" in await reading.text(path)


async def test_a_redirect_to_a_forbidden_address_is_denied(reading: Reading) -> None:
    reading.pages.fails("/page", "redirect", redirect_to="http://169.254.169.254/latest/")
    assert await reading.failure("/page") == (Status.DENIED, Onward.NONE, "address not allowed")


@side_by_side(
    [
        "picture.onload = show; picture.src = '/picture.png'",
        "picture.src = '/picture.png'; picture.decode().then(show)",
        "picture.onload = show; picture.crossOrigin = ''; picture.src = 'http://pictures.example/picture.png'",
        "picture.onload = show; picture.src = `data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>`",
    ],
)
async def test_a_script_that_waits_for_a_picture_gets_one(reading: Reading, path: str, wait: str) -> None:
    script = f"const picture = new Image(), show = () => {{ root.innerHTML = '{LONG}' }}; {wait}"
    reading.pages.serves(path, f"<div id=root></div><script>{script}</script>")
    assert "The harbour master" in (await reading.text(path, **UNTIL_TEXT)).partition("<script>")[0]
    assert "/picture.png" not in [seen.path for seen in reading.pages.requests]


async def test_what_comes_after_a_page_and_its_many_pictures_have_loaded_is_read(reading: Reading) -> None:
    pictures = "".join(f"<img src=/{number}.png>" for number in range(250))
    script = "onload = () => fetch('/late').then(() => document.body.append('Late'))"
    reading.pages.serves("/page", f"{LONG}{pictures}<script>{script}</script>")
    assert ">Late<" in await reading.text("/page", busy_s=60, longest_s=60)


@side_by_side(["location = '/never'", "setTimeout(() => { location = '/never' }, 10)"])
async def test_a_page_that_leads_to_a_server_without_answer_is_read_where_it_is(
    reading: Reading, path: str, way: str
) -> None:
    reading.pages.serves(path, f"{LONG}<script>{way}</script>").fails("/never", "hang")
    body = await reading.read(path, longest_s=0.8)
    assert body.url == reading.web.page(path)
    assert b"The harbour master" in body.data


async def test_images_fonts_and_media_are_not_loaded(reading: Reading) -> None:
    style = "@font-face { font-family: f; src: url(/f.woff2) } p { font-family: f; background: url(/b.png) }"
    media = "<img src=/i.png><video src=/v.mp4 preload=auto></video><audio src=/a.mp3 preload=auto></audio>"
    reading.pages.serves("/page", f"<style>{style}</style>{LONG}{media}<link rel=stylesheet href=/s.css>")
    await reading.read("/page")
    assert {seen.path for seen in reading.pages.requests} <= {"/page", "/s.css", "/favicon.ico"}


async def test_the_browser_says_who_reads(reading: Reading) -> None:
    await reading.read("/app")
    names = {seen.headers["user-agent"] for seen in reading.pages.requests}
    (name,) = names
    assert name.startswith("Mozilla/5.0 ") and name.endswith(f" Safari/537.36 {USER_AGENT}")
    assert " Chrome/" in name and "Headless" not in name


@side_by_side(
    [
        (404, (Status.NOT_FOUND, Onward.NONE, "HTTP 404")),
        (401, (Status.LOGIN_REQUIRED, Onward.NONE, "HTTP 401")),
        (500, (Status.ERROR, Onward.SCRAPE_APIS, "HTTP 500")),
        (502, (Status.ERROR, Onward.SCRAPE_APIS, "HTTP 502")),
    ],
)
async def test_the_status_decides_what_became_of_the_page(
    reading: Reading, path: str, code: int, outcome: tuple[Status, Onward, str]
) -> None:
    headers = {"WWW-Authenticate": "Basic realm=harbour"} if code == 401 else {}
    reading.pages.serves(path, f"{LONG}<script>document.title = 'Fine'</script>", status=code, headers=headers)
    assert await reading.failure(path) == outcome


async def test_a_page_that_leads_to_nothing_is_not_found(reading: Reading) -> None:
    reading.pages.serves("/page", "<script>location = '/nowhere'</script>")
    assert await reading.failure("/page") == (Status.NOT_FOUND, Onward.NONE, "HTTP 404")


async def a_page_without_requests_left_leads_nowhere(reading: Reading, requests: int) -> None:
    leave = "setTimeout(() => { location = '/nowhere' }, 300)"
    reading.pages.serves("/page", f"<script>for (let i = 0; i < {requests}; i += 1) fetch('data:,'); {leave}</script>")
    assert (await reading.failure("/page"))[:2] == (Status.TOO_LARGE, Onward.NONE)


async def test_a_page_without_requests_left_leads_nowhere(reading: Reading, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound is a tenth of what it is: `tests/slow/browser` has the whole."""
    monkeypatch.setattr(navigation, "_MOST_REQUESTS", 500)
    await a_page_without_requests_left_leads_nowhere(reading, 600)


@side_by_side([("image/png", {}), ("application/zip", {}), ("text/html", {"Content-Disposition": "attachment"})])
async def test_what_is_no_text_is_not_read(
    reading: Reading, path: str, content_type: str, headers: dict[str, str]
) -> None:
    reading.pages.serves(path, b"PK\x03\x04", content_type=content_type, headers=headers)
    status, onward, _ = await reading.failure(path)
    assert (status, onward) == (Status.UNSUPPORTED, Onward.NONE)


async def test_a_connection_that_breaks_is_an_error_for_others_to_try(reading: Reading) -> None:
    reading.pages.fails("/page", "reset")
    assert (await reading.failure("/page"))[:2] == (Status.ERROR, Onward.SCRAPE_APIS)


async def test_an_answer_without_a_page_is_an_error_for_others_to_try(reading: Reading) -> None:
    reading.pages.serves("/page", "", status=204)
    assert await reading.failure("/page") == (Status.ERROR, Onward.SCRAPE_APIS, "the browser says ERR_ABORTED")


async def test_a_server_that_does_not_listen_is_an_error_for_others_to_try(reading: Reading) -> None:
    place = f"127.0.0.1:{closed_port()}"
    fetcher = BrowserFetcher(reading.pool, Guard((place,)), user_agent=USER_AGENT, max_bytes=100_000)
    with pytest.raises(PageUnreadable) as caught:
        await fetcher.fetch(f"http://{place}/", timeout_s=60)
    assert (caught.value.status, caught.value.onward) == (Status.ERROR, Onward.SCRAPE_APIS)


async def test_a_server_that_says_nothing_is_too_slow(reading: Reading) -> None:
    reading.pages.fails("/page", "hang")
    assert await reading.failure("/page", timeout_s=0.5) == (Status.TIMEOUT, Onward.SCRAPE_APIS, "no answer in time")


async def test_a_pdf_costs_no_browser(reading: Reading) -> None:
    """No viewer is started for it, neither in place of the page nor inside."""
    assert (await reading.failure("/files/leaflet.pdf"))[0] is Status.UNSUPPORTED
    browsers = {process.pid for process in chromiums()}
    pdf = "/files/leaflet.pdf"
    reading.pages.serves("/page", f"{LONG}<iframe src={pdf}></iframe><embed src={pdf}><object data={pdf}></object>")
    reading.pages.serves("/leading", f"{LONG}<script>setTimeout(() => {{ location = '{pdf}' }})</script>")
    read = await asyncio.gather(reading.text("/page"), reading.text("/leading"), reading.text("/app"))
    assert ["The harbour master" in page for page in read[:2]] == [True, True]
    assert browsers & {process.pid for process in chromiums()}


@pytest.mark.parametrize("victim", ["renderer", "browser"])
async def test_a_crash_costs_one_more_try(reading: Reading, victim: str) -> None:
    reading.pages.serves("/page", f"{LONG}<script src=/late.js></script>").fails("/late.js", "hang", times=1)
    page = asyncio.create_task(reading.text("/page"))
    await reading.asked_for("/late.js")
    kill(only_renderers=victim == "renderer")
    assert "The harbour master" in await page


async def test_a_page_that_crashes_every_time_is_given_up(reading: Reading) -> None:
    reading.pages.serves("/page", f"{LONG}<script src=/late.js></script>").fails("/late.js", "hang")
    outcome = asyncio.create_task(reading.failure("/page"))
    for times in (1, 2):
        await reading.asked_for("/late.js", times)
        kill(only_renderers=True)
    assert await outcome == (Status.ERROR, Onward.SCRAPE_APIS, "the browser crashed")


def kill(*, only_renderers: bool) -> None:
    for process in chromiums():
        if process.is_renderer or not only_renderers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
