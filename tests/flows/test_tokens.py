"""Tokens from their making to their last use: the commands and a real server, which share a file and a store."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from dowse.stores import fail_soft
from dowse.surfaces.cli.main import main
from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.http import HttpHere

SEARCH = {"query": "python release", "num_results": 1, "fetch_content": False}
Captured = pytest.CaptureFixture[str]


async def command(capsys: Captured, *arguments: str) -> str:
    """The output of a command; in a thread, since commands have an event loop of their own."""
    assert await asyncio.to_thread(main, ["token", *arguments]) == 0
    return capsys.readouterr().out.strip()


async def status(http: HttpHere, path: str, token: str) -> int:
    async with http.session.get(http.origin + path, headers={"Authorization": f"Bearer {token}"}) as answer:
        return answer.status


@pytest.mark.promise("token-scopes")
@pytest.mark.promise("token-rotate")
@pytest.mark.promise("token-last-use")
async def test_scopes_rotation_and_last_use_of_a_running_server(
    server: Server, web: PocketWeb, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A busy machine is no outage: a write that takes more than a second would be given up.
    monkeypatch.setattr(fail_soft, "PATIENCE_S", 60.0)
    shared = {"DOWSE_TOKENS_FILE": str(tmp_path / "tokens.toml"), "DOWSE_STATE": f"sqlite:///{tmp_path}/state.db"}
    for name, value in shared.items():
        monkeypatch.setenv(name, value)
    ordinary = await command(capsys, "new", "alice")
    scraper = await command(capsys, "new", "prometheus", "--scope", "metrics", "--expires", "90d")
    async with server.here({**web.environment("serper"), **shared}) as http:
        assert [await status(http, "/metrics", token) for token in (ordinary, scraper)] == [200, 200]
        assert await status(http, "/mcp", scraper) == 403
        async with http.client("auto", ordinary) as client:
            assert not (await client.call_tool("web_search", SEARCH)).is_error
    rows = {row["name"]: row for row in json.loads(await command(capsys, "list", "--json"))}
    assert rows["prometheus"]["scopes"] == ["metrics"]
    for row in rows.values():
        used = datetime.fromisoformat(row["last_used"])
        assert timedelta(0) <= datetime.now(UTC) - used < timedelta(minutes=5)
    rotated = await command(capsys, "rotate", "prometheus")
    assert json.loads(await command(capsys, "list", "--json"))[1]["last_used"] is None
    async with server.here({**web.environment("serper"), **shared}) as http:
        assert [await status(http, "/metrics", token) for token in (scraper, rotated)] == [401, 200]
    shown = (await command(capsys, "list")).splitlines()[1]
    assert f"last used {datetime.now(UTC):%Y-%m-%d}" in shown
