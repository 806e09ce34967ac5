"""What a stranger finds in the store: neither what was asked, nor what was answered, nor a key."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.canaries import CANARIES, spellings
from tests.conftest import REMEMBERING, Server
from tests.doubles import PocketWeb
from tests.valkey import Valkey

pytestmark = pytest.mark.promise("secret-store")

WORD = "zibeline"
QUERY = f"why is {WORD} soft"


def stored(tmp_path: Path, valkey: Valkey) -> bytes:
    """Every byte in the files of the user's home, logs of the test aside, and in the Valkey."""
    files = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "server.log"]
    return b"".join(path.read_bytes() for path in files) + valkey.dump()


@pytest.mark.parametrize("kind", ["sqlite", "valkey"])
async def test_neither_questions_nor_answers_nor_keys_can_be_read_from_a_store(
    server: Server, web: PocketWeb, tmp_path: Path, kind: str, valkey: Valkey, valkey_url: str
) -> None:
    key = CANARIES["SERPER_API_KEY"]
    page = web.page(f"/{WORD}")
    web.pages.serves(f"/{WORD}", f"<title>{WORD}</title><main><p>{WORD} is soft. {key}</p>" + "<p>More. " * 400)
    # Upstream repeats the question, as they do, and for once the key as well.
    web.serper.finds([{"title": QUERY, "url": page, "snippet": f"About: {QUERY}? {key}"}])
    settings = web.environment("serper") | REMEMBERING | {"SERPER_API_KEY": key}
    web.serper.key = key
    settings |= {"DOWSE_STATE": valkey_url} if kind == "valkey" else {}
    async with server.here(settings) as http, http.client() as client:
        found = await client.call_tool("web_search", {"query": QUERY})
        again = await client.call_tool("web_search", {"query": QUERY})
        part = await client.call_tool("get_content", {"url": page, "max_tokens": 100})
        missing = await client.call_tool("get_content", {"url": web.page(f"/no/{WORD}")})
        during = stored(tmp_path, valkey)
    assert [answer.structured_content["cache"] for answer in (found, again, part)] == ["miss", "hit", "hit"]
    assert (part.structured_content["next_cursor"] != "", missing.structured_content["status"]) == (True, "not_found")
    kept = during + stored(tmp_path, valkey)
    assert len(kept) > 10_000, "there is something to look into"
    for secret in (WORD, key):
        assert [form for form, text in spellings(secret).items() if text.encode() in kept] == []
    assert web.page("").encode() not in kept, "nor which pages were read"
