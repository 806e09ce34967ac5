"""Documents made to be small and costly: the size of a page costs nothing, and each of them has a typed outcome."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from dowse.worker.pool import WorkerPool
from tests.security.costly import COSTLY, MIB, MemoryPeaks, body, outcome

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")

VAST_PAGES = [name for name in COSTLY if name.startswith("pdf: ") and re.search(r" (points|page|pages)$", name)]
LITTLE_BYTES = 100 * MIB
# As a reader without the bound would.
LOAD = """
import pypdfium2, sys
pypdfium2.PdfDocument(sys.stdin.buffer.read())[0].get_textpage()
print(open("/proc/self/status").read())
"""


@pytest.mark.promise("bound-page-geometry")
async def test_a_pdf_page_of_vast_size_is_read_with_little_memory() -> None:
    pool, peaks = WorkerPool(size=1), MemoryPeaks()
    try:
        with peaks.watch(pool):
            assert {name: await outcome(pool, body(name)) for name in VAST_PAGES} == dict.fromkeys(VAST_PAGES, "ok")
    finally:
        await pool.close()
    assert len(VAST_PAGES) == 7
    assert max(peaks.workers.values()) < LITTLE_BYTES


def test_pdfium_itself_takes_memory_for_each_point_of_a_page() -> None:
    data = body("pdf: page of two billion points").data
    told = subprocess.run([sys.executable, "-c", LOAD], input=data, capture_output=True, check=True).stdout.decode()

    peak = re.search(r"VmHWM:\s+(\d+) kB", told)

    assert len(data) < 1100
    assert peak and int(peak[1]) * 1024 > 5 * LITTLE_BYTES
