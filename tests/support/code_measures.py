"""Measures of the code base that may only improve: sizes, single importers, complexity, prose, unchecked types."""

from __future__ import annotations

import ast
import statistics
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tools import prose

TABLES = {
    "dowse.app": "the composition root wires what other modules know by protocol only",
    "dowse.surfaces.cli.main": "commands",
    "dowse.contracts.registry": "contracts",
    "dowse.contracts.rest.endpoints": "operations of REST",
    "dowse.extract.verdict": "kinds of interstitials",
    "dowse.extract.html.render": "handlers of elements",
    "dowse.flows.doctor.examination": "checks",
    "dowse.surfaces.http.asgi": "middleware",
}
"""Modules with a declared table, and its entries: each entry is imported there and nowhere else."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_BRANCHES = (ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.Assert, ast.comprehension)


def ratios(files: Iterable[Path], root: Path) -> dict[str, float]:
    """The figures of `tests/architecture.json`, as they are in these files."""
    texts = {path: path.read_text(encoding="utf-8") for path in files}
    trees = {path: ast.parse(text) for path, text in texts.items()}
    complexities = [complexity(node) for tree in trees.values() for node in _functions(tree)]
    written = prose.measure(texts)
    return {
        "median_file_lines": statistics.median(len(text.splitlines()) for text in texts.values()),
        "single_importer_share_at_most": len(single_importers(trees, root)) / len(trees),
        "mean_complexity_at_most": statistics.fmean(complexities),
        "persons_per_1000_words_at_most": written.persons,
        "free_relatives_per_1000_words_at_most": written.free_relatives,
        "any_at_most": sum(_is_any(node) for tree in trees.values() for node in ast.walk(tree)),
        "type_ignores_at_most": sum(text.count("# type: ignore[") for text in texts.values()),
        "noqas_at_most": sum(text.count("# noqa: ") for text in texts.values()),
    }


def _is_any(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "Any"


def complexity(function: ast.AST) -> int:
    """Cyclomatic complexity as radon counts it: one, and one for each branch, condition and boolean operator."""
    total = 1
    for node in ast.walk(function):
        total += isinstance(node, _BRANCHES)
        total += len(node.values) - 1 if isinstance(node, ast.BoolOp) else 0
        total += len(node.ifs) if isinstance(node, ast.comprehension) else 0
        total += len(node.cases) if isinstance(node, ast.Match) else 0
    return total


def _functions(tree: ast.Module) -> Iterator[ast.AST]:
    return (node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS))


def single_importers(trees: Mapping[Path, ast.Module], root: Path) -> dict[str, str]:
    """Modules that exactly one other module imports when it is loaded, with that module.

    Not among them: modules that are imported late, inside a function, to keep start-up short; `__init__` files; and
    entries of the declared tables, which have one importer by design.
    """
    names = {_dotted(path, root): path for path in trees}
    importers: dict[str, set[str]] = {name: set() for name in names}
    for path, tree in trees.items():
        for name in _imported_at_load(tree):
            if name in names and names[name] != path:
                importers[name].add(_dotted(path, root))
    single = {name: next(iter(users)) for name, users in importers.items() if len(users) == 1}
    return {name: user for name, user in single.items() if user not in TABLES and names[name].name != "__init__.py"}


def _imported_at_load(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}


def _dotted(path: Path, root: Path) -> str:
    return ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
