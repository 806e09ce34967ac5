"""The half-open circuit breaker in very many rounds."""

from __future__ import annotations

from tests.unit.routing.test_router import ask_half_open


async def test_half_open_lets_exactly_one_of_fifty_callers_through_in_every_round() -> None:
    await ask_half_open(rounds=200)
