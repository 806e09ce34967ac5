"""Hostile documents: each ends in a typed failure or in its words, in time, and reaches nothing outside of itself."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import io
import random
import resource
import sys
import zipfile
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import openpyxl
import pytest
import pytest_asyncio

from dowse.core.errors import PageUnreadable
from dowse.core.models import Body, Status, Text
from dowse.worker import pool as pool_module
from dowse.worker.pool import WorkerPool
from tests.fakes.office import SHEETS, SLIDES, WORD, docx, linked_picture, paragraph, pptx, slide, zipped
from tests.fakes.pdf import Sheet, pdf, sheet, text
from tests.security.conftest import Canary

# Far more than any of these takes, on a machine that has other work; `tests/slow` has the larger ones, in time.
ENOUGH_S = 60.0
LITTLE_BYTES = 150 * 1024 * 1024
PLAIN = pdf(sheet(text(72, 700, "Some words.")))


pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pool() -> AsyncIterator[WorkerPool]:
    """One for all documents, as in the server: what a document does to its worker, the next one would feel."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool_module, "_LONGEST_JOB_S", ENOUGH_S)
        pool = WorkerPool(size=1)
        yield pool
        await pool.close()


async def read(pool: WorkerPool, data: bytes, media_type: str = "application/pdf") -> Text:
    async with asyncio.timeout(ENOUGH_S + 1):
        return await pool.extract(Body("https://files.example/a", data, media_type), timeout_s=ENOUGH_S)


async def failure(pool: WorkerPool, data: bytes, media_type: str = "application/pdf") -> Status:
    with pytest.raises(PageUnreadable) as raised:
        await read(pool, data, media_type)
    return raised.value.status


def forms(depth: int) -> bytes:
    """Forms that draw the next one twice: 2 to the power of `depth` pieces."""
    drawn = [
        b"<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X %d 0 R >> >> /Length 11 >>\n"
        b"stream\n/X Do /X Do\nendstream" % (10 + number)
        for number in range(depth)
    ]
    page = sheet(b"/X Do\n", text(72, 700, "Some words."), extra="/XObject << /X 9 0 R >>")
    return pdf(page, objects=drawn)


def scattered(count: int) -> bytes:
    return pdf(sheet(*(text(place * 7 % 500, place * 13 % 800, f"w{place}") for place in range(count))))


def one_line(words: bytes) -> bytes:
    return pdf(Sheet(b"BT /F1 10 Tf 72 700 Td (" + words + b") Tj ET"))


STILL_READ: dict[str, Callable[[], bytes]] = {
    "xref that leads nowhere": lambda: PLAIN.replace(b"startxref\n", b"startxref\n99"),
    "xref that leads to itself": lambda: PLAIN.replace(b"/Root", b"/Prev %d /Root" % PLAIN.rindex(b"xref\n0 ")),
    "a million pages, says the tree": lambda: PLAIN.replace(b"/Count 1", b"/Count 1000000"),
    "page of nine billion points": lambda: PLAIN.replace(b"[0 0 595 842]", b"[0 0 9e9 9e9]"),
    "page without a size": lambda: PLAIN.replace(b"[0 0 595 842]", b"[0 0 0 0]"),
    "actions on opening": lambda: pdf(
        sheet(text(72, 700, "Some words.")),
        catalog="/OpenAction << /S /URI /URI (http://127.0.0.1/) >> /AA << /WC << /S /JavaScript /JS (alert) >> >>",
    ),
}


@pytest.mark.parametrize("name", STILL_READ)
async def test_a_strange_pdf_is_read(pool: WorkerPool, name: str) -> None:
    assert "Some words." in (await read(pool, STILL_READ[name]())).markdown


VAST_SHEET_READ = "## Sheet\n\n| a | b |\n| --- | --- |"
LOST: dict[str, Callable[[], bytes]] = {
    "cut in the middle": lambda: PLAIN[: len(PLAIN) // 2],
    "nothing but its first line": lambda: b"%PDF-1.7\n" + bytes(range(256)) * 50,
    "page tree that leads to itself": lambda: PLAIN.replace(b"/Kids [8 0 R]", b"/Kids [2 0 R]"),
    "20 MB of drawing": lambda: one_line(b"a) Tj (" * 3_000_000),
    "forms that draw forms": lambda: forms(40),
    "5 MB of blanks": lambda: one_line(b" " * 5_000_000),
}


@pytest.mark.parametrize("name", LOST)
async def test_a_broken_pdf_and_a_bomb_are_typed_failures(pool: WorkerPool, name: str) -> None:
    await read(pool, PLAIN)
    with little_memory(pool.pids[0]):
        assert await failure(pool, LOST[name]()) is Status.ERROR
    assert (await read(pool, PLAIN)).markdown == "Some words."


@contextlib.contextmanager
def little_memory(pid: int) -> Iterator[None]:
    """A limit that a bomb reaches sooner than the worker's own, which it takes a second to fill."""
    if sys.platform != "linux":
        yield
        return
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[0])
    soft, hard = resource.prlimit(pid, resource.RLIMIT_AS)
    resource.prlimit(pid, resource.RLIMIT_AS, (pages * resource.getpagesize() + LITTLE_BYTES, hard))
    yield
    with contextlib.suppress(ProcessLookupError):  # it may have been ended for what it did
        resource.prlimit(pid, resource.RLIMIT_AS, (soft, hard))


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda: scattered(12_000), id="words all over the page"),
        pytest.param(lambda: one_line(b"a b " * 1_000_000), id="a line of 4 MB"),
        pytest.param(lambda: one_line(b"a-" * 1_000_000), id="a word of 2 MB"),
    ],
)
async def test_a_page_with_too_much_text_is_bounded(pool: WorkerPool, make: Callable[[], bytes]) -> None:
    assert 0 < len((await read(pool, make())).markdown) < 1_000_000


@functools.cache
def bomb(name: str, size: int) -> bytes:
    return zipped({"[Content_Types].xml": "<Types/>", name: bytes(size)})


@functools.cache
def many_entries() -> bytes:
    return zipped({f"word/{number}.xml": "<a/>" for number in range(6000)})


def declaring_little() -> bytes:
    """A directory that says one byte where there are twenty million."""
    data = bytearray(bomb("word/document.xml", 20_000_000))
    directory = data.rindex(b"PK\x01\x02")
    data[directory + 24 : directory + 28] = (1).to_bytes(4, "little")
    return bytes(data)


@pytest.mark.parametrize("media_type", [WORD, SHEETS])
@pytest.mark.parametrize(
    ("make", "status"),
    [
        pytest.param(lambda: bomb("word/document.xml", 110_000_000), Status.TOO_LARGE, id="110 MB of zeros"),
        pytest.param(lambda: bomb("xl/sharedStrings.xml", 40_000_000), Status.TOO_LARGE, id="40 MB in one part"),
        pytest.param(lambda: bomb("media/a.png", 20_000_000), Status.TOO_LARGE, id="1000 to 1"),
        pytest.param(many_entries, Status.TOO_LARGE, id="6000 entries"),
        pytest.param(declaring_little, Status.ERROR, id="a directory that lies"),
    ],
)
async def test_a_zip_bomb_is_refused_before_it_is_unpacked(
    pool: WorkerPool, make: Callable[[], bytes], status: Status, media_type: str
) -> None:
    assert await failure(pool, make(), media_type) is status


LAUGHS = (
    "<!DOCTYPE x [" + "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "ha" * 10}">' for n in range(10)) + "]>"
)


@pytest.mark.parametrize(
    "prolog",
    [LAUGHS, '<!DOCTYPE x [<!ENTITY e9 SYSTEM "file:///etc/passwd">]>', '<!DOCTYPE x SYSTEM "http://127.0.0.1/x.dtd">'],
    ids=["entities that multiply", "a file", "an address"],
)
async def test_an_office_file_with_a_dtd_is_refused(pool: WorkerPool, prolog: str) -> None:
    for encoding in ("utf-8", "utf-16"):
        document = f"{prolog}<document>&e9;</document>".encode(encoding)
        data = docx("", extra={"word/comments.xml": document})

        assert await failure(pool, data, WORD) is Status.UNSUPPORTED


DTD = '<!DOCTYPE x [<!ENTITY e "expanded">]>'
WORDS = docx(paragraph("&e;"), prolog=f"<?xml version='1.0'?><!--{'x' * 5000}-->{DTD}")


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (WORDS, WORD),
        (pptx(f"<?xml version='1.0'?><!--{'x' * 5_000_000}-->{DTD}{slide('&e;')}"), SLIDES),
        (docx("", extra={"word/comments.xml": f"<?a {'x' * 9000}?>{DTD}<a/>".encode("utf-16")}), WORD),
    ],
    ids=["behind a comment", "behind a long comment", "behind an instruction"],
)
async def test_a_dtd_is_found_wherever_it_begins(pool: WorkerPool, data: bytes, media_type: str) -> None:
    assert await failure(pool, data, media_type) is Status.UNSUPPORTED


async def test_a_picture_may_have_a_dtd_and_is_no_way_around(pool: WorkerPool) -> None:
    """Drawing programs write them; but what is called a picture may be the document itself."""
    picture = {"word/media/a.svg": f"{DTD}<svg>&e;</svg>"}
    assert (await read(pool, docx(paragraph("Some words."), extra=picture), WORD)).markdown == "Some words."

    with zipfile.ZipFile(io.BytesIO(WORDS)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["word/a.svg"] = parts.pop("word/document.xml")
    parts["_rels/.rels"] = parts["_rels/.rels"].replace(b"word/document.xml", b"word/a.svg")
    assert await failure(pool, zipped(parts), WORD) is Status.ERROR


@pytest.mark.parametrize("tag", ["p:sp", "a:p", "a:tbl", "a:tr", "a:tc"])
async def test_shapes_within_shapes_are_read_once(pool: WorkerPool, tag: str) -> None:
    inside = "<a:p><a:r><a:t>word</a:t></a:r></a:p>" * 100
    nested = f"<{tag}>" * 20_000 + inside + f"</{tag}>" * 20_000
    around = {"p:sp": "{}", "a:p": "<p:sp>{}</p:sp>", "a:tr": "<a:tbl>{}</a:tbl>"}
    around["a:tc"] = "<a:tbl><a:tr>{}</a:tr></a:tbl>"
    tree = around.get(tag, "{}").format(nested)
    data = pptx(slide("Title").replace("</p:spTree>", f"{tree}</p:spTree>"))

    assert (await read(pool, data, SLIDES)).markdown.count("word") <= 100


@pytest.mark.parametrize("root", ["rss", "feed", "data"])
async def test_entities_in_xml_are_shown_and_never_resolved(pool: WorkerPool, root: str) -> None:
    for entity in ('<!ENTITY e SYSTEM "file:///etc/passwd">', '<!ENTITY e "expanded">'):
        source = f"<?xml version='1.0'?><!DOCTYPE x [{entity}]><{root}><title>&e;</title></{root}>"

        markdown = (await read(pool, source.encode(), "application/xml")).markdown

        assert f"<{root}><title>&e;</title></{root}>" in markdown
        assert "root:" not in markdown


# In the loop of the canary, which would otherwise hear nobody.
@pytest.mark.asyncio(loop_scope="function")
async def test_nothing_that_a_word_document_links_is_loaded(canary: Canary) -> None:
    outside = f"http://127.0.0.1:{canary.port}/picture.png"
    linked = docx(paragraph("Some words.") + linked_picture(), image=outside, attachedTemplate=outside)
    local = docx(paragraph("Some words.") + linked_picture(), image="file:///etc/passwd")
    pool = WorkerPool(size=1)
    try:
        for data in (linked, local):
            assert (await read(pool, data, WORD)).markdown == "Some words."
    finally:
        await pool.close()
    assert canary.connections == 0


async def test_a_deep_document_is_a_typed_failure(pool: WorkerPool) -> None:
    cell = "<w:tbl><w:tr><w:tc>"
    ends = "</w:tc></w:tr></w:tbl>"

    assert await failure(pool, docx(cell * 20_000 + paragraph("x") + ends * 20_000), WORD) is Status.ERROR


def vast_sheet() -> bytes:
    """A sheet of two cells that claims a million rows and columns."""
    book = openpyxl.Workbook()
    book.worksheets[0].append(["a", "b"])
    file = io.BytesIO()
    book.save(file)
    cells = '<row r="1048576"><c r="XFD1048576" t="inlineStr"><is><t>far</t></is></c></row></sheetData>'
    parts = {}
    with zipfile.ZipFile(file) as archive:
        for name in archive.namelist():
            content = archive.read(name)
            if name == "xl/worksheets/sheet1.xml":
                content = content.replace(b"</sheetData>", cells.encode()).replace(b"A1:B1", b"A1:XFD1048576")
            parts[name] = content
    return zipped(parts)


async def test_a_sheet_that_claims_a_million_rows_and_columns_is_read(pool: WorkerPool) -> None:
    assert (await read(pool, vast_sheet(), SHEETS)).markdown == VAST_SHEET_READ


@pytest.mark.parametrize(
    ("media_type", "data"),
    [
        ("text/csv", b'"' * 2_000_000),
        ("text/csv", b"," * 2_000_000),
        ("text/csv", b'a,"b\n' * 400_000),
        ("application/xml", b"<a>" * 150_000),
        ("application/xml", b"<!--" * 100_000),
        ("application/rss+xml", b"<rss>" + b"<item>" * 300_000),
        ("application/rss+xml", b"<rss><title>x" + b"&nbsp;" * 300_000 + b"</title></rss>"),
        ("application/json", b'{"a":' * 300_000),
        ("application/x-ndjson", b"`" * 2_000_000),
    ],
)
async def test_text_that_wants_to_be_slow_is_not(pool: WorkerPool, media_type: str, data: bytes) -> None:
    assert (await read(pool, data, media_type)).markdown


def damaged(data: bytes, rng: random.Random) -> bytes:
    damaged = bytearray(data)
    for _ in range(rng.choice([1, 5, 30])):
        place = rng.randrange(len(damaged))
        damaged[place : place + rng.randrange(3)] = rng.randbytes(rng.randrange(3))
    return bytes(damaged)


@pytest.mark.parametrize(
    ("media_type", "data"),
    [("application/pdf", PLAIN), (WORD, docx(paragraph("Some words."))), (SLIDES, pptx(slide("Some", "words.")))],
)
async def test_damaged_documents_are_read_or_refused_and_never_crash(
    pool: WorkerPool, media_type: str, data: bytes
) -> None:
    rng = random.Random(media_type)
    await read(pool, data, media_type)
    workers = pool.pids

    for _ in range(60):
        with contextlib.suppress(PageUnreadable):
            (await read(pool, damaged(data, rng), media_type)).markdown.encode()

    assert pool.pids == workers
