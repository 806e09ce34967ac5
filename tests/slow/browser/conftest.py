"""The browser and its pages are those of `tests/browser`."""

from __future__ import annotations

from tests.browser.conftest import reading, started  # noqa: F401
