"""The examples of docs/rest.md: each command is sent to a server, and the reply below it is what came back."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from dowse.contracts.rest.problems import STATUSES
from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.http import HttpServer
from tests.support.tables import each_row

pytestmark = pytest.mark.promise("rest-api")

PAGE = Path(__file__).parents[2] / "docs" / "rest.md"
TEXT = PAGE.read_text(encoding="utf-8")
TOKEN = "dowse_a-token-for-the-examples-of-the-docs"
DOCUMENTED = "http://127.0.0.1:8765"
EXAMPLES = dict(
    (name, (command, reply))
    for name, command, reply in re.findall(
        r"<!-- example: (\w+) -->\n```sh\n(.+?)```\n\n```json\n(.+?)```", TEXT, re.DOTALL
    )
)
_TIMES = re.compile(r'"(ms|search_ms|total_ms|fetch_time_ms)": \d+')


def test_every_example_is_found() -> None:
    assert len(EXAMPLES) == TEXT.count("<!-- example") == TEXT.count("curl ") == 5


@each_row("name", list(EXAMPLES))
async def test_an_example_is_answered_as_the_page_says(server: Server, web: PocketWeb, name: str) -> None:
    command, reply = EXAMPLES[name]
    async with server.here({**web.environment("serper"), "DOWSE_TOKENS": f"docs:{TOKEN}"}) as http:
        origin = web.page("/").rstrip("/")
        got = await run(http, command.replace(DOCUMENTED, origin))
        shown = json.dumps(got, indent=2, ensure_ascii=False).replace(origin, DOCUMENTED)
    assert _TIMES.sub(r'"\1": 0', shown) == _TIMES.sub(r'"\1": 0', reply.strip())


async def run(http: HttpServer, command: str) -> Any:
    """What curl would do."""
    words = shlex.split(command.replace("\\\n", " ").replace("$TOKEN", TOKEN))
    url = next(word for word in words if word.startswith("http")).replace("http://127.0.0.1:8000", http.origin)
    headers = dict(words[at + 1].split(": ", 1) for at, word in enumerate(words) if word == "-H")
    data = next((words[at + 1] for at, word in enumerate(words) if word == "-d"), None)
    async with http.session.request("POST" if data else "GET", url, headers=headers, data=data) as response:
        return await response.json(content_type=None)


def test_the_table_of_errors_names_every_status() -> None:
    table = TEXT.partition("| Status | When |")[2].partition("\n\n")[0]
    assert sorted(map(int, re.findall(r"\b[45]\d\d\b", table))) == sorted(STATUSES)
