"""A page cannot reach an address inside: means of attack in the real Chromium, in a network namespace of their own.

Each means has two controls in the same run: the page touches a public host through the cage, and a Chromium without a
cage touches loopback. Means that dowse's browser never uses have the second one only. A page is read, and the canaries
are looked at, when all of its tries have ended.

Ten means, one of each family; `tests/slow/security/test_cage.py` has the same tests with all of them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote

import pytest

from tests import realparts
from tests.canaries import CANARIES, leaks
from tests.security.cage import namespace
from tests.security.cage.means import MEANS, MOVES, PICTURES, RESOURCES, SCRIPTS, SILENCED, WITHOUT_CONTROL
from tests.security.cage.targets import MOVES_OF_STRANGERS, OF_STRANGERS, OUTSIDE, OWN_PORT
from tests.security.cage.world import HOUSE, PAGE, SECOND, SECRET

pytestmark = pytest.mark.promise("ssrf-browser", "ssrf-metadata")

ROOT = Path(__file__).resolve().parents[2]
PUBLIC = (PAGE, SECOND)
WEB = [["tcp", PAGE, 80], ["tcp", PAGE, 443], ["tcp", SECOND, 80], ["tcp", SECOND, 443]]
PROXY = f"http://maria:{quote(CANARIES['SEARXNG_URL'], safe='')}@127.0.0.1:9"
# The driver waits for events and bounds each; this is for one that hangs.
BOUND_S = 600

Report = dict[str, Any]


@pytest.fixture(scope="class")
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Report:
    """What one run found with the means of a class, which serves all its tests."""
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
    ran = namespace.run_inside(
        "tests.security.cage.driver",
        *request.cls.chosen,
        folder=str(ROOT),
        environment=environment,
        timeout_s=BOUND_S,
    )
    assert ran.returncode == 0, ran.stderr
    found: Report = json.loads(ran.stdout)
    return found


class TestTenMeans:
    """Every assertion names the means that fail it."""

    chosen: ClassVar[Sequence[str]] = (
        *("css url", "dns prefetch", "stun", "iframe redirect", "fetch", "web socket"),
        *("worker fetch", "nested worker", "redirect 302", "location"),
    )
    """The arguments of the driver; none stands for all."""

    def means(self, *families: Sequence[str] | dict[str, Any]) -> list[str]:
        """Those of the families that are tried."""
        wanted = [name for family in families for name in family]
        return [name for name in wanted if not self.chosen or name in self.chosen]

    def test_no_inside_address_is_touched_by_any_means(self, report: Report) -> None:
        touches, heard = report["caged"]["touches"], report["caged"]["dialled by the browser"]
        inside = {touch[2] for touch in touches if touch[0] not in PUBLIC}
        wires = [[place[0], place[2]] for place in heard]
        assert [name for name in self.means(MEANS) if name in inside or list(MEANS[name].wire or ()) in wires] == []

    def test_control_every_page_stayed_open_until_its_tries_had_ended(self, report: Report) -> None:
        """A page that moves on ends by that."""
        assert [name for name in self.means(MEANS) if name not in MOVES and name not in report["finished"]] == []
        assert [name for name in self.means(OF_STRANGERS) if name not in report["finished on the list"]] == []

    def test_control_a_public_host_is_touched(self, report: Report) -> None:
        touching = self.means(RESOURCES, SCRIPTS, MOVES)
        assert [name for name in touching if name not in report["touched in the cage"]] == []

    def test_pictures_and_silenced_means_do_not_even_touch_a_public_host(self, report: Report) -> None:
        assert [name for name in self.means(PICTURES, SILENCED) if name in report["touched in the cage"]] == []

    def test_control_without_the_cage_loopback_is_touched(self, report: Report) -> None:
        touching = [name for name in self.means(MEANS) if name not in WITHOUT_CONTROL]
        assert [name for name in touching if name not in report["touched in the open"]] == []

    def test_the_page_is_read_whatever_it_tries(self, report: Report) -> None:
        pages = {name: report["attacks"][name] for name in self.means(MEANS) if name not in MOVES}
        assert {name: page["status"] for name, page in pages.items() if page["status"] != "ok"} == {}
        assert [name for name, page in pages.items() if "Otters hold hands" not in page["text"]] == []

    def test_a_page_that_leads_inside_is_denied_and_one_that_leads_to_a_public_host_is_read(
        self, report: Report
    ) -> None:
        for name in self.means(MOVES):
            pages = {at: page for at, page in report["attacks"].items() if at.startswith(f"{name} to ")}
            assert "The page of the second host" in pages.pop(f"{name} to {OUTSIDE}")["text"], name
            assert [page["status"] for page in pages.values()] == ["denied", "denied"], name

    def test_no_secret_of_an_inside_host_is_in_what_was_read(self, report: Report) -> None:
        assert [name for name, page in report["attacks"].items() if SECRET in page["text"]] == []

    def test_no_inside_host_was_as_much_as_connected_to(self, report: Report) -> None:
        assert [touch for touch in report["caged"]["touches"] if touch[0] not in PUBLIC] == []
        assert [place for place in report["caged"]["dialled by dowse"] if place not in WEB] == []

    @pytest.mark.parametrize("stage", ["caged", "opened"])
    def test_the_browser_itself_connects_to_nothing_but_the_proxy(self, stage: str, report: Report) -> None:
        """Every packet of the namespace was heard: no look-up, no update, no address beside what dowse has dialled."""
        assert report[stage]["packets missed"] == 0
        assert report[stage]["dialled by the browser"] == []

    def test_control_the_wire_tells_what_a_browser_connects_to(self, report: Report) -> None:
        heard = report["in the open"]["dialled by the browser"]
        assert ["tcp", "127.0.0.1", 80] in heard
        assert ["udp", "127.0.0.1", 3478] in heard
        assert ["udp", "224.0.0.251", 5353] in heard
        assert [place for place in heard if place[0] == "udp" and place[2] == 53]
        assert report["in the open"]["packets missed"] == 0

    def test_an_inside_address_or_another_scheme_is_denied_when_asked_for(self, report: Report) -> None:
        assert report["asked for"]
        assert {url: page["status"] for url, page in report["asked for"].items() if page["status"] != "denied"} == {}

    def test_a_host_that_is_rebound_to_loopback_is_not_followed_there(self, report: Report) -> None:
        """DNS rebinding: within a page the first answer stays pinned; the next page asks anew."""
        assert [page["status"] for page in report["rebinding"]] == ["ok", "denied"]

    def test_a_pair_that_the_operator_opened_is_closed_to_a_public_page(self, report: Report) -> None:
        names = [*self.means(OF_STRANGERS, MOVES_OF_STRANGERS), "by itself", "fetch no-cors"]
        touched = {touch[2] for touch in report["opened"]["touches"] if touch[0] not in PUBLIC}
        assert [name for name in names if name in touched] == []
        assert [name for name in names if name not in report["attacks on the list"]] == []

    @pytest.mark.parametrize("name", ["asked for", "redirect"])
    def test_a_pair_that_the_operator_opened_is_read_when(self, name: str, report: Report) -> None:
        assert report["uses of the list"][name]["status"] == "ok"
        assert [HOUSE, 80, name] in report["opened"]["touches"]

    def test_a_page_of_an_opened_pair_may_use_the_list_and_nothing_else(self, report: Report) -> None:
        assert report["uses of the list"]["xhr"]["status"] == "ok"
        assert [touch for touch in report["opened"]["touches"] if touch[2] == "xhr"] == [["127.0.0.1", 8080, "xhr"]]

    @pytest.mark.parametrize("name", ["metadata", "own listener"])
    def test_stays_closed_although_the_operator_opened_it(self, name: str, report: Report) -> None:
        uses = report["uses of the list"]
        assert (uses[name]["status"], uses[f"redirect to {name}"]["status"]) == ("denied", "denied")
        dialled = [place[1:] for place in report["opened"]["dialled by dowse"]]
        assert ["169.254.169.254", 80] not in dialled
        assert ["127.0.0.1", OWN_PORT] not in dialled

    def test_no_process_of_the_browser_knows_a_secret_of_ours(self, report: Report) -> None:
        processes = report["processes"]
        assert any("--type=renderer" in process["command"] for process in processes)
        assert leaks("\n".join(process["command"] + process["environment"] for process in processes)) == []

    def test_no_process_of_the_browser_opens_a_port(self, report: Report) -> None:
        assert [process["open_ports"] for process in report["processes"] if process["open_ports"]] == []
