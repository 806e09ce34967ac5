"""Writes docs/answers.md: what a model gets for five typical calls, on the pages of the pocket web."""

from __future__ import annotations

import asyncio
import re
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

The text that `web_search` and `get_content` return to a model, on the pages of the [pocket web](testing.md). Structured
output has the same content, field by field. `tools/sample_answers.py` writes this page. The nonce after "page 1"
differs in every answer, so that no page can forge the end of its fence (spotlighting).

## What each client hands to its model

| Client | What its model is given |
| --- | --- |
| Claude Code 2.1.197 | the text as it is; above about 80 kB, the first 2 kB and the name of a file |
| Codex 0.166.0 | `Wall time: 0.6 seconds`, `Output:`, and the text |
| Gemini CLI 0.61.0 | the text between `<untrusted_context>` and `</untrusted_context>` |

`tests/slow/clients/test_agents.py` runs all three. With `DOWSE_STRUCTURED=on`, Claude Code and Codex hand over the JSON
of `structuredContent` instead of the text: without the fence and the hints, and with 1.2 to 2.7 times the tokens.
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
}


def main() -> None:
    TARGET.write_text(asyncio.run(render_page()), encoding="utf-8")


async def render_page(port: int = PORT) -> str:
    """The text of the page, in which the pocket web is at `PORT` wherever it was served."""
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


def _at_port(arguments: dict[str, object], port: int) -> dict[str, object]:
    return {
        name: str(value).replace(f":{PORT}/", f":{port}/") if name == "url" else value
        for name, value in arguments.items()
    }


async def _answer(app: App, name: str, arguments: dict[str, object]) -> str:
    tool = app.contract.tool(name)
    assert tool is not None
    answer = await tool.call(arguments, CallContext())
    return f"````text\n{NONCE.sub('0c1d2e3f', answer.text)}\n````\n"


def _call(name: str, arguments: dict[str, object]) -> str:
    shown = ", ".join(
        f"{key}={value}" if isinstance(value, int) else f'{key}="{value}"' for key, value in arguments.items()
    )
    return f"{name}({shown})"


if __name__ == "__main__":
    main()
