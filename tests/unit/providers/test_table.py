"""What the table says of the providers: who can read pages, and what each call is estimated to cost."""

from importlib import import_module

from dowse.providers.table import ADAPTERS
from dowse.settings import SPECS
from dowse.settings.sources import load
from tests.support.tables import each_row


def test_a_price_is_known_for_everything_a_provider_can_do() -> None:
    known = load({}, {}).settings.prices()
    assert {name: set(operations) for name, operations in known.items()} == {
        name: set(spec.operations) for name, spec in SPECS.items() if not spec.is_keyless
    }


def test_every_declared_provider_has_an_adapter() -> None:
    assert list(ADAPTERS) == list(SPECS)
    for path in ADAPTERS.values():
        module, _, function = path.partition(":")
        assert callable(getattr(import_module(module), function)), path


@each_row(("depth", "usd"), [("basic", 0.008), ("advanced", 0.016), ("fast", 0.008)])
def test_a_deeper_search_of_tavily_costs_twice_as_much(depth: str, usd: float) -> None:
    prices = load({}, {"TAVILY_SEARCH_DEPTH": depth}).settings.prices()
    assert prices == {name: spec.prices for name, spec in SPECS.items() if spec.prices} | {
        "tavily": {"search": usd, "read": 0.0016}
    }
