"""Text that a page's script hides stays out of what is read with the browser, and what it shows stays in."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from dowse.extract.convert import to_text
from dowse.extract.html.tree import hiding
from dowse.fetch.browser.cdp import script
from tests.browser.conftest import UNTIL_TEXT, Reading
from tests.browser.rendering import Renderer, in_tabs
from tests.eval import corpora
from tests.eval.hidden.browser_tricks import BROWSER_LOOK_ALIKES, BROWSER_TRICKS, TOLD
from tests.eval.hidden.page import PARAGRAPHS, SECRET
from tests.support.tables import each_row

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.promise("hidden-browser-text")]

FLOORS = json.loads(corpora.FLOORS.read_text(encoding="utf-8"))["hidden_browser"]


async def read(renderer: Renderer, markup: str) -> str:
    return to_text(await renderer.read(markup)).markdown


def lost(texts: list[str], told: str) -> tuple[int, int]:
    """How many words of the article and of its visible part are missing, and how many there are."""
    words = Counter(f"{' '.join(PARAGRAPHS)} {told}".split())
    return sum((words - Counter(text.split())).total() for text in texts), words.total() * len(texts)


async def test_there_are_as_many_tricks_and_look_alikes_as_promised() -> None:
    assert len({trick.name for trick in BROWSER_TRICKS}) == len(BROWSER_TRICKS) >= 60
    assert len({each.name for each in BROWSER_LOOK_ALIKES}) == len(BROWSER_LOOK_ALIKES) >= 40


async def test_hidden_text_is_left_out_and_visible_text_is_kept(reading: Reading) -> None:
    tricks = await in_tabs(reading.pool, [trick.shell(SECRET) for trick in BROWSER_TRICKS], read)
    shown = await in_tabs(reading.pool, [each.shell(TOLD) for each in BROWSER_LOOK_ALIKES], read)
    leaked = [trick.name for trick, text in zip(BROWSER_TRICKS, tricks, strict=True) if SECRET in text]
    missing = [each.name for each, text in zip(BROWSER_LOOK_ALIKES, shown, strict=True) if TOLD not in text]
    assert len(leaked) <= (1 - FLOORS["removed"]) * len(BROWSER_TRICKS), leaked
    gone, whole = (sum(pair) for pair in zip(lost(tricks, ""), lost(shown, TOLD), strict=True))
    assert gone <= FLOORS["lost"] * whole, missing


async def test_control_the_text_of_every_trick_is_in_its_document(reading: Reading) -> None:
    """The tricks are in the page: a reader that asks nothing about visibility is told most of them."""

    async def written(renderer: Renderer, markup: str) -> str:
        await renderer.show(markup)
        return str(await renderer.evaluate("document.body.textContent.replace(document.scripts[0].textContent, '')"))

    documents = await in_tabs(reading.pool, [trick.shell(SECRET) for trick in BROWSER_TRICKS], written)
    found = [trick.name for trick, text in zip(BROWSER_TRICKS, documents, strict=True) if SECRET in text]
    assert len(found) >= 0.75 * len(BROWSER_TRICKS)


async def test_a_page_behind_the_whole_way_of_reading_hides_nothing(reading: Reading) -> None:
    """An empty shell makes dowse choose the browser; its style sheet comes from the server."""
    sheet = "<link rel=stylesheet href=/hide.css>"
    reading.pages.serves("/hide.css", ".n{display:none}", content_type="text/css")
    fill = f"app.innerHTML = '<p>{TOLD}</p><p class=n>{SECRET}</p><iframe class=n srcdoc=\"{SECRET}\"></iframe>'"
    reading.pages.serves("/shell", f"<head>{sheet}</head><div id=app></div><script>{fill}</script>")
    page = (await reading.text("/shell", **UNTIL_TEXT)).partition("<script>")[0]
    assert TOLD in page
    assert SECRET not in page


async def test_a_page_that_waits_for_a_script_to_fade_in_is_read(reading: Reading) -> None:
    article = "".join(f"<p>{paragraph}</p>" for paragraph in PARAGRAPHS)

    async def shown(renderer: Renderer, style: str) -> bool:
        page = f"<style>{style}</style><header>Bay Times</header><div class=w>{article}</div>"
        return PARAGRAPHS[0] in await read(renderer, page)

    styles = [".w{opacity:0}", ".w{visibility:hidden}", "html{opacity:0}", "body{visibility:hidden}"]
    assert await in_tabs(reading.pool, styles, shown) == [True] * len(styles)


async def test_what_opens_on_a_click_is_named_as_in_the_extraction() -> None:
    """Both readers keep the same parts; levels keep the one from importing the other."""
    source = script("visibility.js")
    assert f"/{hiding._OPENS.pattern}/" in source
    assert f"/{hiding._OPENS_ASIDE.pattern}/" in source


@pytest.mark.promise("hidden-browser-cost")
@each_row(
    "style",
    [
        "background-image:linear-gradient(${Array(n).fill('#fff').join()})",
        "color:#fff;text-shadow:${Array(n).fill('0 0 0 #fff').join()}",
        "clip-path:url(#e)",
    ],
)
async def test_the_cost_of_a_style_that_is_as_long_as_the_page_is_bounded(style: str, reading: Reading) -> None:
    fill = f"""
    const n = %d;
    const drawing = '<svg width=0 height=0><clipPath id=e><rect width=9999 height=99 /></clipPath></svg>';
    document.body.innerHTML = `<style>p{{{{{style}}}}}</style>` + drawing + '<p>The pier is open.</p>'.repeat(n);
    """.replace("{{", "{").replace("}}", "}")

    async def cost(renderer: Renderer, count: int) -> float:
        await renderer.show("<body>")
        await renderer.evaluate_apart(fill % count + "dowse.serialise(true, 1e8).chars")
        times = []
        for _ in range(3):
            start = await renderer.cpu_s()
            await renderer.evaluate_apart("dowse.serialise(true, 1e8).chars")
            times.append(await renderer.cpu_s() - start)
        return min(times)

    small, large = await in_tabs(reading.pool, [1000, 4000], cost, tabs=1)
    assert large <= 2.3**2 * max(small, 0.1)


@pytest.mark.promise("hidden-browser-cost")
async def test_the_cost_of_judging_grows_with_the_page_and_no_faster(reading: Reading) -> None:
    """Text below covers in layers of their own, the dearest kind; processor time, the best of three."""
    fill = """
    const part = '<div style="position:relative;background:#fff"><p>The pier is open.</p><i class=c></i></div>';
    document.body.innerHTML = '<style>.c{position:absolute;inset:0;background:#fff}</style>' + part.repeat(%d);
    dowse.serialise(true, 1e8).chars
    """

    async def cost(renderer: Renderer, count: int) -> float:
        await renderer.show("<body>")
        await renderer.evaluate_apart(fill % count)
        times = []
        for _ in range(3):
            start = await renderer.cpu_s()
            await renderer.evaluate_apart("dowse.serialise(true, 1e8).chars")
            times.append(await renderer.cpu_s() - start)
        return min(times)

    small, large = await in_tabs(reading.pool, [1000, 8000], cost, tabs=1)
    # At most 2.3 times for each doubling.
    assert large <= 2.3**3 * small
