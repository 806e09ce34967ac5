"""`dowse read` at a shell: the page, or the note and exit code 1."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable

import jsonschema
import pytest

from dowse.contracts.output import GetContentOutput, schema_of
from dowse.core.tokens import estimate_tokens
from dowse.surfaces.cli.main import main
from tests.doubles import PocketWeb
from tests.support.command_line import Terminal

Point = Callable[..., PocketWeb]
Look = Callable[..., tuple[int, str]]
Captured = pytest.CaptureFixture[str]
_COLOUR = re.compile(r"\x1b\[[\d;]*m")


def test_a_page_is_printed_as_markdown_under_its_address(point: Point, capsys: Captured) -> None:
    web = point()
    assert main(["read", web.page("/articles/python-315")]) == 0
    title, address, facts, blank, *text = capsys.readouterr().out.splitlines()
    assert (title, address, facts, blank) == (
        "Python 3.15: what changes for your code",
        web.page("/articles/python-315"),
        "published 2026-10-02",
        "",
    )
    assert "\x1b" not in "".join(text)
    assert any(line.startswith("## ") for line in text)


def test_json_prints_the_whole_typed_result_and_a_cut_page_says_so(point: Point, capsys: Captured) -> None:
    web = point()
    web.pages.serves("/files/notes.txt", "A line of text.\n" * 200, content_type="text/plain")
    assert main(["read", web.page("/files/notes.txt"), "--json", "--max-tokens", "100"]) == 0
    page = json.loads(capsys.readouterr().out)
    jsonschema.validate(page, schema_of(GetContentOutput))
    assert page["status"] == "truncated"
    assert 10 < page["page_content"].count("A line of text.") < 30
    assert page["next_cursor"]


def test_a_cut_page_tells_people_how_to_read_on_and_that_costs_no_further_request(
    point: Point, capsys: Captured
) -> None:
    web = point()
    web.pages.serves("/files/notes.txt", "A line of text.\n" * 200, content_type="text/plain")
    url = web.page("/files/notes.txt?a=1&b=2")
    assert main(["read", url, "--max-tokens", "100"]) == 0
    first = capsys.readouterr()
    told = re.fullmatch(r"\(cut: the page has about \d+ tokens; to read on: (.+)\)\n", first.err)
    assert told
    shown = first.out.count("A line of text.")
    assert first.out == f"{url}\n\n" + "A line of text.\n" * shown
    command = shlex.split(told[1])
    assert command[:3] == ["dowse", "read", url]
    assert main(command[1:]) == 0
    rest = capsys.readouterr()
    assert (rest.out.count("A line of text."), rest.err) == (200 - shown, "")
    assert len(web.pages.requests) == 1


def test_a_stale_page_says_how_old_it_is(point: Point, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    web = point()
    monkeypatch.setenv("DOWSE_TTL_PAGES", "1ms")
    assert main(["read", web.page("/articles/python-315")]) == 0
    assert "copy" not in capsys.readouterr().out
    web.pages.fails("/articles/python-315", "500")
    assert main(["read", web.page("/articles/python-315")]) == 0
    assert re.search(r"\n\nnote: this is a copy from \d+ seconds? ago\n", capsys.readouterr().out)


def test_a_page_that_dowse_did_not_read_to_its_end_says_so(point: Point, capsys: Captured) -> None:
    web = point()
    web.pages.serves("/files/table.csv", "a,b\n" + "1,2\n" * 1200, content_type="text/csv")
    assert main(["read", web.page("/files/table.csv")]) == 0
    assert capsys.readouterr().out.endswith(
        "_1000 of 1200 rows are shown._\n\n(the page continues; the rest was not read)\n"
    )


def test_a_failed_read_goes_to_stderr_with_exit_code_1(point: Point, capsys: Captured) -> None:
    url = point().page("/missing")
    assert main(["read", url]) == 1
    reason = f"dowse: Failed to retrieve page content: the page does not exist ({url})\n"
    assert capsys.readouterr() == ("", f"{reason}tried: direct: not_found (HTTP 404)\n")


def test_a_failed_read_as_json_is_typed_on_stdout(point: Point, capsys: Captured) -> None:
    assert main(["read", point().page("/missing"), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["status"] == "not_found"


def test_several_pages_are_read_at_once_and_printed_in_their_order(point: Point, capsys: Captured) -> None:
    web = point()
    for name in ("one", "two"):
        web.pages.serves(f"/{name}.txt", f"The text of page {name}.", content_type="text/plain")
    one, missing, two = (web.page(path) for path in ("/one.txt", "/missing", "/two.txt"))
    assert main(["read", one, missing, two]) == 1
    captured = capsys.readouterr()
    assert captured.out == f"{one}\n\nThe text of page one.\n\n---\n\n{two}\n\nThe text of page two.\n"
    assert captured.err.startswith("dowse: Failed to retrieve page content: the page does not exist")
    assert main(["read", one, two]) == 0


def test_several_pages_as_json_are_a_list(point: Point, capsys: Captured) -> None:
    web = point()
    urls = [web.page("/articles/python-315"), web.page("/missing")]
    assert main(["read", *urls, "--json"]) == 1
    assert [(page["url"], page["status"]) for page in json.loads(capsys.readouterr().out)] == [
        (urls[0], "ok"),
        (urls[1], "not_found"),
    ]


def test_max_tokens_is_one_budget_for_several_pages(point: Point, capsys: Captured) -> None:
    web = point()
    web.pages.serves("/short.txt", "A short page.", content_type="text/plain")
    web.pages.serves("/long.txt", "A line of text.\n" * 500, content_type="text/plain")
    short, long = web.page("/short.txt"), web.page("/long.txt")
    assert main(["read", short, long, "--json", "--max-tokens", "400"]) == 0
    first, second = json.loads(capsys.readouterr().out)
    assert (first["status"], second["status"]) == ("ok", "truncated")
    assert 250 < estimate_tokens(first["page_content"] + second["page_content"]) <= 400
    assert main(["read", short, long, "--max-tokens", "400"]) == 0
    assert f"to read on: dowse read {long} --cursor " in capsys.readouterr().err
    assert main(["read", short, long, "--max-tokens", "100"]) == 0
    assert "note: --max-tokens is at least 100 for each page; 100 was read as 200\n" in capsys.readouterr().err


def test_the_live_line_counts_the_pages(point: Point, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    web, terminal = point(), Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert main(["read", web.page("/articles/python-315"), web.page("/missing")]) == 1
    steps = re.findall(r"read \d of \d pages", terminal.shown)
    assert list(dict.fromkeys(steps)) == ["read 0 of 2 pages", "read 1 of 2 pages", "read 2 of 2 pages"]


def test_an_outline_of_several_pages_is_shown_for_each(point: Point, capsys: Captured) -> None:
    web = point()
    for name in ("one", "two"):
        web.pages.serves(f"/{name}.md", f"# Manual {name}\n\nText.\n", content_type="text/markdown")
    assert main(["read", web.page("/one.md"), web.page("/two.md"), "--outline"]) == 0
    assert re.findall(r"^1 Manual (\w+) ", capsys.readouterr().out, re.MULTILINE) == ["one", "two"]


def test_an_address_that_is_given_twice_is_read_once(point: Point, capsys: Captured) -> None:
    web = point()
    web.pages.serves("/one.txt", "The text.", content_type="text/plain")
    assert main(["read", web.page("/one.txt"), web.page("/one.txt")]) == 0
    assert capsys.readouterr().out == f"{web.page('/one.txt')}\n\nThe text.\n"


@pytest.mark.parametrize("flag", ["--section=1", "--cursor=x", "--explain", "--explain-html=x.html"])
def test_a_flag_about_one_page_does_not_go_with_several(capsys: Captured, flag: str) -> None:
    assert main(["read", "a.example", "b.example", flag]) == 2
    assert capsys.readouterr() == ("", f"dowse: {flag.partition('=')[0]} takes one URL.\n")


@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_no_control_character_reaches_the_terminal(point: Point, capsys: Captured, flags: list[str]) -> None:
    web = point()
    page = "<title>A \x9b2Jtitle\x1b[2J</title><p>Text \x9b31m that \x1b]0;x\x07 shouts.</p>"
    web.pages.serves("/page", page)
    web.pages.serves("/image", b"x", content_type="image/\x9b31m")
    assert main(["read", web.page("/page?\x9b"), *flags]) == 0
    assert main(["read", web.page("/image?\x9b"), *flags]) == 1
    captured = capsys.readouterr()
    shown = captured.out + captured.err
    assert "A 2Jtitle[2J" in shown
    assert "image/31m" in shown
    assert [character for character in shown if character != "\n" and not character.isprintable()] == []


@pytest.fixture
def look(monkeypatch: pytest.MonkeyPatch) -> Look:
    """What somebody at a terminal sees, and the exit code."""

    def run(*arguments: str, width: int = 60, encoding: str = "utf-8") -> tuple[int, str]:
        terminal = Terminal()
        terminal.reconfigure(encoding=encoding)
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setattr(sys, "stdout", terminal)
        return main(["read", *arguments]), terminal.shown

    return run


def test_a_terminal_gets_the_page_laid_out_with_its_title_once(point: Point, look: Look) -> None:
    url = point().page("/articles/python-315")
    code, coloured = look(url)
    shown = _COLOUR.sub("", coloured)
    assert (code, coloured == shown) == (0, False)
    assert shown.startswith(f"{url}\npublished 2026-10-02\n\n# Python 3.15: what changes for your code\n\nPython 3.15 ")
    assert "\n • Set PYTHONUTF8=0 for a while\n" in shown
    assert max(map(len, shown.split("\n"))) <= 60


def test_a_title_that_the_text_lacks_is_put_above_it(point: Point, look: Look) -> None:
    web = point()
    web.pages.serves("/page", "<title>A title</title><p>A paragraph of some length that is the content.</p>")
    shown = _COLOUR.sub("", look(web.page("/page"))[1])
    assert shown == f"{web.page('/page')}\n\n# A title\n\nA paragraph of some length that is the content.\n"


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_a_terminal_without_colour_gets_no_escape(
    point: Point, look: Look, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    _, shown = look(point().page("/articles/python-315"))
    assert "\x1b" not in shown
    assert "\n • Set PYTHONUTF8=0 for a while\n" in shown


def test_a_wide_terminal_is_not_filled(point: Point, look: Look) -> None:
    _, shown = look(point().page("/articles/python-315"), width=300)
    assert 90 < max(map(len, _COLOUR.sub("", shown).split("\n"))) <= 100


@pytest.mark.parametrize(("flags", "encoding"), [([], "ascii"), (["--raw"], "utf-8")])
def test_raw_is_markdown_and_so_it_is_where_the_terminal_lacks_characters(
    point: Point, look: Look, flags: list[str], encoding: str
) -> None:
    _, shown = look(point().page("/articles/python-315"), *flags, encoding=encoding)
    assert "\n- Set `PYTHONUTF8=0` for a while\n" in shown


def test_a_question_shows_the_part_that_answers(point: Point, capsys: Captured) -> None:
    web = point()
    arguments = ["--question", "Which encoding does a text file have?", "--max-tokens", "200"]
    assert main(["read", web.page("/articles/python-315"), *arguments]) == 0
    shown = capsys.readouterr().out
    assert "now means UTF-8" in shown
    assert "Command-line tools gain most" not in shown
    assert re.search(
        r"\n\n\((\d+) of \d+ blocks: b[\d, b]+; --section b\d+ reads on from one, "
        r"without --question the page is shown from its beginning\)\n$",
        shown,
    )


def test_a_section_is_shown_alone(point: Point, capsys: Captured) -> None:
    web = point()
    assert main(["read", web.page("/articles/python-315"), "--section", "UTF-8"]) == 0
    shown = capsys.readouterr().out
    (heading,) = re.findall(r"^#+ .*", shown, re.MULTILINE)
    assert "UTF-8" in heading
    assert re.search(r"\n\n\(a part of the page, which has about \d+ tokens; all of it without --section\)\n$", shown)


def test_the_outline_is_a_line_for_each_heading(point: Point, capsys: Captured) -> None:
    web = point()
    web.pages.serves("/manual.md", "# Manual\n\nOne.\n\n## Install\n\nTwo.\n", content_type="text/markdown")
    web.pages.serves("/notes.txt", "No heading.", content_type="text/plain")
    assert main(["read", web.page("/manual.md"), "--outline", "--max-tokens", "100"]) == 0
    address, blank, *lines = capsys.readouterr().out.splitlines()
    assert (address, blank) == (web.page("/manual.md"), "")
    assert [re.sub(r"\d+ tokens", "N tokens", line) for line in lines] == [
        "1 Manual (N tokens)",
        "1.1 Install (N tokens)",
    ]
    assert main(["read", web.page("/notes.txt"), "--outline"]) == 0
    assert capsys.readouterr().out.endswith("\n\n(the page has no headings)\n")
    assert main(["read", web.page("/missing"), "--outline"]) == 1
    assert capsys.readouterr().err.startswith("dowse: Failed to retrieve page content")


def test_a_section_that_is_none_is_one_line_and_exit_code_2(point: Point, capsys: Captured) -> None:
    assert main(["read", point().page("/articles/python-315"), "--section", "UTF-9"]) == 2
    assert capsys.readouterr().err.startswith(
        "dowse: --section 'UTF-9' is not on the page. Nearest: '1.2 UTF-8 unless you say otherwise'"
    )


def test_a_question_without_an_answer_is_said(point: Point, capsys: Captured) -> None:
    arguments = ["--question", "quantum chromodynamics", "--max-tokens", "100"]
    assert main(["read", point().page("/articles/python-315"), *arguments]) == 0
    assert capsys.readouterr().out.endswith("note: nothing on the page matches the question; this is its beginning\n")


def test_the_renderer_is_not_loaded_for_a_pipe(point: Point) -> None:
    code = "import sys; from dowse.surfaces.cli.main import main; main(sys.argv[1:]); sys.exit('rich' in sys.modules)"
    command = [sys.executable, "-c", code, "read", point().page("/articles/python-315")]
    assert subprocess.run(command, stdout=subprocess.DEVNULL, timeout=60, check=False).returncode == 0


def test_a_private_address_is_not_read(pocket: PocketWeb, capsys: Captured) -> None:
    assert main(["read", pocket.page("/")]) == 1
    captured = capsys.readouterr()
    assert (captured.out, "the address is not allowed" in captured.err) == ("", True)
    assert pocket.pages.requests == []


def test_offline_refuses_at_once(point: Point, capsys: Captured) -> None:
    web = point()
    assert main(["read", web.page("/"), "--offline"]) == 1
    assert capsys.readouterr().err == "dowse: scrape unavailable: offline mode is enabled\n"
    assert web.pages.requests == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["not an address"], "URL must be a web address such as https://example.org/page, not 'not an address'."),
        (["x.example", ""], "URL must not be empty."),
        ([f"{number}.example" for number in range(21)], "read takes at most 20 URLs, not 21."),
        (["x.example", "--max-tokens", "0"], "--max-tokens must be a whole number from 100 to 24000, not 0."),
        (["x.example", "--question", ""], "--question must not be empty."),
        (
            ["x.example", "--cursor", "2"],
            "--cursor must be the next_cursor of an earlier answer, exactly as it stands there; "
            "leave it out to read the page from its beginning.",
        ),
    ],
)
def test_wrong_arguments_are_one_line_and_exit_code_2(capsys: Captured, arguments: list[str], sentence: str) -> None:
    assert main(["read", *arguments]) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", f"dowse: {sentence}\n")


def test_a_reader_that_has_enough_ends_the_command_without_a_traceback(point: Point) -> None:
    """`dowse read … | head` closes the pipe while we write."""
    web = point()
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "dowse", "read", web.page("/articles/python-315")]
    ended = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, timeout=60, check=False)
    os.close(writer)
    assert (ended.returncode, ended.stderr) == (0, b"")
