"""When a page is taken for finished, and what is done until then."""

from __future__ import annotations

import asyncio

import pytest

from dowse.core.models import Onward, Status
from dowse.fetch.browser import navigation
from tests.browser.conftest import UNTIL_TEXT, Reading, side_by_side
from tests.browser.test_page_text import LONG

pytestmark = pytest.mark.asyncio(loop_scope="module")

# What stands around the text of a page, and is there before it.
AROUND = "".join(f"<{tag}>{'Harbour news ' * 20}</{tag}>" for tag in ("header", "nav", "a", "button", "footer"))


async def test_a_page_drawn_by_a_timer_is_waited_for(reading: Reading) -> None:
    assert "The rule of twelfths" in await reading.text("/app/slow")


async def test_a_page_that_never_rests_is_read_once_its_text_stops_growing(reading: Reading) -> None:
    page = await reading.text("/app/ticker", stalled_s=0.3, busy_s=0.5, longest_s=60)
    assert "The desk is staffed" in page


async def test_an_answer_that_never_ends_is_not_waited_for(reading: Reading) -> None:
    reading.pages.fails("/app/ticker.json", "hang")
    reading.pages.serves("/page", f"{LONG}<script>fetch('/app/ticker.json')</script>")
    assert "The harbour master" in await reading.text("/page", busy_s=0.5, longest_s=60)


async def test_an_answer_that_takes_its_time_is_waited_for(reading: Reading) -> None:
    """The page has text already, and nothing moves for longer than the network is quiet otherwise."""
    reading.pages.serves("/page", f"{LONG}<script>fetch('/late').then(() => document.body.append('Late'))</script>")
    page = asyncio.create_task(reading.text("/page", network_quiet_s=0.02, dom_quiet_s=0.02))
    await reading.pages.arrived(1)
    reading.pages.delays(0.5)
    assert "Late" in (await page).partition("<script>")[2].partition("</script>")[2]


async def test_an_article_that_comes_after_its_links_is_waited_for(reading: Reading) -> None:
    script = f"setTimeout(() => fetch('/late').then(() => {{ root.innerHTML = '{LONG}' }}), 500)"
    reading.pages.serves("/page", f"{AROUND}<div id=root></div><script>{script}</script>")
    assert LONG in (await reading.text("/page")).partition("<script>")[0]


@side_by_side(["", AROUND])
async def test_a_page_without_text_of_its_own_has_the_longest_time_for_its_answers(
    reading: Reading, path: str, shell: str
) -> None:
    reading.pages.delays(0.5)
    reading.pages.serves(path, f"{shell}<script>fetch('/late').then(() => document.body.append('Late'))</script>")
    assert ">Late<" in await reading.text(path, busy_s=0.1, for_text_s=0.1)


@side_by_side(["new Worker('/w.js')", "new SharedWorker('/w.js')", "new Worker(URL.createObjectURL(new Blob([''])))"])
async def test_workers_do_not_keep_a_page_waiting(reading: Reading, path: str, worker: str) -> None:
    reading.pages.serves("/w.js", "1", content_type="text/javascript")
    reading.pages.serves(path, f"{LONG}<script>{worker}</script>")
    assert "The harbour master" in await reading.text(path, busy_s=60, longest_s=60)


async def requests_without_end_are_not_waited_for(reading: Reading, requests: int) -> None:
    script = f"for (let i = 0; i < {requests}; i += 1) fetch('data:,'); fetch('/never')"
    reading.pages.serves("/page", f"{LONG}<script>{script}</script>").fails("/never", "hang")
    assert "The harbour master" in await reading.text("/page", busy_s=60, longest_s=60)


async def test_requests_without_end_are_not_waited_for(reading: Reading, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound is a tenth of what it is: `tests/slow/browser` has the whole."""
    monkeypatch.setattr(navigation, "_MOST_REQUESTS", 500)
    await requests_without_end_are_not_waited_for(reading, 600)


@side_by_side(
    [
        "requestAnimationFrame(() => requestAnimationFrame(show))",
        "requestIdleCallback(show)",
        "new IntersectionObserver((seen) => seen[0].isIntersecting && show()).observe(root)",
        "new ResizeObserver(show).observe(root)",
        "root.animate({opacity: [0, 1]}, 100).onfinish = show",
        "root.animate({opacity: [0, 1]}, 100).finished.then(show)",
        "document.startViewTransition(show)",
        # Only a style that was computed before is left gradually.
        "root.style.transition = 'opacity 0.1s'; root.ontransitionend = show; getComputedStyle(root).opacity; "
        "requestAnimationFrame(() => root.style.opacity = 0.5)",
    ],
)
async def test_what_waits_for_a_frame_gets_one(reading: Reading, path: str, wait: str) -> None:
    """The tab is not visible, and it draws all the same."""
    show = f"const show = () => {{ root.innerHTML = '{LONG}' }};"
    reading.pages.serves(path, f"<div id=root>...</div><script>{show} {wait}</script>")
    assert "The harbour master" in (await reading.text(path, **UNTIL_TEXT)).partition("<script>")[0]


async def test_a_feed_is_scrolled_three_times(reading: Reading) -> None:
    page = await reading.text("/app/feed", for_more_s=1.5)
    assert page.count("<article>") == 12


async def test_what_is_loaded_when_it_comes_into_view_is_read_from_beginning_to_end(reading: Reading) -> None:
    script = f"""
      const fill = ([seen], observer) => {{
        if (!seen.isIntersecting) return;
        observer.disconnect();
        seen.target.innerHTML = '{LONG}';
      }};
      document.querySelectorAll('section').forEach((section) => new IntersectionObserver(fill).observe(section));
    """
    sections = "<section style='height: 700px'></section>" * 12
    smooth = "<style>html { scroll-behavior: smooth }</style>"
    reading.pages.serves("/page", f"{LONG}{smooth}{sections}<script>{script}</script>")
    assert (await reading.text("/page", for_more_s=1.5)).partition("<script>")[0].count(LONG) == 13


async def test_a_page_of_any_height_is_scrolled_through_in_a_moment(reading: Reading) -> None:
    script = "document.addEventListener('scroll', () => { steps.textContent = Number(steps.textContent) + 1 })"
    page = f"{LONG}<b id=steps></b><div style='height: 9000000px'></div><script>{script}</script>"
    reading.pages.serves("/page", page)
    steps = (await reading.text("/page")).partition('<b id="steps">')[2].partition("<")[0]
    assert 2 < int(steps) < 40


@side_by_side(["Last row", "Last row. " * 60])
async def test_a_list_that_forgets_its_beginning_is_read_from_there(reading: Reading, path: str, last: str) -> None:
    script = (
        f"const last = '{last}';"
        + """
      const rows = document.getElementById('rows');
      const draw = () => {
        rows.textContent = scrollY ? last : 'First row. '.repeat(40);
      };
      document.addEventListener('scroll', draw);
      draw();
    """
    )
    reading.pages.serves(path, f"<div id=rows></div><div style='height: 5000px'></div><script>{script}</script>")
    page = (await reading.text(path)).partition("<script>")[0]
    assert "First row" in page and "Last row" not in page


async def test_consent_is_refused_and_its_banner_left_out(reading: Reading) -> None:
    page = await reading.text("/app/consent")
    assert "the choice was nothing" in page and "Dulse bread" in page
    assert "812 partners" not in page


async def test_consent_is_given_where_nothing_else_is_offered(reading: Reading) -> None:
    banner = "<div class='cc-window cc-banner'><b class=cc-dismiss onclick='go()'>OK</b></div>"
    script = f"const go = () => {{ root.innerHTML = '{LONG}' }}"
    reading.pages.serves("/page", f"<div id=root></div>{banner}<script>{script}</script>")
    assert "The harbour master" in (await reading.text("/page", for_text_s=0.2)).partition("<script>")[0]


async def test_a_check_that_solves_itself_leads_to_the_page(reading: Reading) -> None:
    page = await reading.text("/app/check")
    assert "The rule of twelfths" in page and "being checked" not in page


async def test_a_refusal_without_a_script_is_not_waited_on(reading: Reading) -> None:
    reading.pages.serves("/page", LONG, status=403)
    outcome = await reading.failure("/page", for_check_s=60, longest_s=60, timeout_s=60)
    assert outcome == (Status.BLOCKED, Onward.ANY_READER, "HTTP 403")


async def test_a_check_that_stays_is_a_block(reading: Reading) -> None:
    reading.pages.serves("/page", f"{LONG}<script>1</script>", status=429)
    outcome = await reading.failure("/page", for_check_s=0.1)
    assert outcome == (Status.BLOCKED, Onward.ANY_READER, "HTTP 429")


async def test_what_is_there_when_the_time_is_up_is_read(reading: Reading) -> None:
    reading.pages.serves("/page", f"{LONG}<script src=/never.js></script>").fails("/never.js", "hang")
    assert "The harbour master" in await reading.text("/page", longest_s=0.5)


async def test_a_script_that_never_ends_is_stopped_for_the_text(reading: Reading) -> None:
    reading.pages.serves("/page", f"{LONG}<script>setTimeout(() => {{ for (;;); }})</script>")
    assert "The harbour master" in await reading.text("/page", longest_s=0.5, snapshot_s=4)


async def test_a_page_without_text_when_the_time_is_up_is_late(reading: Reading) -> None:
    reading.pages.serves("/page", "<script src=/never.js></script>").fails("/never.js", "hang")
    assert await reading.failure("/page", longest_s=0.3) == (Status.TIMEOUT, Onward.SCRAPE_APIS, "no answer in time")


async def test_questions_do_not_keep_a_page_waiting(reading: Reading) -> None:
    script = "document.body.append(`${alert('a')} ${confirm('b')} ${prompt('c')}`); onbeforeunload = () => 'd'"
    reading.pages.serves("/page", f"{LONG}<script>{script}</script>")
    assert "undefined false null" in await reading.text("/page")
