"""How long the readers of listings take for hostile pages as large as pages may be."""

from __future__ import annotations

import time

import pytest

from tests.unit.extract.serp.test_reading import ADDRESSES, article, hostile, read, simple


@pytest.mark.parametrize("engine", ADDRESSES)
@pytest.mark.parametrize(
    "markup", [*hostile(1000), simple(article("https://a.example/") * 20_000)], ids=lambda markup: markup[:24]
)
def test_hostile_pages_do_not_slow_the_reader_down(engine: str, markup: str) -> None:
    started = time.process_time()
    read(engine, markup, "are you a robot")
    # A page as large as this may take a second; what grows with its square takes minutes.
    assert time.process_time() - started < 8
