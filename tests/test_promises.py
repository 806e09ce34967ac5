"""Every promise in promises.toml is held by a test that carries its id."""

from __future__ import annotations

import ast
import functools
import tomllib
from collections.abc import Iterator
from pathlib import Path

from tests.support import ratchet
from tests.support.tables import each_row

TESTS = Path(__file__).parent
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
PROMISES = tomllib.loads((TESTS / "promises.toml").read_text(encoding="utf-8"))


def ids(source: str) -> Iterator[str]:
    """The ids on tests that run, and those of `pytestmark` beside them; written out so that grep finds them."""
    module = ast.parse(source)
    tests = [node for node in ast.walk(module) if isinstance(node, _FUNCTIONS) and node.name.startswith("test_")]
    running = [test for test in tests if not any(map(_is_given_up, test.decorator_list))]
    marks = [mark for test in running for mark in test.decorator_list]
    for node in ast.walk(module) if running else ():
        if isinstance(node, ast.ClassDef):
            marks += node.decorator_list
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark":
            marks.append(node.value)
    for node in (inner for mark in marks for inner in ast.walk(mark)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.promise":
            yield from (str(ast.literal_eval(argument)) for argument in node.args)


def _is_given_up(mark: ast.expr) -> bool:
    return ast.unparse(mark).startswith(("pytest.mark.skip(", "pytest.mark.xfail"))


@functools.cache
def carried() -> frozenset[str]:
    """The ids on all tests but the live ones, which run on request only."""
    files = [path for path in TESTS.rglob("test_*.py") if path.relative_to(TESTS).parts[0] != "live"]
    texts = [path.read_text(encoding="utf-8") for path in files]
    return frozenset(found for text in texts if "mark.promise" in text for found in ids(text))


def test_every_promise_has_a_test() -> None:
    assert sorted(set(PROMISES) - carried()) == []


def test_every_id_that_a_test_carries_is_a_promise() -> None:
    assert sorted(carried() - set(PROMISES)) == []


def test_no_promise_was_dropped() -> None:
    ratchet.require_history()
    ever = {name for text in ratchet.versions("tests/promises.toml") for name in tomllib.loads(text)}
    assert sorted(ever - set(PROMISES)) == []


def test_a_promise_is_one_sentence_with_its_source() -> None:
    for name, promise in PROMISES.items():
        assert set(promise) == {"source", "says"}, name
        assert promise["says"].endswith("."), name


def test_ids_are_found_on_functions_and_on_modules() -> None:
    source = 'pytestmark = [pytest.mark.promise("a")]\n@pytest.mark.promise("b", "c")\ndef test_x(): ...\n'
    assert set(ids(source)) == {"a", "b", "c"}


@each_row(
    "source",
    [
        'pytestmark = pytest.mark.promise("a")\n',
        '@pytest.mark.promise("a")\ndef helper(): ...\n',
        '@pytest.mark.promise("a")\n@pytest.mark.skip("later")\ndef test_x(): ...\n',
        '@pytest.mark.xfail\n@pytest.mark.promise("a")\nasync def test_x(): ...\n',
    ],
)
def test_an_id_without_a_test_that_runs_is_not_carried(source: str) -> None:
    assert set(ids(source)) == set()
