"""The hierarchy of errors: the drawing in the docstring is the hierarchy of the classes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dowse.core import errors

_BRANCH = re.compile(r"^(?P<indent>[│├└─ ]*)(?P<name>[A-Z]\w*)(?: +.*)?$")
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
    """Each error class of the module with its parent."""
    for name, value in vars(errors).items():
        if isinstance(value, type) and value.__module__ == errors.__name__ and issubclass(value, Exception):
            (parent,) = value.__bases__
            yield name, "" if parent is Exception else parent.__name__


def test_the_drawing_shows_every_error_below_its_parent() -> None:
    shown = list(drawn(errors.__doc__ or ""))
    assert sorted(shown) == sorted(defined())


def test_a_drawing_is_read_with_its_indentation() -> None:
    drawing = "Errors.\n\nA\n├── B      words\n│   └── C\n│       └── D\n└── E\n"
    assert list(drawn(drawing)) == [("A", ""), ("B", "A"), ("C", "B"), ("D", "C"), ("E", "A")]
