"""Pages that hang, crash or swell a worker cost that page its structure, and other pages nothing."""

from __future__ import annotations

import asyncio
import errno
import os
import resource
import select
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NoReturn

import pytest

from dowse.core.digests import Source
from dowse.core.errors import PageUnreadable
from dowse.core.models import Body, Facts, Onward, Status, Text
from dowse.worker import pool as pool_module
from dowse.worker.pool import WorkerPool
from tests.fakes.pdf import Sheet, pdf, text
from tests.security.costly import MIB, WITHOUT_LIMITS, MemoryPeaks, forms, memory

pytestmark = pytest.mark.promise("worker-cage")

# For what ends by itself, on a machine that has other work.
ENOUGH_S = 60.0
PAGE = b"<main><h1>Title</h1><p>Some <b>words</b> to read.</p></main>"
CONVERTED = Text("# Title\n\nSome **words** to read.", "Title", word_count=6, facts=Facts(site="pages.example"))
STRIPPED = Text("Title\nSome words to read.", word_count=5, may_be_kept=False)

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc or uses a Linux call")


def body(data: bytes = PAGE, media_type: str = "text/html") -> Body:
    return Body("https://pages.example/a", data, media_type)


@pytest.fixture(autouse=True)
def time_to_strip(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stripper has time enough, also to start its worker, however little the converter is given."""
    monkeypatch.setattr(pool_module, "_STRIP_S", ENOUGH_S)


@pytest.fixture
async def pool() -> AsyncIterator[WorkerPool]:
    pool = WorkerPool(size=2)
    yield pool
    await pool.close()


async def busy(pool: WorkerPool, data: bytes = PAGE, *, timeout_s: float = ENOUGH_S) -> tuple[asyncio.Task[Text], int]:
    """A job in a worker that stands still, as a hanging parser would."""
    await pool.extract(body(), timeout_s=ENOUGH_S)
    (pid,) = pool.pids
    os.kill(pid, signal.SIGSTOP)
    task = asyncio.create_task(pool.extract(body(data), timeout_s=timeout_s))
    await asyncio.sleep(0)  # the task sends its job in its first step
    return task, pid


def is_reaped(pid: int) -> bool:
    """Whether not even a zombie is left."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def open_files() -> set[str]:
    return {file.name for file in Path("/dev/fd").iterdir()}


async def test_page_that_hangs_is_stripped_instead_and_its_worker_is_replaced(
    pool: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    await pool.extract(body(), timeout_s=ENOUGH_S)
    (pid,) = pool.pids
    os.kill(pid, signal.SIGSTOP)
    # Only the job that hangs is short of time: on a busy machine, a worker needs longer than that to start.
    with monkeypatch.context() as patched:
        patched.setattr(pool_module, "_RESERVED_SHARE", 0.99)
        assert await pool.extract(body(), timeout_s=ENOUGH_S) == STRIPPED

    assert pid not in pool.pids
    assert await pool.extract(body(), timeout_s=ENOUGH_S) == CONVERTED


async def test_text_that_hangs_is_an_error(pool: WorkerPool) -> None:
    await pool.extract(body(), timeout_s=ENOUGH_S)
    os.kill(pool.pids[0], signal.SIGSTOP)

    with pytest.raises(PageUnreadable) as raised:
        await pool.extract(body(b"words", "text/plain"), timeout_s=0.5)

    assert (raised.value.status, raised.value.detail) == (Status.ERROR, "could not be converted")
    assert pool.pids == ()


async def test_worker_killed_during_a_job_costs_only_the_structure_of_that_page(pool: WorkerPool) -> None:
    task, pid = await busy(pool)
    os.kill(pid, signal.SIGKILL)

    assert await task == STRIPPED
    assert await pool.extract(body(), timeout_s=ENOUGH_S) == CONVERTED


async def test_worker_killed_while_idle_is_replaced_unnoticed(pool: WorkerPool) -> None:
    await pool.extract(body(), timeout_s=ENOUGH_S)
    (pid,) = pool.pids
    os.kill(pid, signal.SIGKILL)
    await asyncio.to_thread(os.waitid, os.P_PID, pid, os.WEXITED | os.WNOWAIT)

    assert await pool.extract(body(), timeout_s=ENOUGH_S) == CONVERTED
    assert pid not in pool.pids


@linux_only
async def test_page_that_needs_too_much_memory_is_stripped_instead(pool: WorkerPool) -> None:
    await pool.extract(body(), timeout_s=ENOUGH_S)
    resource.prlimit(pool.pids[0], resource.RLIMIT_AS, (1 << 20, 1 << 20))

    text = await pool.extract(body(b"<p>words of a</p>" * 100_000), timeout_s=ENOUGH_S)

    assert text.markdown.startswith("words of a\nwords of a")


@pytest.fixture
async def small_pool() -> AsyncIterator[WorkerPool]:
    """One worker with as little memory as any has."""
    pool = WorkerPool(size=1, memory_bytes=1)
    yield pool
    await pool.close()


BOMB = forms(40, 2)
SMALL_BYTES = 192 * MIB


@linux_only
@pytest.mark.promise("bound-worker-memory")
async def test_a_document_that_needs_too_much_memory_is_an_error_and_the_next_one_is_read(
    small_pool: WorkerPool,
) -> None:
    peaks = MemoryPeaks()
    with peaks.watch(small_pool):
        with pytest.raises(PageUnreadable) as raised:
            await small_pool.extract(body(BOMB, "application/pdf"), timeout_s=ENOUGH_S)
        assert await small_pool.extract(body(), timeout_s=ENOUGH_S) == CONVERTED
    assert raised.value.status is Status.ERROR
    assert max(peaks.workers.values()) < SMALL_BYTES


@linux_only
@pytest.mark.promise("passages-whole-document")
async def test_two_million_characters_without_blanks_are_searched_in_the_least_memory(small_pool: WorkerPool) -> None:
    """In Chinese each character is a word and part of two others."""
    filler = "".join(
        chr(0x4E00 + number * 7919 % 20_000) + ("。\n\n" if number % 40 == 39 else "") for number in range(1_780_000)
    )
    text = f"{filler}\n\n水獭吃螃蟹。"
    [digest] = await small_pool.digest("水獭吃什么?", [Source(text)], 200, timeout_s=ENOUGH_S)
    assert len(text) > 1_900_000
    assert "水獭吃螃蟹。" in digest.text


@linux_only
async def test_without_its_limit_a_worker_would_take_the_memory(
    small_pool: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit is seen to be the cause: the same document fills whatever there is."""
    monkeypatch.setattr(pool_module, "_COMMAND", WITHOUT_LIMITS)
    job = asyncio.create_task(small_pool.extract(body(BOMB, "application/pdf"), timeout_s=ENOUGH_S))
    while not any(memory(pid, "VmRSS") > SMALL_BYTES for pid in small_pool.pids):
        assert not job.done()
        await asyncio.sleep(0.01)
    job.cancel()
    await asyncio.wait([job])


@linux_only
@pytest.mark.promise("bound-worker-memory")
async def test_a_worker_is_replaced_when_a_page_has_left_it_too_little_memory(small_pool: WorkerPool) -> None:
    await small_pool.extract(body(), timeout_s=ENOUGH_S)
    first = small_pool.pids
    await small_pool.extract(body(), timeout_s=ENOUGH_S)
    assert small_pool.pids == first

    lines = pdf(Sheet(b"0 0 m 9 9 l S\n" * 300_000 + text(72, 700, "Some words.")))
    assert (await small_pool.extract(body(lines, "application/pdf"), timeout_s=ENOUGH_S)).markdown == "Some words."
    assert small_pool.pids == first

    assert await small_pool.extract(body(), timeout_s=ENOUGH_S) == CONVERTED
    assert small_pool.pids != first


@linux_only
async def test_a_worker_is_ended_before_the_server_where_memory_is_full(pool: WorkerPool) -> None:
    await pool.extract(body(), timeout_s=ENOUGH_S)

    assert (await asyncio.to_thread(Path(f"/proc/{pool.pids[0]}/oom_score_adj").read_text)) == "1000\n"


async def test_cancelled_job_leaves_no_process_behind_and_its_slot_to_the_next() -> None:
    pool = WorkerPool(size=1)
    task, pid = await busy(pool, b"<p>" + b"more than a pipe holds " * 10_000)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert await pool.extract(body(), timeout_s=ENOUGH_S) == CONVERTED
    await pool.close()
    assert is_reaped(pid)


async def test_no_more_than_size_processes_run(pool: WorkerPool) -> None:
    texts = await asyncio.gather(*(pool.extract(body(), timeout_s=ENOUGH_S) for _ in range(10)))

    assert texts == [CONVERTED] * 10
    assert len(pool.pids) == 2


async def test_caller_does_not_wait_for_a_free_worker_beyond_its_time() -> None:
    pool = WorkerPool(size=1)
    task, _ = await busy(pool)

    with pytest.raises(PageUnreadable) as raised:
        await pool.extract(body(), timeout_s=0.2)

    # The page is well: no scrape API is paid to read it.
    assert (raised.value.status, raised.value.onward) == (Status.TIMEOUT, Onward.NONE)
    task.cancel()
    await asyncio.wait([task])
    await pool.close()


async def test_a_page_that_hangs_and_leaves_no_time_to_strip_it_is_late(
    pool: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_module, "_SHORTEST_JOB_S", 0.4)
    task, _ = await busy(pool, timeout_s=0.6)

    with pytest.raises(PageUnreadable) as raised:
        await task

    assert raised.value.status is Status.TIMEOUT
    assert pool.pids == ()


async def test_a_question_that_takes_too_long_is_a_typed_failure(pool: WorkerPool) -> None:
    await pool.extract(body(), timeout_s=ENOUGH_S)
    os.kill(pool.pids[0], signal.SIGSTOP)

    with pytest.raises(PageUnreadable) as raised:
        await pool.digest("some words", [Source("words")], 100, timeout_s=0.5)

    assert raised.value.status is Status.ERROR
    assert pool.pids == ()


OUT_OF_FILES = OSError(errno.EMFILE, "Too many open files")


@pytest.mark.parametrize("available", [0, 1])
async def test_worker_without_descriptors_for_its_pipes_costs_only_the_page(
    pool: WorkerPool, monkeypatch: pytest.MonkeyPatch, available: int
) -> None:
    """It needs two pipes; a busy machine is out of descriptors for a moment only."""
    before, pipe, left = open_files(), os.pipe, available

    def scarce() -> tuple[int, int]:
        nonlocal left
        if not left:
            left = available
            raise OUT_OF_FILES
        left -= 1
        return pipe()

    monkeypatch.setattr(os, "pipe", scarce)
    for media_type in ("text/html", "text/plain"):
        with pytest.raises(PageUnreadable) as raised:
            await pool.extract(body(media_type=media_type), timeout_s=ENOUGH_S)
        assert (raised.value.status, raised.value.detail) == (Status.ERROR, "could not be converted")
    assert (pool.pids, open_files()) == ((), before)

    monkeypatch.undo()
    assert await pool.extract(body(), timeout_s=ENOUGH_S) == CONVERTED


async def test_worker_that_cannot_be_started_costs_only_the_page(
    pool: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = open_files()
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: _raise(OUT_OF_FILES))
    with pytest.raises(PageUnreadable):
        await pool.extract(body(), timeout_s=ENOUGH_S)
    assert open_files() == before

    monkeypatch.undo()
    assert await pool.extract(body(), timeout_s=ENOUGH_S) == CONVERTED


def _raise(error: Exception) -> NoReturn:
    raise error


async def test_close_leaves_no_process_and_no_open_file() -> None:
    before = open_files()
    pool = WorkerPool(size=2)
    await asyncio.gather(*(pool.extract(body(), timeout_s=ENOUGH_S) for _ in range(4)))
    pids = pool.pids

    await pool.close()
    await pool.close()

    assert [is_reaped(pid) for pid in pids] == [True, True]
    assert open_files() == before


async def test_close_ends_a_job_under_way(pool: WorkerPool) -> None:
    task, pid = await busy(pool)
    await pool.close()

    with pytest.raises(PageUnreadable):
        await task
    assert is_reaped(pid)
    with pytest.raises(PageUnreadable):
        await pool.extract(body(), timeout_s=ENOUGH_S)


@linux_only
async def test_worker_inherits_no_secret_no_terminal_and_no_other_file(
    pool: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERPER_API_KEY", "canary-4711")
    await pool.extract(body(), timeout_s=ENOUGH_S)

    (pid,) = pool.pids
    process = Path(f"/proc/{pid}")
    files = {number.name: str(number.readlink()).partition(":")[0] for number in (process / "fd").iterdir()}
    assert b"canary-4711" not in (process / "environ").read_bytes()
    assert [files.pop(name) for name in "012"] == ["/dev/null"] * 3
    assert list(files.values()) == ["pipe", "pipe"]


async def test_modules_in_the_working_directory_are_not_imported(pool: WorkerPool, tmp_path: Path) -> None:
    """`python -m` puts the working directory first, and a project there may hold a `json.py`."""
    assert Path.cwd() == tmp_path
    (tmp_path / "json.py").write_text("raise SystemExit")

    assert await pool.extract(body(), timeout_s=ENOUGH_S) == CONVERTED


PARENT = """
import asyncio
from dowse.worker.pool import WorkerPool
from dowse.core.models import Body

async def main():
    pool = WorkerPool(size=2)
    page = Body("https://pages.example/", b"<p>words</p>", "text/html")
    await asyncio.gather(*(pool.extract(page, timeout_s=10) for _ in range(2)))
    print(*pool.pids, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


@linux_only
def test_workers_end_when_their_parent_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        workers = [os.pidfd_open(int(pid)) for pid in parent.stdout.readline().split()]
        parent.kill()

    for worker in workers:
        ended, _, _ = select.select([worker], [], [], ENOUGH_S)
        os.close(worker)
        assert ended, "a worker outlived its parent"


def test_no_parser_is_imported_by_the_pool_and_nothing_heavy_by_the_worker() -> None:
    def loaded(*modules: str) -> set[str]:
        code = f"import sys, {', '.join(modules)}; print(*sys.modules)"
        return set(
            subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
        )

    pool = loaded("dowse.worker.pool")
    worker = loaded("dowse.worker.jobs", "dowse.extract.convert")

    assert not pool & {"selectolax", "dowse.extract.html.page"}
    # Cutting passages is the workers' business, and so is what it needs.
    assert not loaded("dowse.app") & {"dowse.rank.passages", "dowse.document.outline", "dowse.language.words"}
    assert not worker & {"asyncio", "pydantic", "aiohttp", "subprocess"}
    parts = {name.split(".")[1] for name in worker if name.startswith("dowse.")}
    assert parts <= {"core", "document", "extract", "language", "worker"}
