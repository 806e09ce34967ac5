"""The pages of WCXB are read by the fixtures of `tests/eval`."""

from __future__ import annotations

from tests.eval.test_wcxb import read, results, sources  # noqa: F401
