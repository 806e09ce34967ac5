"""Where state is kept when nobody says so: the user's cache directory, by the customs of the system."""

import re

import pytest

from dowse.core.errors import ConfigError
from dowse.settings import sources
from dowse.settings.sources import load, state_address
from tests.support.tables import each_row


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
    monkeypatch.setattr(sources.sys, "platform", platform)
    assert state_address(load({}, {}).settings, environ) == address


@each_row("address", ["memory:", "sqlite:////srv/state.db", "redis://localhost:6379/0"])
def test_what_the_user_says_holds(address: str) -> None:
    assert state_address(load({}, {"DOWSE_STATE": address}).settings, {"HOME": "/home/ada"}) == address


@each_row(
    "address",
    [
        "redis://cache_1",
        "rediss://ana:p%40ss@cache.example:6380/3?ssl_ca_certs=/srv/ca.pem&ssl_cert_reqs=required",
        "valkey://[2001:db8::1]:6379/0",
        "valkeys://cache?ssl_certfile=/srv/own.pem&ssl_keyfile=/srv/own.key&ssl_check_hostname=false",
        "redis+sentinel://:p%40ss@10.0.0.1,10.0.0.2:26380/main/0?sentinel_auth=true",
        "valkeys+sentinel://one/main?ssl_cert_reqs=none",
        "redis+cluster://ana:p%40ss@one:7000,two:7001",
        "valkeys+cluster://one/",
        "redis+unix:///run/redis.sock",
        "valkey+unix://:p%40ss@/run/redis.sock?db=1",
    ],
)
def test_a_redis_may_be_one_server_or_several(address: str) -> None:
    settings = load({}, {"DOWSE_STATE": address}).settings
    assert settings.state == address
    assert ("p@ss" in settings.secrets()) == ("p%40ss" in address)
    assert "p%40ss" not in repr(settings)


@each_row(
    "address",
    [
        "redis://canary@cache",
        "redis://:can/ary@cache",
        "redis://:can#ary@cache",
        "redis://:can?ary@cache",
        "redis://:can@ary@cache",
        "redis://cache:port",
        "redis://cache:0",
        "redis://cache:65536",
        "redis+sentinel://one,two:65536/main",
        "redis+cluster://one?db=1",
        "redis://cache?sentinel_auth=true",
        "redis://cache/main",
        "redis://one,two",
        "redis://cache?password=secret",
        "redis://cache?ssl_ca_certs=/srv/ca.pem",
        "rediss://cache?ssl_cert_reqs=sometimes",
        "rediss://cache?ssl_ca_certs",
        "redis+sentinel://one",
        "redis+cluster://one/1",
        "redis+cluster://",
        "rediss+unix:///run/redis.sock",
        "redis+unix://cache/run/redis.sock",
        "redis+http://cache",
    ],
)
def test_an_address_that_would_be_misunderstood_is_refused_without_its_password(address: str) -> None:
    with pytest.raises(ConfigError, match="takes sqlite:///PATH, memory: or the address of a Redis") as refused:
        load({}, {"DOWSE_STATE": address})
    assert re.findall("ary|secret", str(refused.value)) == []


def test_a_long_address_is_refused_quickly() -> None:
    with pytest.raises(ConfigError):
        load({}, {"DOWSE_STATE": "redis+cluster://" + "a," * 100_000 + "?"})
