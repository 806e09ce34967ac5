"""What is shipped and documented for front ends leads somewhere: compose files, and the addresses on the pages."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from dowse.app import App
from dowse.settings import sources
from dowse.surfaces.http.doors import Doors

ROOT = Path(__file__).resolve().parent.parent.parent
COMPOSED = ("openwebui.yaml", "librechat.yaml")
TOKEN = "a-token-of-ana-that-is-long-enough-for-all"
# What clients append to an address that is not used as it is.
APPENDED = ("", "/search", "/v1/search", "/v2/search", "/process", "/v1/rerank")


@pytest.fixture
async def doors() -> AsyncIterator[Doors]:
    async with App(sources.load({}, {"DOWSE_STATE": "memory:"}).settings) as app:
        yield Doors(app.wires)


def composed(name: str) -> dict[str, Any]:
    parsed: dict[str, Any] = yaml.safe_load((ROOT / "deploy" / name).read_text(encoding="utf-8"))
    return parsed


def texts(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for each in value.values():
            yield from texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts(each)
    elif isinstance(value, str):
        yield value


def leads_somewhere(doors: Doors, address: str) -> bool:
    path = re.sub(r"^/t/[^/]+", "", urlsplit(address).path)
    found = (doors.find(path + more) for more in APPENDED)
    return any(match is not None and match.endpoints for match in found)


@pytest.mark.parametrize("name", COMPOSED)
def test_the_settings_of_a_compose_file_are_settings(name: str) -> None:
    service = composed(name)["services"]["dowse"]
    environment = {
        key: re.sub(r"\$\{SEARCH_TOKEN:\?[^}]+\}", TOKEN, value) for key, value in service["environment"].items()
    }
    loaded = sources.load({}, environment)
    assert loaded.warnings == ()
    assert loaded.settings.needs_token
    assert loaded.settings.allowed_hosts == ("dowse",)
    assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
    assert (ROOT / "deploy" / service["build"]["context"]).resolve() == ROOT


@pytest.mark.parametrize("name", [*COMPOSED, "librechat-config.yaml"])
async def test_every_address_in_a_compose_file_is_an_endpoint_that_is_switched_on(doors: Doors, name: str) -> None:
    addresses = [text for text in texts(composed(name)) if text.startswith("http://dowse:8000")]
    assert addresses or name == "librechat.yaml"
    assert [each for each in addresses if not leads_somewhere(doors, each)] == []
    on = composed(name.replace("-config", ""))["services"]["dowse"]["environment"]["DOWSE_WIRES"].split(",")
    matches = [doors.find(urlsplit(each).path or "/v2/scrape") for each in addresses]
    assert {match.wire.name for match in matches if match} <= set(on)


def test_volumes_ports_and_dependencies_of_a_compose_file_exist() -> None:
    for name in COMPOSED:
        parsed = composed(name)
        for service in parsed["services"].values():
            assert set(service.get("depends_on", {})) <= parsed["services"].keys()
            for volume in service.get("volumes", ()):
                source = volume.partition(":")[0]
                assert source in parsed["volumes"] or (ROOT / "deploy" / source).exists()
            assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ()))


def test_librechat_may_reach_the_private_address_that_it_is_given() -> None:
    search = composed("librechat-config.yaml")["webSearch"]
    hosts = {urlsplit(value).netloc for value in search.values() if str(value).startswith("http")}
    assert hosts == set(search["allowedAddresses"])


@pytest.mark.parametrize("page", ["wires.md", "frontends.md", "migration.md"])
async def test_every_address_on_a_page_leads_to_an_endpoint(doors: Doors, page: str) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    addresses = re.findall(r"http://127\.0\.0\.1:8000[^\s`\",)]*", text)
    assert addresses
    assert sorted({each for each in addresses if not leads_somewhere(doors, each)}) == []
