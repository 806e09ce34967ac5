"""robots.txt: asked before a page, waited for briefly, remembered for a day, never a reason to fail."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest

from dowse.fetch.robots import RobotsFiles
from dowse.net.clients import UntrustedClient
from dowse.net.guard import Guard
from tests.doubles import PocketWeb, closed_port
from tests.fakes import FakeClock

DAY_S = 86_400.0


Make = Callable[..., RobotsFiles]


@pytest.fixture
async def make(web: PocketWeb, clock: FakeClock) -> AsyncIterator[Make]:
    client = UntrustedClient(Guard((f"127.0.0.1:{web.port}",)), "dowse/test")
    made: list[RobotsFiles] = []

    def start(**options: float) -> RobotsFiles:
        made.append(RobotsFiles(client, clock, **options))
        return made[-1]

    yield start
    for files in made:
        await files.close()
    await client.close()


@pytest.fixture
def robots(make: Make) -> RobotsFiles:
    """In no hurry, so that a busy machine does not decide."""
    return make(patience_s=5.0)


def says(web: PocketWeb, text: str, status: int = 200) -> None:
    web.pages.serves("/robots.txt", text, content_type="text/plain", status=status)


@pytest.mark.parametrize(
    ("rules", "path", "allowed"),
    [
        ("User-agent: *\nDisallow: /private", "/private/page", False),
        ("User-agent: *\nDisallow: /private", "/public", True),
        ("User-agent: *\nDisallow: /private\nAllow: /private/open", "/private/open/page", True),
        ("User-agent: *\nDisallow: /*.pdf$", "/paper.pdf", False),
        ("User-agent: *\nDisallow: /*.pdf$", "/paper.pdf?page=2", True),
        ("User-agent: dowse\nDisallow: /", "/", False),
        ("User-agent: dowse\nAllow: /\n\nUser-agent: *\nDisallow: /", "/", True),
        ("User-agent: otherbot\nDisallow: /", "/", True),
        ("User-agent: *\nDisallow:", "/", True),
        ("<html>no robots file</html>", "/", True),
        ("\x00\xff\ud800".encode("utf-8", "surrogatepass").decode("latin-1"), "/", True),
        ("", "/", True),
    ],
)
async def test_the_longest_rule_for_us_decides(
    web: PocketWeb, robots: RobotsFiles, rules: str, path: str, allowed: bool
) -> None:
    says(web, rules)
    assert await robots.allows(web.page(path)) is allowed


@pytest.mark.parametrize("status", [404, 403, 500, 503])
async def test_a_site_whose_file_cannot_be_had_has_no_objection(
    web: PocketWeb, robots: RobotsFiles, status: int
) -> None:
    says(web, "User-agent: *\nDisallow: /", status)
    assert await robots.allows(web.page("/page"))


async def test_a_site_that_is_down_or_denied_has_no_objection_here(robots: RobotsFiles) -> None:
    """Reading the page itself will say what is wrong with it."""
    assert await robots.allows(f"http://127.0.0.1:{closed_port()}/page")
    assert await robots.allows("http://169.254.169.254/latest/meta-data")
    assert await robots.allows("ftp://example.org/file")
    assert await robots.allows("nonsense")


async def test_rules_are_asked_for_once_a_day(web: PocketWeb, robots: RobotsFiles, clock: FakeClock) -> None:
    says(web, "User-agent: *\nDisallow: /private")
    for _ in range(3):
        assert not await robots.allows(web.page("/private"))
    assert len(web.pages.robots_requests) == 1
    clock.advance(DAY_S - 1)
    await robots.allows(web.page("/other"))
    assert len(web.pages.robots_requests) == 1
    clock.advance(2)
    says(web, "")
    assert await robots.allows(web.page("/private"))
    assert len(web.pages.robots_requests) == 2


async def test_a_site_that_failed_is_asked_again_soon(web: PocketWeb, robots: RobotsFiles, clock: FakeClock) -> None:
    says(web, "", 503)
    assert await robots.allows(web.page("/private"))
    says(web, "User-agent: *\nDisallow: /")
    clock.advance(301)
    assert not await robots.allows(web.page("/private"))


async def test_pages_that_are_read_together_ask_once(web: PocketWeb, robots: RobotsFiles) -> None:
    says(web, "User-agent: *\nDisallow: /private")
    allowed = await asyncio.gather(*(robots.allows(web.page(f"/private/{number}")) for number in range(20)))
    assert (allowed, len(web.pages.robots_requests)) == ([False] * 20, 1)


async def test_no_call_waits_for_a_slow_site_but_its_answer_counts_later(web: PocketWeb, make: Make) -> None:
    says(web, "User-agent: *\nDisallow: /")
    impatient = make(patience_s=0.0)
    assert await impatient.allows(web.page("/page"))
    for _ in range(10_000):
        if not await impatient.allows(web.page("/page")):
            break
        await asyncio.sleep(0)
    else:
        pytest.fail("the answer never counted")
    assert len(web.pages.robots_requests) == 1


@pytest.mark.parametrize("trouble", ["503", "reset", "hang"])
async def test_yesterdays_rules_hold_while_the_site_does_not_answer(
    web: PocketWeb, make: Make, clock: FakeClock, trouble: str
) -> None:
    robots = make(patience_s=0.3)
    says(web, "User-agent: *\nDisallow: /private")
    assert not await robots.allows(web.page("/private"))
    clock.advance(DAY_S + 1)
    web.pages.fails("/robots.txt", trouble)
    assert not await robots.allows(web.page("/private"))
    assert await robots.allows(web.page("/public"))


async def test_the_file_may_be_elsewhere_on_the_way(web: PocketWeb, robots: RobotsFiles) -> None:
    web.pages.fails("/robots.txt", "redirect", redirect_to="/rules")
    web.pages.serves("/rules", "User-agent: *\nDisallow: /", content_type="text/plain")
    assert not await robots.allows(web.page("/page"))


async def test_sites_are_forgotten_oldest_first(web: PocketWeb, make: Make) -> None:
    robots = make(remembered_sites=1)
    says(web, "")
    await robots.allows(web.page("/page"))
    await robots.allows("http://localhost/page")  # denied, and remembered all the same
    await robots.allows(web.page("/page"))
    assert len(web.pages.robots_requests) == 2
