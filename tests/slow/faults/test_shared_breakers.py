"""Forty probes of a breaker that three processes share: each time exactly one call is the probe."""

from __future__ import annotations

from tests.faults.test_shared_breakers import probe
from tests.valkey import Valkey


def test_in_forty_rounds_exactly_one_call_is_the_probe(valkey: Valkey, valkey_url: str) -> None:
    probe(valkey, valkey_url, 40)
