"""Whatever happens to the file of a store: nothing is found there, it is said once, and later all is well again."""

from __future__ import annotations

import asyncio
import json
import random
import resource
import shlex
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from datetime import date
from pathlib import Path

import pytest

from dowse.cache.entries import CacheEntries
from dowse.stores import fail_soft
from dowse.stores.fail_soft import REST_S, FailSoftLedger, FailSoftStore, Outage
from dowse.stores.ledger import Days, Tally
from dowse.stores.sqlite import SqliteStore, file
from dowse.stores.sqlite.file import VERSION
from tests.fakes import FakeClock
from tests.realparts import missing
from tests.support.eventually import eventually

pytestmark = pytest.mark.promise("data-store-down")

ROOM = 4_000_000
LONG_S = 10.0**6
NAMES = [f"name {number}" for number in range(30)]
NOVEMBER = Days(date(2026, 11, 1), date(2026, 11, 15))
CALL, THREE_CALLS = Tally(1, 300), Tally(3, 10**12)


def value(name: str) -> bytes:
    """Of any size between a few bytes and several pages, always the same for a name."""
    return name.encode() * random.Random(name).choice([1, 30, 1000])


class Bench:
    """A store as the product uses it: a cache and a ledger that share one voice."""

    def __init__(self, path: Path, clock: FakeClock) -> None:
        self.store = SqliteStore(path, clock, ROOM)
        outage = Outage(clock)
        self.cache = CacheEntries(FailSoftStore(self.store, outage), clock)
        self.ledger = FailSoftLedger(self.store, outage)

    async def remember(self) -> None:
        await asyncio.gather(*[self.cache.put("page", name, value(name), LONG_S) for name in NAMES])

    async def recall(self) -> int:
        """How many are found; what is found is right."""
        found = [(name, await self.cache.look("page", name)) for name in NAMES]
        assert all(kept is None or kept.value == value(name) for name, kept in found)
        return sum(kept is not None for _, kept in found)

    async def spend(self, times: int) -> list[bool]:
        return [(await self.ledger.add("serper", NOVEMBER, CALL, THREE_CALLS)).admitted for _ in range(times)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "dowse" / "state.db"


@pytest.fixture
async def bench(path: Path, clock: FakeClock) -> AsyncIterator[Bench]:
    bench = Bench(path, clock)
    yield bench
    await bench.store.close()


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine is not a store that hangs."""
    monkeypatch.setattr(fail_soft, "PATIENCE_S", 30.0)
    monkeypatch.setattr(fail_soft, "LEDGER_PATIENCE_S", 30.0)


@pytest.fixture
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file, "BUSY_S", 0.02)


@contextmanager
def a_folder_in_its_place(path: Path) -> Iterator[None]:
    path.mkdir(parents=True)
    yield
    path.rmdir()


@contextmanager
def a_file_in_place_of_its_folder(path: Path) -> Iterator[None]:
    path.parent.touch()
    yield
    path.parent.unlink()


@contextmanager
def of_a_newer_version(path: Path) -> Iterator[None]:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as file:
        file.execute(f"PRAGMA user_version = {VERSION + 1}")
    yield
    path.unlink()


@contextmanager
def held_by_another_process(path: Path) -> Iterator[None]:
    path.parent.mkdir()
    script = (
        "import sqlite3, sys; held = sqlite3.connect(sys.argv[1], isolation_level=None); "
        "held.execute('PRAGMA locking_mode = EXCLUSIVE'); held.execute('BEGIN EXCLUSIVE'); "
        "print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", script, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield
        process.communicate(timeout=30)


@contextmanager
def no_database(path: Path) -> Iterator[None]:
    path.parent.mkdir()
    path.write_bytes(b"this is no database" * 100)
    yield


FAULTS: tuple[Callable[[Path], AbstractContextManager[None]], ...] = (
    a_folder_in_its_place,
    a_file_in_place_of_its_folder,
    of_a_newer_version,
    held_by_another_process,
)


@pytest.mark.usefixtures("hurry")
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
async def test_a_file_that_cannot_be_used_costs_one_warning_and_nothing_else(
    path: Path,
    bench: Bench,
    clock: FakeClock,
    fault: Callable[[Path], AbstractContextManager[None]],
    caplog: pytest.LogCaptureFixture,
) -> None:
    with fault(path):
        for _ in range(2):
            await bench.remember()
            assert await bench.recall() == 0
            assert await bench.cache.claim("page", "name", "me", 3)
            clock.advance(REST_S)
        assert await bench.spend(4) == [True, True, True, False]
        clock.advance(REST_S)
    await bench.remember()
    assert await bench.recall() == len(NAMES)
    assert await bench.ledger.total("serper", NOVEMBER) == Tally(3, 900), "handed in once that was possible"
    assert [record.getMessage() for record in caplog.records] == ["store failed, calls go on without it"]


async def test_what_is_no_database_is_set_aside_and_a_new_file_begins(
    path: Path, bench: Bench, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    earlier = path.with_name("state.db.damaged")
    with no_database(path):
        earlier.write_bytes(b"from the last time")
        path.with_name("state.db.damaged-wal").write_bytes(b"from the last time")
        assert await bench.recall() == 0
        clock.advance(REST_S)
    await bench.remember()
    assert await bench.recall() == len(NAMES)
    assert logged(caplog) == [f"{path}: damaged, so it was set aside as state.db.damaged and a new file begins"]
    assert held(earlier).startswith(b"this is no database")
    assert not path.with_name("state.db.damaged-wal").exists()


def logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    """The causes in the log, which alone tells them."""
    return [record.__dict__["dowse_fields"]["detail"] for record in caplog.records]


def held(path: Path) -> bytes:
    return path.read_bytes()


@contextmanager
def largest_file(size_bytes: int) -> Iterator[None]:
    """No file of this process may grow beyond that."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_a_file_that_cannot_grow_is_still_read(
    bench: Bench, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    await bench.remember()
    with largest_file(100_000):
        for number in range(100):
            await bench.cache.put("page", f"more {number}", bytes(3000), LONG_S)
        assert await bench.recall() == len(NAMES)
    assert len(logged(caplog)) == 1
    clock.advance(REST_S)
    await bench.cache.put("page", "more", bytes(50_000), LONG_S)
    assert await bench.cache.get("page", "more")
    assert await bench.recall() == len(NAMES)


MOUNTED = """
import asyncio, json, logging, subprocess, sys
from pathlib import Path
from tests.fakes import FakeClock
from tests.faults.test_store_faults import NAMES, REST_S, Bench

warnings = []
logging.getLogger("dowse").addFilter(lambda record: warnings.append(record.dowse_fields.get("detail", "")))

async def main(folder):
    clock = FakeClock()
    bench = Bench(folder / "state.db", clock)
    await bench.remember()
    ballast = folder / "ballast"
    try:
        with ballast.open("wb", buffering=0) as file:
            while file.write(bytes(4096)):
                pass
    except OSError:
        pass
    for number in range(100):
        await bench.cache.put("page", f"more {number}", bytes(3000), 1000)
    found = [await bench.recall()]
    ballast.unlink()
    clock.advance(REST_S)
    await bench.cache.put("page", "more", bytes(3000), 1000)
    found += [await bench.recall(), bool(await bench.cache.get("page", "more"))]
    await bench.store.close()

    subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
    bench = Bench(folder / "state.db", clock)
    for _ in range(2):
        await bench.remember()
        await bench.recall()
        clock.advance(REST_S)
    subprocess.run(["mount", "-o", "remount,rw", str(folder)], check=True)
    await bench.cache.put("page", "later", bytes(3000), 1000)
    found += [await bench.recall(), bool(await bench.cache.get("page", "later"))]
    await bench.store.close()
    print(json.dumps({"found": found, "warnings": [*filter(None, warnings)]}))

asyncio.run(main(Path(sys.argv[1])))
"""


def test_a_full_disk_and_a_read_only_one_cost_one_warning_each(tmp_path: Path) -> None:
    """On a disk of the test's own, half a megabyte large."""
    mount = f"mount -t tmpfs -o size=500k dowse {shlex.quote(str(tmp_path))}"
    unshare = ("unshare", "--map-root-user", "--mount", "sh", "-c")
    try:
        subprocess.run([*unshare, mount], check=True, capture_output=True, timeout=30)
    except (OSError, subprocess.CalledProcessError):
        missing("needs Linux with unshare, and namespaces that users may make")
    python = shlex.join([sys.executable, "-c", MOUNTED, str(tmp_path)])
    run = subprocess.run(
        [*unshare, f"{mount} && exec {python}"],
        cwd=Path(__file__).resolve().parents[2],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert run.returncode == 0, run.stderr
    told = json.loads(run.stdout)
    everything = len(NAMES)
    assert told["found"] == [everything, everything, True, everything, True]
    assert len(told["warnings"]) == 2
    assert "full" in told["warnings"][0]


@pytest.mark.usefixtures("hurry")
async def test_while_another_process_writes_for_long_everything_is_still_read(
    path: Path, bench: Bench, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    await bench.remember()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        await bench.cache.put("page", "more", b"more", LONG_S)
        assert await bench.recall() == len(NAMES)
        assert await bench.spend(1) == [True]
    assert len(caplog.records) == 1
    clock.advance(REST_S)
    await bench.cache.put("page", "more", b"more", LONG_S)
    assert await bench.cache.get("page", "more")


async def test_after_the_clock_was_set_back_nothing_is_found_and_everything_is_kept_anew(
    bench: Bench, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    await bench.remember()
    clock.date = date(2026, 10, 15)
    assert await bench.recall() == 0
    await bench.remember()
    assert await bench.recall() == len(NAMES)
    assert not caplog.records, "nothing has failed"


async def written(path: Path, clock: FakeClock) -> tuple[bytes, bytes, bytes]:
    """A file that was closed; and one that was not, with its log."""
    bench = Bench(path, clock)
    await bench.remember()
    open_file, log = held(path), held(Path(f"{path}-wal"))
    await bench.store.close()
    return held(path), open_file, log


def is_set_aside(path: Path) -> bool:
    return path.with_name(f"{path.name}.damaged").exists()


def flipped(data: bytes, position: int) -> bytes:
    return data[:position] + bytes([data[position] ^ 0xFF]) + data[position + 1 :]


def laid_out(folder: Path, data: bytes, log: bytes = b"") -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / "state.db"
    path.write_bytes(data)
    Path(f"{path}-wal").write_bytes(log)
    return path


# Of the header: what marks a database, the size of its pages, which format it has, and the number of its text.
HEADER = (0, 15, 16, 17, 18, 19, 20, 21, 24, 28, 31, 32, 36, 52, 56, 59, 92)
# Of a page: its kind, how many cells it has and where they begin, and the first cells.
IN_PAGE = (0, 3, 4, 5, 8, 9, 12, 100, 4000)


async def test_flipped_bytes_cost_one_warning_at_most_and_heal(
    tmp_path: Path, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    closed, open_file, log = await written(tmp_path / "state.db", clock)
    chance = random.Random(6)
    pages = len(closed) // 4096
    in_schema = [closed.index(b"TABLE leases"), closed.index(b"kind TEXT")]
    positions = [*HEADER, *in_schema, *[chance.randrange(1, pages) * 4096 + chance.choice(IN_PAGE) for _ in range(20)]]
    damages = [(flipped(closed, position), b"") for position in positions]
    damages += [(open_file, flipped(log, chance.randrange(len(log)))) for _ in range(5)]
    set_aside = 0
    for number, (data, beside) in enumerate(damages):
        path = laid_out(tmp_path / str(number), data, beside)
        caplog.clear()
        await heals(Bench(path, clock), clock)
        assert len(caplog.records) <= 1, f"damage {number}"
        set_aside += is_set_aside(path)
    assert 5 < set_aside < len(damages), "some are beyond repair, and some are only one entry that does not open"


async def heals(bench: Bench, clock: FakeClock) -> None:
    """Damage is found once somebody comes upon it, by and by."""
    for _ in range(6):
        await bench.recall()
        await bench.remember()
        found = await bench.recall()
        clock.advance(REST_S)
        if found == len(NAMES):
            break
    await bench.store.close()
    assert found == len(NAMES)


async def test_damage_that_only_the_sweep_comes_upon_is_told_to_who_comes_next(
    path: Path, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    closed, _, _ = await written(path, clock)
    with closing(sqlite3.connect(path)) as file:
        (page,) = file.execute("SELECT rootpage FROM sqlite_master WHERE name = 'expiry'").fetchone()
    bench = Bench(laid_out(path.parent, flipped(closed, (page - 1) * 4096)), clock)
    assert await bench.cache.get("page", NAMES[0]), "reading does without that index"
    await eventually(lambda: is_set_aside(path))
    await bench.recall()
    (told,) = logged(caplog)
    assert "set aside" in told
    await bench.store.close()


async def test_two_who_meet_the_same_damage_go_on_with_the_same_new_file(path: Path, clock: FakeClock) -> None:
    """The second one neither sets the new file aside nor takes its log away at the end."""
    await written(path, clock)
    one, two = Bench(path, clock), Bench(path, clock)
    assert await one.recall() == await two.recall() == len(NAMES)
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        pages = [page for (page,) in file.execute("SELECT rootpage FROM sqlite_master WHERE rootpage > 0")]
        file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with path.open("r+b") as raw:
        for page in pages:
            raw.seek((page - 1) * 4096 + (100 if page == 1 else 0))
            raw.write(b"\xff")
    for _ in range(3):
        for bench in (one, two):
            await bench.remember()
            await bench.recall()
        clock.advance(REST_S)
    assert is_set_aside(path)
    assert await one.recall() == await two.recall() == len(NAMES)
    await two.store.close()
    await one.cache.put("page", "last", b"last", LONG_S)
    await one.store.close()
    third = Bench(path, clock)
    assert await third.recall() == len(NAMES)
    assert await third.cache.get("page", "last")
    await third.store.close()
