"""The pages of search engines are told apart: results, nothing, a wall before them, something else entirely."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dowse.core.listings import Listing, Outcome
from dowse.core.models import Body, Hit
from dowse.extract.serp.reading import to_listing
from dowse.providers.relevance import is_relevant
from tests.support.tables import each_row

PAGES = Path(__file__).resolve().parents[3] / "fixtures" / "listings"
IRRELEVANT = "irrelevant"
FOLDERS = {*Outcome, IRRELEVANT}
# What people search for and what walls say.
MARKERS = (
    "captcha",
    "just a moment",
    "are you a robot",
    "access denied",
    "forbidden",
    "unusual traffic",
    "cookies",
    "login",
    "verify you are human",
    "too many requests",
)


@dataclass(frozen=True, slots=True)
class Fixture:
    """A page with what its first line says about it: whose it is, what was asked, where it was found."""

    engine: str
    query: str
    url: str
    data: bytes

    def listing(self, query: str = "") -> Listing:
        return to_listing(self.engine, Body(self.url, self.data, "text/html", "utf-8"), query or self.query)


def fixture(path: Path) -> Fixture:
    about, _, data = path.read_bytes().partition(b"\n")
    engine, query, url = about.decode().removeprefix("<!-- ").removesuffix(" -->").split(" | ")
    return Fixture(engine, query, url, data)


def named(folder: str) -> list[str]:
    return sorted(path.stem for path in (PAGES / folder).glob("*.html"))


def outcome(page: Fixture) -> str:
    """What a provider makes of it, which looks at results that have nothing to do with the query too."""
    listing = page.listing()
    hits = [Hit(row.title, row.url, row.snippet) for row in listing.rows]
    return listing.outcome if is_relevant(page.query, hits) else IRRELEVANT


@each_row("name", [f"{folder}/{name}" for folder in sorted(FOLDERS) for name in named(folder)])
def test_a_page_is_what_it_is(name: str) -> None:
    assert outcome(fixture(PAGES / f"{name}.html")) == name.partition("/")[0]


def test_there_are_pages_of_every_kind() -> None:
    """Done-line of searching without a key: 40 pages."""
    names = {folder: named(folder) for folder in FOLDERS}
    assert sum(map(len, names.values())) >= 40
    assert all(len(each) >= 4 for each in names.values())
    assert sum("echo" in name for each in names.values() for name in each) >= 6


@each_row("query", MARKERS)
def test_a_wall_is_a_wall_whatever_was_asked(query: str) -> None:
    pages = {name: fixture(PAGES / "blocked" / f"{name}.html") for name in named("blocked")}

    assert {name: page.listing(query).outcome for name, page in pages.items()} == dict.fromkeys(pages, Outcome.BLOCKED)


@each_row("query", MARKERS)
@each_row("folder", ["results", "empty", "unknown"])
def test_an_engines_own_page_is_no_wall_because_it_repeats_the_query(folder: str, query: str) -> None:
    for name in named(folder):
        page = fixture(PAGES / folder / f"{name}.html")
        written = page.query.replace('"', "&quot;").encode()
        echo = Fixture(page.engine, query, page.url, page.data.replace(written, query.encode()))
        assert echo.listing().outcome == folder, name
