"""The hierarchy of errors: the drawings in the docstrings are the hierarchy of the classes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import dowse
from dowse.core import errors, wire_errors

_SRC = Path(dowse.__file__).parent
_BRANCH = re.compile(r"^(?P<indent>[│├└─ ]*)(?P<name>[A-Z]\w*)(?: +.*)?$")
_CLASS = re.compile(r"^class (\w+)\((\w+)\):$", re.M)
_INDENT = 4


def drawn(text: str) -> Iterator[tuple[str, str]]:
    """Each class of a drawing with its parent; the root has none."""
    above: list[str] = []
    for line in text.partition("\n\n")[2].splitlines():
        branch = _BRANCH.match(line)
        assert branch, f"not a line of the drawing: {line!r}"
        del above[len(branch["indent"]) // _INDENT :]
        yield branch["name"], above[-1] if above else ""
        above.append(branch["name"])


def defined() -> Iterator[tuple[str, str]]:
    """Each public error class of the package with its parent; private ones are details of their module."""
    sources = [path.read_text(encoding="utf-8") for path in _SRC.rglob("*.py")]
    parents = {name: parent for source in sources for name, parent in _CLASS.findall(source)}
    for name in parents:
        if not name.startswith("_") and errors.DowseError.__name__ in _lineage(name, parents):
            yield name, parents[name]


def _lineage(name: str, parents: dict[str, str]) -> Iterator[str]:
    while name in parents:
        name = parents[name]
        yield name


def test_the_drawings_show_every_error_of_the_package_below_its_parent() -> None:
    root, *tree = drawn(errors.__doc__ or "")
    branch, *wire_tree = drawn(wire_errors.__doc__ or "")
    assert (root, branch) == (("DowseError", ""), ("WireError", ""))
    assert sorted([*tree, *wire_tree]) == sorted(defined())


def test_programs_import_every_error_from_one_place() -> None:
    import dowse.errors

    for module in (errors, wire_errors):
        for name, _ in drawn(module.__doc__ or ""):
            if name in vars(module):
                assert vars(dowse.errors)[name] is vars(module)[name]


def test_a_drawing_is_read_with_its_indentation() -> None:
    drawing = "Errors.\n\nA\n├── B      words\n│   └── C\n│       └── D\n└── E\n"
    assert list(drawn(drawing)) == [("A", ""), ("B", "A"), ("C", "B"), ("D", "C"), ("E", "A")]


def test_the_words_of_a_provider_stand_in_quotes_before_the_advice_and_never_crowd_it_out() -> None:
    told = errors.KeyRejected("findwell", "HTTP 401", said="Unknown token", advice="check FINDWELL_API_KEY")
    assert str(told) == 'findwell rejected its key: HTTP 401, "Unknown token"; check FINDWELL_API_KEY'
    assert told.logged_detail == "HTTP 401; check FINDWELL_API_KEY", "the words may repeat the query"
    for said in ("word " * 500, "*a* `b` " * 500, "![x](y) " * 500):
        long = errors.KeyRejected("findwell", "HTTP 401", said=said, advice="check FINDWELL_API_KEY")
        assert long.detail.endswith('"; check FINDWELL_API_KEY') and len(long.detail) <= errors.DETAIL_CHARS
    bare = errors.KeyRejected("findwell", "HTTP 401", advice="check FINDWELL_API_KEY")
    assert bare.detail == "HTTP 401; check FINDWELL_API_KEY"
