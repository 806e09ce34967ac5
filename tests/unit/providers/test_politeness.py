"""Whoever is asked politely sees browsers that could be real, another one each time, and never two in a hurry."""

from __future__ import annotations

import asyncio
import random
import re
from itertools import pairwise

import pytest

from dowse.core.errors import Skipped
from dowse.core.models import Deadline
from dowse.net.decode import ACCEPTED
from dowse.providers.politeness import BROWSERS, BrowserProfile, Manners, accept_language, brands
from tests.fakes import FakeClock
from tests.support.tables import each_row

HONEST = "dowse/test (+https://example.org)"
DELAY_S = (0.1, 0.5)


def manners(clock: FakeClock, *, rotates: bool = True, delay_s: tuple[float, float] = DELAY_S) -> Manners:
    return Manners(clock, random.Random(1), rotates=rotates, delay_s=delay_s, user_agent=HONEST)


def agents() -> list[str]:
    return [browser.own["User-Agent"] for browser in BROWSERS]


def test_there_are_browsers_of_every_kind_on_every_system() -> None:
    assert len(set(agents())) == len(BROWSERS) >= 8
    kinds = {(kind, system) for kind in ("Chrome/", "Firefox/") for system in ("Windows", "Macintosh", "Linux")}
    assert all(any(kind in agent and system in agent for agent in agents()) for kind, system in kinds)
    assert any("Version/" in agent and "Macintosh" in agent for agent in agents())


@each_row("browser", BROWSERS)
def test_what_a_browser_says_of_itself_agrees(browser: BrowserProfile) -> None:
    headers = browser.headers("")
    agent = headers["User-Agent"]
    chrome = re.search(r"Chrome/(\d+)\.0\.0\.0 Safari/537\.36$", agent)
    hints = [name for name in headers if name.startswith("sec-ch-ua")]
    assert bool(hints) == bool(chrome)
    if chrome:
        assert f'"Google Chrome";v="{chrome[1]}"' in headers["sec-ch-ua"]
        platform = {"Windows": "Windows NT", "macOS": "Macintosh", "Linux": "X11; Linux"}
        assert platform[headers["sec-ch-ua-platform"].strip('"')] in agent
    if "Firefox" in agent:
        assert re.search(r"rv:(\d+)\.0\) Gecko/20100101 Firefox/\1\.0$", agent)
    assert ("image/avif" in headers["Accept"]) == bool(chrome)


@pytest.mark.parametrize("rotates", [True, False])
def test_nothing_is_said_that_identifies_the_caller(clock: FakeClock, rotates: bool) -> None:
    headers = manners(clock, rotates=rotates).headers(language="de")

    assert headers["DNT"] == "1"
    assert not {name.lower() for name in headers} & {"cookie", "referer", "authorization", "x-forwarded-for", "from"}


def test_no_browser_is_seen_twice_in_a_row_and_all_are_seen(clock: FakeClock) -> None:
    polite = manners(clock)

    seen = [polite.headers()["User-Agent"] for _ in range(400)]

    assert all(earlier != later for earlier, later in pairwise(seen))
    assert set(seen) == set(agents())


def test_without_rotation_the_user_agent_is_honest_and_the_rest_is_what_pages_are_asked_with(clock: FakeClock) -> None:
    assert manners(clock, rotates=False).headers(language="fr") == {
        "User-Agent": HONEST,
        "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        "Accept-Language": "fr,en-US;q=0.9,en;q=0.8",
        "DNT": "1",
    }


@each_row(
    ("language", "chrome", "firefox"),
    [
        ("", "en-US,en;q=0.9", "en-US,en;q=0.5"),
        ("en", "en-US,en;q=0.9", "en-US,en;q=0.5"),
        ("all", "en-US,en;q=0.9", "en-US,en;q=0.5"),
        ("en-GB", "en-GB,en;q=0.9", "en-GB,en;q=0.5"),
        ("de", "de,en-US;q=0.9,en;q=0.8", "de,en-US;q=0.7,en;q=0.3"),
        ("pt-BR", "pt-BR,pt;q=0.9,en-US;q=0.8,en;q=0.7", "pt-BR,pt;q=0.8,en-US;q=0.5,en;q=0.3"),
        ("de\r\nCookie: a=1", "en-US,en;q=0.9", "en-US,en;q=0.5"),
    ],
)
def test_the_language_of_the_query_is_the_browsers(language: str, chrome: str, firefox: str) -> None:
    assert accept_language(language) == chrome
    assert accept_language(language, weighs_evenly=True) == firefox


@each_row(
    ("version", "written"),
    [
        (122, '"Chromium";v="122", "Not(A:Brand";v="24", "Google Chrome";v="122"'),
        (125, '"Google Chrome";v="125", "Chromium";v="125", "Not.A/Brand";v="24"'),
        (143, '"Google Chrome";v="143", "Chromium";v="143", "Not A(Brand";v="24"'),
    ],
)
def test_the_brands_are_those_that_chrome_is_known_to_have_sent(version: int, written: str) -> None:
    assert brands(version) == written


async def test_requests_of_all_callers_together_are_apart(clock: FakeClock) -> None:
    polite, left_at = manners(clock), list[float]()

    async def ask() -> None:
        await polite.turn()
        left_at.append(clock.now())

    await asyncio.gather(*(ask() for _ in range(20)))

    pauses = [later - earlier for earlier, later in pairwise(left_at)]
    assert len(pauses) == 19
    assert all(0.1 <= round(pause, 6) <= 0.5 for pause in pauses)
    assert len(set(pauses)) > 10


async def test_no_request_waits_for_one_that_is_long_ago(clock: FakeClock) -> None:
    polite = manners(clock)

    await polite.turn()
    clock.advance(0.5)
    await polite.turn()

    assert clock.slept == []


async def test_only_what_is_left_of_a_pause_is_waited_for(clock: FakeClock) -> None:
    polite = manners(clock, delay_s=(0.3, 0.3))

    await polite.turn()
    clock.advance(0.2)
    await polite.turn()

    assert [round(pause, 6) for pause in clock.slept] == [0.1]


async def test_a_caller_that_gives_up_does_not_hold_the_others_up(clock: FakeClock) -> None:
    polite = manners(clock)
    await polite.turn()
    waiting = asyncio.create_task(polite.turn())
    await asyncio.sleep(0)
    waiting.cancel()

    await asyncio.wait_for(polite.turn(), 30)


def test_the_session_accepts_what_browsers_accept() -> None:
    assert ACCEPTED == "gzip, deflate, br, zstd"


@pytest.mark.promise("hardened-provider-bombs")
async def test_few_answers_are_read_at_a_time_and_the_next_one_when_one_has_ended(clock: FakeClock) -> None:
    polite, deadline = manners(clock), Deadline.after(clock, 50.0)
    reading, may_end = list[int](), [asyncio.Event() for _ in range(4)]

    async def read(number: int) -> None:
        async with polite.answer("engine", deadline):
            reading.append(number)
            await may_end[number].wait()

    tasks = [asyncio.create_task(read(number)) for number in range(4)]
    for ended in range(2):
        for _ in range(5):
            await asyncio.sleep(0)
        assert reading == list(range(2 + ended))
        may_end[ended].set()
    for event in may_end:
        event.set()
    await asyncio.gather(*tasks)
    assert reading == [0, 1, 2, 3]


async def test_an_answer_that_has_no_turn_until_the_deadline_is_skipped(clock: FakeClock) -> None:
    polite = manners(clock)
    async with polite.answer("one", Deadline.after(clock, 50.0)), polite.answer("two", Deadline.after(clock, 50.0)):
        with pytest.raises(Skipped):
            async with polite.answer("three", Deadline.after(clock, 0.0)):
                pass
