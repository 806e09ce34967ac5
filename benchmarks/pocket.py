"""The pocket web in a process of its own, whose searches find pages of a given number and size.

Prints the settings that point dowse there as one line of JSON, then serves until it is killed. `--links-to` is where
the pages are said to be, for a proxy in between. With `--pages 0` searches find what the pocket web has by itself.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path

# As a script it would find only what lies beside it.
sys.path.append(str(Path(__file__).parents[1]))

from tests.doubles import PROVIDERS, PocketWeb

_TITLE = "Python release, part {number}"
_PARAGRAPH = (
    "<p>The release of part {number} was tested for {weeks} weeks on {machines} machines. "
    "Whoever upgrades reads the notes first: they say what was removed and what to write instead.</p>\n"
)


async def serve(port: int, links_to: str, pages: int, page_bytes: int) -> None:
    async with PocketWeb(port=port) as web:
        found = []
        for number in range(pages):
            path, title = f"/part/{number}", _TITLE.format(number=number)
            web.pages.serves(path, _page(title, number, page_bytes))
            url = f"{links_to}{path}" if links_to else web.page(path)
            found.append({"title": title, "url": url, "snippet": f"What the release of part {number} brings."})
        if found:
            for double in (web.serper, web.exa, web.tavily, web.searxng):
                double.finds(found)
        print(json.dumps(web.environment(*PROVIDERS)), flush=True)
        await asyncio.Event().wait()


def _page(title: str, number: int, page_bytes: int) -> str:
    """An article of about so many bytes."""
    paragraphs: list[str] = []
    size = 0
    while size < page_bytes:
        paragraphs.append(_PARAGRAPH.format(number=number, weeks=len(paragraphs) + 2, machines=7 * number + size))
        size += len(paragraphs[-1])
    return f"<!DOCTYPE html><title>{title}</title><article><h1>{title}</h1>{''.join(paragraphs)}</article>"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--links-to", default="", metavar="ORIGIN")
    parser.add_argument("--pages", type=int, default=8)
    parser.add_argument("--page-bytes", type=int, default=20_000)
    given = parser.parse_args()
    asyncio.run(serve(given.port, given.links_to, given.pages, given.page_bytes))


if __name__ == "__main__":
    main()
