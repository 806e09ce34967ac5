"""The public names, and the arguments of the clients: those of the tools."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

import dowse
from dowse import AsyncClient, Client
from dowse.contracts.answer_question import answer_question
from dowse.contracts.extract import extract
from dowse.contracts.get_content import get_content
from dowse.contracts.rerank import rerank
from dowse.contracts.web_search import web_search
from tests.fakes.bench import ContractBench
from tests.support.tables import each_row

METHODS = ("search", "read", "read_many", "answer", "extract", "rerank")
STUB = Path(dowse.__file__).with_suffix(".pyi")


def arguments(method: object) -> set[str]:
    assert callable(method)
    return set(inspect.signature(method).parameters) - {"self"}


def test_the_arguments_of_the_methods_are_those_of_the_tools() -> None:
    services = ContractBench().services
    tools = {
        "search": web_search(services),
        "answer": answer_question(services),
        "extract": extract(services),
        "rerank": rerank(services),
    }
    own = {"extract": {"html"}, "rerank": {"documents"}}
    # The documents themselves always come back.
    without = {"rerank": {"return_documents"}}
    for name, tool in tools.items():
        names = {param.name for param in tool.params} | own.get(name, set())
        assert arguments(vars(AsyncClient)[name]) == names - without.get(name, set()), name
    reading = {param.name for param in get_content(services).params}
    assert arguments(AsyncClient.read) | arguments(AsyncClient.read_many) == reading
    assert arguments(AsyncClient.read) == reading - {"urls"}


@each_row("name", METHODS)
def test_both_clients_have_the_same_methods(name: str) -> None:
    asynchronous, synchronous = vars(AsyncClient)[name], vars(Client)[name]
    assert inspect.signature(asynchronous) == inspect.signature(synchronous)
    assert synchronous.__doc__ == asynchronous.__doc__
    assert inspect.iscoroutinefunction(asynchronous)
    assert not inspect.iscoroutinefunction(synchronous)


def test_all_public_names_exist_and_the_stub_declares_them() -> None:
    assert all(hasattr(dowse, name) for name in dowse.__all__)
    assert set(dowse.__all__) <= set(dir(dowse))
    tree = ast.parse(STUB.read_text(encoding="utf-8"))
    imported = {alias.asname for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    declared = {
        node.target.id for node in tree.body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    (listed,) = (ast.literal_eval(node.value) for node in tree.body if isinstance(node, ast.Assign))
    assert sorted(listed) == sorted(dowse.__all__)
    assert imported | {"__version__"} == set(dowse.__all__)
    assert all(hasattr(dowse, name) for name in declared)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'dowse' has no attribute 'Cleint'"):
        dowse.Cleint  # type: ignore[attr-defined]  # noqa: B018 - that is the test


def test_a_client_does_not_show_its_token() -> None:
    assert "secret-token" not in repr(Client(base_url="http://127.0.0.1:8000", token="secret-token-of-ana"))
