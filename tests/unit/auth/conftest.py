"""The log of what is decided about tokens."""

import logging

import pytest


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO, "dowse")
    return caplog
