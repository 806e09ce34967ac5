"""What tests rely on: tables report every failing row, and pure tests are refused what is outside of their process."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.tables import each_row

IMPURE = {
    "a socket": "import socket\n    socket.create_connection(('127.0.0.1', 9))",
    "a listener": "import socket\n    socket.socket().bind(('127.0.0.1', 0))",
    "a name": "import socket\n    socket.getaddrinfo('localhost', 80)",
    "a name behind an address": "import socket\n    socket.gethostbyaddr('127.0.0.1')",
    "a worker": "import multiprocessing\n    multiprocessing.get_context('spawn').Process(target=print).start()",
    "a process": "import subprocess\n    subprocess.run(['true'])",
    "a fork": "import os\n    os.fork() or os._exit(0)",
    "a refusal that is handled": """import socket
    try:
        socket.create_connection(('127.0.0.1', 9))
    except Exception:
        pass""",
}


def test_every_failing_row_is_reported_with_its_values() -> None:
    @each_row("number", [1, 2, 3, 4])
    def odd(number: int) -> None:
        assert number % 2

    with pytest.raises(BaseExceptionGroup) as caught:
        odd()
    assert [failure.__notes__ for failure in caught.value.exceptions] == [["row: number=2"], ["row: number=4"]]


def test_a_row_that_is_skipped_is_a_failure_and_hides_no_other() -> None:
    @each_row("number", [1, 2])
    def skip_one(number: int) -> None:
        if number == 2:
            pytest.skip("not today")
        raise ValueError(number)

    with pytest.raises(BaseExceptionGroup) as caught:
        skip_one()
    assert [type(failure) for failure in caught.value.exceptions] == [ValueError, pytest.fail.Exception]


def test_all_rows_of_stacked_tables_run_after_failures() -> None:
    seen = []

    @each_row("letter", "ab")
    @each_row("number", [1, 2])
    def fail(letter: str, number: int) -> None:
        seen.append(f"{letter}{number}")
        pytest.fail("always")

    with pytest.raises(BaseExceptionGroup):
        fail()
    assert seen == ["a1", "a2", "b1", "b2"]


async def test_stacked_tables_are_multiplied_and_fixtures_are_left_to_pytest(tmp_path: Path) -> None:
    seen = []

    @each_row("letter", "ab")
    @each_row(("number", "name"), [(1, "one"), pytest.param(2, "two", id="second")])
    async def collect(letter: str, number: int, name: str, tmp_path: Path) -> None:
        seen.append((letter, number, name, tmp_path))

    await collect(tmp_path=tmp_path)
    assert [row[:3] for row in seen] == [("a", 1, "one"), ("a", 2, "two"), ("b", 1, "one"), ("b", 2, "two")]


def test_a_table_without_rows_or_with_a_wrong_one_is_refused() -> None:
    for values in ([], [(1, 2, 3)]):
        with pytest.raises(ValueError, match=r"row|value"):
            each_row(("a", "b"), values)


def test_a_pure_test_is_refused_sockets_names_and_processes(tmp_path: Path) -> None:
    shutil.copy(Path(__file__).parent / "unit" / "conftest.py", tmp_path / "conftest.py")
    tests = [f"def test_{number}():\n    {body}\n" for number, body in enumerate(IMPURE.values())]
    (tmp_path / "test_impure.py").write_text("\n".join(tests))
    (tmp_path / "test_import.py").write_text("import socket\nsocket.socket().bind(('127.0.0.1', 0))\n")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--continue-on-collection-errors",
        "--rootdir",
        str(tmp_path),
        str(tmp_path),
    ]
    said = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path).stdout
    passed = [name for number, name in enumerate(IMPURE) if f"test_impure.py::test_{number} " not in said]
    assert passed == [], said
    assert "ERROR test_import.py" in said
    assert "belongs to tests/integration" in said
