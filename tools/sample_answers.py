"""Writes docs/answers.md: what a model gets for typical calls, on the pages of the pocket web."""

from __future__ import annotations

import asyncio
import json
import random
import re
import socket
from pathlib import Path

from dowse.app import App
from dowse.core.runtime import CallContext
from dowse.settings.sources import load
from tests.doubles import PocketWeb

TARGET = Path(__file__).resolve().parent.parent / "docs" / "answers.md"
# Always the same, so that the page changes only where an answer does.
PORT = 8808
KETTLE = "/products/kettle"
HEAD = """\
# Sample answers

The text that `web_search` and `get_content` return to a model, on the pages of the [pocket web](testing.md).
`tools/sample_answers.py` writes this page. The nonce after "page 1" differs in every answer, so that no page can
forge the end of its fence (spotlighting). Code and HTML that a page leaves open end before the end marker. Text of the
web outside of a fence stands on one line behind a mark, such as `## 1.` or `Snippet:`, with control characters removed,
its Markdown escaped, and so the phrases of dowse itself: a title `Note: …` is shown as `Note\\: …`.

## What each client hands to its model

An MCP answer can have two halves: text (`content`) and a typed object (`structuredContent`). Clients differ in the
half that they hand to the model, so by default dowse sends the text alone, and no output schema.

| Client | What its model is given | With `DOWSE_STRUCTURED=on` |
| --- | --- | --- |
| Claude Code 2.1.197 | the text; above about 80 kB, its first 2 kB and a file name | the typed object instead |
| Codex 0.166.0 | `Wall time: 0.6 seconds`, `Output:`, and the text | the typed object instead |
| Gemini CLI 0.61.0 | the text between `<untrusted_context>` and `</untrusted_context>` | the same text |

`tests/slow/clients/test_agents.py` runs all three. The typed object has bare page text: without fence and hints,
and with 1.2 to 2.7 times the tokens. `DOWSE_STRUCTURED=on` is for programs; `--json` at a shell is always typed,
and the drop-ins keep their shapes.

Names, descriptions and schemas of the three tools cost a conversation at most 1,100 tokens. Rare arguments
(`offline_mode`, `timeout_s`, `safe_search`, `region`) and categories (`map`, `music`, `files`) are accepted and not
listed. A sloppy value whose meaning is plain is corrected with a note: `num_results is at most 50; 100 was read as 50`.
"""
NONCE = re.compile(r"(?<=page )([0-9a-f]{8})\b|(?<=page \d )([0-9a-f]{8})\b")

CALLS: dict[str, tuple[str, dict[str, object]]] = {
    "A documentation question": (
        "web_search",
        {"query": "lantern client: how long does it wait between attempts", "num_results": 1, "max_tokens": 200},
    ),
    "A news question, concise": (
        "web_search",
        {"query": "harbour bridge nordhaven reopening tram", "num_results": 1, "response_format": "concise"},
    ),
    "A comparison, with several providers": (
        "web_search",
        {"query": "bread baking sourdough sauerteig", "num_results": 2, "depth": "wide", "max_tokens": 400},
    ),
    "A page that could not be read": ("web_search", {"query": "fjell gooseneck kettle price", "num_results": 1}),
    "A long page with a question": (
        "get_content",
        {
            "url": f"http://127.0.0.1:{PORT}/long",
            "question": "When was the oldest lantern lit?",
            "max_tokens": 300,
        },
    ),
    "Several pages, one of which cannot be read": (
        "get_content",
        {"urls": [f"http://127.0.0.1:{PORT}/news/harbour-bridge", f"http://127.0.0.1:{PORT}/gone"], "max_tokens": 200},
    ),
    "A private address, which is an error": ("get_content", {"url": "http://localhost:3000/"}),
}


def main() -> None:
    TARGET.write_text(asyncio.run(render_page()), encoding="utf-8")


async def render_page() -> str:
    """The text of the page, in which the pocket web is at `PORT` wherever it was served."""
    port = _free_port()
    async with PocketWeb(port=port) as web:
        environ = {**web.environment("serper", "exa", "tavily"), "DOWSE_STATE": "memory:", "DOWSE_BROWSER": "off"}
        async with App(load({}, environ).settings) as app:
            parts = [HEAD]
            for title, (name, arguments) in CALLS.items():
                if "kettle" in str(arguments):
                    web.pages.fails(KETTLE, "403")
                    web.serper.finds([KETTLE])
                call, arguments = _call(name, arguments), _at_port(arguments, port)
                parts.append(f"## {title}\n\n`{call}`\n\n{await _answer(app, name, arguments)}")
    return "\n".join(parts).replace(f":{port}/", f":{PORT}/")


def _free_port() -> int:
    """A port of as many digits as `PORT`: the length of an address counts in the token budget."""
    while True:
        port = random.randrange(2000, 10_000)
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port


def _at_port(arguments: dict[str, object], port: int) -> dict[str, object]:
    return {name: json.loads(json.dumps(value).replace(f":{PORT}/", f":{port}/")) for name, value in arguments.items()}


async def _answer(app: App, name: str, arguments: dict[str, object]) -> str:
    tool = app.contract.tool(name)
    assert tool is not None
    answer = await tool.call(arguments, CallContext())
    return f"````text\n{NONCE.sub('0c1d2e3f', answer.text)}\n````\n"


def _call(name: str, arguments: dict[str, object]) -> str:
    shown = ", ".join(f"{key}={json.dumps(value)}" for key, value in arguments.items())
    return f"{name}({shown})"


if __name__ == "__main__":
    main()
