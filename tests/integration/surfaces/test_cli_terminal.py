"""Commands at a real pseudo-terminal of 80 columns: layout, the live line, and Ctrl-C."""

import re
import sys
from collections.abc import Callable, Iterator

import pytest

from tests.doubles import Listing, PocketWeb
from tests.support.pseudo_terminal import COLUMNS, Session

Point = Callable[..., PocketWeb]


def dowse(*arguments: str) -> Session:
    return Session(sys.executable, "-m", "dowse", *arguments)


@pytest.fixture(autouse=True)
def real_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS")


@pytest.fixture
def tides(point: Point) -> Iterator[PocketWeb]:
    """A web with one page about tides, which is longer than a few lines."""
    web = point("serper")
    text = (
        "The **moon** pulls the water of the sea towards it. Where the water rises it is high tide, and twelve hours "
        "later the same shore has its next one. The sun does the same with less force: at new moon both pull in one "
        "line, and the range between high and low water is largest."
    )
    page = f"# Tides\n\n{text}\n\n- first\n- second\n"
    web.pages.serves("/tides.md", page, content_type="text/markdown")
    snippet = "A snippet of many words about the tides. " * 6
    web.serper.finds([Listing("Tides", web.page("/tides.md"), snippet, "2026-06-07"), "/missing"])
    yield web


def test_a_result_is_a_few_lines_wrapped_at_words(tides: PocketWeb) -> None:
    session = dowse("search", "moon tides", "-n", "2")
    assert session.finish() == 0
    lines = session.lines()
    assert lines[:5] == [
        "moon tides — 2 results from serper",
        "",
        "1. Tides",
        f"   {tides.page('/tides.md')}",
        "   2026-06-07 · 61 words",
    ]
    first = lines[2 : lines.index("", 2)]
    assert len(first) == 6
    assert first[3].startswith("   The moon pulls the water of the sea towards it. Where the")
    assert max(map(len, lines)) <= COLUMNS
    assert "   Failed to retrieve page content: the page does not exist" in lines
    assert "(--full prints the pages; dowse read URL reads one)" in lines


@pytest.mark.usefixtures("tides")
def test_full_shows_pages_with_their_markdown_rendered() -> None:
    session = dowse("search", "moon tides", "-n", "1", "--full")
    assert session.finish() == 0
    assert "The \x1b[1mmoon\x1b[0m pulls" in session.shown
    lines = session.lines()
    assert "    • first" in lines
    assert max(map(len, lines)) <= COLUMNS


@pytest.mark.usefixtures("tides")
def test_the_live_line_shows_who_is_asked_and_how_many_pages_are_read_and_goes_away() -> None:
    session = dowse("search", "moon tides", "-n", "2")
    assert session.finish() == 0
    assert session.steps() == [
        "search: asking serper",
        "read 0 of 2 pages",
        "read 1 of 2 pages",
        "read 2 of 2 pages",
    ]
    assert session.lines()[0] == "moon tides — 2 results from serper"


@pytest.mark.parametrize("command", ["search", "answer"])
def test_control_c_leaves_a_clean_line_and_exits_with_130(point: Point, command: str) -> None:
    web = point("serper")
    web.serper.fails("hang")
    session = dowse(command, "how high is the tide")
    session.read_until("asking serper")
    session.press(b"\x03")
    assert session.finish() == 130
    # After the "^C" of the terminal the line is erased, and nothing follows.
    assert re.search(r"\^C(?:\r\x1b\[K[^\r]*)*\r\x1b\[K$", session.shown)
    assert "Traceback" not in session.shown


def test_an_answer_is_rendered_and_wrapped(point: Point) -> None:
    web = point("openai")
    text = "The **moon** pulls the water. " * 8 + "\n\n- springs\n- neaps"
    cited = {"type": "url_citation", "start_index": 0, "end_index": 8, "url": "https://a.example/", "title": "A"}
    web.openai.writes(text, [cited])
    session = dowse("answer", "why are there tides")
    assert session.finish() == 0
    lines = session.lines()
    assert lines[0].startswith("The moon pulls the water. The moon pulls")
    assert (" • springs" in lines, "1. A" in lines, "   https://a.example/" in lines) == (True, True, True)
    assert max(map(len, lines)) <= COLUMNS


@pytest.mark.usefixtures("tides")
def test_no_color_leaves_the_layout_and_no_escape_but_the_live_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    session = dowse("search", "moon tides", "-n", "1", "--full")
    assert session.finish() == 0
    assert set(re.findall(r"\x1b\[[^A-Za-z]*[A-Za-z]", session.shown)) == {"\x1b[K"}
    assert "    • first" in session.lines()
