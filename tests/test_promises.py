"""Every promise in promises.toml is held by a test that carries its id."""

from __future__ import annotations

import ast
import functools
import tomllib
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parent
PROMISES = tomllib.loads((TESTS / "promises.toml").read_text(encoding="utf-8"))


def ids(source: str) -> Iterator[str]:
    """The ids that the decorators and the `pytestmark` of a module name, written out so that grep finds them."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.promise":
            yield from (str(ast.literal_eval(argument)) for argument in node.args)


@functools.cache
def carried() -> frozenset[str]:
    texts = (path.read_text(encoding="utf-8") for path in TESTS.rglob("test_*.py"))
    return frozenset(found for text in texts if "mark.promise" in text for found in ids(text))


def test_every_promise_has_a_test() -> None:
    assert sorted(set(PROMISES) - carried()) == []


def test_every_id_that_a_test_carries_is_a_promise() -> None:
    assert sorted(carried() - set(PROMISES)) == []


def test_a_promise_is_one_sentence_with_its_source() -> None:
    for name, promise in PROMISES.items():
        assert set(promise) == {"source", "says"}, name
        assert promise["says"].endswith("."), name


def test_ids_are_found_on_functions_and_on_modules() -> None:
    source = 'pytestmark = [pytest.mark.promise("a")]\n@pytest.mark.promise("b", "c")\ndef test_x(): ...\n'
    assert set(ids(source)) == {"a", "b", "c"}
