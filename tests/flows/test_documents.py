"""Documents by a real MCP client, from the pocket web through the real server and its workers."""

from __future__ import annotations

import pytest
from mcp import Client
from mcp_types import CallToolResult

from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.fakes.pdf import encrypted, many_pages, pdf, scanned, sheet, text

PDF = pdf(sheet(text(72, 700, "Words of a leaflet.")))
LOGIN_PAGE = (
    "<!DOCTYPE html><html><body><article><h1>Moved</h1><p>The leaflet is now at the library, "
    "where everybody can read it at any time.</p></article></body></html>"
)
NOTE = "_Failed to retrieve page content: "


async def get(client: Client, web: PocketWeb, path: str) -> CallToolResult:
    return await client.call_tool("get_content", {"url": web.page(path)})


def shown(result: CallToolResult) -> str:
    (block,) = result.content
    assert block.type == "text"
    return block.text


@pytest.mark.promise("case-36")
async def test_a_pdf_is_text_or_the_note_and_never_binary(server: Server, web: PocketWeb) -> None:
    """Acceptance case 36: by its type or by its address, whatever is in the file."""
    cases = {
        "/a": ("application/pdf", PDF, "Words of a leaflet."),
        "/b.pdf": ("application/octet-stream", PDF, "Words of a leaflet."),
        "/c.pdf": ("text/html", PDF, "Words of a leaflet."),
        "/d.pdf": ("application/pdf", LOGIN_PAGE, "The leaflet is now at the library"),
        "/e.pdf": ("application/pdf", encrypted(), f"{NOTE}the content type is not supported_"),
        "/f.pdf": ("application/pdf", scanned(), f"{NOTE}no readable content_"),
        "/g.pdf": ("application/pdf", PDF[: len(PDF) // 2], f"{NOTE}the page could not be read_"),
    }
    for path, (content_type, body, _) in cases.items():
        web.pages.serves(path, body, content_type=content_type)

    async with server.connect(web.environment()) as client:
        answers = {path: shown(await get(client, web, path)) for path in cases}

    for path, (_, _, expected) in cases.items():
        assert expected in answers[path]
        assert not any(sign in answers[path] for sign in ("%PDF", "endobj", "\ufffd", "\0"))


async def test_every_kind_of_document_is_read(server: Server, web: PocketWeb) -> None:
    expected = {
        "/files/handbook.pdf": "_Page 2 of 3_\n\n## 1 Lamps\n\nLamps are lit an hour before sunset and put out",
        "/files/report.docx": "# Lost property\n\nOf the forty umbrellas",
        "/files/rates.xlsx": "## Rates\n\n| goods | pence per mile |\n| --- | --- |\n| slate | 3 |",
        "/files/tides.csv": "| date | high_water |",
        "/files/feed.xml": "## The pump at Station 12 works again\n\n2026-10-02 · ana · ",
        "/files/stations.json": "```json\n{",
        "/files/dot.png": f"{NOTE}the content type is not supported_",
    }

    async with server.connect(web.environment()) as client:
        answers = {path: shown(await get(client, web, path)) for path in expected}

    for path, words in expected.items():
        assert words in answers[path]


async def test_the_page_limit_of_the_settings_reaches_the_worker(server: Server, web: PocketWeb) -> None:
    web.pages.serves("/report.pdf", many_pages(4, lines=1), content_type="application/pdf")

    async with server.connect(web.environment() | {"DOWSE_PDF_MAX_PAGES": "2"}) as client:
        result = await get(client, web, "/report.pdf")

    assert "_Page 2 of 4_" in shown(result)
    assert "_2 of 4 pages are shown._" in shown(result)
    assert result.structured_content["status"] == "truncated"
