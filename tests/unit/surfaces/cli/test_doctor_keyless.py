"""`dowse doctor` on searches without a key, and on MCP servers that the user has described."""

from __future__ import annotations

import json

from tests.support.command_line import Examine

SERVER = {"url": "https://user:secret@library.example/mcp?key=secret", "tool": "find"}


def test_without_any_provider_the_doctor_names_the_services_that_need_no_key(examine: Examine) -> None:
    examined = examine(DOWSE_KEYLESS="on")

    search, keyless = examined.one("search"), examined.one("keyless")
    members = keyless["details"]["order"]
    assert members
    assert search["state"] == "ok"
    assert search["summary"] == (f"No search provider is configured; searches use {', then '.join(members)}.")
    assert keyless["state"] == "ok"
    assert keyless["summary"].startswith(f"Keyless providers: {', then '.join(members)}. Used: {members[0]} 0 of ")


def test_services_without_a_key_are_named_as_the_fallback_of_the_providers(examine: Examine) -> None:
    examined = examine(DOWSE_KEYLESS="fallback", SERPER_API_KEY="a-key-for-serper")

    summary = examined.one("search")["summary"]
    assert summary.startswith("Searches use serper. If all of them fail, ")


def test_an_mcp_server_of_the_user_is_named_with_its_place_and_without_its_secrets(examine: Examine) -> None:
    examined = examine(DOWSE_MCP_PROVIDERS=json.dumps({"library": SERVER}), DOWSE_SEARCH_ORDER="library")

    check = examined.one("provider.library")
    assert check["state"] == "ok"
    assert check["details"]["endpoint"] == "https://library.example/mcp"
    assert (check["details"]["tool"], check["details"]["place"]) == ("find", 1)
    assert "secret" not in json.dumps(check)
