"""The registry has the contracts and the tools that the settings name."""

from __future__ import annotations

import pytest

from dowse.contracts import registry
from dowse.settings.contracts import CONTRACTS
from tests.fakes.bench import ContractBench


def test_the_settings_name_every_contract() -> None:
    assert list(registry.CONTRACTS) == list(CONTRACTS)


@pytest.mark.parametrize("name", CONTRACTS)
def test_the_settings_name_the_tools_of_a_contract_in_order(name: str) -> None:
    assert [tool.name for tool in ContractBench(name).contract.tools] == list(CONTRACTS[name].tools)
