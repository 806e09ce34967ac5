"""`@each_row`: a table of cases as one test, which runs every row and reports every failing one.

For tables of pure functions: `pytest.mark.parametrize` makes a test of each row, and what pytest does around a test
takes longer than the row.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

Test = Callable[..., Any]
# A row that is skipped would hide those that failed; the groups are those of the tables below.
_FAILURES = (Exception, pytest.fail.Exception, pytest.skip.Exception, BaseExceptionGroup)


def each_row(names: str | tuple[str, ...] | list[str], values: Iterable[Any]) -> Callable[[Test], Test]:
    """The arguments are those of `pytest.mark.parametrize`; stacked tables are multiplied as there."""
    named = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    is_single = isinstance(names, str) and len(named) == 1
    table = [_row(named, value, is_single) for value in values]
    if not table:
        raise ValueError("a table without rows tests nothing")

    def decorate(test: Test) -> Test:
        if inspect.iscoroutinefunction(test):

            @functools.wraps(test)
            async def run(**fixtures: Any) -> None:
                failures = _Failures(test.__name__)
                for row in table:
                    with failures.of(row):
                        await test(**row, **fixtures)
                failures.report()
        else:

            @functools.wraps(test)
            def run(**fixtures: Any) -> None:
                failures = _Failures(test.__name__)
                for row in table:
                    with failures.of(row):
                        test(**row, **fixtures)
                failures.report()

        # What is left is asked of pytest, as fixtures.
        signature = inspect.signature(test)
        left = [parameter for name, parameter in signature.parameters.items() if name not in named]
        run.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return run

    return decorate


class _Failures:
    """The rows that failed, each with its values in a note."""

    def __init__(self, test: str) -> None:
        self._test = test
        self._found: list[BaseException] = []
        self._row: dict[str, Any] = {}

    def of(self, row: dict[str, Any]) -> _Failures:
        self._row = row
        return self

    def __enter__(self) -> None: ...

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> bool:
        if not isinstance(error, _FAILURES):
            return False
        if isinstance(error, pytest.skip.Exception):
            error = pytest.fail.Exception(f"a row cannot be skipped: {error.msg}")
        error.add_note("row: " + ", ".join(f"{name}={value!r}" for name, value in self._row.items()))
        self._found.append(error)
        return True

    def report(self) -> None:
        if len(self._found) == 1:
            raise self._found[0]
        if self._found:
            raise BaseExceptionGroup(f"{len(self._found)} rows of {self._test} failed", self._found)


def _row(names: list[str], value: Any, is_single: bool) -> dict[str, Any]:
    values = tuple(_plain(value, is_single))
    if len(values) != len(names):
        raise ValueError(f"{value!r} has not one value for each of {', '.join(names)}")
    return dict(zip(names, values, strict=True))


def _plain(value: Any, is_single: bool) -> Iterator[Any]:
    if isinstance(value, type(pytest.param())):
        if value.marks:
            raise ValueError("a row takes no marks; give the test a name of its own")
        yield from value.values
    elif is_single:
        yield value
    else:
        yield from value
