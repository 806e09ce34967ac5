"""What servers send instead of pages is told from pages, and pages from what only resembles it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dowse.core.errors import PageUnreadable
from dowse.core.models import Body, Onward, Status
from dowse.core.reasons import FailureReason
from dowse.extract import verdict
from dowse.extract.convert import to_text
from dowse.extract.strip import to_stripped_text
from dowse.extract.verdict.outline import scan
from dowse.extract.verdict.wording import other_words
from tests.support.tables import each_row

pytestmark = pytest.mark.promise("verdict-error-page", "case-37")

PAGES = Path(__file__).resolve().parents[2] / "fixtures" / "verdicts"
ORDINARY = "ordinary"
# Folder of a page: what it ends as, who may be asked further, and what the log says about it.
EXPECTED = {
    "challenge": (Status.BLOCKED, Onward.ANY_READER, "challenge page"),
    "consent": (Status.BLOCKED, Onward.ANY_READER, "consent wall"),
    "failure": (Status.ERROR, Onward.SCRAPE_APIS, "error page"),
    "login": (Status.LOGIN_REQUIRED, Onward.NONE, "login wall"),
    "missing": (Status.NOT_FOUND, Onward.NONE, "soft 404"),
    "paywall": (Status.LOGIN_REQUIRED, Onward.NONE, "pay wall"),
    "refusal": (Status.BLOCKED, Onward.ANY_READER, "access denied"),
    "shell": (Status.ERROR, Onward.ANY_READER, FailureReason.NO_READABLE_CONTENT),
    ORDINARY: None,
}
# What the law forbids us, it forbids others too.
LAW = (Status.BLOCKED, Onward.NONE, "not available in this country")
# Two paragraphs of a sold article are its readable beginning, which is content.
SPECIAL = {"refusal/geo-gdpr": LAW, "paywall/nyt-like": None}
ADDRESS = re.compile(rb"<!-- url: (\S+) -->")

Outcome = tuple[Status, Onward, str] | None


def outcome(data: bytes, *, url: str = "https://site.example/some/page", media_type: str = "text/html") -> Outcome:
    """How a page ends; one without any text as the pool has it end."""
    try:
        text = to_text(Body(url, data, media_type, "utf-8"))
    except PageUnreadable as found:
        return found.status, found.onward, found.detail.partition(" (")[0]
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


@each_row("name", sorted(set(EXPECTED) - {ORDINARY}))
def test_a_long_text_is_content_whatever_surrounds_it(name: str) -> None:
    for path in (PAGES / name).glob("*.html"):
        page = path.read_bytes()
        opened, body, rest = page.partition(b"<body")
        tag, bracket, inside = rest.partition(b">")
        with_story = opened + body + tag + bracket + STORY.encode() + inside if body else page + STORY.encode()
        assert outcome(with_story) is None, path.stem


@each_row(
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


@each_row("media_type", ["text/plain", "application/json", "text/markdown"])
def test_only_html_is_judged(media_type: str) -> None:
    page = (PAGES / "challenge" / "datadome.html").read_bytes()

    assert outcome(page, media_type=media_type) is None


def test_a_page_that_no_parser_should_see_is_judged_too() -> None:
    page = "<title>404 Not Found</title>" + "<div>" * 1000 + "<h1>404 Not Found</h1>"

    assert outcome(page.encode()) == EXPECTED["missing"]


@each_row(
    ("title", "notice"),
    [
        ("Log in", "You must log in to continue."),
        ("Page not found", "It may have been moved. Check the address."),
        ("Access denied", "Your IP address has been blocked."),
        ("Internal server error", "Please try again later."),
        ("JavaScript is required", "Please enable JavaScript."),
        ("Robot check", "Please confirm you are human."),
    ],
)
def test_what_else_a_page_says_tells_a_notice_from_a_page_of_that_name(title: str, notice: str) -> None:
    """Title, heading and stock sentence are one statement; a few words about something else are content."""
    name, said = f"<title>{title}</title><h1>{title}</h1>", f"<p>{notice}</p>"

    assert outcome(f"{name}{said}".encode()) is not None
    assert outcome(f"{name}{SHORT_STORY}{said}".encode()) is None


def test_a_notice_may_be_followed_by_the_teasers_of_other_pages() -> None:
    page = "<title>Page not found</title><h1>Page not found</h1><p>The page you requested could not be found.</p>"

    assert outcome(f"{page}<h2>Most read</h2>{SHORT_STORY}".encode()) == EXPECTED["missing"]
    assert outcome(f"{page}{SHORT_STORY * 10}".encode()) is None


@each_row(
    ("text", "count"),
    [
        ("the page you are looking for could not be found", 0),
        ("your support id is 81-aa-22, see https://a.example/help or write to ana@a.example", 1),
        ("the ferry and the other ferry", 1),
        ("お探しのページは移動したか、削除された可能性があります", 0),
        ("灯台は3日まで登れません", 2),
        ("", 0),
    ],
)
def test_words_that_notices_do_not_use_are_counted_once(text: str, count: int) -> None:
    assert other_words(text) == count


@each_row(
    ("markup", "headings", "text_chars"),
    [
        ("<title>x</title><h1>Page not found", ("page not found",), 14),
        ("<p>one</p>two", (), 6),
        ("<p>one</p><p hidden>two", (), 3),
        ("<p>one<script>two", (), 3),
        ("<b>x</b>" * 6_000 + "<p hidden>y</p>z", (), 6_001),
    ],
)
def test_text_is_seen_to_the_end_of_the_page(markup: str, headings: tuple[str, ...], text_chars: int) -> None:
    shape = scan(markup)

    assert (shape.headings, shape.text_chars) == (headings, text_chars + len(shape.title))


def test_a_page_that_could_only_be_stripped_is_judged_too() -> None:
    page = (PAGES / "challenge" / "cloudflare-attention.html").read_bytes()

    with pytest.raises(PageUnreadable) as caught:
        to_stripped_text(Body("https://site.example/", page, "text/html"))

    assert (caught.value.status, caught.value.onward) == (Status.BLOCKED, Onward.ANY_READER)


def test_markup_that_is_no_page_is_stripped_unjudged() -> None:
    note = b"<note><h1>Page not found</h1><p>The page you requested could not be found.</p></note>"

    assert to_stripped_text(Body("https://site.example/", note, "application/xml")).markdown


@pytest.mark.parametrize("address", ["https://site.example/login?next=/minutes", "https://site.example/minutes"])
def test_a_form_that_leads_back_is_a_wall_and_an_unnamed_one_is_not(address: str) -> None:
    page = f"<title>Rowing club</title><h1>Rowing club</h1>{SHORT_STORY}<form><input type=password></form>".encode()

    assert outcome(page, url=address) == (EXPECTED["login"] if "next=" in address else None)


def hostile(times: int) -> list[str]:
    """Markup that is made to be slow to judge; with a thousand times as much as a page may have."""
    return [
        "<b>" * 100 * times + "x",
        "<title>" + "a " * 500 * times,
        "<noscript>" + "<p>enable javascript " * 50 * times,
        "<div class=id=id=id=id=>" * 50 * times,
        "<script src=src=src=src=>" * 50 * times,
        '<p style="' * 50 * times,
        "<p hidden>" * 100 * times,
        "<a href=x>log in</a>" * 40 * times,
        "<h1>404 " * 50 * times,
        "<p>" + "[a](" * 4 * times,
    ]


@each_row("page", hostile(5))
def test_hostile_markup_is_judged_by_its_text(page: str) -> None:
    verdict.check_page(page, "https://site.example/", "few words " * 20)


def test_a_shell_is_one_however_often_it_says_that_it_is_loading() -> None:
    cards = "<div class=card>Loading…</div>" * 400
    page = f"<title>App</title><div id=root>{cards}</div><script src=/main.js></script>"

    with pytest.raises(PageUnreadable, match=re.escape(FailureReason.NO_READABLE_CONTENT)):
        to_text(Body("https://app.example/", page.encode(), "text/html", "utf-8"))
