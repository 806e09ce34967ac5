"""A hundred identical calls at the same time ask upstream once: in one server, and in several that share a store."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.flows.test_shared_calls import calls_at_one_server, calls_at_three_servers

CALLS = 100


async def test_a_hundred_calls_at_one_server_ask_upstream_once(server: Server, web: PocketWeb) -> None:
    await calls_at_one_server(server, web, CALLS)


@pytest.mark.parametrize("store", ["sqlite", "valkey"])
async def test_a_hundred_calls_at_three_servers_with_one_store_ask_upstream_once(
    server: Server, web: PocketWeb, store: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    state = f"sqlite:///{tmp_path}/state.db" if store == "sqlite" else request.getfixturevalue("valkey_url")
    await calls_at_three_servers(server, web, state, CALLS)
