"""Text that somebody else made of a page: no markup is left, so only clear cases show."""

from __future__ import annotations

from dowse.core.models import Onward, Status
from dowse.extract.verdict import judge_text
from tests.support.tables import each_row

BLOCKED = (Status.BLOCKED, Onward.ANY_READER)
MISSING = (Status.NOT_FOUND, Onward.NONE)
LOGIN = (Status.LOGIN_REQUIRED, Onward.NONE)
FAILED = (Status.ERROR, Onward.SCRAPE_APIS)
EMPTY = (Status.ERROR, Onward.ANY_READER)


@each_row(
    ("title", "markdown", "expected"),
    [
        ("Just a moment...", "Enable JavaScript and cookies to continue", BLOCKED),
        ("Just a moment...", "# tides.example\n\nVerifying you are human. This may take a few seconds.", BLOCKED),
        (
            "Attention Required! | Cloudflare",
            "# Why have I been blocked?\n\nThis website is using a security service.",
            BLOCKED,
        ),
        ("Access Denied", "# Access Denied\n\nYou don't have permission to access this. Reference #18.2f", BLOCKED),
        ("Robot Check", "Please confirm you are human to go on.", BLOCKED),
        ("Making sure you're not a bot!", "Loading...", BLOCKED),
        ("Vercel Security Checkpoint", "We're verifying your browser", BLOCKED),
        ("Page not found | Shop", "# 404\n\nThe page you are looking for does not exist.", MISSING),
        ("", "# Seite nicht gefunden\n\nDie gesuchte Seite existiert nicht.", MISSING),
        ("Log in", "# Log in\n\nYou must log in to continue.", LOGIN),
        (
            "Story",
            "Subscribe to continue reading.\n\n[Subscribe](https://a.example/s)\n\nThis story is for subscribers only.",
            LOGIN,
        ),
        ("502 Bad Gateway", "# 502 Bad Gateway\n\nnginx", FAILED),
        ("Tideboard", "You need to enable JavaScript to run this app.", EMPTY),
        ("Tideboard", "Loading…", EMPTY),
        (
            "JavaScript is not available.",
            "# JavaScript is not available.\n\nPlease enable JavaScript to continue.",
            EMPTY,
        ),
    ],
)
def test_clear_cases_show_in_text_alone(title: str, markdown: str, expected: tuple[Status, Onward]) -> None:
    verdict = judge_text(title, markdown)

    assert verdict is not None
    assert (verdict.status, verdict.onward) == expected


@each_row(
    ("title", "markdown"),
    [
        ("", "Hello, world!"),
        ("Just a moment", "A song of four minutes, recorded in a boathouse."),
        ("404 Not Found", "An HTTP status code: the server could not find what was requested."),
        (
            "Login",
            "# Login\n\nSend the user's name and password:\n\n```\nPOST /session\n```\n\nYou must log in to continue.",
        ),
        (
            "Access denied",
            "# Access denied\n\n" + "A history of the locks of the old harbour, and of who held their keys. " * 12,
        ),
        ("Page not found", "# Page not found\n\n" + "The page you are looking for is a poem about pages. " * 60),
        ("Ferry", "Enable JavaScript to see the map. The ferry leaves at seven and comes back at nine every day."),
    ],
)
def test_text_with_something_to_say_is_content(title: str, markdown: str) -> None:
    assert judge_text(title, markdown) is None


HOSTILE = ["[", "[a](", "[a](x", "# ", "join ", "subscribe ", "sign in to ", "a", "ページ"]


@each_row("piece", HOSTILE)
def test_hostile_text_is_content(piece: str) -> None:
    assert judge_text(piece * (2_000 // len(piece)), piece * (2_000 // len(piece))) is None
