"""From inside a page nobody is reached but the web: every means is tried on the real Chromium, in a network of its own.

Each attack has two controls in the same run: the page touches a public host through the cage, and a Chromium without a
cage touches loopback by it. What dowse's browser never does at all has the second one only.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests import realparts
from tests.canaries import CANARIES, leaks
from tests.security.cage import namespace
from tests.security.cage.means import MEANS, MOVES, PICTURES, RESOURCES, SCRIPTS, SILENCED, WITHOUT_CONTROL
from tests.security.cage.targets import MOVES_OF_STRANGERS, OF_STRANGERS, OUTSIDE, OWN_PORT, SCHEMES
from tests.security.cage.world import HOUSE, PAGE, SECOND, SECRET

ROOT = Path(__file__).resolve().parents[2]
PUBLIC = (PAGE, SECOND)
WEB = [["tcp", PAGE, 80], ["tcp", PAGE, 443], ["tcp", SECOND, 80], ["tcp", SECOND, 443]]
PROXY = f"http://maria:{quote(CANARIES['SEARXNG_URL'], safe='')}@127.0.0.1:9"

Report = dict[str, Any]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """What one run found, which serves all tests of this module."""
    realparts.require("chromium")
    if reason := namespace.unavailable():
        realparts.missing(reason)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path_factory.mktemp("home")),
        "PYTHONWARNINGS": "error",
        **CANARIES,
        **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"), PROXY),
    }
    ran = namespace.run_inside("tests.security.cage.driver", folder=str(ROOT), environment=environment, timeout_s=240)
    assert ran.returncode == 0, ran.stderr
    found: Report = json.loads(ran.stdout)
    return found


@pytest.mark.parametrize("name", MEANS)
def test_nobody_inside_is_touched_by(name: str, report: Report) -> None:
    touched = [touch for touch in report["caged"]["touches"] if touch[2] == name and touch[0] not in PUBLIC]
    heard = [place for place in report["caged"]["dialled by the browser"] if [place[0], place[2]] == _wire(name)]
    assert (touched, heard) == ([], [])


@pytest.mark.parametrize("name", [*RESOURCES, *SCRIPTS, *MOVES])
def test_control_a_public_host_is_touched_by(name: str, report: Report) -> None:
    assert name in report["touched in the cage"]


@pytest.mark.parametrize("name", [*PICTURES, *SILENCED])
def test_not_even_a_public_host_is_touched_by(name: str, report: Report) -> None:
    assert name not in report["touched in the cage"]


@pytest.mark.parametrize("name", [name for name in MEANS if name not in WITHOUT_CONTROL])
def test_control_without_the_cage_loopback_is_touched_by(name: str, report: Report) -> None:
    assert name in report["touched in the open"]


@pytest.mark.parametrize("name", [name for name in MEANS if name not in MOVES])
def test_the_page_is_read_whatever_it_tries_by(name: str, report: Report) -> None:
    page = report["attacks"][name]
    assert page["status"] == "ok"
    assert "Otters hold hands" in page["text"]


@pytest.mark.parametrize("name", MOVES)
def test_the_page_is_denied_when_it_leads_inside_by(name: str, report: Report) -> None:
    pages = {at: page for at, page in report["attacks"].items() if at.startswith(f"{name} to ")}
    assert "The page of the second host" in pages.pop(f"{name} to {OUTSIDE}")["text"]
    assert [page["status"] for page in pages.values()] == ["denied", "denied"]


def test_no_secret_of_an_inside_host_is_in_what_was_read(report: Report) -> None:
    assert [name for name, page in report["attacks"].items() if SECRET in page["text"]] == []


def test_nobody_inside_was_as_much_as_connected_to(report: Report) -> None:
    assert [touch for touch in report["caged"]["touches"] if touch[0] not in PUBLIC] == []
    assert [place for place in report["caged"]["dialled by dowse"] if place not in WEB] == []


@pytest.mark.parametrize("stage", ["caged", "opened"])
def test_the_browser_itself_speaks_to_nobody_but_the_proxy(stage: str, report: Report) -> None:
    """Every packet of the namespace was heard: no look-up, no update, no address beside what dowse has dialled."""
    assert report[stage]["packets missed"] == 0
    assert report[stage]["dialled by the browser"] == []


def test_control_the_wire_tells_whom_a_browser_speaks_to(report: Report) -> None:
    heard = report["in the open"]["dialled by the browser"]
    assert ["tcp", "127.0.0.1", 80] in heard
    assert ["udp", "127.0.0.1", 3478] in heard
    assert ["udp", "224.0.0.251", 5353] in heard
    assert [place for place in heard if place[0] == "udp" and place[2] == 53]
    assert report["in the open"]["packets missed"] == 0


def test_what_is_inside_or_no_page_of_the_web_is_denied_when_asked_for(report: Report) -> None:
    assert {url: page["status"] for url, page in report["asked for"].items() if page["status"] != "denied"} == {}


def test_a_host_that_turns_into_loopback_is_not_followed_there(report: Report) -> None:
    """Within a page the first answer of the name server stays; for the next page there is a new one."""
    assert [page["status"] for page in report["rebinding"]] == ["ok", "denied"]


@pytest.mark.parametrize("url", SCHEMES)
def test_no_page_shows_what_is_at(url: str, report: Report) -> None:
    assert url in report["shown in the open"]
    pages = {name: page["text"] for name, page in report["schemes"].items() if name.endswith(f" to {url}")}
    assert len(pages) == 5
    assert [name for name, text in pages.items() if SCHEMES[url] in text] == []


@pytest.mark.parametrize("name", [*OF_STRANGERS, *MOVES_OF_STRANGERS, "by itself", "fetch no-cors"])
def test_what_the_operator_opened_is_closed_to_a_public_page_by(name: str, report: Report) -> None:
    touched = [touch for touch in report["opened"]["touches"] if touch[2] == name and touch[0] not in PUBLIC]
    assert touched == []


@pytest.mark.parametrize("name", ["asked for", "redirect"])
def test_what_the_operator_opened_is_read_when(name: str, report: Report) -> None:
    assert report["uses of the list"][name]["status"] == "ok"
    assert [HOUSE, 80, name] in report["opened"]["touches"]


def test_a_page_of_the_house_may_use_what_was_opened_and_nothing_else(report: Report) -> None:
    assert report["uses of the list"]["xhr"]["status"] == "ok"
    assert [touch for touch in report["opened"]["touches"] if touch[2] == "xhr"] == [["127.0.0.1", 8080, "xhr"]]


@pytest.mark.parametrize("name", ["metadata", "own listener"])
def test_stays_closed_although_the_operator_opened_it(name: str, report: Report) -> None:
    uses = report["uses of the list"]
    assert (uses[name]["status"], uses[f"redirect to {name}"]["status"]) == ("denied", "denied")
    dialled = [place[1:] for place in report["opened"]["dialled by dowse"]]
    assert ["169.254.169.254", 80] not in dialled
    assert ["127.0.0.1", OWN_PORT] not in dialled


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_page_that_wants_a_thousand_things_gets_two_hundred_and_is_read(scheme: str, report: Report) -> None:
    page = report["many requests"][scheme]
    assert page["status"] == "ok"
    assert "Otters hold hands" in page["text"]
    assert page["requests"] <= 200


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_page_that_wants_a_hundred_megabytes_gets_a_quarter_and_is_read(scheme: str, report: Report) -> None:
    page = report["many bytes"][scheme]
    assert page["status"] == "ok"
    assert "Otters hold hands" in page["text"]
    # Some more is on its way when the line is cut.
    assert 20_000_000 < page["bytes"] < 33_000_000


def test_no_process_of_the_browser_knows_a_secret_of_ours(report: Report) -> None:
    processes = report["processes"]
    assert any("--type=renderer" in process["command"] for process in processes)
    assert leaks("\n".join(process["command"] + process["environment"] for process in processes)) == []


def test_no_process_of_the_browser_opens_a_port(report: Report) -> None:
    assert [process["open_ports"] for process in report["processes"] if process["open_ports"]] == []


def _wire(name: str) -> list[object]:
    return list(MEANS[name].wire or ())
