"""`dowse instances`: the table of public instances, a new list, and a test of each; in words, or as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from dowse.surfaces.cli.main import main
from tests.doubles import PocketWeb
from tests.doubles.searx_space import listed, offline

Captured = pytest.CaptureFixture[str]
Point = Callable[..., PocketWeb]


@pytest.fixture
def web(point: Point, monkeypatch: pytest.MonkeyPatch) -> PocketWeb:
    """Two instances that are well, on the list of a searx.space that has others on it too."""
    monkeypatch.setenv("DOWSE_REQUEST_DELAY_RANGE", "0,0")
    web = point()
    web.instances.has("alder", "birch")
    web.searx_space.lists(web.instances.address("alder"), listed("A+", uptime=99.25, response_s=0.412))
    web.searx_space.lists(web.instances.address("birch"), listed("B", uptime=None, response_s=None))
    web.searx_space.lists("https://down.example/", offline())
    return web


def told(capsys: Captured, *arguments: str, code: int = 0) -> dict[str, Any]:
    """The answer of a command as JSON."""
    assert main(["instances", *arguments, "--json"]) == code
    answer = json.loads(capsys.readouterr().out)
    assert isinstance(answer, dict)
    return answer


def states(answer: dict[str, Any]) -> list[str]:
    return [row["state"] for row in answer["instances"]]


def test_the_table_shows_each_instance_with_its_state(web: PocketWeb, capsys: Captured) -> None:
    assert main(["instances", "list"]) == 0
    said = capsys.readouterr()
    header, alder, birch, blank, tally = said.out.splitlines()
    assert header.split() == ["address", "grade", "uptime", "response", "answers", "failures", "checked", "state"]
    address = web.instances.address("alder").rstrip("/")
    assert alder.split() == [address, "A+", "99.2", "%", "412", "ms", "?", "0", "never", "ready"]
    assert birch.split()[1:] == ["B", "?", "200", "ms", "?", "0", "never", "ready"]
    assert alder.index("ready") == birch.index("ready") == header.index("state")
    assert blank == ""
    assert tally == "2 of 3 instances are accepted, 2 of them ready. --all shows the rejected ones, with the reason."
    assert said.err == ""


def test_all_shows_who_is_not_good_enough_and_why(web: PocketWeb, capsys: Captured) -> None:
    assert main(["instances", "list", "--all"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[4] == "https://down.example  searx.space could not reach it"
    assert lines[-1] == "2 of 3 instances are accepted, 2 of them ready."


def test_programs_get_an_object(web: PocketWeb, capsys: Captured) -> None:
    answer = told(capsys, "list", "--all")
    assert (answer["usable"], answer["listed"], answer["warnings"]) == (2, 3, [])
    assert answer["excluded"] == [{"url": "https://down.example", "reason": "searx.space could not reach it"}]
    assert answer["instances"][0] == {
        "url": web.instances.address("alder").rstrip("/"),
        "grade": "A+",
        "uptime": 99.25,
        "response_ms": 412,
        "state": "ready",
        "reason": "",
        "until": None,
        "last_checked": None,
        "consecutive_failures": 0,
        "json": None,
    }
    assert "excluded" not in told(capsys, "list")


def test_a_failure_is_seen_in_the_table_of_the_next_command(web: PocketWeb, capsys: Captured) -> None:
    web.instances["alder"].fails("503")
    assert told(capsys, "test")["ok"] is True
    row = told(capsys, "list")["instances"][0]
    assert (row["state"], row["reason"], row["consecutive_failures"]) == ("resting", "HTTP 503", 1)
    rest_s = datetime.fromisoformat(row["until"]) - datetime.fromisoformat(row["last_checked"])
    assert 59 <= rest_s.total_seconds() <= 61
    assert main(["instances", "list"]) == 0
    [line] = [line for line in capsys.readouterr().out.splitlines() if "resting" in line]
    assert "resting until 20" in line
    assert line.endswith(" UTC: HTTP 503")


def test_misbehaviour_is_told_with_its_reason(web: PocketWeb, capsys: Captured) -> None:
    web.instances["alder"].fails("redirect", redirect_to="https://elsewhere.example/")
    told(capsys, "test")
    row = told(capsys, "list")["instances"][0]
    assert (row["state"], row["reason"]) == ("blocked", "it redirects to another host")


def test_a_refresh_says_how_many_are_usable(web: PocketWeb, capsys: Captured) -> None:
    assert told(capsys, "refresh") == {"usable": 2, "listed": 3}
    web.searx_space.lists("https://cedar.example/")
    assert len(told(capsys, "list")["instances"]) == 2
    assert main(["instances", "refresh"]) == 0
    assert capsys.readouterr().out == "3 of 4 instances are accepted.\n"
    assert len(told(capsys, "list")["instances"]) == 3


@pytest.mark.parametrize("action", ["list", "refresh", "test"])
def test_without_any_list_there_is_one_clear_sentence(web: PocketWeb, capsys: Captured, action: str) -> None:
    web.searx_space.fails("503")
    assert main(["instances", action]) == 1
    said = capsys.readouterr()
    assert (said.out, said.err) == (
        "",
        "dowse: the list of public instances could not be fetched: searx.space is unavailable: HTTP 503; "
        "set SEARXNG_URL to an instance of your own\n",
    )


def test_offline_the_list_from_before_is_shown_and_nothing_is_asked(
    web: PocketWeb, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DOWSE_OFFLINE", "true")
    assert main(["instances", "list"]) == 1
    assert "offline mode is on" in capsys.readouterr().err
    monkeypatch.delenv("DOWSE_OFFLINE")
    told(capsys, "list")
    asked = len(web.searx_space.requests)
    monkeypatch.setenv("DOWSE_OFFLINE", "true")
    assert states(told(capsys, "list")) == ["ready", "ready"]
    for action in ("refresh", "test"):
        assert main(["instances", action]) == 1
        assert "offline mode is on" in capsys.readouterr().err
    assert (len(web.searx_space.requests), web.instances.requests) == (asked, [])


def test_a_test_tells_json_from_a_limiter_and_from_a_page(web: PocketWeb, capsys: Captured) -> None:
    web.instances.has("alder", "birch", "cedar", "dogwood")
    web.instances["birch"].json_off()
    web.instances["cedar"].fails("429")
    web.instances["dogwood"].fails("hang")
    answer = told(capsys, "test", *(web.instances.address(name) for name in ("alder", "birch", "cedar")))
    assert [found["outcome"] for found in answer["instances"]] == ["json", "html", "limiter"]
    assert [found["is_well"] for found in answer["instances"]] == [True, True, False]
    known = {row["url"].rpartition("/")[2]: row["json"] for row in told(capsys, "list")["instances"]}
    assert known == {"alder": True, "birch": False, "cedar": None, "dogwood": None}


def test_people_get_a_line_for_each_instance(web: PocketWeb, capsys: Captured) -> None:
    web.instances["birch"].fails("503")
    assert main(["instances", "test"]) == 0
    alder, birch = capsys.readouterr().out.splitlines()
    assert alder.startswith(f"{web.instances.address('alder').rstrip('/')}  json (")
    assert birch.startswith(f"{web.instances.address('birch').rstrip('/')}  unavailable (")
    assert birch.endswith(" ms): HTTP 503")


def test_a_test_that_no_instance_passes_fails(web: PocketWeb, capsys: Captured) -> None:
    web.instances.fails("503")
    assert told(capsys, "test", code=1)["ok"] is False
    assert main(["instances", "test"]) == 1
    assert "of 2 instances none is ready (2 resting)" in capsys.readouterr().err


@pytest.mark.parametrize("url", ["searx.example.org", "ftp://searx.example.org", "\x1b[31m"])
def test_what_is_no_address_is_wrong_usage(web: PocketWeb, capsys: Captured, url: str) -> None:
    assert main(["instances", "test", url]) == 2
    said = capsys.readouterr()
    assert "is not a URL; use one such as https://searx.example.org" in said.err
    assert "\x1b" not in said.err
    assert web.instances.requests == []


def test_several_of_ones_own_are_shown_without_their_passwords(
    web: PocketWeb, capsys: Captured, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    own = web.page("/searxng").replace("://", "://someone:a-password@")
    monkeypatch.setenv("SEARXNG_URL", f"{own},{web.instances.address('alder')}")
    assert main(["instances", "list"]) == 0
    said = capsys.readouterr()
    first, second = said.out.splitlines()[1:3]
    assert first.split()[:2] == [web.page("/searxng"), "own"]
    assert second.split()[0] == web.instances.address("alder").rstrip("/")
    told(capsys, "test")
    assert states(told(capsys, "list")) == ["ready", "ready"]
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert "a-password" not in said.out + said.err
    assert b"a-password" not in kept


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["instances"], "List, refresh and test SearXNG instances"),
        (["instances", "list"], "include rejected instances, with the reason"),
        (["instances", "refresh"], "prints how many of them are accepted"),
        (["instances", "test"], "Exits with 1 if all fail"),
    ],
)
def test_help_says_what_it_does(capsys: Captured, arguments: list[str], words: str) -> None:
    with pytest.raises(SystemExit, match="0"):
        main([*arguments, "--help"])
    assert words in capsys.readouterr().out
