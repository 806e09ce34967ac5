"""No wire reads a field or a header that no test sends: its effect could be lost without notice."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from dowse.contracts.wires import fields

ROOT = Path(__file__).parents[4]
WIRES = Path(fields.__file__).parent
OTHERS = ("test_fields.py", Path(__file__).name)
TESTS = (
    *(path for path in Path(__file__).parent.glob("test_*.py") if path.name not in OTHERS),
    *(ROOT / "tests" / "flows").glob("test_wires*.py"),
)
"""Tests of malformed requests send all fields too, and look for no effect."""
READS_ALL = frozenset({"text", "required"})
"""Methods of `Fields` that take further names as well."""
READS_FIRST = frozenset({"raw", "url", "whole", "number", "seconds", "flag", "choice", "names", "within"})
NAME = re.compile(r"[A-Za-z][\w-]*")


def names_read(tree: ast.AST) -> Iterator[str]:
    """The literal names in calls of methods of `Fields`, of `HttpRequest.first`, and of `get` of headers."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            for argument in named_by(node, node.func):
                yield from literals(argument)


def named_by(call: ast.Call, method: ast.Attribute) -> list[ast.expr]:
    if method.attr in READS_ALL:
        return call.args
    is_header = method.attr == "get" and ast.unparse(method.value).endswith("headers")
    return call.args[:1] if method.attr in READS_FIRST or method.attr == "first" or is_header else []


def literals(node: ast.AST) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            yield each.value


def names_sent(trees: Iterable[ast.AST]) -> set[str]:
    """What a test may send: keys of dictionaries and names of keyword arguments, in lower case as headers are."""
    nodes = [node for tree in trees for node in ast.walk(tree)]
    keywords = {node.arg for node in nodes if isinstance(node, ast.keyword) and node.arg}
    keys = {name for node in nodes if isinstance(node, ast.Dict) for key in node.keys if key for name in literals(key)}
    return {name.lower() for name in keywords | keys}


def parse(paths: Iterable[Path]) -> list[ast.Module]:
    return [ast.parse(path.read_text(encoding="utf-8")) for path in paths]


def test_every_field_and_header_that_a_wire_reads_is_sent_by_a_test() -> None:
    read = {name for tree in parse(WIRES.glob("*.py")) for name in names_read(tree) if NAME.fullmatch(name)}
    assert len(read) > 80
    sent = names_sent(parse(TESTS))
    assert sorted(name for name in read if name.lower() not in sent) == []


def test_names_are_found_in_every_way_of_reading() -> None:
    source = """
fields.text("a", "b", most=9); fields.within("c", ("quiet",)); fields.whole("d" if "d" in fields else "e", 1, most=2)
Fields(headers).seconds("x-f"); request.headers.get("x-g", fields.text("h")); request.first("i"); table.get("no")
fields.choice("j", ("", "word"), "default")
"""
    assert set(names_read(ast.parse(source))) == {*"abcdehij", "x-f", "x-g"}
    assert names_sent([ast.parse('post("/path", A=1); send({"X-B": "c", **more}); found["d"]')]) == {"a", "x-b"}
