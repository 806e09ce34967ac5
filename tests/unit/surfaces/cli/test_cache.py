"""`dowse cache`: how much is remembered is told by kind, and all of it can be forgotten; budgets stay."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from dowse.stores.ledger import Days, Tally
from dowse.stores.store import Key, Store
from dowse.surfaces.cli.main import main
from tests.support.between import use_store

Captured = pytest.CaptureFixture[str]

TODAY = Days(date(2026, 1, 1), date(2026, 1, 1))


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "kept" / "state.db"
    monkeypatch.setenv("DOWSE_STATE", f"sqlite:///{path}")
    return path


async def three_entries(store: Store) -> None:
    for kind, digest, size in (("page", "a1", 1500), ("page", "b2", 500), ("search", "a1", 300)):
        await store.put(Key(kind, digest), b"x" * size, 3600)
    await store.add("serper", TODAY, Tally(2, 2000))


def told(capsys: Captured, *arguments: str) -> dict[str, Any]:
    """The answer of a command as JSON."""
    assert main(["cache", *arguments, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert isinstance(answer, dict)
    return answer


def test_entries_and_bytes_are_told_by_kind(file: Path, capsys: Captured) -> None:
    use_store(f"sqlite:///{file}", three_entries)
    stats = told(capsys, "stats")
    assert (stats["state"], stats["max_bytes"]) == (f"sqlite:///{file}", 256_000_000)
    assert stats["size_bytes"] >= file.stat().st_size
    assert stats["kinds"] == {"page": {"entries": 2, "bytes": 2000}, "search": {"entries": 1, "bytes": 300}}


def test_people_get_a_table(file: Path, capsys: Captured) -> None:
    use_store(f"sqlite:///{file}", three_entries)
    assert main(["cache", "stats"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"sqlite:///{file}"
    assert [line.split() for line in lines[2:6]] == [
        ["kind", "entries", "bytes"],
        ["page", "2", "2.0", "kB"],
        ["search", "1", "300", "B"],
        ["all", "3", "2.3", "kB"],
    ]
    assert lines[-1].endswith("kB of at most 256.0 MB.")


def test_clearing_deletes_all_entries_and_leaves_the_budgets(file: Path, capsys: Captured) -> None:
    use_store(f"sqlite:///{file}", three_entries)
    assert main(["cache", "clear"]) == 0
    assert capsys.readouterr().out == (
        f"3 entries deleted from sqlite:///{file}; spent budgets are kept. "
        "A running server notices within 10 seconds.\n"
    )
    assert told(capsys, "stats")["kinds"] == {}
    assert told(capsys, "clear") == {"state": f"sqlite:///{file}", "deleted": 0}
    assert use_store(f"sqlite:///{file}", lambda store: store.total("serper", TODAY)) == Tally(2, 2000)


@pytest.mark.parametrize("action", ["stats", "clear"])
def test_a_file_that_is_not_there_holds_nothing_and_is_not_made(file: Path, capsys: Captured, action: str) -> None:
    assert main(["cache", action]) == 0
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", f"dowse: the cache is empty: {file} is created on first use\n")
    empty = {"stats": {"kinds": {}, "size_bytes": 0, "max_bytes": None}, "clear": {"deleted": 0}}
    assert told(capsys, action) == {"state": f"sqlite:///{file}", **empty[action]}
    assert not file.parent.exists()


@pytest.mark.parametrize("action", ["stats", "clear"])
def test_memory_is_of_each_process_alone(capsys: Captured, monkeypatch: pytest.MonkeyPatch, action: str) -> None:
    monkeypatch.setenv("DOWSE_STATE", "memory:")
    assert main(["cache", action]) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == "dowse: DOWSE_STATE is memory:, which is private to each process, so there is no cache to show\n"


@pytest.mark.parametrize("action", ["stats", "clear"])
def test_a_store_that_fails_is_one_sentence_and_an_exit_code(file: Path, capsys: Captured, action: str) -> None:
    file.parent.mkdir()
    file.write_text("nothing that SQLite wrote, and long enough to be taken for a page of a database" * 10)
    assert main(["cache", action]) == 1
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert said.err.startswith(f"dowse: the store failed: {file}: ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["cache"], "delete all cached entries"),
        (["cache", "stats"], "by kind"),
        (["cache", "clear"], "Counters of spent budgets are kept"),
    ],
)
def test_help_says_what_it_does(capsys: Captured, arguments: list[str], words: str) -> None:
    with pytest.raises(SystemExit, match="0"):
        main([*arguments, "--help"])
    assert words in capsys.readouterr().out
