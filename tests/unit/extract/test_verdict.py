"""What servers send instead of pages is told from pages, and pages from what only resembles it."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from dowse.errors import PageUnreadable
from dowse.extract.convert import to_text
from dowse.models import NO_READABLE_CONTENT, Body, Onward, Status

PAGES = Path(__file__).resolve().parents[2] / "fixtures" / "verdicts"
ORDINARY = "ordinary"
# Folder of a page: what it ends as, who may be asked further, and what the log says about it.
EXPECTED = {
    "challenge": (Status.BLOCKED, Onward.ANYBODY, "challenge page"),
    "consent": (Status.BLOCKED, Onward.ANYBODY, "consent wall"),
    "failure": (Status.ERROR, Onward.APIS, "error page"),
    "login": (Status.LOGIN_REQUIRED, Onward.NOBODY, "login wall"),
    "missing": (Status.NOT_FOUND, Onward.NOBODY, "soft 404"),
    "paywall": (Status.LOGIN_REQUIRED, Onward.NOBODY, "pay wall"),
    "refusal": (Status.BLOCKED, Onward.ANYBODY, "access denied"),
    "shell": (Status.ERROR, Onward.ANYBODY, NO_READABLE_CONTENT),
    ORDINARY: None,
}
# What the law forbids us, it forbids others too.
LAW = (Status.BLOCKED, Onward.NOBODY, "not available in this country")
SPECIAL = {"refusal/geo-gdpr": LAW}
ADDRESS = re.compile(rb"<!-- url: (\S+) -->")

Outcome = tuple[Status, Onward, str] | None


def outcome(data: bytes, *, url: str = "https://site.example/some/page", media_type: str = "text/html") -> Outcome:
    """How a page ends; one without any text as the pool has it end."""
    try:
        text = to_text(Body(url, data, media_type, "utf-8"))
    except PageUnreadable as verdict:
        return verdict.status, verdict.onward, verdict.detail.partition(" (")[0]
    return None if text.markdown else EXPECTED["shell"]


def read(path: Path) -> Outcome:
    data = path.read_bytes()
    address = ADDRESS.match(data)
    return outcome(data, url=address[1].decode()) if address else outcome(data)


def test_all_pages_are_classified_without_an_error() -> None:
    """Done-line of reading: 60 pages, 30 of them ordinary ones that speak of captchas, cookies, logins or errors."""
    expected = {
        f"{path.parent.name}/{path.stem}": SPECIAL.get(f"{path.parent.name}/{path.stem}", EXPECTED[path.parent.name])
        for path in PAGES.glob("*/*.html")
    }
    found = {f"{path.parent.name}/{path.stem}": read(path) for path in PAGES.glob("*/*.html")}

    assert {name: (end, expected[name]) for name, end in found.items() if end != expected[name]} == {}
    assert len(expected) >= 60
    assert sum(name.startswith(ORDINARY) for name in expected) >= 30
    assert {name.partition("/")[0] for name in expected} == set(EXPECTED)


STORY = "<p>" + "The ferry leaves at seven and comes back at nine, whatever the weather. " * 50 + "</p>"
SHORT_STORY = (
    "<p>The ferry leaves at seven and comes back at nine, whatever the weather. Tickets are sold on board.</p>"
)


@pytest.mark.parametrize("name", sorted(set(EXPECTED) - {ORDINARY}))
def test_a_long_text_is_content_whatever_surrounds_it(name: str) -> None:
    for path in (PAGES / name).glob("*.html"):
        page = path.read_bytes()
        opened, body, rest = page.partition(b"<body")
        tag, bracket, inside = rest.partition(b">")
        with_story = opened + body + tag + bracket + STORY.encode() + inside if body else page + STORY.encode()
        assert outcome(with_story) is None, path.stem


@pytest.mark.parametrize(
    ("title", "heading", "text"),
    [
        ("Page not found", "Ferry times", ""),
        ("Sign in", "Ferry times", ""),
        ("Ferry times", "Access denied", ""),
        ("Just a moment...", "Ferry times", ""),
        ("Captcha", "Captcha", ""),
        ("Ferry times", "Ferry times", "Enable JavaScript and cookies to continue."),
        ("Ferry times", "Ferry times", "Subscribe to continue reading."),
        ("Ferry times", "Ferry times", "The page you are looking for does not exist."),
        ("Ferry times", "Ferry times", "We value your privacy. Accept all."),
        ("Internal Server Error", "Ferry times", ""),
    ],
)
def test_a_lone_sign_decides_nothing(title: str, heading: str, text: str) -> None:
    page = f"<title>{title}</title><h1>{heading}</h1>{SHORT_STORY}<p>{text}</p>"

    assert outcome(page.encode()) is None


@pytest.mark.parametrize("media_type", ["text/plain", "application/json", "text/markdown"])
def test_only_html_is_judged(media_type: str) -> None:
    page = (PAGES / "challenge" / "datadome.html").read_bytes()

    assert outcome(page, media_type=media_type) is None


def test_a_page_that_no_parser_should_see_is_judged_too() -> None:
    page = "<title>404 Not Found</title>" + "<div>" * 1000 + "<h1>404 Not Found</h1>"

    assert outcome(page.encode()) == EXPECTED["missing"]


@pytest.mark.parametrize("address", ["https://site.example/login?next=/minutes", "https://site.example/minutes"])
def test_a_form_that_leads_back_is_a_wall_and_an_unnamed_one_is_not(address: str) -> None:
    page = f"<title>Rowing club</title><h1>Rowing club</h1>{SHORT_STORY}<form><input type=password></form>".encode()

    assert outcome(page, url=address) == (EXPECTED["login"] if "next=" in address else None)


@pytest.mark.parametrize(
    "page",
    [
        "<b>" * 100_000 + "x",
        "<title>" + "a " * 500_000,
        "<noscript>" + "<p>enable javascript " * 50_000,
        "<div class=id=id=id=id=>" * 50_000,
        "<script src=src=src=src=>" * 50_000,
        '<p style="' * 50_000,
        "<p hidden>" * 100_000,
        "<a href=x>log in</a>" * 40_000,
        "<h1>404 " * 50_000,
        "<p>" + "[a](" * 4_000,
    ],
    ids=lambda page: page[:24],
)
def test_hostile_markup_does_not_slow_the_judgement_down(page: str) -> None:
    from dowse.extract import verdict

    started = time.perf_counter()
    verdict.of_page(page, "https://site.example/", "few words " * 20)

    assert time.perf_counter() - started < 0.5
