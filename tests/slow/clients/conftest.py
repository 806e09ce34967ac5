"""The Inspector is that of `tests/clients`."""

from __future__ import annotations

from tests.clients.conftest import inspector, wheel  # noqa: F401
