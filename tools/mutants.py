"""Small mistakes, one at a time: each mutant of a module is its syntax tree with one thing changed."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType

_SWAPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_SIMPLE = (ast.Expr, ast.Assign, ast.AugAssign, ast.Raise, ast.Return, ast.Continue, ast.Break)
_WIDTH = 70

Undo = Callable[[], None]
# Where it is, what it is, and how it is made.
Change = tuple[ast.AST, str, Callable[[], Undo]]


@dataclass(frozen=True, slots=True)
class Mutant:
    """One changed module, compiled."""

    path: Path
    line: int
    text: str
    change: str
    code: CodeType

    @property
    def name(self) -> str:
        """Tells it from the others of the module, also when lines are added above."""
        return f"{self.text} | {self.change}"

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.change}"


def mutants(path: Path, source: str) -> Iterator[Mutant]:
    tree, lines = ast.parse(source), source.splitlines()
    for node in _code(tree):
        for place, change, apply in _changes(node):
            line = getattr(place, "lineno", 1)
            undo = apply()
            code = compile(ast.fix_missing_locations(tree), str(path), "exec")
            undo()
            yield Mutant(path, line, lines[line - 1].partition("  # ")[0].strip(), change, code)


def _code(node: ast.AST) -> Iterator[ast.AST]:
    """Every node that runs: annotations do not, and what decorators take is a matter of taste."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _code(child)


def _changes(node: ast.AST) -> Iterator[Change]:
    yield from _without_statements(node)
    yield from _without_elements(node)
    match node:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            yield _replaced(node, "test", test, ast.UnaryOp(ast.Not(), test))
        case ast.comprehension(ifs=[test]):
            yield _replaced(node, "ifs", [test], [ast.UnaryOp(ast.Not(), test)])
        case ast.Compare(ops=[operator]):
            changed = ast.Compare(node.left, [_SWAPPED[type(operator)]()], node.comparators)
            yield _replaced(node, "ops", node.ops, changed.ops, f"{_text(node)} -> {_text(changed)}")
        case ast.BoolOp(op=operator):
            other = ast.Or() if isinstance(operator, ast.And) else ast.And()
            changed_op = ast.BoolOp(other, node.values)
            yield _replaced(node, "op", operator, other, f"{_text(node)} -> {_text(changed_op)}")
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            # Twice not is as it was.
            yield _replaced(
                node, "operand", operand, ast.UnaryOp(ast.Not(), operand), f"{_text(node)} -> {_text(operand)}"
            )
        case ast.Constant(value=bool() as value):
            yield _replaced(node, "value", value, not value)
        case ast.Constant(value=int() | float() as value):
            yield _replaced(node, "value", value, value + 1)
            yield _replaced(node, "value", value, value - 1)


def _without_statements(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.Module | ast.ClassDef):
        # What is missing there fails at once, which proves nothing.
        return
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if not isinstance(block, list):
            continue
        for place, statement in enumerate(block):
            is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            if isinstance(statement, _SIMPLE) and not is_text:
                rest = [*block[:place], ast.Pass(), *block[place + 1 :]]
                _, change, apply = _replaced(node, name, block, rest, f"without `{_text(statement)}`")
                yield statement, change, apply


def _without_elements(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements) if len(elements) > 1:
            for place, element in enumerate(elements):
                rest = [*elements[:place], *elements[place + 1 :]]
                yield _replaced(node, "elts", elements, rest, f"table without {_text(element)}")
        case ast.Dict(keys=keys, values=values) if len(keys) > 1:
            for place, key in enumerate(keys):
                changed = ast.Dict([*keys[:place], *keys[place + 1 :]], [*values[:place], *values[place + 1 :]])

                def apply(changed: ast.Dict = changed, node: ast.Dict = node) -> Undo:
                    before = (node.keys, node.values)
                    node.keys, node.values = changed.keys, changed.values

                    def undo() -> None:
                        node.keys, node.values = before

                    return undo

                yield key or node, f"table without {_text(key) if key else '**'}", apply


def _replaced(node: ast.AST, field: str, before: object, after: object, change: str = "") -> Change:
    def apply() -> Undo:
        setattr(node, field, after)
        return lambda: setattr(node, field, before)

    return node, change or f"{_text(before)} -> {_text(after)}", apply


def _text(node: object) -> str:
    if isinstance(node, list):
        node = node[0]
    text = ast.unparse(node) if isinstance(node, ast.AST) else repr(node)
    text = " ".join(text.split())
    return text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"
