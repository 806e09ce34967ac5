"""Where state is kept when nobody says so: the user's cache directory, by the customs of the system."""

import pytest

from dowse import config
from dowse.config import load, state_address


@pytest.mark.parametrize(
    ("platform", "environ", "address"),
    [
        ("linux", {"HOME": "/home/ada"}, "sqlite:////home/ada/.cache/dowse/state.db"),
        ("linux", {"HOME": "/home/ada", "XDG_CACHE_HOME": "/var/c"}, "sqlite:////var/c/dowse/state.db"),
        ("linux", {"HOME": "/home/ada", "XDG_CACHE_HOME": ""}, "sqlite:////home/ada/.cache/dowse/state.db"),
        ("darwin", {"HOME": "/Users/ada"}, "sqlite:////Users/ada/Library/Caches/dowse/state.db"),
        ("darwin", {"HOME": "/Users/ada", "XDG_CACHE_HOME": "/c"}, "sqlite:////c/dowse/state.db"),
    ],
)
def test_the_default_is_a_file_in_the_cache_directory(
    monkeypatch: pytest.MonkeyPatch, platform: str, environ: dict[str, str], address: str
) -> None:
    monkeypatch.setattr(config.sys, "platform", platform)
    assert state_address(load({}, {}).settings, environ) == address


@pytest.mark.parametrize("address", ["memory:", "sqlite:////srv/state.db", "redis://localhost:6379/0"])
def test_what_the_user_says_holds(address: str) -> None:
    assert state_address(load({}, {"DOWSE_STATE": address}).settings, {"HOME": "/home/ada"}) == address


@pytest.mark.parametrize("address", ["redis://u:canary@host:6379/0", "rediss://host", "valkey://host"])
def test_a_redis_is_not_used_yet_and_that_is_said(address: str) -> None:
    (warning,) = load({}, {"DOWSE_STATE": address}).warnings
    assert warning == "DOWSE_STATE names a Redis, which this version does not use yet: budgets are counted in memory."
    assert load({}, {"DOWSE_STATE": "memory:"}).warnings == ()
