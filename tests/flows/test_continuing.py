"""A long page in parts by a real MCP client: one fetch for all of them, and a word when the page has changed."""

from __future__ import annotations

from typing import Any

from mcp import Client

from tests.conftest import REMEMBERING, Server
from tests.doubles import PocketWeb

PARAGRAPHS = "\n\n".join(f"Paragraph {number} of the manual says something of use." for number in range(60))
PATH = "/files/manual.txt"


async def read(client: Client, url: str, cursor: str = "") -> tuple[dict[str, Any], str]:
    """The typed answer, and the text for the model."""
    result = await client.call_tool("get_content", {"url": url, "max_tokens": 280, "cursor": cursor})
    assert isinstance(result.structured_content, dict), result.content
    (block,) = result.content
    assert block.type == "text"
    return result.structured_content, block.text


async def test_all_parts_of_a_page_cost_one_fetch_even_after_a_restart(web: PocketWeb, server: Server) -> None:
    web.pages.serves(PATH, PARAGRAPHS, content_type="text/plain")
    async with server.connect(web.environment() | REMEMBERING) as client:
        first, told = await read(client, web.page(PATH))
        second, _ = await read(client, web.page(PATH), first["next_cursor"])
    assert f'cursor="{first["next_cursor"]}"' in told
    web.pages.serves(PATH, "All is new.", content_type="text/plain")
    async with server.connect(web.environment() | REMEMBERING) as client:
        last, told = await read(client, web.page(PATH), second["next_cursor"])
    assert "".join(part["page_content"] for part in (first, second, last)) == PARAGRAPHS
    assert [part["status"] for part in (first, second, last)] == ["truncated", "truncated", "ok"]
    assert [part["cache"] for part in (first, second, last)] == ["miss", "hit", "hit"]
    assert (last["next_cursor"], "cursor" in told) == ("", False)
    assert len(web.pages.requests) == 1


async def test_a_page_that_changed_and_is_forgotten_is_begun_again_and_that_is_said(
    web: PocketWeb, server: Server
) -> None:
    web.pages.serves(PATH, PARAGRAPHS, content_type="text/plain")
    settings = web.environment() | REMEMBERING | {"DOWSE_STATE": "memory:"}
    async with server.connect(settings) as client:
        first, _ = await read(client, web.page(PATH))
    web.pages.serves(PATH, PARAGRAPHS.replace("says", "said"), content_type="text/plain")
    async with server.connect(settings) as client:
        again, told = await read(client, web.page(PATH), first["next_cursor"])
    assert again["page_content"].startswith("Paragraph 0 of the manual said")
    assert again["warnings"] == ["the page has changed since it was begun; this is its new beginning"]
    assert "\n\nNote: the page has changed since it was begun; this is its new beginning" in told
