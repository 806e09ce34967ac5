"""The rules and the budget of one page, without a proxy."""

from __future__ import annotations

import pytest

from dowse.core.wire_errors import WireDenied, WireError, WireFailed, WireTooLarge
from dowse.net.guard import Guard
from dowse.net.proxy.page_policy import DOMAINS, Exhausted, PageBudget, find_tracker
from tests.integration.net.proxy.conftest import QUICK, Names
from tests.support.tables import each_row

WIKI, PRINTER = "wiki.example:9000", "10.0.0.7:9100"
LISTED = (WIKI, PRINTER)


def budget(*pairs: str, names: Names | None = None, **options: int) -> PageBudget:
    return PageBudget(Guard(pairs, names or Names(wiki_example=[["10.0.0.5"]])), timeouts=QUICK, **options)


async def goes(page: PageBudget, url: str) -> bool:
    try:
        return bool(await page.resolve(page.judge(url)))
    except WireDenied:
        return False


async def test_a_page_inside_may_use_what_the_operator_opened() -> None:
    page = budget(*LISTED)
    page.move_to(f"http://{WIKI}/start")

    assert await goes(page, f"http://{WIKI}/style.css")
    assert await goes(page, f"https://{PRINTER}/")
    assert not await goes(page, "http://10.0.0.7:9101/")


@pytest.mark.parametrize(
    "url", ["http://example.com/", "http://wiki.example:9001/", "http://wiki.example/", "nonsense"]
)
async def test_any_other_page_may_use_nothing_inside(url: str) -> None:
    page = budget(*LISTED)
    page.move_to(url)

    assert not await goes(page, f"http://{WIKI}/")
    assert not await goes(page, f"http://{PRINTER}/")


async def test_a_page_that_is_nowhere_yet_may_use_nothing_inside() -> None:
    assert not await goes(budget(*LISTED), f"http://{WIKI}/")


async def test_a_page_that_leads_inside_may_use_it_from_then_on() -> None:
    page = budget(*LISTED)
    page.move_to("http://example.com/")
    assert not await goes(page, f"http://{WIKI}/")

    page.move_to(f"http://{WIKI}/")

    assert await goes(page, f"http://{WIKI}/")


async def test_a_page_that_leads_outside_loses_what_it_had() -> None:
    page = budget(*LISTED)
    cut: list[str] = []
    page.move_to(f"http://{WIKI}/")
    assert await goes(page, f"http://{WIKI}/")

    with page.transfer(lambda: cut.append("cut")):
        page.move_to(f"http://{PRINTER}/")
        assert cut == []
        page.move_to("http://example.com/")
        assert cut == ["cut"]
        page.move_to("http://example.org/")

    assert cut == ["cut"]
    assert not await goes(page, f"http://{WIKI}/")


async def test_what_was_checked_for_a_page_inside_is_checked_again_for_one_outside() -> None:
    """At an ordinary port nothing but the address tells that a host is inside."""
    page = budget("wiki.example:80")
    for _ in range(2):
        page.move_to("http://wiki.example/")
        assert await goes(page, "http://wiki.example/")
        page.move_to("http://example.com/")
        assert not await goes(page, "http://wiki.example/")


async def test_a_host_is_looked_up_once_for_all_requests_of_a_page() -> None:
    names = Names(site_example=[["93.184.216.34"], ["10.0.0.1"]])
    page = budget(names=names)

    for _ in range(3):
        assert await goes(page, "http://site.example/")
    assert names.asked == ["site.example"]
    # Another port may be another service.
    assert not await goes(page, "http://site.example:8080/")
    assert not await goes(page, "http://site.example:8080/")
    assert names.asked == ["site.example"] * 2


@each_row(
    "url", ["http://localhost/", "http://site.example:22/", "http://user@site.example/", "ftp://site.example/", "x"]
)
def test_what_its_spelling_forbids_is_not_counted(url: str) -> None:
    page = budget()
    with pytest.raises(WireDenied):
        page.judge(url)
    assert page.requests == 0


def test_a_request_too_many_ends_everything() -> None:
    page = budget(max_requests=3)
    cut: list[str] = []

    with page.transfer(lambda: cut.append("cut")):
        for _ in range(3):
            page.judge("http://site.example/")
        assert (page.requests, page.is_exhausted, cut) == (3, False, [])
        with pytest.raises(Exhausted):
            page.judge("http://site.example/")

    assert (page.is_exhausted, cut) == (True, ["cut"])
    with pytest.raises(WireTooLarge):
        page.judge("http://other.example/")


def test_a_byte_too_many_ends_everything() -> None:
    page = budget(max_bytes=1000)
    cut: list[str] = []

    with page.transfer(lambda: cut.append("cut")):
        page.spend(600)
        page.spend(400)
        assert (page.bytes, page.is_exhausted, cut) == (1000, False, [])
        with pytest.raises(Exhausted):
            page.spend(1)

    assert (page.is_exhausted, cut) == (True, ["cut"])
    for use in (lambda: page.spend(1), lambda: page.judge("http://site.example/")):
        with pytest.raises(Exhausted):
            use()


def test_a_page_has_two_hundred_requests_and_25_megabytes_unless_told_otherwise() -> None:
    many, much = budget(), budget()

    many.count(200)
    much.spend(25_000_000)
    assert not many.is_exhausted
    many.count()
    with pytest.raises(Exhausted, match="the page wanted more requests or bytes than the limit"):
        much.spend(1)
    assert many.is_exhausted


def test_what_was_closed_before_is_not_cut() -> None:
    page = budget(max_requests=1)
    cut: list[str] = []
    with page.transfer(lambda: cut.append("cut")):
        pass
    page.count(2)
    assert (page.is_exhausted, cut) == (True, [])


def test_requests_inside_tunnels_are_counted_as_the_browser_tells_them() -> None:
    """A tunnel that was opened is a request that the browser tells as well; it is not counted twice."""
    page = budget(max_requests=6)

    page.judge("http://site.example/")
    page.judge("https://site.example/")
    page.judge("https://other.example/")
    assert page.requests == 3
    page.count()
    assert page.requests == 3
    page.count(4)
    assert (page.requests, page.is_exhausted) == (6, False)
    page.count()
    assert (page.requests, page.is_exhausted) == (7, True)


@each_row(
    "host", ["google-analytics.com", "www.google-analytics.com", "REGION1.Google-Analytics.com.", "a.b.hotjar.com"]
)
def test_a_tracker_is_refused_and_not_counted(host: str) -> None:
    page = budget()
    for place in ("", "https://example.com/", "https://www.clarity.ms/"):
        page.move_to(place)
        for scheme in ("http", "https"):
            with pytest.raises(WireDenied):
                page.judge(f"{scheme}://{host}/")
    assert page.requests == 0


def test_a_tracker_is_refused_before_it_is_known_where_the_page_is() -> None:
    with pytest.raises(WireDenied):
        budget().judge("https://www.google-analytics.com/g")


@each_row("host", ["notgoogle-analytics.com", "google-analytics.com.example.org", "google.com", "com", ""])
def test_a_host_that_only_looks_like_a_tracker_is_none(host: str) -> None:
    assert find_tracker(host) == ""


def test_a_trackers_own_site_can_be_read() -> None:
    page = budget()
    page.move_to("https://www.hotjar.com/pricing")

    page.judge("https://www.hotjar.com/pricing")
    page.judge("https://static.hotjar.com/site.css")
    with pytest.raises(WireDenied):
        page.judge("https://www.google-analytics.com/g")

    page.move_to("https://example.com/")
    with pytest.raises(WireDenied):
        page.judge("https://static.hotjar.com/site.css")


def test_the_list_of_trackers_is_of_domains() -> None:
    assert len(DOMAINS) > 80
    assert [domain for domain in DOMAINS if domain != domain.lower().strip(".") or "." not in domain] == []


def test_why_a_host_was_refused_is_known_by_host_and_port() -> None:
    page = budget()
    reason = WireFailed("no connection")

    page.record_refusal("https://Site.example./a?b", reason)

    assert page.refusal("https://site.example:443/other") is reason
    assert page.refusal("http://site.example/a") is None
    assert page.refusal("https://other.example/") is None
    assert page.refusal("nonsense") is None


def test_refusals_do_not_pile_up() -> None:
    page = budget()
    first: WireError = WireDenied()
    page.record_refusal("https://first.example/", first)

    for number in range(2000):
        page.record_refusal(f"https://h{number}.example/", WireDenied())

    assert page.refusal("https://first.example/") is first
    assert page.refusal("https://h1999.example/") is None
