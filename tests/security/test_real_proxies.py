"""`DOWSE_PROXY` with real proxies: microsocks (SOCKS5) and tinyproxy (HTTP CONNECT), both with user and password."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests import realparts
from tests.security.cage.namespace import run_inside, unavailable
from tests.security.real_proxies import PAGE, PROVIDER, PROXIES

pytestmark = pytest.mark.promise("ssrf-proxy")

ROOT = Path(__file__).resolve().parents[2]
Report = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    for part in ("microsocks", "tinyproxy", "ip", "chromium"):
        realparts.require(part)
    if reason := unavailable():
        realparts.missing(reason)
    folder = tmp_path_factory.mktemp("proxies")
    environment = {**os.environ, "HOME": str(folder), "DOWSE_STATE": "memory:"}
    ran = run_inside(
        "tests.security.real_proxies", str(folder), folder=str(ROOT), environment=environment, timeout_s=120
    )
    assert ran.returncode == 0, ran.stderr
    found: Report = json.loads(ran.stdout)
    return found


@pytest.mark.parametrize("proxy", PROXIES)
def test_provider_and_page_are_reached_through_the_proxy(proxy: str, report: Report) -> None:
    search = report[proxy]["search"]
    assert search["code"] == 0, search["err"]
    assert "freezes in February" in search["out"]
    for host in (PROVIDER, PAGE):
        assert f"{host}:80" in report[proxy]["log"]


@pytest.mark.parametrize("proxy", PROXIES)
def test_the_browser_reaches_a_page_through_the_proxy(proxy: str, report: Report) -> None:
    browser = report[proxy]["browser"]
    assert browser["code"] == 0, browser["err"]
    assert "Written by a script." in browser["out"]


@pytest.mark.parametrize("proxy", PROXIES)
def test_the_guard_denies_private_addresses_before_the_proxy_is_asked(proxy: str, report: Report) -> None:
    assert report[proxy]["denied"]["code"] != 0
    assert "10.0.0.1" not in report[proxy]["log"]


@pytest.mark.parametrize("proxy", PROXIES)
def test_a_wrong_password_is_told_with_the_name_of_the_setting(proxy: str, report: Report) -> None:
    wrong = report[proxy]["wrong"]
    assert wrong["code"] != 0
    assert "DOWSE_PROXY: the proxy refuses this user and password" in wrong["err"]


@pytest.mark.parametrize("proxy", PROXIES)
def test_no_output_and_no_log_holds_the_password(proxy: str, report: Report) -> None:
    ran = [value for value in report[proxy].values() if isinstance(value, dict)]
    assert len(ran) == 4
    assert not any("canary" in each["out"] + each["err"] for each in ran)
