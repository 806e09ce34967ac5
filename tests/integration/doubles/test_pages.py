"""The pages are what their names promise, byte for byte where that matters."""

import asyncio
import json
import struct
import zlib

import pytest

from tests.doubles import PATHS
from tests.doubles.bodies import LONG_PAGE_BYTES, NEEDLE, png
from tests.doubles.corpus import DOCUMENTS
from tests.doubles.documents import leaflet


async def read(http, pocket, path: str):
    async with http.get(pocket.page(path)) as response:
        return response.status, response.headers["Content-Type"], await response.read()


@pytest.mark.parametrize("path", PATHS)
async def test_every_path_is_served(pocket, http, path):
    status, _, body = await read(http, pocket, path)
    assert status == (404 if path == "/missing" else 200)
    assert body


def test_every_document_of_the_corpus_is_a_page():
    assert {document.path for document in DOCUMENTS} <= set(PATHS)
    assert len(DOCUMENTS) >= 12


async def test_the_article_holds_structure_and_clutter(pocket, http):
    _, _, body = await read(http, pocket, "/articles/python-315")
    for part in (
        '<code class="language-python">',
        "\n        for parent in path.parents:\n            if parent.is_dir():\n",
        "<table>",
        "<nav",
        "<footer>",
        "<aside",
        'class="cookie"',
        "utm_source=bytes&amp;",
    ):
        assert part in body.decode()


async def test_german_is_latin_1_by_header(pocket, http):
    _, content_type, body = await read(http, pocket, "/de/brot")
    assert content_type == "text/html; charset=ISO-8859-1"
    assert "Für Anfänger".lower() in body.decode("iso-8859-1").lower()
    with pytest.raises(UnicodeDecodeError):
        body.decode("utf-8")


async def test_japanese_is_shift_jis_by_its_meta_tag_alone(pocket, http):
    _, content_type, body = await read(http, pocket, "/ja/tsuyu")
    assert content_type == "text/html"
    assert b'<meta charset="Shift_JIS">' in body
    assert "紫陽花" in body.decode("shift_jis")


@pytest.mark.parametrize(
    ("path", "content_type"),
    [
        ("/files/notes.txt", "text/plain; charset=utf-8"),
        ("/files/stations.json", "application/json"),
        ("/files/field-guide.md", "text/markdown; charset=utf-8"),
        ("/files/tides.csv", "text/csv; charset=utf-8"),
        ("/files/leaflet.pdf", "application/pdf"),
        ("/files/dot.png", "image/png"),
    ],
)
async def test_files_carry_their_type(pocket, http, path, content_type):
    assert (await read(http, pocket, path))[1] == content_type


async def test_the_json_file_parses(pocket, http):
    _, _, body = await read(http, pocket, "/files/stations.json")
    assert json.loads(body)["stations"][0]["opened"] == 1831


def test_the_pdf_has_a_table_that_points_at_its_objects():
    body = leaflet()
    start = int(body.split(b"startxref\n")[1].split()[0])
    lines = body[start:].split(b"\n")
    assert lines[0] == b"xref"
    offsets = [int(line.split()[0]) for line in lines[3:8]]
    for number, offset in enumerate(offsets, 1):
        assert body[offset:].startswith(b"%d 0 obj" % number)


def test_the_png_has_valid_chunks():
    body = png()
    size = struct.unpack(">I", body[8:12])[0]
    assert body[12:16] == b"IHDR"
    assert struct.unpack(">I", body[16 + size : 20 + size])[0] == zlib.crc32(body[12 : 16 + size])


async def test_the_long_page_repeats_no_sentence_and_holds_one_needle(pocket, http):
    _, _, body = await read(http, pocket, "/long")
    assert LONG_PAGE_BYTES <= len(body) < LONG_PAGE_BYTES * 1.2
    sentences = [part for part in body.decode().split(".") if part.strip().startswith("In ")]
    assert len(sentences) == len(set(sentences))
    assert body.decode().count(NEEDLE) == 1


async def test_the_hidden_page_hides_in_every_way(pocket, http):
    _, _, body = await read(http, pocket, "/hidden")
    text = body.decode()
    for way in (
        *("COMMENT", "DISPLAY-NONE", "VISIBILITY", "HIDDEN-ATTRIBUTE", "ARIA-HIDDEN", "TEMPLATE"),
        *("NOSCRIPT", "FONT-SIZE", "OFF-SCREEN", "SCRIPT"),
    ):
        assert f"CANARY-{way}" in text
    assert "\u200b" in text
    assert chr(0xE0000 + ord("C")) in text


async def test_unknown_paths_are_friendly_404s(pocket, http):
    status, _, body = await read(http, pocket, "/no/such/page")
    assert status == 404
    assert b"wandered off" in body


@pytest.mark.parametrize("hops", [1, 3, 7])
async def test_a_redirect_path_takes_exactly_that_many_hops(pocket, http, hops):
    async with http.get(pocket.page(f"/redirect/{hops}")) as response:
        assert len(response.history) == hops
        assert response.url.path == "/articles/python-315"


@pytest.mark.parametrize("path", ["/redirect/0", "/redirect/x", "/redirect/"])
async def test_a_redirect_path_without_a_number_is_not_found(pocket, http, path):
    assert (await read(http, pocket, path))[0] == 404


async def test_serves_adds_and_replaces_pages(pocket, http):
    pocket.pages.serves("/new", "é").serves("/long", b"\x00", content_type="x/y", status=418, headers={"X-Extra": "1"})
    assert await read(http, pocket, "/new") == (200, "text/html; charset=utf-8", "é".encode())
    async with http.get(pocket.page("/long")) as response:
        assert (response.status, response.headers["Content-Type"], response.headers["X-Extra"]) == (418, "x/y", "1")
        assert await response.read() == b"\x00"


async def test_a_page_that_fails_for_a_while_recovers(pocket, http):
    pocket.pages.fails("/long", "503", times=1, retry_after=5)
    assert [(await read(http, pocket, "/long"))[0] for _ in range(2)] == [503, 200]


async def test_page_requests_are_recorded_apart_from_the_doubles(pocket, http):
    await read(http, pocket, "/long?utm_source=x")
    assert [(seen.path, seen.params) for seen in pocket.pages.requests] == [("/long", {"utm_source": "x"})]
    assert pocket.serper.requests == []


async def test_the_peak_of_concurrent_page_requests_is_known(pocket, http):
    pocket.pages.delays(60)
    calls = [asyncio.create_task(read(http, pocket, "/long")) for _ in range(3)]
    await pocket.pages.arrived(3)
    assert pocket.pages.in_flight_peak == 3

    for call in calls:
        call.cancel()
    await asyncio.gather(*calls, return_exceptions=True)
    for seen in pocket.pages.requests:
        await asyncio.wait_for(seen.closed.wait(), 30)
    pocket.pages.reset()
    await read(http, pocket, "/long")
    assert pocket.pages.in_flight_peak == 1
