"""What becomes of a page by what is said about its document."""

from __future__ import annotations

import pytest

from dowse.core.errors import PageUnreadable
from dowse.core.models import Onward, Status
from dowse.core.wire_errors import HostNotFound, WireDenied, WireError, WireTimeout
from dowse.fetch.browser.fetcher import check_answer, check_arrival, is_html
from dowse.fetch.browser.page import DOWNLOAD, PageDocument
from dowse.net.guard import Guard
from dowse.net.proxy.page_policy import PageBudget

URL = "https://site.example/page"


@pytest.fixture
async def budget() -> PageBudget:
    return PageBudget(Guard())


def outcome(document: PageDocument, budget: PageBudget) -> tuple[Status, Onward] | None:
    try:
        check_arrival(document, budget)
    except PageUnreadable as error:
        assert "site.example" not in error.detail
        return error.status, error.onward
    return None


@pytest.mark.parametrize("media_type", ["text/html", "application/xhtml+xml", "text/plain", "application/json"])
async def test_text_can_be_read(budget: PageBudget, media_type: str) -> None:
    assert outcome(PageDocument(URL, 200, media_type), budget) is None


@pytest.mark.parametrize("media_type", ["application/pdf", "image/svg+xml", "application/zip", "video/mp4"])
async def test_other_things_are_not_for_a_browser(budget: PageBudget, media_type: str) -> None:
    assert outcome(PageDocument(URL, 200, media_type), budget) == (Status.UNSUPPORTED, Onward.NONE)
    # Aborted, because it would have been saved.
    assert outcome(PageDocument(URL, 200, media_type, "net::ERR_ABORTED"), budget) == (
        Status.UNSUPPORTED,
        Onward.NONE,
    )


async def test_what_is_missing_is_missing_whatever_came_instead(budget: PageBudget) -> None:
    document = PageDocument(URL, 404, "application/pdf", "net::ERR_ABORTED")
    assert outcome(document, budget) == (Status.NOT_FOUND, Onward.NONE)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ("net::ERR_NAME_NOT_RESOLVED", (Status.ERROR, Onward.NONE)),
        ("net::ERR_CONNECTION_TIMED_OUT", (Status.TIMEOUT, Onward.SCRAPE_APIS)),
        ("net::ERR_TOO_MANY_REDIRECTS", (Status.ERROR, Onward.SCRAPE_APIS)),
        ("net::ERR_INVALID_AUTH_CREDENTIALS", (Status.LOGIN_REQUIRED, Onward.NONE)),
        ("net::ERR_CERT_DATE_INVALID", (Status.ERROR, Onward.SCRAPE_APIS)),
        (DOWNLOAD, (Status.UNSUPPORTED, Onward.NONE)),
    ],
)
async def test_the_browsers_errors_mean_what_those_of_the_wire_do(
    budget: PageBudget, error: str, expected: tuple[Status, Onward]
) -> None:
    assert outcome(PageDocument(URL, error=error), budget) == expected


@pytest.mark.parametrize(
    ("refusal", "expected"),
    [
        (WireDenied(), (Status.DENIED, Onward.NONE)),
        (HostNotFound(), (Status.ERROR, Onward.NONE)),
        (WireTimeout("no answer in time"), (Status.TIMEOUT, Onward.SCRAPE_APIS)),
    ],
)
async def test_the_proxy_knows_better_why_nothing_came(
    budget: PageBudget, refusal: WireError, expected: tuple[Status, Onward]
) -> None:
    budget.record_refusal(URL, refusal)
    assert outcome(PageDocument(URL, error="net::ERR_TUNNEL_CONNECTION_FAILED"), budget) == expected
    assert outcome(PageDocument(URL, 502, "text/plain"), budget) == expected


async def test_who_has_used_everything_up_is_not_served_any_more(budget: PageBudget) -> None:
    budget.count(1000)
    assert outcome(PageDocument(URL, error="net::ERR_FAILED"), budget) == (Status.TOO_LARGE, Onward.NONE)
    assert outcome(PageDocument(URL, 200, "text/html"), budget) is None


async def test_what_the_proxy_refused_a_page_says_nothing_about_the_page(budget: PageBudget) -> None:
    budget.record_refusal(URL, WireDenied())
    assert outcome(PageDocument(URL, 200, "text/html"), budget) is None
    assert outcome(PageDocument(URL, 404, "text/html"), budget) is None


async def test_the_status_of_the_answer_is_judged_apart() -> None:
    check_answer(PageDocument(URL, 200))
    check_answer(PageDocument("about:blank"))
    with pytest.raises(PageUnreadable) as caught:
        check_answer(PageDocument(URL, 403))
    assert (caught.value.status, caught.value.detail) == (Status.BLOCKED, "HTTP 403")


def test_a_window_that_a_script_wrote_into_is_html() -> None:
    assert is_html(PageDocument("about:blank")) and is_html(PageDocument(URL, 200, "application/xhtml+xml"))
    assert not is_html(PageDocument(URL, 200, "text/plain"))
