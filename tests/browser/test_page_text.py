"""What is read of a page that needs a browser."""

from __future__ import annotations

import asyncio

import pytest

from dowse.core.errors import PageUnreadable
from dowse.core.models import Onward, Status
from dowse.extract.convert import to_text
from dowse.fetch.browser import cdp
from dowse.fetch.browser.cdp import IsolatedWorld
from tests.browser.conftest import TIMEOUT_S, Reading, side_by_side
from tests.processes import chromiums

pytestmark = pytest.mark.asyncio(loop_scope="module")

SENTENCE = "The harbour master writes the depth on a slate every morning, in chalk, before the first boat leaves. "
LONG = f"<p>{SENTENCE * 4}</p>"


async def test_a_page_made_by_script_reads_like_its_static_twin(reading: Reading) -> None:
    rendered, static = await asyncio.gather(reading.read("/app"), reading.read("/app/static"))
    assert (rendered.url, rendered.media_type, rendered.charset) == (reading.web.page("/app"), "text/html", "utf-8")
    assert to_text(rendered) == to_text(static)
    assert "| Gull Quay | +0:25 | +0:40 |" in to_text(rendered).markdown


async def test_slots_hold_what_is_assigned_to_them_and_closed_roots_are_read(reading: Reading) -> None:
    page = await reading.text("/app/shadow")
    assert '<h2><span slot="name">Bowline</span></h2><p>A loop that does not slip' in page
    assert "<footer>From the harbour school.</footer>" in page
    assert "<h2>Kept apart</h2><p>The reef knot joins" in page
    assert "color: teal" not in page.partition("<script>")[0]


async def test_frames_of_the_same_origin_are_read_in_place(reading: Reading) -> None:
    page = await reading.text("/app/frames")
    before, _, after = page.partition("<li>Fenmouth 07:15</li><li>Fenmouth 11:40</li>")
    assert "The ferry crosses" in before and "Dogs stay on deck" in after
    assert f'href="{reading.web.page("/app/frames/winter")}"' in after


async def test_a_frame_of_another_origin_is_only_named(reading: Reading) -> None:
    source = f"http://localhost:{reading.web.port}/news/harbour-bridge"
    reading.pages.serves("/page", f"{LONG}<iframe src='{source}'></iframe>")
    page = await reading.text("/page")
    assert f'<iframe src="{source}"></iframe>' in page
    assert "bridge" not in page.replace(source, "")


async def test_metadata_stays_and_programs_go(reading: Reading) -> None:
    head = (
        "<base href='/docs/'><meta property='og:title' content='Slates &amp; chalk'><style>p { color: red }</style>"
        '<script type=\'application/ld+json\'>{"@type": "Article"}</script>'
    )
    body = f"{LONG * 6}<a href=chalk onclick='go()'>Chalk</a><svg><text>drawn</text></svg><script>let x = 1</script>"
    reading.pages.serves("/page", f"<head>{head}</head><body>{body}</body>")
    page = await reading.text("/page")
    assert '<base href="/docs/">' in page and '<a href="chalk">Chalk</a>' in page
    assert '<meta property="og:title" content="Slates &amp; chalk">' in page
    assert '<script type="application/ld+json">{"@type": "Article"}</script>' in page
    assert not [part for part in ("color: red", "go()", "drawn", "let x") if part in page]


async def test_a_page_whose_script_fails_stays_a_shell(reading: Reading) -> None:
    shell = await reading.read("/app/broken", for_text_s=0.2)
    with pytest.raises(PageUnreadable) as verdict:
        to_text(shell)
    assert (verdict.value.status, verdict.value.onward) == (Status.ERROR, Onward.ANY_READER)


async def test_no_document_is_too_odd(reading: Reading) -> None:
    """Names that hide the real properties, nesting without end, elements that no parser would make."""
    clobbering = "<form><input name=firstChild><input name=attributes><input name=textContent>In a form</form>"
    names = "<img name=documentElement><img name=body><img name=scripts><img name=URL><img name=querySelectorAll>"
    script = """
      const body = document.currentScript.parentNode;
      let deep = body;
      for (let i = 0; i < 1500; i += 1) deep = deep.appendChild(document.createElement('div'));
      deep.append('At the bottom');
      body.append(document.createElementNS('urn:x', 'x:y'), new Comment('-->'), 'a < b & c');
      body.append(document.createElement('tr'), document.createElement('xmp'));
    """
    reading.pages.serves("/page", f"{LONG}{clobbering}{names}<script>{script}</script>")
    page = await reading.text("/page")
    assert "In a form" in page and "At the bottom" in page and "a &lt; b &amp; c" in page
    assert page.count("<div>") == page.count("</div>") < 1000


async def test_text_that_is_no_unicode_does_no_harm(reading: Reading) -> None:
    reading.pages.serves("/page", f"{LONG}<p id=p></p><script>p.textContent = 'half \\ud83d of it'</script>")
    assert "half ? of it" in await reading.text("/page")


async def test_a_page_above_the_limit_is_too_large(reading: Reading) -> None:
    reading.pages.serves("/page", f"{LONG}<script>document.body.append('word '.repeat(50000))</script>")
    assert await reading.failure("/page", max_bytes=100_000) == (
        Status.TOO_LARGE,
        Onward.NONE,
        "the page is larger than the limit",
    )


def oversized(chars: int) -> list[str]:
    """Scripts that make a page of more characters than the browser says at once, in one way each."""
    return [
        f"text.hidden = true; text.append('A'.repeat({chars}))",
        f"text.hidden = true; text.append('&'.repeat({chars // 4}))",
        f"for (let i = 0; i < {chars // 3500}; i += 1) text.setAttribute('a' + i, 'A'.repeat(3900))",
    ]


async def is_too_large_and_harms_no_other(reading: Reading, path: str, script: str) -> None:
    reading.pages.serves(path, f"{LONG}<p id=text></p><script>{script}</script>")
    await reading.read("/files/notes.txt")
    browsers = {process.pid for process in chromiums() if process.is_browser}
    assert (await reading.failure(path))[0] is Status.TOO_LARGE
    assert {process.pid for process in chromiums() if process.is_browser} == browsers


@pytest.fixture
def small_answers(monkeypatch: pytest.MonkeyPatch) -> int:
    """The most that a browser may say at once is a tenth of what it is: `tests/slow/browser` has the whole."""
    monkeypatch.setattr(cdp, "_LARGEST_ANSWER", 6_400_000)
    return 7_000_000


async def test_more_than_a_browser_can_say_at_once_is_too_large_and_harms_no_other_page(
    reading: Reading, small_answers: int
) -> None:
    scripts = oversized(small_answers)
    tries = [is_too_large_and_harms_no_other(reading, f"/page/{at}", script) for at, script in enumerate(scripts)]
    await asyncio.gather(*tries)


async def test_a_page_above_the_limit_is_not_even_told(reading: Reading) -> None:
    async with reading.pool.tab("127.0.0.1:1", TIMEOUT_S) as tab:
        await tab.session.call("Runtime.evaluate", expression="document.body.append('A'.repeat(2000))")
        world = IsolatedWorld(tab.session, tab.target_id)
        fitting, cut = await world.evaluate("serialise", True, 3000), await world.evaluate("serialise", True, 1000)
    assert (len(fitting["content"]) > 2000, fitting["isCut"]) == (True, False)
    assert (cut["content"], cut["isCut"]) == ("", True)


async def elements_of_any_size_do_not_hide_the_others(reading: Reading, chars: int) -> None:
    script = f"""
      const much = 'a'.repeat({chars});
      const add = (name) => document.body.appendChild(document.createElement(name));
      add('x-id').id = much;
      add('x-attribute').title = much;
      add('x-' + much);
      const root = add('x-inside').attachShadow({{mode: 'closed'}});
      root.innerHTML = '<b>Kept apart</b>';
      root.firstChild.title = much;
    """
    reading.pages.serves("/page", f"{LONG}<script>{script}</script>")
    assert "<b>Kept apart</b>" in (await reading.text("/page")).partition("</script>")[2]


async def test_elements_of_any_size_do_not_hide_the_others(reading: Reading, small_answers: int) -> None:
    """Those that look empty are described by the browser, with all that the page has written on them."""
    await elements_of_any_size_do_not_hide_the_others(reading, small_answers)


@side_by_side(["/files/notes.txt", "/files/stations.json"])
async def test_text_that_is_no_page_comes_as_it_is(reading: Reading, _: str, path: str) -> None:
    body = await reading.read(path)
    assert body.media_type in ("text/plain", "application/json")
    assert body.data.decode().startswith(("Minutes of the allotment society", '{\n  "line": "Valley"'))


async def test_xml_comes_without_the_page_that_browsers_make_of_it(reading: Reading) -> None:
    reading.pages.serves("/list", "<list><tree>Rowan</tree></list>", content_type="application/xml")
    body = await reading.read("/list")
    assert (body.media_type, body.data) == ("application/xml", b"<list><tree>Rowan</tree></list>")
