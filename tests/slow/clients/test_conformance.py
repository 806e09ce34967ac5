"""The MCP conformance suite against dowse's own HTTP server, with its fixtures beside dowse's tools.

Some scenarios pass for the wrong reason when a fixture is missing, hence the fixtures that ran are compared as well.
"""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.clients.inspector import NODE, NODE_MODULES
from tests.conftest import Server
from tests.realparts import missing

ROOT = Path(__file__).resolve().parents[3]
SUITE = NODE_MODULES / "@modelcontextprotocol/conformance"
SERVE = (sys.executable, "-m", "tests.slow.clients.conformance")
MODERN, LEGACY = "2026-07-28", "2025-11-25"

IN_BOTH = {
    *("test_simple_text", "test_image_content", "test_audio_content", "test_embedded_resource"),
    *("test_multiple_content_types", "test_error_handling", "test_tool_with_progress"),
    *("test://static-text", "test://static-binary", "test://template/123/data", "complete arg1"),
    *("test_simple_prompt", "test_prompt_with_arguments", "test_prompt_with_embedded_resource"),
    "test_prompt_with_image",
}
IN_MODERN = {
    *("test_input_required_result_elicitation", "test_input_required_result_sampling"),
    *("test_input_required_result_list_roots", "test_input_required_result_request_state"),
    *("test_input_required_result_multiple_inputs", "test_input_required_result_multi_round"),
    *("test_input_required_result_prompt", "test_input_required_result_tampered_state"),
    *("test_input_required_result_capabilities", "test_missing_capability", "test_streaming_elicitation"),
    "test_logging_tool",
}
IN_LEGACY = {
    *("test_tool_with_logging", "test_sampling", "test_elicitation", "test_elicitation_sep1034_defaults"),
    *("test_elicitation_sep1330_enums", "level info", "level debug"),
    *("subscribe test://watched-resource", "unsubscribe test://watched-resource"),
}
# A server of 2025-11-25 can ask its client something, or tell it something it did not ask for, only in a session.
NEED_A_SESSION = {
    *("tools-call-sampling", "tools-call-elicitation", "elicitation-sep1034-defaults", "elicitation-sep1330-enums"),
    *("tools-call-with-logging", "server-sse-multiple-streams"),
}


@dataclass(frozen=True, slots=True)
class Run:
    """What became of the required scenarios, and which fixtures ran on the way."""

    required: set[str]
    passed: set[str]
    fixtures: set[str]


class Conformance:
    def __init__(self, server: Server, home: Path) -> None:
        self._server = server
        self._home = home

    async def __call__(self, revision: str, *flags: str) -> Run:
        """Every server scenario that a revision of the protocol requires, on the wire of that revision."""
        ran, results = self._home / "ran", self._home / "results"
        settings = {"PYTHONPATH": str(ROOT)}
        async with self._server.http(settings, str(ran), *flags, command=SERVE) as http:
            process = await asyncio.create_subprocess_exec(
                *(str(NODE), str(SUITE / "dist/index.js"), "server", "--url", http.url),
                *("--requirements", revision, "--output-dir", str(results)),
                env={"PATH": str(NODE.parent), "HOME": str(self._home)},
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT,
            )
            said, _ = await asyncio.wait_for(process.communicate(), 120)
        assert b"=== SUMMARY ===" in said, said.decode()
        return Run(_required(revision), _passed(results), set(ran.read_text(encoding="utf-8").splitlines()))


def _required(revision: str) -> set[str]:
    """The server scenarios of the suite's own list; the file is YAML, of which this needs one plain list."""
    text = (SUITE / f"requirements/{revision}.yaml").read_text(encoding="utf-8")
    section = text.partition("\nserver:\n")[2].partition("\n\n")[0]
    return {line.strip().removeprefix("- ") for line in section.splitlines()}


def _passed(results: Path) -> set[str]:
    """The scenarios in which something was checked and nothing found wrong."""
    passed = set()
    for file in results.glob("server-*/checks.json"):
        outcomes = {check["status"] for check in json.loads(file.read_text(encoding="utf-8"))}
        if "SUCCESS" in outcomes and "FAILURE" not in outcomes:
            # The folder: server-SCENARIO-2026-11-15T06-12-17-332Z
            passed.add(file.parent.name.removeprefix("server-").rpartition("T")[0][: -len("-2026-11-15")])
    return passed


@pytest.fixture
def conformance(server: Server, tmp_path: Path) -> Conformance:
    if not SUITE.exists() or not NODE.exists():
        missing("The MCP conformance suite is missing; `make test-slow` installs it (npm ci in tests/clients).")
    return Conformance(server, tmp_path)


async def test_every_required_scenario_of_2026_07_28_passes(conformance: Conformance) -> None:
    run = await conformance(MODERN)
    assert len(run.required) == 37
    assert run.required - run.passed == set()
    assert run.fixtures == IN_BOTH | IN_MODERN


async def test_every_required_scenario_of_2025_11_25_passes_where_there_are_sessions(conformance: Conformance) -> None:
    run = await conformance(LEGACY, "--sessions")
    assert len(run.required) == 30
    assert run.required - run.passed == set()
    assert run.fixtures == IN_BOTH | IN_LEGACY


async def test_as_dowse_serves_2025_11_25_only_what_needs_a_session_is_missing(conformance: Conformance) -> None:
    run = await conformance(LEGACY)
    assert run.required - run.passed == NEED_A_SESSION
    assert run.fixtures == IN_BOTH | IN_LEGACY
