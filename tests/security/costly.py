"""Fifty documents made to be small and costly, and a program that has four workers read all of them at once.

`python -m tests.security.costly FOLDER` joins the control group in that folder first (none if it is empty), and prints
what it has measured as JSON.
"""

from __future__ import annotations

import asyncio
import functools
import io
import json
import os
import re
import sys
import threading
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

import openpyxl

from dowse.core.errors import PageUnreadable
from dowse.core.models import Body
from dowse.worker import pool as worker_pool
from dowse.worker.pool import WorkerPool
from tests.fakes.office import SHEETS, SLIDES, WORD, docx, paragraph, pptx, slide, zipped
from tests.fakes.pdf import Sheet, pdf, sheet, stream, text

MIB = 1024 * 1024
WORKERS = 4
PDF, RSS, JSON, XML, HTML = "application/pdf", "application/rss+xml", "application/json", "application/xml", "text/html"
WITHOUT_LIMITS = (
    *(sys.executable, "-P", "-c"),
    "import resource, sys; resource.setrlimit = lambda *_: None\n"
    "from dowse.worker.jobs import main; main(sys.argv[1:])",
)
"""The command of a worker that does not limit itself."""
_SAMPLED_S = 0.01
_ENOUGH_S = 300.0
_WORDS = text(72, 700, "Some words.")
_SPREADSHEET = b'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_LAUGHS = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "ha" * 10}">' for n in range(10))


def vast_page(boxes: str, pages: int = 1) -> bytes:
    """The same page several times, with these boxes in place of its own."""
    one = pdf(sheet(_WORDS)).replace(b"/MediaBox [0 0 595 842]", boxes.encode())
    kids = b" ".join([b"8 0 R"] * pages)
    return one.replace(b"/Kids [8 0 R] /Count 1", b"/Kids [%s] /Count %d" % (kids, pages))


def forms(depth: int, width: int) -> bytes:
    """Forms that draw the next one several times: `width` to the power of `depth` pieces."""
    entries = (
        "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /Font << /F1 3 0 R >> /XObject << /X {} 0 R >> >>"
    )
    drawn = [stream(b"/X Do " * width + _WORDS, entries.format(10 + number)) for number in range(depth)]
    return pdf(sheet(b"/X Do\n", _WORDS, extra="/XObject << /X 9 0 R >>"), objects=drawn)


def packed_twice(content: bytes) -> bytes:
    packed = zlib.compress(zlib.compress(content, 9), 9)
    head = b"<< /Length %d /Filter [/FlateDecode /FlateDecode] >>\nstream\n" % len(packed)
    page = pdf(sheet(_WORDS), objects=[head + packed + b"\nendstream"])
    return page.replace(b"/Contents 7 0 R", b"/Contents 9 0 R")


def with_character_table(table: bytes) -> bytes:
    page = pdf(sheet(_WORDS), objects=[stream(table)])
    return page.replace(b"/BaseFont /Helvetica /", b"/BaseFont /Helvetica /ToUnicode 9 0 R /")


def with_widths(widths: str) -> bytes:
    font = "<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H /DescendantFonts [10 0 R] >>"
    system = "/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>"
    inner = f"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /A {system} /W [{widths}] >>"
    page = Sheet(b"BT /C 10 Tf 72 700 Td <0041004200430044> Tj ET " + _WORDS)
    return pdf(page, objects=[font.encode(), inner.encode()]).replace(b"/F4 6 0 R", b"/F4 6 0 R /C 9 0 R")


def with_filter(parameters: bytes) -> bytes:
    return pdf(sheet(_WORDS)).replace(
        b"/Filter /FlateDecode", b"/Filter /FlateDecode /DecodeParms << %s >>" % parameters
    )


def line(words: bytes) -> bytes:
    return pdf(Sheet(b"BT /F1 1 Tf 72 700 Td (" + words + b") Tj ET"))


@functools.cache
def workbook() -> dict[str, bytes]:
    file = io.BytesIO()
    book = openpyxl.Workbook()
    book.worksheets[0].append(["Some", "words."])
    book.save(file)
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def with_strings(items: bytes) -> bytes:
    """Shared strings, of which one cell shows the first."""
    listed = f'<Override PartName="/xl/sharedStrings.xml" ContentType="{SHEETS[:-5]}sharedStrings+xml"/></Types>'
    types = str(workbook()["[Content_Types].xml"], "utf-8").replace("</Types>", listed)
    cells = _cells(b'<row r="1"><c r="A1" t="s"><v>0</v></c></row>')
    strings = b"<sst %s>%s</sst>" % (_SPREADSHEET, items)
    added: dict[str, str | bytes] = {
        "[Content_Types].xml": types,
        "xl/worksheets/sheet1.xml": cells,
        "xl/sharedStrings.xml": strings,
    }
    return zipped({**workbook(), **added})


def with_rows(rows: bytes, dimension: bytes = b"A1:B2") -> bytes:
    return zipped({**workbook(), "xl/worksheets/sheet1.xml": _cells(rows, dimension)})


def with_styles(formats: bytes) -> bytes:
    styles = b"<styleSheet %s><cellXfs>%s</cellXfs></styleSheet>" % (_SPREADSHEET, formats)
    return zipped({**workbook(), "xl/styles.xml": styles})


def _cells(rows: bytes, dimension: bytes = b"A1:B2") -> bytes:
    return b'<worksheet %s><dimension ref="%s"/><sheetData>%s</sheetData></worksheet>' % (_SPREADSHEET, dimension, rows)


def with_shapes(shapes: bytes, slides: int = 1) -> bytes:
    return pptx(*[slide("Some words.").replace("</p:spTree>", f"{shapes.decode()}</p:spTree>")] * slides)


def feed(items: bytes) -> bytes:
    return b"<rss><channel><title>Some words.</title>" + items + b"</channel></rss>"


def of_size(piece: bytes, size: int = 2_500_000) -> bytes:
    return piece * (size // len(piece))


COSTLY: dict[str, tuple[str, Callable[[], bytes]]] = {
    "pdf: page of nine billion points": (PDF, lambda: vast_page("/MediaBox [0 0 9000000000 9000000000]")),
    "pdf: page of two billion points": (PDF, lambda: vast_page("/MediaBox [0 0 2147483000 2147483000]")),
    "pdf: wide page": (PDF, lambda: vast_page("/MediaBox [-9 -9 2147483000 999]")),
    "pdf: turned page": (PDF, lambda: vast_page("/MediaBox [0 0 2000000000 2000000000] /Rotate 90")),
    "pdf: cropped page": (PDF, lambda: vast_page("/MediaBox [0 0 2e9 2e9] /CropBox [0 0 2000000000 2000000000]")),
    "pdf: unit of a million points": (PDF, lambda: vast_page("/MediaBox [0 0 14400 14400] /UserUnit 1000000")),
    "pdf: hundred vast pages": (PDF, lambda: vast_page("/MediaBox [0 0 2000000000 2000000000]", 100)),
    "pdf: forms of forms": (PDF, lambda: forms(40, 2)),
    "pdf: wide forms of forms": (PDF, lambda: forms(8, 30)),
    "pdf: 20 MB of drawing": (PDF, lambda: line(of_size(b"a) Tj (", 20_000_000))),
    "pdf: one text of 20 MB": (PDF, lambda: line(of_size(b"a ", 20_000_000))),
    "pdf: stream packed twice": (PDF, lambda: packed_twice(bytes(400_000_000))),
    "pdf: lines all over": (PDF, lambda: pdf(Sheet(of_size(b"0 0 m 9 9 l S\n", 20_000_000) + _WORDS))),
    "pdf: table of characters": (PDF, lambda: with_character_table(of_size(b"<41> <0041>\n", 100_000_000))),
    "pdf: widths of a billion glyphs": (PDF, lambda: with_widths("0 1000000000 500")),
    "pdf: list of widths": (PDF, lambda: with_widths("0 [500] " * 300_000)),
    "pdf: arrays in arrays": (PDF, lambda: pdf(Sheet(b"[" * 1_000_000 + b"] TJ " + _WORDS))),
    "pdf: row of a gigabyte": (
        PDF,
        lambda: with_filter(b"/Predictor 12 /Columns 2147483 /Colors 32 /BitsPerComponent 16"),
    ),
    "docx: runs": (WORD, lambda: docx(of_size(b"<w:p><w:r><w:t>a</w:t></w:r></w:p>").decode())),
    "docx: hidden runs": (WORD, lambda: docx("<w:r><w:rPr><w:vanish/></w:rPr></w:r>" + of_size(b"<w:r/>").decode())),
    "docx: tables in tables": (
        WORD,
        lambda: docx("<w:tbl><w:tr><w:tc>" * 20_000 + paragraph("x") + "</w:tc></w:tr></w:tbl>" * 20_000),
    ),
    "docx: zeros": (WORD, lambda: zipped({"word/document.xml": bytes(29_000_000)})),
    "docx: archive of archives": (WORD, lambda: zipped({"word/a.zip": zipped({"a": bytes(90_000_000)})})),
    "xlsx: strings": (SHEETS, lambda: with_strings(of_size(b"<si/>", 4_500_000))),
    "xlsx: one string of runs": (SHEETS, lambda: with_strings(b"<si>" + of_size(b"<r><t>a</t></r>") + b"</si>")),
    "xlsx: row of cells": (SHEETS, lambda: with_rows(b"<row>" + of_size(b"<c><v>1</v></c>") + b"</row>")),
    "xlsx: a billion cells": (
        SHEETS,
        lambda: with_rows(b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>', b"A1:XFD1048576"),
    ),
    "xlsx: styles": (SHEETS, lambda: with_styles(of_size(b"<xf/>", 1_500_000))),
    "pptx: shapes": (SLIDES, lambda: with_shapes(of_size(b"<p:sp/>", 4_500_000))),
    "pptx: two hundred slides": (SLIDES, lambda: with_shapes(of_size(b"<a:t/>", 24_000), 199)),
    "feed: items": (RSS, lambda: feed(of_size(b"<item/>"))),
    "feed: deep": (RSS, lambda: feed(b"<a>" * 400_000 + b"</a>" * 400_000)),
    "feed: one article of tags": (
        RSS,
        lambda: feed(b"<item><description>" + of_size(b"&lt;b&gt;a") + b"</description></item>"),
    ),
    "feed: attributes": (RSS, lambda: feed(b"<item " + b" ".join(b'a%d="1"' % n for n in range(150_000)) + b"/>")),
    "xml: entities": (XML, lambda: f"<!DOCTYPE x [{_LAUGHS}]><x>&e9;</x>".encode()),
    "xml: deep": (XML, lambda: of_size(b"<a>")),
    "picture: texts": (XML, lambda: b"<svg>" + of_size(b"<text>a</text>") + b"</svg>"),
    "picture: texts in a page": (HTML, lambda: b"<main><svg>" + of_size(b"<text>a</text>") + b"</svg>"),
    "json: lists": (JSON, lambda: b"[" + of_size(b"[],") + b"1]"),
    "json: objects": (JSON, lambda: b"[" + of_size(b'{"a":{}},') + b"1]"),
    "json: deep": (JSON, lambda: of_size(b"[")),
    "json: keys": (JSON, lambda: b"{" + b",".join(b'"%x":0' % n for n in range(250_000)) + b"}"),
    "json: wide characters": (JSON, lambda: '"\U0001f600'.encode() + of_size(b"a b ") + b'"'),
    "csv: rows of two": ("text/csv", lambda: of_size(b"a,b\n")),
    "text: empty lines": ("text/plain", lambda: "\U0001f600".encode() + of_size(b"\n")),
    "html: deep": (HTML, lambda: of_size(b"<div>")),
    "html: cells": (HTML, lambda: b"<table><tr>" + of_size(b"<td>")),
    "html: open formatting": (HTML, lambda: of_size(b"<b><p>a")),
    "html: attributes": (HTML, lambda: b"<p " + b" ".join(b"a%d" % n for n in range(300_000)) + b">Some words."),
    "html: tiny elements": (HTML, lambda: b"<main>" + of_size(b"<i>a</i>")),
}


def body(name: str) -> Body:
    media_type, make = COSTLY[name]
    return Body("https://files.example/a", make(), media_type)


async def outcome(pool: WorkerPool, read: Body) -> str:
    """The status of a page, `ok` for one that was read; anything else is raised."""
    try:
        await pool.extract(read, timeout_s=_ENOUGH_S)
    except PageUnreadable as failure:
        return str(failure.status)
    return "ok"


@dataclass(slots=True)
class MemoryPeaks:
    """The largest memory of each worker, and of this process with all of them, as seen every few milliseconds."""

    workers: dict[int, int] = field(default_factory=dict)
    total: int = 0

    def sample(self, pids: Sequence[int]) -> None:
        for pid in pids:
            self.workers[pid] = max(self.workers.get(pid, 0), memory(pid, "VmHWM"))
        self.total = max(self.total, sum(memory(pid, "VmRSS") for pid in (os.getpid(), *pids)))

    @contextmanager
    def watch(self, pool: WorkerPool) -> Iterator[None]:
        done = threading.Event()

        def sample() -> None:
            while not done.wait(_SAMPLED_S):
                self.sample(pool.pids)

        watching = threading.Thread(target=sample)
        watching.start()
        try:
            yield
        finally:
            done.set()
            watching.join()


def memory(pid: int, field_: str) -> int:
    """A figure of a process in bytes; 0 if it has ended."""
    try:
        found = re.search(rf"^{field_}:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    except OSError:
        return 0
    return int(found[1]) * 1024 if found else 0


async def read_all(names: Sequence[str]) -> tuple[dict[str, str], MemoryPeaks]:
    """Read documents at once with four workers."""
    bodies = [body(name) for name in names]
    pool, peaks = WorkerPool(WORKERS), MemoryPeaks()
    try:
        with peaks.watch(pool):
            outcomes = await asyncio.gather(*(outcome(pool, read) for read in bodies))
        # Nothing that they did is left to the next page.
        assert await outcome(pool, Body("https://pages.example/", b"<main><p>Some words.</p></main>", HTML)) == "ok"
    finally:
        await pool.close()
    return dict(zip(names, outcomes, strict=True)), peaks


def main(group: str, *names: str) -> None:
    if group:
        Path(group, "cgroup.procs").write_text(str(os.getpid()))
    if names:
        worker_pool._COMMAND = WITHOUT_LIMITS
    outcomes, peaks = asyncio.run(read_all(names or tuple(COSTLY)))
    print(json.dumps({"outcomes": outcomes, **asdict(peaks)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
