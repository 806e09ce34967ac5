"""What the table says of the providers: who can read pages, and what each call is estimated to cost."""

import ast
from importlib import import_module
from pathlib import Path

import pytest

from dowse import providers
from dowse.providers import table
from dowse.providers.table import ADAPTERS
from dowse.settings import SPECS
from dowse.settings.sources import load
from tests.support.tables import each_row

LONGEST_ADAPTER = 150
# The open APIs are many sites under one name, and their code belongs to the sites.
NOT_OF_ONE_VENDOR = {"dowse.sites.search"}
PROVIDERS = Path(providers.__file__).parent


def test_a_price_is_known_for_everything_a_provider_can_do() -> None:
    known = load({}, {}).settings.prices()
    assert {name: set(operations) for name, operations in known.items()} == {
        name: set(spec.operations) for name, spec in SPECS.items() if not spec.is_keyless
    }


def test_every_declared_provider_has_an_adapter() -> None:
    assert sorted(ADAPTERS) == sorted(name for name, spec in SPECS.items() if not spec.source)
    for path in ADAPTERS.values():
        module, _, function = path.partition(":")
        assert callable(getattr(import_module(module), function)), path


def adapter_files() -> set[Path]:
    """Files that the table names, and those with a class that searches; the table itself only stands for adapters."""
    named = {path.partition(":")[0] for path in ADAPTERS.values()} - NOT_OF_ONE_VENDOR
    others = set(PROVIDERS.rglob("*.py")) - {Path(str(table.__file__))}
    searching = {path for path in others if has_searcher(path.read_text(encoding="utf-8"))}
    return {Path(str(import_module(name).__file__)) for name in named} | searching


def has_searcher(source: str) -> bool:
    classes = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ClassDef))
    return any(isinstance(each, ast.AsyncFunctionDef) and each.name == "search" for one in classes for each in one.body)


@pytest.mark.parametrize("path", sorted(adapter_files()), ids=lambda path: str(path.relative_to(PROVIDERS)))
def test_an_adapter_is_short_and_gets_its_chance_from_outside(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert len(source.splitlines()) <= LONGEST_ADAPTER
    assert "random" not in imported_names(source)


def imported_names(source: str) -> set[str]:
    imports = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Import | ast.ImportFrom)]
    return {alias.name for node in imports if isinstance(node, ast.Import) for alias in node.names} | {
        node.module or "" for node in imports if isinstance(node, ast.ImportFrom)
    }


@pytest.mark.parametrize("source", ["import random", "from random import Random", "def late():\n    import random"])
def test_an_import_of_random_is_found(source: str) -> None:
    assert "random" in imported_names(source)


@each_row(("depth", "usd"), [("basic", 0.008), ("advanced", 0.016), ("fast", 0.008)])
def test_a_deeper_search_of_tavily_costs_twice_as_much(depth: str, usd: float) -> None:
    prices = load({}, {"TAVILY_SEARCH_DEPTH": depth}).settings.prices()
    assert prices == {name: spec.prices for name, spec in SPECS.items() if spec.prices} | {
        "tavily": {"search": usd, "read": 0.0016}
    }
