"""The run of the cage is a fixture of its smoke test as well."""

from __future__ import annotations

from tests.security.test_cage import report  # noqa: F401
