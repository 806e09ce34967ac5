"""What becomes of a page by what is said about its document."""

from __future__ import annotations

import pytest

from dowse.core.errors import PageUnreadable, WireDenied, WireError, WireTimeout
from dowse.core.models import Onward, Status
from dowse.fetch.browser.fetcher import check_answer, check_arrived, is_html
from dowse.fetch.browser.page import DOWNLOAD, Document
from dowse.net.guard import Guard, HostNotFound
from dowse.net.proxy.page_policy import PageBudget

URL = "https://site.example/page"


@pytest.fixture
async def leash() -> PageBudget:
    return PageBudget(Guard())


def outcome(document: Document, leash: PageBudget) -> tuple[Status, Onward] | None:
    try:
        check_arrived(document, leash)
    except PageUnreadable as error:
        assert "site.example" not in error.detail
        return error.status, error.onward
    return None


@pytest.mark.parametrize("media_type", ["text/html", "application/xhtml+xml", "text/plain", "application/json"])
async def test_text_can_be_read(leash: PageBudget, media_type: str) -> None:
    assert outcome(Document(URL, 200, media_type), leash) is None


@pytest.mark.parametrize("media_type", ["application/pdf", "image/svg+xml", "application/zip", "video/mp4"])
async def test_other_things_are_not_for_a_browser(leash: PageBudget, media_type: str) -> None:
    assert outcome(Document(URL, 200, media_type), leash) == (Status.UNSUPPORTED, Onward.NOBODY)
    # Aborted, because it would have been saved.
    assert outcome(Document(URL, 200, media_type, "net::ERR_ABORTED"), leash) == (Status.UNSUPPORTED, Onward.NOBODY)


async def test_what_is_missing_is_missing_whatever_came_instead(leash: PageBudget) -> None:
    document = Document(URL, 404, "application/pdf", "net::ERR_ABORTED")
    assert outcome(document, leash) == (Status.NOT_FOUND, Onward.NOBODY)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ("net::ERR_NAME_NOT_RESOLVED", (Status.ERROR, Onward.NOBODY)),
        ("net::ERR_CONNECTION_TIMED_OUT", (Status.TIMEOUT, Onward.APIS)),
        ("net::ERR_TOO_MANY_REDIRECTS", (Status.ERROR, Onward.APIS)),
        ("net::ERR_INVALID_AUTH_CREDENTIALS", (Status.LOGIN_REQUIRED, Onward.NOBODY)),
        ("net::ERR_CERT_DATE_INVALID", (Status.ERROR, Onward.APIS)),
        (DOWNLOAD, (Status.UNSUPPORTED, Onward.NOBODY)),
    ],
)
async def test_the_browsers_errors_mean_what_those_of_the_wire_do(
    leash: PageBudget, error: str, expected: tuple[Status, Onward]
) -> None:
    assert outcome(Document(URL, error=error), leash) == expected


@pytest.mark.parametrize(
    ("refusal", "expected"),
    [
        (WireDenied(), (Status.DENIED, Onward.NOBODY)),
        (HostNotFound(), (Status.ERROR, Onward.NOBODY)),
        (WireTimeout("no answer in time"), (Status.TIMEOUT, Onward.APIS)),
    ],
)
async def test_the_proxy_knows_better_why_nothing_came(
    leash: PageBudget, refusal: WireError, expected: tuple[Status, Onward]
) -> None:
    leash.refused(URL, refusal)
    assert outcome(Document(URL, error="net::ERR_TUNNEL_CONNECTION_FAILED"), leash) == expected
    assert outcome(Document(URL, 502, "text/plain"), leash) == expected


async def test_who_has_used_everything_up_is_not_served_any_more(leash: PageBudget) -> None:
    leash.count(1000)
    assert outcome(Document(URL, error="net::ERR_FAILED"), leash) == (Status.TOO_LARGE, Onward.NOBODY)
    assert outcome(Document(URL, 200, "text/html"), leash) is None


async def test_what_the_proxy_refused_a_page_says_nothing_about_the_page(leash: PageBudget) -> None:
    leash.refused(URL, WireDenied())
    assert outcome(Document(URL, 200, "text/html"), leash) is None
    assert outcome(Document(URL, 404, "text/html"), leash) is None


async def test_the_status_of_the_answer_is_judged_apart() -> None:
    check_answer(Document(URL, 200))
    check_answer(Document("about:blank"))
    with pytest.raises(PageUnreadable) as caught:
        check_answer(Document(URL, 403))
    assert (caught.value.status, caught.value.detail) == (Status.BLOCKED, "HTTP 403")


def test_a_window_that_a_script_wrote_into_is_html() -> None:
    assert is_html(Document("about:blank")) and is_html(Document(URL, 200, "application/xhtml+xml"))
    assert not is_html(Document(URL, 200, "text/plain"))
