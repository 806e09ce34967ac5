"""Where the main frame of a page may go."""

from __future__ import annotations

import pytest

from dowse.core.wire_errors import WireDenied
from dowse.fetch.browser.navigation import NavigationPolicy, TooFar
from dowse.net.guard import Guard
from dowse.net.proxy.page_policy import PageBudget

INSIDE, OTHER_INSIDE, OUTSIDE = "http://wiki.lan:8080/", "http://board.lan:8080/", "https://public.example/"
ADDRESSES = {
    "wiki.lan": "10.0.0.7",
    "board.lan": "10.0.0.8",
    "public.example": "93.184.216.34",
    "trap.example": "10.0.0.9",
}


async def look_up(host: str, port: int) -> list[str]:
    return [ADDRESSES[host]] if host in ADDRESSES else []


@pytest.fixture
def guard() -> Guard:
    return Guard(("wiki.lan:8080", "board.lan:8080"), look_up)


@pytest.fixture
def budget(guard: Guard) -> PageBudget:
    return PageBudget(guard)


@pytest.fixture
def journey(guard: Guard, budget: PageBudget) -> NavigationPolicy:
    return NavigationPolicy(guard, budget)


async def reaches(budget: PageBudget, url: str) -> bool:
    """Whether something that the page loads may come from there."""
    try:
        await budget.resolve(budget.judge(url))
    except WireDenied:
        return False
    return True


async def test_what_was_asked_for_may_be_on_an_opened_pair(journey: NavigationPolicy, budget: PageBudget) -> None:
    await journey.admit(INSIDE, "1")
    assert await reaches(budget, INSIDE) and await reaches(budget, OTHER_INSIDE)


async def test_a_redirect_of_what_was_asked_for_may_lead_inside(journey: NavigationPolicy, budget: PageBudget) -> None:
    await journey.admit(OUTSIDE, "1")
    assert not await reaches(budget, INSIDE)
    await journey.admit(INSIDE, "1")
    assert await reaches(budget, INSIDE)


async def test_a_script_of_a_page_outside_does_not_lead_inside(journey: NavigationPolicy, budget: PageBudget) -> None:
    await journey.admit(OUTSIDE, "1")
    with pytest.raises(WireDenied):
        await journey.admit("http://10.0.0.7:9999/", "2")
    with pytest.raises(WireDenied):
        await journey.admit(INSIDE, "3")
    assert not await reaches(budget, INSIDE)


async def test_a_redirect_of_what_a_script_leads_to_does_not_lead_inside(
    journey: NavigationPolicy, budget: PageBudget
) -> None:
    await journey.admit(OUTSIDE, "1")
    await journey.admit("https://public.example/away", "2")
    with pytest.raises(WireDenied):
        await journey.admit(INSIDE, "2")
    assert not await reaches(budget, INSIDE)


async def test_a_script_of_a_page_inside_may_lead_to_another_one(journey: NavigationPolicy, budget: PageBudget) -> None:
    await journey.admit(INSIDE, "1")
    await journey.admit(OTHER_INSIDE, "2")
    assert await reaches(budget, INSIDE)


async def test_who_was_led_outside_does_not_come_back_in(journey: NavigationPolicy, budget: PageBudget) -> None:
    await journey.admit(INSIDE, "1")
    await journey.admit(OUTSIDE, "2")
    assert not await reaches(budget, INSIDE)
    with pytest.raises(WireDenied):
        await journey.admit(INSIDE, "3")
    assert not await reaches(budget, INSIDE)


async def test_a_page_leads_on_five_times(journey: NavigationPolicy) -> None:
    for navigation in range(6):
        await journey.admit(OUTSIDE, str(navigation))
    with pytest.raises(TooFar):
        await journey.admit(OUTSIDE, "6")


async def test_redirects_end_too(journey: NavigationPolicy) -> None:
    for _ in range(20):
        await journey.admit(OUTSIDE, "1")
    with pytest.raises(TooFar):
        await journey.admit(OUTSIDE, "1")


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "ftp://public.example/", "https://a:b@public.example/", "data:,x"]
)
async def test_only_pages_are_gone_to(journey: NavigationPolicy, url: str) -> None:
    with pytest.raises(WireDenied):
        await journey.admit(url, "1")


async def test_addresses_are_looked_up_here_for_a_browser_elsewhere(guard: Guard, budget: PageBudget) -> None:
    journey = NavigationPolicy(guard, budget, is_remote=True)
    await journey.admit(OUTSIDE, "1")
    with pytest.raises(WireDenied):
        await journey.admit(INSIDE, "2")


async def test_a_public_name_that_leads_inside_is_denied_before_it_is_asked_for(
    guard: Guard, journey: NavigationPolicy
) -> None:
    await journey.admit(OUTSIDE, "1")
    with pytest.raises(WireDenied):
        await journey.admit("https://trap.example/", "2")


@pytest.mark.parametrize("frame", [INSIDE, OTHER_INSIDE, "about:srcdoc", "data:text/html,x", f"blob:{INSIDE}4f1c"])
async def test_a_page_inside_may_frame_what_is_inside_too(journey: NavigationPolicy, frame: str) -> None:
    await journey.admit(INSIDE, "1")
    assert journey.may_frame(frame)


@pytest.mark.parametrize("frame", [OUTSIDE, "http://wiki.lan:8081/", "http://10.0.0.7:8080/", "x:y"])
async def test_a_page_inside_may_not_frame_what_is_outside(journey: NavigationPolicy, frame: str) -> None:
    """Whatever is in the frame could reach what is open to the page around it."""
    await journey.admit(INSIDE, "1")
    assert not journey.may_frame(frame)


async def test_a_page_outside_may_frame_anything(journey: NavigationPolicy) -> None:
    """The proxy says what comes of it."""
    await journey.admit(OUTSIDE, "1")
    assert journey.may_frame(OUTSIDE) and journey.may_frame(INSIDE)
