"""`dowse search` at a shell: plain text when piped, typed with `--json`, and an exit code for scripts."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from dowse.contracts.output import WebSearchOutput, schema_of
from dowse.surfaces.cli.main import main
from tests.doubles import SERPER_KEY, Listing, PocketWeb
from tests.support.command_line import Terminal

Point = Callable[..., PocketWeb]
Captured = pytest.CaptureFixture[str]


def test_results_and_their_pages_are_printed_as_plain_text(point: Point, capsys: Captured) -> None:
    web = point("serper")
    web.serper.finds(
        [Listing("Notes <b>of</b> June", web.page("/files/notes.txt"), "A snippet.", "2026-06-07"), "/missing"]
    )
    web.pages.serves("/files/notes.txt", "First line.\n\n    indented\n", content_type="text/plain")
    assert main(["search", "what", "is new", "-n", "2", "--full"]) == 0
    captured = capsys.readouterr()
    *blocks, tried = captured.out.rstrip("\n").split("\n\n")
    assert "\n\n".join(blocks) == (
        "what is new — 2 results from serper\n\n"
        f"1. Notes of June\n   {web.page('/files/notes.txt')}\n   2026-06-07 · 3 words\n   A snippet.\n\n"
        "   First line.\n\n       indented\n\n"
        f"2. /missing\n   {web.page('/missing')}\n   Failed to retrieve page content: the page does not exist"
    )
    assert tried.startswith("tried: serper: ok (")
    assert captured.err == ""


def test_a_picture_is_printed_with_its_address(point: Point, capsys: Captured) -> None:
    point("serper")
    assert main(["search", "python", "-n", "1", "--category", "images"]) == 0
    assert "   image: https://img.example/1.jpg\n" in capsys.readouterr().out


def test_json_prints_the_whole_typed_result(point: Point, capsys: Captured) -> None:
    point("serper")
    assert main(["search", "python", "--json", "--no-content"]) == 0
    found = json.loads(capsys.readouterr().out)
    jsonschema.validate(found, schema_of(WebSearchOutput))
    assert (found["query"], found["engine"], len(found["results"])) == ("python", "serper", 3)
    assert {item["status"] for item in found["results"]} == {"not_fetched"}


def test_flags_become_arguments(point: Point, capsys: Captured) -> None:
    web = point("exa")
    domains = ["--site", "127.0.0.1", "--not-site", "b.example"]
    dates = ["--start-date", "2026-01-31", "--end-date", "2026-12-31"]
    assert main(["search", "brot", "-n", "4", "--language", "de", *domains, *dates, "--no-content"]) == 0
    sent = web.exa.requests[0].json
    assert sent is not None
    assert (sent["query"], sent["numResults"], sent["includeDomains"]) == ("brot", 4, ["127.0.0.1"])
    assert str(sent["startPublishedDate"]).startswith("2026-01-31")
    assert "note: exa cannot filter by language, so it was left out." in capsys.readouterr().out


def test_a_search_of_a_period_says_how_old_its_results_are(point: Point, capsys: Captured) -> None:
    web = point("serper")
    web.serper.lists([{"title": "Old", "link": web.page("/old"), "snippet": "A snippet.", "date": "Mar 2, 2021"}])
    assert main(["search", "ferry", "--time-range", "day", "--no-content"]) == 0
    shown = capsys.readouterr().out
    assert "\n\nNothing published in the last day was found: result 1 is older.\n\n" in shown
    assert "   2021-03-02 (provider)\n" in shown


def test_a_wide_search_shows_who_found_what(point: Point, capsys: Captured) -> None:
    web = point("serper", "exa")
    for provider in (web.serper, web.exa):
        provider.finds(["/articles/python-315"])
    assert main(["search", "python", "--depth", "wide", "--no-content"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("python — 1 result from serper, exa; 1 of them in more than one index\n")
    assert "\n   2026-10-02 · found by serper, exa\n" in shown


def test_a_page_of_which_passages_are_shown_says_how_many_and_a_mirror_is_named(point: Point, capsys: Captured) -> None:
    web = point("serper")
    manual = "# Otters\n\n" + "".join(f"Otter {number} swims in the river.\n\n" for number in range(300))
    for path in ("/manual.md", "/mirror.md"):
        web.pages.serves(path, manual, content_type="text/markdown")
    web.serper.finds(["/manual.md", "/mirror.md"])
    assert main(["search", "otter", "--format", "concise", "--max-tokens", "200", "--full"]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"\n   \(\d+ of 300 blocks are shown\)\n", shown)
    assert f"\n   the same text: {web.page('/mirror.md')}\n" in shown


def test_direct_answers_are_printed_first(point: Point, capsys: Captured) -> None:
    web = point("serper")
    web.serper.replies(json={"organic": [], "answerBox": {"answer": "42"}})
    assert main(["search", "x"]) == 0
    assert capsys.readouterr().out.startswith("x — 0 results from serper\n\nanswer 42\n\ntried: ")


def test_a_search_that_is_answered_from_before_says_how_old_that_is(
    point: Point, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    web = point("serper")
    monkeypatch.setenv("DOWSE_TTL_SEARCH", "1ms")
    assert main(["search", "python", "--no-content"]) == 0
    assert "copy" not in capsys.readouterr().out
    web.serper.fails("500")
    assert main(["search", "python", "--no-content"]) == 0
    told = re.findall(r"a copy from \d+ seconds? ago", out := capsys.readouterr().out)
    assert len(told) == 1
    assert f"\n\nnote: this is {told[0]}\n\n" in out


def test_a_page_that_is_read_from_before_says_how_old_it_is(
    point: Point, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    web = point("serper")
    web.serper.finds(["/articles/python-315"])
    monkeypatch.setenv("DOWSE_TTL_PAGES", "1ms")
    assert main(["search", "python"]) == 0
    web.pages.fails("/articles/python-315", "500")
    assert main(["search", "python"]) == 0
    assert re.search(r" words · a copy from \d+ seconds? ago\n", capsys.readouterr().out)


def test_when_every_provider_fails_it_says_why_and_exits_with_1(point: Point, capsys: Captured) -> None:
    web = point("serper")
    web.serper.fails("echo_key")
    assert main(["search", "x"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("dowse: serper is unavailable: HTTP 500")
    assert SERPER_KEY not in captured.err


def test_without_a_provider_it_names_the_keys_and_exits_with_1(capsys: Captured) -> None:
    assert main(["search", "x"]) == 1
    assert "SERPER_API_KEY or TAVILY_API_KEY" in capsys.readouterr().err


@pytest.mark.parametrize("by_flag", [True, False])
def test_offline_refuses_at_once(
    point: Point, capsys: Captured, monkeypatch: pytest.MonkeyPatch, by_flag: bool
) -> None:
    web = point("serper")
    if not by_flag:
        monkeypatch.setenv("DOWSE_OFFLINE", "1")
    assert main(["search", "x", *(["--offline"] if by_flag else [])]) == 1
    assert capsys.readouterr().err == "dowse: search unavailable: offline mode is enabled\n"
    assert web.serper.requests == []


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["-n", "0"], "--num-results must be a whole number from 1 to 50, not 0."),
        (["--language", "klingon"], '--language must be like en or pt-BR, not "klingon".'),
        (["--start-date", "soon"], '--start-date must be like 2026-01-31, not "soon".'),
        (["--max-tokens", "few"], '--max-tokens must be a whole number from 100 to 24000, not "few".'),
        (["--timeout", "0"], "--timeout must be a number from 1 to 300, not 0.0."),
        (["--site", "localhost"], "--site takes domains such as python.org, not 'localhost'."),
        (["--not-site", "language"], "--not-site takes domains such as python.org, not 'language'."),
    ],
)
def test_errors_name_flags_in_one_line_and_exit_with_2(capsys: Captured, flags: list[str], sentence: str) -> None:
    assert main(["search", "x", *flags]) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", f"dowse: {sentence}\n")


def test_an_invalid_setting_is_one_line_and_exit_code_2(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOWSE_DEADLINE_S", "soon")
    assert main(["search", "x"]) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == (
        "",
        "dowse: DOWSE_DEADLINE_S is 'soon', but it takes a duration above zero such as 15s, 500ms or 15.\n",
    )


def test_a_warning_about_settings_goes_to_stderr(
    point: Point, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    point("serper")
    monkeypatch.setenv("DOWSE_OFLINE", "1")
    assert main(["search", "x", "--no-content", "--json"]) == 0
    captured = capsys.readouterr()
    assert captured.err == "dowse: warning: DOWSE_OFLINE is not a setting of dowse; did you mean DOWSE_OFFLINE?\n"
    json.loads(captured.out)


def test_the_log_is_silent_unless_asked_for(point: Point, capsys: Captured) -> None:
    point("serper")
    assert main(["search", "x", "--no-content", "--log-level", "info"]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert json.loads(line)["event"] == "search completed using engine"


def test_a_named_configuration_file_is_read(
    point: Point, capsys: Captured, tmp_path_factory: pytest.TempPathFactory
) -> None:
    web = point("serper")
    path = tmp_path_factory.mktemp("config") / "mine.toml"
    path.write_text("default_results_count = 1\n")
    assert main(["search", "x", "--no-content", "--config", str(path)]) == 0
    assert capsys.readouterr().out.startswith("x — 1 result from serper\n")
    assert web.serper.requests[0].json == {"q": "x", "num": 1}


def test_a_secret_that_a_provider_echoes_is_masked(point: Point, capsys: Captured) -> None:
    web = point("serper")
    web.serper.finds([Listing("Leak", web.page("/"), f"The key is {SERPER_KEY}.")])
    assert main(["search", "x", "--no-content"]) == 0
    assert "The key is [redacted]." in capsys.readouterr().out


def test_the_contract_of_the_server_does_not_change_the_command(
    point: Point, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    point("serper")
    monkeypatch.setenv("DOWSE_CONTRACT", "kindly")
    assert main(["search", "x", "--no-content"]) == 0
    assert "results from serper" in capsys.readouterr().out


def test_at_a_terminal_there_is_colour_and_progress_that_goes_away(
    point: Point, monkeypatch: pytest.MonkeyPatch
) -> None:
    point("serper")
    out, err = Terminal(), Terminal()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    assert main(["search", "python", "--no-content"]) == 0
    assert out.shown.startswith("\x1b[1mpython\x1b[0m — 3 results from serper")
    steps = re.findall(r"\r\x1b\[K\x1b\[2m… \d+\.\d s  (.*?)\x1b\[0m", err.shown)
    assert set(steps) == {"search: asking serper"}
    assert err.shown.endswith("\x1b[0m\r\x1b[K")


def test_with_a_log_there_is_no_live_line(point: Point, monkeypatch: pytest.MonkeyPatch) -> None:
    point("serper")
    err = Terminal()
    monkeypatch.setattr(sys, "stderr", err)
    assert main(["search", "python", "--no-content", "--log-level", "info"]) == 0
    assert ("search completed using engine" in err.shown, "\x1b[K" in err.shown) == (True, False)


def test_no_color_is_respected(point: Point, monkeypatch: pytest.MonkeyPatch) -> None:
    point("serper")
    out = Terminal()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setenv("NO_COLOR", "1")
    assert main(["search", "python", "--no-content"]) == 0
    assert "\x1b" not in out.shown


HOSTILE = "hostile\x1b[2J\x1b]0;title\x07\x9b31m\x90q\u202e"


@pytest.mark.parametrize("flags", [[], ["--json"], ["--no-content"]])
def test_no_control_character_reaches_the_terminal(point: Point, capsys: Captured, flags: list[str]) -> None:
    """ESC and its one-byte siblings would let a page or an engine rewrite what is on the screen."""
    web = point("searxng")
    web.pages.serves("/page", f"{HOSTILE}\n\nText.".encode(), content_type="text/plain; charset=utf-8")
    web.pages.serves("/image", b"x", content_type="image/\x9b31m")
    shared = {"title": HOSTILE, "content": HOSTILE, "engine": HOSTILE, "publishedDate": HOSTILE}
    results = [shared | {"url": web.page("/page")}, shared | {"url": web.page("/image?\x9b\x1b")}]
    web.searxng.replies(json={"results": results, "answers": [HOSTILE], "suggestions": [HOSTILE]})
    assert main(["search", HOSTILE, "-n", "2", *flags]) == 0
    captured = capsys.readouterr()
    assert captured.out.count("hostile") >= 6
    assert captured.err == ""
    assert [character for character in captured.out if character != "\n" and not character.isprintable()] == []


def test_neither_does_one_in_what_an_upstream_says_went_wrong(point: Point, capsys: Captured) -> None:
    web = point("searxng")
    web.searxng.replies(json={"results": [], "unresponsive_engines": [["g", HOSTILE + "\nforged line"]]})
    assert main(["search", "x"]) == 1
    shown = capsys.readouterr().err
    assert shown == (
        "dowse: searxng answered, but all of its engines had failed: g: hostile[2J]0;title31mq forged line\n"
    )


def test_neither_does_one_in_a_setting_of_an_untrusted_file(point: Point, capsys: Captured, tmp_path: Path) -> None:
    point("serper")
    (tmp_path / "dowse.toml").write_text('"x\\u001b[2J\\u009b_url" = 1\n"x\\u001b[2J\\u009b" = 1\n')
    assert main(["search", "x", "--no-content"]) == 0
    first, second = capsys.readouterr().err.splitlines()
    assert "dowse.toml: x[2J_url is not a setting of dowse" in first
    assert "dowse.toml: x[2J is not a setting of dowse" in second


@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_a_terminal_of_few_characters_gets_the_others_replaced(point: Point, flags: list[str]) -> None:
    web = point("serper")
    web.serper.finds([Listing("Größe — 日本語", web.page("/files/notes.txt"), "naïve")])
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "dowse", "search", "Brücke", "-n", "1", *flags]
    ended = subprocess.run(command, env=environment, capture_output=True, timeout=60, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert b"Gr??e ? ???" in ended.stdout


def test_interrupting_is_exit_code_130(monkeypatch: pytest.MonkeyPatch, point: Point) -> None:
    point("serper")

    class Interrupted(Terminal):
        def write(self, text: str) -> int:
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdout", Interrupted())
    assert main(["search", "python", "--no-content"]) == 130
