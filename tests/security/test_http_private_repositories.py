"""Private repositories behind the operator's GITHUB_TOKEN: who reads them through the real server."""

from __future__ import annotations

import json

import pytest

from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.doubles.sites_github import TOKEN as GITHUB
from tests.http import HttpServer
from tests.security.doors import OTHER, TOKEN, settings

pytestmark = pytest.mark.promise("credential-github-private-list")

URL = "https://github.com/otterworks/vault"
CANARY = "otter vault canary"
READING = {"dowse": "get_content", "kindly": "get_content", "jan": "scrape"}


def publish(web: PocketWeb, *, is_private: bool) -> None:
    found = {
        "full_name": "otterworks/vault",
        "private": is_private,
        "visibility": "private" if is_private else "public",
        "default_branch": "main",
        "description": CANARY,
    }
    web.sites["github"].has("/repos/otterworks/vault", json.dumps(found))


async def reads(http: HttpServer, contract: str, token: str = "") -> bool:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with http.post(READING[contract], {"url": URL}, headers=headers) as answer:
        assert answer.status == 200
        return CANARY in await answer.text()


@pytest.mark.parametrize("contract", READING)
async def test_only_the_named_caller_reads_a_private_repository(server: Server, web: PocketWeb, contract: str) -> None:
    publish(web, is_private=True)
    entries = {"GITHUB_TOKEN": GITHUB, "GITHUB_PRIVATE": "otterworks/vault@alice,otterworks/vault"}
    async with server.here(settings(web, DOWSE_CONTRACT=contract, **entries)) as http:
        # In this order: what alice reads must not reach bob, and what bob is refused must not be refused to alice.
        assert await reads(http, contract, TOKEN)
        assert not await reads(http, contract, OTHER)
        assert await reads(http, contract, TOKEN)


async def test_a_server_without_tokens_reads_public_repositories_only(server: Server, web: PocketWeb) -> None:
    """Its callers are not known, so an entry without a name is not for them."""
    publish(web, is_private=True)
    environment = {**settings(web), "GITHUB_TOKEN": GITHUB, "GITHUB_PRIVATE": "otterworks/*"}
    del environment["DOWSE_TOKENS"]
    async with server.here(environment) as http:
        assert not await reads(http, "dowse")
    publish(web, is_private=False)
    async with server.here(environment) as http:
        assert await reads(http, "dowse")
