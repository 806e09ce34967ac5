"""The HTTP server refuses to start where strangers could use the owner's keys."""

from __future__ import annotations

import pytest

from dowse.app import App
from dowse.core.errors import ConfigError
from dowse.settings.sources import load
from dowse.surfaces.http.serve import serve_http
from tests.support.tables import each_row


@pytest.mark.promise("http-closed")
@each_row("host", ["0.0.0.0", "::", "192.0.2.7", "dowse.example"])
def test_an_address_beyond_loopback_needs_tokens(host: str) -> None:
    app = App(load({"DOWSE_HOST": host}, {}).settings)
    with pytest.raises(ConfigError) as caught:
        serve_http(app)
    assert str(caught.value).startswith(f"Refusing to listen on {host} without tokens: ")
