"""`dowse doctor` at a shell: where things are remembered, and whether they can be."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from dowse.stores.store import Key, Store
from tests.support.between import use_store
from tests.support.command_line import Examine

KEY = {"SERPER_API_KEY": "a-key-for-serper"}


def test_the_store_is_told_and_nothing_is_made_to_find_out(examine: Examine, tmp_path: Path) -> None:
    check = examine(XDG_CACHE_HOME=str(tmp_path / "cache")).one("store")
    path = tmp_path / "cache" / "dowse" / "state.db"
    assert check["state"] == "ok"
    assert check["summary"] == f"Caches and spent budgets are kept in {path}, which is created on first use."
    assert check["details"] == {"path": str(path), "exists": False, "usable": True}
    assert not path.parent.exists()


async def two_entries(store: Store) -> None:
    await store.put(Key("page", "a1"), b"x" * 1500, 3600)
    await store.put(Key("search", "a1"), b"x" * 300, 3600)


def test_a_file_is_told_with_what_it_holds(examine: Examine, tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    use_store(f"sqlite:///{path}", two_entries)
    check = examine(DOWSE_STATE=f"sqlite:///{path}").one("store")
    assert check["state"] == "ok"
    assert check["summary"].startswith(f"Caches and spent budgets are kept in {path}, which holds 2 entries and takes ")
    assert check["summary"].endswith(" of at most 256.0 MB.")
    details = check["details"]
    assert details.pop("size_bytes") >= path.stat().st_size
    assert details == {
        "path": str(path),
        "exists": True,
        "usable": True,
        "entries": {"page": 1, "search": 1},
        "max_bytes": 256_000_000,
    }


def test_a_redis_is_told_with_what_it_holds(examine: Examine, valkey_url: str) -> None:
    use_store(valkey_url, two_entries)
    check = examine(DOWSE_STATE=valkey_url).one("store")
    assert check["state"] == "ok"
    assert check["summary"].startswith(f"Caches and spent budgets are kept in {valkey_url}, which holds 2 entries")
    assert check["details"]["entries"] == {"page": 1, "search": 1}


@pytest.mark.parametrize(
    ("state", "found", "words"),
    [
        ("memory:", "off", "lost when the process ends"),
        # Nobody listens on port 1.
        ("redis://:a-secret@127.0.0.1:1/0", "warning", "redis://127.0.0.1:1/0 cannot be used"),
        ("sqlite:///{home}/folder", "warning", "folder cannot be written"),
        ("sqlite:///{home}/text", "warning", "text is not a SQLite database"),
        ("sqlite:///{home}/text/state.db", "warning", "cannot be created"),
        ("sqlite:///{home}/" + "x" * 300, "warning", "cannot be accessed"),
        ("sqlite:///{home}/torn", "warning", "torn cannot be used ("),
        ("sqlite:///{home}/newer", "warning", "newer cannot be used (written by a newer version of dowse)"),
        ("sqlite:///{home}/empty", "ok", "which holds 0 entries"),
    ],
)
def test_a_store_that_keeps_nothing_is_a_warning(
    examine: Examine, tmp_path: Path, state: str, found: str, words: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").write_text("nothing that SQLite wrote")
    (tmp_path / "torn").write_bytes(b"SQLite format 3\0" + b"torn" * 200)
    (tmp_path / "empty").touch()
    with closing(sqlite3.connect(tmp_path / "newer")) as newer:
        newer.execute("PRAGMA user_version = 1000")
    examined = examine(DOWSE_STATE=state.format(home=tmp_path), **KEY)
    assert examined.code == 0
    assert examined.one("store")["state"] == found
    assert words in examined.one("store")["summary"]
    assert "a-secret" not in json.dumps(examined.checks)
    # Said once.
    assert examined.one("setting")["state"] == "ok"
