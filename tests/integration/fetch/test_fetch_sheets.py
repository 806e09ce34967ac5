"""Style sheets are fetched like pages: through the guard, within a limit of bytes; failures are left out."""

from __future__ import annotations

import pytest

from dowse.fetch.direct import DirectFetcher
from dowse.net.clients import UntrustedClient
from dowse.net.guard import Guard
from tests.doubles import PocketWeb

pytestmark = pytest.mark.promise("hidden-linked")

CSS = "text/css"


async def test_only_style_sheets_are_taken(web: PocketWeb) -> None:
    web.pages.serves("/a.css", ".a{display:none}", content_type=CSS)
    web.pages.serves("/b.css", "<p>no sheet</p>")
    web.pages.serves("/c.css", "x" * 600_000, content_type=CSS)
    client = UntrustedClient(Guard((f"127.0.0.1:{web.port}",)), "dowse/test")
    addresses = [web.page(path) for path in ("/a.css", "/b.css", "/c.css", "/missing.css")]

    sheets = await DirectFetcher(client, max_bytes=100_000).fetch_sheets(addresses, timeout_s=5)

    await client.close()
    assert sheets == (".a{display:none}",)


async def test_a_sheet_comes_with_those_that_it_imports(web: PocketWeb) -> None:
    imports = "@import url(/b.css);@import 'http://other.example/c.css';@import \"/d.css\" print;"
    web.pages.serves("/a.css", f"{imports}.a{{color:red}}", content_type=CSS)
    web.pages.serves("/b.css", ".b{display:none}", content_type=CSS)
    client = UntrustedClient(Guard((f"127.0.0.1:{web.port}",)), "dowse/test")

    (sheet,) = await DirectFetcher(client, max_bytes=100_000).fetch_sheets([web.page("/a.css")], timeout_s=5)

    await client.close()
    assert sheet == f".b{{display:none}}\n{imports}.a{{color:red}}"
    assert len(web.pages.requests) == 2


async def test_a_private_address_is_not_asked_for_a_sheet(web: PocketWeb) -> None:
    web.pages.serves("/a.css", ".a{display:none}", content_type=CSS)
    client = UntrustedClient(Guard(), "dowse/test")

    sheets = await DirectFetcher(client, max_bytes=100_000).fetch_sheets([web.page("/a.css")], timeout_s=5)

    await client.close()
    assert sheets == ()
    assert web.pages.requests == []
