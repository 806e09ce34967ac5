"""The dashboard, the alert rules and the systemd unit in `deploy/` agree with a running server."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import promql_parser
import pytest
import yaml

from dowse.core import errors
from dowse.settings import sources
from dowse.surfaces.http import serve
from dowse.telemetry.metrics import _OUTCOMES
from tests.conftest import REMEMBERING, Server
from tests.doubles import PocketWeb
from tests.support.tables import each_row
from tests.test_docs import anchors

ROOT = Path(__file__).resolve().parent.parent.parent
RULES = yaml.safe_load((ROOT / "deploy" / "alerts.yaml").read_text(encoding="utf-8"))["groups"][0]["rules"]
DASHBOARD = json.loads((ROOT / "deploy" / "grafana.json").read_text(encoding="utf-8"))
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
UNIT = (ROOT / "deploy" / "dowse.service").read_text(encoding="utf-8")
# Prometheus adds these to what it scrapes.
_SCRAPED = {"job", "instance"}
# PR_SET_MDWE, which `MemoryDenyWriteExecute=yes` comes down to; a kernel without it ignores the call.
_CONFINED = """
import ctypes, os, sys
ctypes.CDLL(None).prctl(65, 1, 0, 0, 0)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""
_LISTED = re.compile(r"`((?:mcp|dowse)_\w+)(?:\{([\w,]+)\})?`")


def queries() -> Iterator[str]:
    """Every query of both files, with Grafana's variables replaced by what they may stand for."""
    yield from (rule["expr"] for rule in RULES)
    for panel in PANELS:
        for target in panel["targets"]:
            yield target["expr"].replace("$__rate_interval", "5m").replace("$job", "dowse").replace("$instance", ".*")


def selectors(query: str) -> list[promql_parser.VectorSelector]:
    found: list[promql_parser.VectorSelector] = []

    def visit(node: object) -> bool:
        node = getattr(node, "vector_selector", node)
        if isinstance(node, promql_parser.VectorSelector):
            found.append(node)
        return True

    promql_parser.walk(promql_parser.parse(query), visit)
    assert found, query
    return found


def documented() -> dict[str, set[str]]:
    """The metrics in the table of docs/server.md and their labels."""
    page = (ROOT / "docs" / "server.md").read_text(encoding="utf-8")
    return {name: set(labels.split(",")) - {""} for name, labels in _LISTED.findall(page)}


async def test_every_metric_of_the_dashboard_and_the_alerts_is_exported(server: Server, web: PocketWeb) -> None:
    here = server.here(web.environment("serper"))
    async with here as http, http.session.get(http.origin + "/metrics") as response:
        text = await response.text()
    exported = set(re.findall(r"^# TYPE (\w+) ", text, re.MULTILINE))
    used = {each.name.removesuffix("_bucket") for query in queries() for each in selectors(query)}
    assert used - exported == {"up"}
    assert exported - used == set(), "a new metric needs a panel in deploy/grafana.json"
    assert set(documented()) == exported, "the table in docs/server.md names every metric"


@each_row("query", list(queries()))
def test_a_query_names_only_labels_that_the_metric_has(query: str) -> None:
    labels = documented()
    for selector in selectors(query):
        known = _SCRAPED | labels.get(selector.name.removesuffix("_bucket"), set())
        assert {matcher.name for matcher in selector.matchers.matchers} <= known
        grouped = {label for group in re.findall(r"by \(([\w, ]+)\)", query) for label in group.split(", ")}
        assert grouped <= known | {"le"}


def test_every_outcome_and_error_that_an_alert_names_exists() -> None:
    named = {
        (matcher.name, value)
        for rule in RULES
        for selector in selectors(rule["expr"])
        for matcher in selector.matchers.matchers
        for value in matcher.value.split("|")
    }
    known = (
        {("job", "dowse")} | {("outcome", str(each)) for each in _OUTCOMES} | {("error", each) for each in vars(errors)}
    )
    assert named - known == set()


def test_every_alert_says_what_is_wrong_and_what_to_do() -> None:
    names = [rule["alert"] for rule in RULES]
    assert len(names) == len(set(names))
    for rule in RULES:
        assert rule["labels"]["severity"] in ("critical", "warning")
        assert set(rule["annotations"]) == {"summary", "description"}
        grouped = re.findall(r"by \(([\w, ]+)\)", rule["expr"])
        known = {*", ".join(grouped).split(", "), "instance"} - {"le"}
        assert set(re.findall(r"\$labels\.(\w+)", rule["annotations"]["summary"])) <= known
        for page, anchor in re.findall(r"(docs/\w+\.md)#([\w-]+)", rule["annotations"]["description"]):
            assert anchor in anchors(ROOT / page)


def test_the_dashboard_can_be_imported() -> None:
    """Nothing of one Grafana in it: no id of its own, and the data source is chosen by whoever imports it."""
    assert "id" not in DASHBOARD
    variables = {variable["name"] for variable in DASHBOARD["templating"]["list"]}
    assert variables == {"datasource", "job", "instance"}
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(ids) == len(set(ids))
    for panel in PANELS:
        assert panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
        assert len({target["refId"] for target in panel["targets"]}) == len(panel["targets"])
    for one, other in combinations([panel["gridPos"] for panel in DASHBOARD["panels"]], 2):
        beside = one["x"] + one["w"] <= other["x"] or other["x"] + other["w"] <= one["x"]
        assert beside or one["y"] + one["h"] <= other["y"] or other["y"] + other["h"] <= one["y"]
    assert all(panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24 for panel in DASHBOARD["panels"])


# systemd


def values(name: str) -> list[str]:
    return re.findall(rf"^{name}=(.*)$", UNIT, re.MULTILINE)


def test_the_unit_is_valid_and_confined(tmp_path: Path) -> None:
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is missing; it is part of systemd")
    unit = tmp_path / "dowse.service"
    unit.write_text(UNIT.replace("/usr/local/bin/dowse", sys.executable))
    verified = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, timeout=60)
    assert (verified.returncode, verified.stderr) == (0, "")
    judge = ["systemd-analyze", "security", "--offline=true", "--threshold=25", unit]
    judged = subprocess.run(judge, capture_output=True, text=True, timeout=60)
    assert judged.returncode == 0, judged.stdout


async def test_the_command_of_the_unit_serves_and_reads_pages_as_the_unit_confines_it(
    server: Server, web: PocketWeb, tmp_path: Path
) -> None:
    """Without systemd: its command, its settings, and no memory that is both writable and executable."""
    ((program, *arguments),) = map(shlex.split, values("ExecStart"))
    assert program == "/usr/local/bin/dowse"
    settings = dict(line.split("=", 1) for line in values("Environment"))
    moved = {name: value.replace("/var/lib/dowse", str(tmp_path)) for name, value in settings.items()}
    assert sources.load({}, {**settings, "DOWSE_BROWSER": "off"}).warnings == ()
    assert float(values("TimeoutStopSec")[0]) > serve.DRAIN_S
    command = [sys.executable, "-c", _CONFINED, "-m", "dowse", *arguments, "--port", "0"]
    async with (
        server.http({**web.environment("serper"), **REMEMBERING, **moved}, command=command) as http,
        http.client() as client,
    ):
        for path in ("/docs/retrying", "/files/handbook.pdf"):
            result: Any = await client.call_tool("get_content", {"url": web.page(path)})
            assert not result.is_error, result.content
    assert (tmp_path / "state.db").stat().st_mode & 0o077 == 0
