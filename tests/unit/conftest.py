"""What every unit test may rely on: global state is put back."""

import logging
from collections.abc import Iterator

import pytest
from hypothesis import settings

from dowse.telemetry.log import LOGGER

# A machine that is busy with something else is no reason for a property to fail.
settings.register_profile("patient", parent=settings(), deadline=None)
settings.load_profile("patient")


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    """Logging belongs to the process: commands configure it, and the next test must not notice."""
    root = logging.getLogger()
    handlers, levels = root.handlers[:], (root.level, LOGGER.level)
    yield
    root.handlers[:] = handlers
    for logger, level in zip((root, LOGGER), levels, strict=True):
        # To set it makes every logger look up its level anew.
        if logger.level != level:
            logger.setLevel(level)
