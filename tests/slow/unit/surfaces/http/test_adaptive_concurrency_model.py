"""The limit at work in a model of a server, for several sequences of calls."""

from __future__ import annotations

import pytest

from tests.unit.surfaces.http.test_adaptive_concurrency_model import KINDS, overload


@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize("kind", KINDS)
def test_an_admitted_call_hardly_notices_five_times_the_capacity(kind: str, seed: int) -> None:
    overload(KINDS[kind], seed)
