"""What clients of the drop-ins rely on, kept as files: the list of tools, and the answer to every kind of failure.

To update a snapshot: delete the file and run this once with UPDATE_SNAPSHOTS=1; then read what has changed.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio
from mcp import Client

from dowse.app import App
from dowse.settings.sources import load
from dowse.surfaces.mcp.server import build_server
from tests.doubles import PocketWeb
from tests.fakes import FakeClock
from tests.support.tables import each_row

pytestmark = pytest.mark.promise("dropin-shapes")

SNAPSHOTS = Path(__file__).parent / "snapshots"
ERAS = ["legacy", "2026-07-28"]
TOOLS = {
    "kindly": ("web_search", "get_content"),
    "jan": ("google_search", "scrape"),
    "swissarmyhammer": ("web_search",),
    "answers": ("search_web",),
}
CONTRACTS = list(TOOLS)
EVERY_TOOL = [(contract, tool) for contract, tools in TOOLS.items() for tool in tools]
# Names under .invalid never resolve, so that a page can be asked of the scrape APIs and is nowhere else.
ARGUMENTS = {
    "web_search": {"query": "rust async"},
    "google_search": {"q": "rust async"},
    "get_content": {"url": "https://pages.invalid/guide"},
    "scrape": {"url": "https://pages.invalid/guide"},
    "search_web": {"query": "rust async"},
}
# Who searches, and the same company's scrape API.
KEYED = {"serper": "serper_scrape", "exa": "exa_contents", "tavily": "tavily_extract"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_web() -> AsyncIterator[PocketWeb]:
    """On a real port: the whole app opens its own connections."""
    async with PocketWeb() as web:
        yield web


@dataclass(frozen=True, slots=True)
class Case:
    """One way to fail: who has a key, what is wrong with them, what else is set, and what is sent."""

    providers: tuple[str, ...] = ("serper",)
    trouble: str = ""
    settings: Mapping[str, str] | None = None
    arguments: Mapping[str, object] | None = None
    calls: int = 1


def limited(tool: str) -> Case:
    return Case(settings={f"DOWSE_LIMIT_{tool.upper()}": "1/h"}, calls=2)


CASES: dict[str, Callable[[str], Case]] = {
    "nothing_sent": lambda tool: Case(arguments=dict.fromkeys(ARGUMENTS[tool])),
    "wrong_type": lambda tool: Case(arguments={name: ["rust"] for name in ARGUMENTS[tool]}),
    "no_provider": lambda _tool: Case(providers=(), settings={"DOWSE_KEYLESS": "off"}),
    "all_providers_failed": lambda _tool: Case(tuple(KEYED), "500"),
    "out_of_quota": lambda _tool: Case(trouble="402"),
    "budget_spent": lambda _tool: Case(settings={"DOWSE_BUDGET_SERPER": "0.0001usd/day"}),
    "not_json": lambda _tool: Case(trouble="broken_json"),
    "rejected_key": lambda _tool: Case(trouble="401"),
    "offline": lambda _tool: Case(settings={"DOWSE_OFFLINE": "true"}),
    "limit_reached": limited,
}
OFFLINE_MODE = Case(arguments={"offline_mode": True})


@asynccontextmanager
async def connected(contract: str, settings: Mapping[str, str], era: str = "legacy") -> AsyncIterator[Client]:
    loaded = load({}, {**settings, "DOWSE_CONTRACT": contract, "DOWSE_STATE": "memory:"}).settings
    # The clock stands still, so that times are the same in every run.
    async with App(loaded, clock=FakeClock()) as app, Client(build_server(app), mode=era) as client:
        yield client


async def answer(web: PocketWeb, contract: str, tool: str, case: Case) -> object:
    """What the client gets for the last call of a case, with nothing in it that depends on the run."""
    web.reset()
    for name in case.providers if case.trouble else ():
        getattr(web, name).fails(case.trouble)
        getattr(web, KEYED[name]).fails(case.trouble)
    async with connected(contract, web.environment(*case.providers) | dict(case.settings or {})) as client:
        for _ in range(case.calls):
            result = await client.call_tool(tool, {**ARGUMENTS[tool], **(case.arguments or {})})
    text = result.model_dump_json(by_alias=True, exclude_none=True)
    # The second kind of quote is that of JSON inside a text block.
    text = re.sub(r'(ms\\?": ?)\d+', r"\g<1>0", text.replace(web.page(""), "http://pocket.example"))
    return json.loads(text)


def as_kept(name: str, value: object) -> object:
    """The snapshot of this name; written first where there is none and updating was asked for."""
    path = SNAPSHOTS / f"{name}.json"
    if not path.exists() and os.environ.get("UPDATE_SNAPSHOTS") == "1":
        path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    kept: object = json.loads(path.read_text(encoding="utf-8"))
    return kept


@each_row("era", ERAS)
@each_row("contract", CONTRACTS)
async def test_the_tools_are_exactly_those_of_the_snapshot(contract: str, era: str) -> None:
    async with connected(contract, {}, era) as client:
        listed = (await client.list_tools()).tools
    tools = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed]
    assert tuple(tool["name"] for tool in tools) == TOOLS[contract]
    assert tools == as_kept(f"{contract}_tools", tools)


@pytest.mark.parametrize(("contract", "tool"), EVERY_TOOL)
async def test_every_failure_has_the_shape_of_the_snapshot(web: PocketWeb, contract: str, tool: str) -> None:
    answers = {name: await answer(web, contract, tool, case(tool)) for name, case in CASES.items()}
    if contract == "jan":
        answers["offline_mode"] = await answer(web, contract, tool, OFFLINE_MODE)
    assert answers == as_kept(f"{contract}_{tool}_failures", answers)
