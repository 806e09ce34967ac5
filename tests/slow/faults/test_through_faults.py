"""Bad lines to providers: with any of them a call ends within its deadline."""

from __future__ import annotations

import pytest

from tests.doubles import PocketWeb
from tests.faultproxy import FaultProxy
from tests.faults.test_through_faults import FOUND, PROVIDERS, Told, bad_lines, on_each, search

DEADLINE_S, PROVIDER_S = 6.0, 1.5
MARGIN_S = 0.25


@pytest.mark.parametrize("name", PROVIDERS)
async def test_no_line_to_a_provider_makes_a_call_late(name: str, web: PocketWeb) -> None:
    provider = PROVIDERS[name]

    async def case(proxy: FaultProxy, _fault: str) -> Told:
        environment = provider.environment(name, web, proxy, f"{PROVIDER_S}s")
        return await search(provider, {**environment, "DOWSE_DEADLINE_S": f"{DEADLINE_S}s"})

    web.serper.finds([FOUND])
    async with bad_lines(web.port) as lines:
        # What is imported on first use takes its time, and that is not what the faults are about.
        await case(lines["slow close"], "before")
        told = await on_each(lines, case)
    late = {fault: each.seconds for fault, each in told.items() if each.seconds >= DEADLINE_S + MARGIN_S}
    assert late == {}
