"""An ear for the log."""

from collections.abc import Iterator

import pytest

from dowse.telemetry.log import LOGGER


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    LOGGER.propagate = True
    with caplog.at_level("WARNING", LOGGER.name):
        yield caplog
