"""How long looking for secrets takes in hostile URLs."""

from __future__ import annotations

import time

from dowse.secrets.requests import SecretUrls
from tests.unit.secrets.test_requests_urls import HOSTILE


def test_a_hostile_url_takes_no_time() -> None:
    started = time.process_time()
    for text in HOSTILE:
        SecretUrls().objection(f"https://e.org/{text}?x={text}")
    assert time.process_time() - started < 2.0
