"""The HTTP server refuses to start where strangers could use the owner's keys."""

from __future__ import annotations

import resource

import pytest

from dowse.app import App
from dowse.core.errors import ConfigError
from dowse.settings.sources import load
from dowse.surfaces.http import serve
from dowse.surfaces.http.serve import serve_http
from tests.support.tables import each_row


@pytest.mark.promise("http-closed")
@each_row("host", ["0.0.0.0", "::", "192.0.2.7", "dowse.example"])
def test_an_address_beyond_loopback_needs_tokens(host: str) -> None:
    app = App(load({"DOWSE_HOST": host}, {}).settings)
    with pytest.raises(ConfigError) as caught:
        serve_http(app)
    assert str(caught.value).startswith(f"Refusing to listen on {host} without tokens: ")


@each_row(
    "given, raised, connections",
    [
        ((20_000, 20_000), None, 19_600),
        ((1024, 1_048_576), (4096, 1_048_576), 3696),
        ((256, resource.RLIM_INFINITY), (4096, resource.RLIM_INFINITY), 3696),
        ((1024, 1024), (1024, 1024), 624),
        ((resource.RLIM_INFINITY, resource.RLIM_INFINITY), None, serve.MAX_CONNECTIONS),
    ],
)
def test_open_files_are_raised_as_far_as_is_useful_and_connections_stay_below(
    monkeypatch: pytest.MonkeyPatch, given: tuple[int, int], raised: tuple[int, int] | None, connections: int
) -> None:
    limits: dict[int, tuple[int, int]] = {}
    monkeypatch.setattr(resource, "getrlimit", lambda _: given)
    monkeypatch.setattr(resource, "setrlimit", limits.__setitem__)

    assert serve._count_descriptors() == connections
    assert limits.get(resource.RLIMIT_NOFILE) == raised
