"""`dowse read --explain`: what became of each part of a page, on a terminal and as a page of its own."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dowse.core.models import Page, Status
from dowse.extract.explain import ExplainedBlock, Explanation
from dowse.surfaces.cli.explain import render_html, summarize
from dowse.surfaces.cli.main import main
from tests.doubles import PocketWeb
from tests.support.command_line import Terminal

Point = Callable[..., PocketWeb]
Captured = pytest.CaptureFixture[str]
ARTICLE = "/articles/python-315"
_COLOUR = re.compile(r"\x1b\[[\d;]*m")
HOSTILE = "<script>alert(1)</script><style>*{}</style><img src=https://evil.example/x onerror=alert(1)>\"'&"


def explanation(*blocks: ExplainedBlock, is_whole: bool = False, hidden: int = 0, further: int = 0) -> Explanation:
    return Explanation("forum", 0.876, 0.35, is_whole, hidden, blocks, further)


KEPT = ExplainedBlock("Otters swim.", "body > main > p", 2, 0.98, True, ("long text",))
DROPPED = ExplainedBlock("Home", "body > nav > ul > li", 1, 0.02, False, ("in a menu", "mostly links"))


def test_every_block_has_a_mark_a_score_its_words_and_the_reasons(point: Point, capsys: Captured) -> None:
    web = point()
    assert main(["read", web.page(ARTICLE), "--explain"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"Python 3.15: what changes for your code\n{web.page(ARTICLE)}\nKind of page: ")
    blocks = re.findall(r"^([+-]) (\d\.\d\d)  (.+)\n {8}(.+)$", shown, re.MULTILINE)
    marks = {words: mark for mark, _, words, _ in blocks}
    paths = {words: why for _, _, words, why in blocks}
    assert marks["Imports that wait until they are needed"] == "+"
    assert marks["Newsletter"] == "-"
    assert paths["Imports that wait until they are needed"].startswith("body > main > article > h2")
    assert "\x1b" not in shown


def test_a_terminal_gets_colours_and_no_line_that_is_too_long(point: Point, monkeypatch: pytest.MonkeyPatch) -> None:
    url = point().page(ARTICLE)
    terminal = Terminal()
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(sys, "stdout", terminal)
    assert main(["read", url, "--explain"]) == 0
    plain = _COLOUR.sub("", terminal.shown)
    assert plain != terminal.shown
    blocks = plain.partition("\n\n")[2]
    assert max(map(len, blocks.split("\n"))) <= 60


def test_json_prints_the_typed_explanation(point: Point, capsys: Captured) -> None:
    assert main(["read", point().page(ARTICLE), "--explain", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told) == {"url", *Explanation.__dataclass_fields__}
    assert {block["is_kept"] for block in told["blocks"]} == {True, False}


def test_nothing_is_kept_and_every_look_is_a_new_one(point: Point, capsys: Captured) -> None:
    web = point()
    for _ in range(2):
        assert main(["read", web.page(ARTICLE), "--explain"]) == 0
    assert len(web.pages.requests) == 2


@pytest.mark.parametrize("flags", [["--explain"], ["--explain-html", "page.html"]])
def test_a_page_that_fails_is_its_note_and_exit_code_1(
    point: Point, capsys: Captured, tmp_path: Path, flags: list[str]
) -> None:
    url = point().page("/missing")
    assert main(["read", url, *flags]) == 1
    note = f"dowse: Failed to retrieve page content: the page does not exist ({url})\n"
    assert capsys.readouterr() == ("", note)
    assert not (tmp_path / "page.html").exists()


def test_what_is_no_web_page_says_so(point: Point, capsys: Captured) -> None:
    web = point()
    web.pages.serves("/notes.txt", "Some words.", content_type="text/plain")
    url = web.page("/notes.txt")
    sentence = f"dowse: there is nothing to explain about {url}: it came as text/plain, not as a web page.\n"
    for flags in ([], ["--json"]):
        assert main(["read", url, "--explain", *flags]) == 1
        assert capsys.readouterr() == ("", sentence)


def test_the_page_is_written_and_the_command_says_where(point: Point, capsys: Captured, tmp_path: Path) -> None:
    assert main(["read", point().page(ARTICLE), "--explain-html", "page.html"]) == 0
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", f"written to {tmp_path.resolve() / 'page.html'}\n")
    written = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Imports that wait until they are needed" in written


def test_a_file_that_cannot_be_written_is_one_line_and_exit_code_1(point: Point, capsys: Captured) -> None:
    assert main(["read", point().page(ARTICLE), "--explain-html", "no/such/folder.html"]) == 1
    assert capsys.readouterr().err == "dowse: no/such/folder.html could not be written: No such file or directory\n"


@pytest.mark.parametrize("flag", ["--question=otters", "--cursor=x", "--max-tokens=500", "--raw"])
def test_what_shows_a_part_of_a_page_does_not_go_with_it(capsys: Captured, flag: str) -> None:
    assert main(["read", "pages.example", "--explain", flag]) == 2
    name = flag.partition("=")[0]
    assert capsys.readouterr().err == f"dowse: --explain shows all of a page: leave out {name}.\n"


def test_offline_and_private_addresses_are_refused_as_always(pocket: PocketWeb, capsys: Captured) -> None:
    assert main(["read", pocket.page("/"), "--explain", "--offline"]) == 1
    assert capsys.readouterr().err == "dowse: scrape unavailable: offline mode is enabled\n"
    assert main(["read", pocket.page("/"), "--explain"]) == 1
    assert "the address is not allowed" in capsys.readouterr().err
    assert pocket.pages.requests == []


def test_no_control_character_reaches_the_terminal(point: Point, capsys: Captured) -> None:
    web = point()
    words = "that \x1b]0;x\x07 shouts and says a few things more, so that it is a page. " * 5
    web.pages.serves("/page", f"<title>A \x9b2Jtitle</title><p id='\x1b[2J'>Text \x9b31m {words}</p>")
    assert main(["read", web.page("/page"), "--explain"]) == 0
    shown = capsys.readouterr().out
    assert [character for character in shown if character != "\n" and not character.isprintable()] == []


@pytest.mark.parametrize(
    ("told", "sentences"),
    [
        (
            explanation(KEPT, DROPPED),
            [
                "Kind of page: forum (88% sure).",
                "Kept 2 of 3 words, 1 of 2 blocks.",
                "Blocks that score 0.35 or more are content, with the blocks that belong to them.",
            ],
        ),
        (
            explanation(KEPT, is_whole=True, hidden=1200, further=4000),
            [
                "Kind of page: forum (88% sure).",
                "Kept 2 of 2 words, 1 of 1 blocks.",
                "Too little scored 0.35 or more, so the whole page was kept.",
                "1,200 hidden words were left out before that.",
                "4,000 further blocks are not listed.",
            ],
        ),
    ],
)
def test_the_summary_says_how_much_was_kept_and_what_is_special(told: Explanation, sentences: list[str]) -> None:
    assert summarize(told) == sentences


def written(*blocks: ExplainedBlock, title: str = "Otters") -> str:
    page = Page("https://pages.example/", Status.OK, title=title, final_url="https://pages.example/?a=1&b=<2>")
    return render_html(page, explanation(*blocks), ["Kept <all>."])


def test_everything_from_the_web_is_text_in_the_written_page() -> None:
    hostile = ExplainedBlock(HOSTILE, HOSTILE, 3, 0.5, True, (HOSTILE,))
    html = written(hostile, title=HOSTILE)
    assert re.findall(r"<(?:script|img)\b|<style", html) == ["<style"]
    assert "evil.example/x onerror=alert(1)&gt;&quot;&#x27;&amp;" in html
    assert "Kept &lt;all&gt;." in html


def test_the_written_page_loads_nothing_and_only_its_own_style_is_allowed() -> None:
    html = written(KEPT, DROPPED)
    style = re.search(r"<style>(.*)</style>", html, re.DOTALL)
    assert style
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert f"content=\"default-src 'none'; style-src 'sha256-{digest}'\"" in html
    assert re.findall(r"\b(?:src|href|style)=|url\(|@import", html) == []


def test_kept_and_dropped_blocks_are_told_apart_and_counted() -> None:
    html = written(KEPT, DROPPED, DROPPED)
    assert (html.count('<li class="kept">'), html.count('<li class="dropped">')) == (1, 2)
    assert ("kept (1)" in html, "left out (2)" in html) == (True, True)
    assert "<code>body &gt; nav &gt; ul &gt; li</code><span>in a menu</span><span>mostly links</span>" in html


def test_help_does_not_load_what_explains() -> None:
    code = (
        "import sys; from dowse.surfaces.cli import main; "
        "sys.exit(any(name in sys.modules for name in ('dowse.app', 'dowse.extract.explain', 'dowse.flows.read')))"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0
