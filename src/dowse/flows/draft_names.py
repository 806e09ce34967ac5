"""Names that vendors use, and the texts that stand beside the results of a sample: answers and further queries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from dowse.settings.described.table import parse_path

_BESIDE: Mapping[str, tuple[str, ...]] = {
    "answers": ("answer", "answers", "directanswer", "answerbox", "instantanswer"),
    "suggestions": (
        *("suggestions", "suggestion", "relatedsearches", "relatedqueries", "relatedsearch", "related"),
        *("didyoumean", "peoplealsosearch", "alternatives"),
    ),
}
"""Names of texts beside the results."""
_TEXTS = ("query", "text", "answer", "title", "q")


def guess_beside(answer: object) -> dict[str, str]:
    """The paths of direct answers and of further queries, by their names."""
    places = dict(_texts_beside(answer))
    found = {name: first_known(list(places), known) for name, known in _BESIDE.items()}
    return {name: places[path] for name, path in found.items() if path}


def _texts_beside(value: object, path: str = "", depth: int = 1) -> Iterator[tuple[str, str]]:
    """The texts outside of lists of results: the path of the member, and the path to its text."""
    for below, inner in members(value, path):
        if where := _path_to_text(below, inner):
            yield below, where
        yield from _texts_beside(inner, below, depth - 1) if depth else ()


def _path_to_text(path: str, value: object) -> str:
    if isinstance(value, list):
        return _path_to_text(f"{path}[]", value[0]) if value and not isinstance(value[0], list) else ""
    if isinstance(value, dict):
        return next((f"{path}.{name}" for name in _TEXTS if isinstance(value.get(name), str)), "")
    return path if isinstance(value, str) and value.strip() else ""


def first_known(names: Sequence[str], known: Sequence[str]) -> str:
    """The name that stands first among the known ones."""
    given = {bare_name(name): name for name in reversed(names)}
    return next((given[word] for word in known if word in given), "")


def members(value: object, path: str) -> Iterator[tuple[str, object]]:
    """The members of an object, each with a path that a description can write."""
    for name, inner in value.items() if isinstance(value, dict) else ():
        below = f"{path}.{name}" if path else str(name)
        if parse_path(below) is not None:
            yield below, inner


def bare_name(path: str) -> str:
    """The last name of a path, in lower case and without signs."""
    return re.sub(r"[^a-z0-9]", "", path.removesuffix("[]").rpartition(".")[2].lower())
