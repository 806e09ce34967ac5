"""Remote MCP servers as the user describes them in `DOWSE_MCP_PROVIDERS`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import BeforeValidator, SecretStr

from dowse.settings.declare import Takes
from dowse.settings.types import headers, http_url

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}", re.ASCII)
_REQUIRED = frozenset({"url", "tool"})
_OPTIONAL = frozenset({"query", "count", "arguments", "headers", "results"})


@dataclass(frozen=True, slots=True)
class McpServer:
    """A remote MCP server to search with: its tool, and the names of arguments and results.

    `query` names the argument for the query, several separated by commas; a name that ends with `[]` takes a list.
    `count` names the argument for the number of results, if there is one. `results` is the way to the list of results
    in a structured answer, such as `data.web`; where it is empty, the list is looked for.
    Address and fixed arguments may hold a key, so `repr` leaves them out.
    """

    url: str = field(repr=False)
    tool: str
    query: str = "query"
    count: str = ""
    arguments: Mapping[str, object] = field(default_factory=dict, repr=False)
    headers: Mapping[str, SecretStr] = field(default_factory=dict)
    results: str = ""


def _mcp_servers(value: object) -> dict[str, McpServer]:
    given = json.loads(value) if isinstance(value, str) else value
    if not isinstance(given, dict) or not all(map(_NAME.fullmatch, given)):
        raise ValueError
    return {name: make_server(server) for name, server in given.items()}


def make_server(given: object) -> McpServer:
    """One server; raises `ValueError`."""
    if isinstance(given, McpServer):
        return given
    if not isinstance(given, dict) or not _REQUIRED <= given.keys() <= _REQUIRED | _OPTIONAL:
        raise ValueError
    texts = {name: text for name, text in given.items() if name not in ("arguments", "headers")}
    arguments, sent = given.get("arguments", {}), headers(given.get("headers", {}))
    if not isinstance(arguments, dict) or not all(isinstance(text, str) for text in texts.values()):
        raise ValueError
    http_url(texts["url"])
    return McpServer(**texts, arguments=arguments, headers={name: SecretStr(item) for name, item in sent.items()})


McpServers = Annotated[
    dict[str, McpServer],
    BeforeValidator(_mcp_servers),
    Takes('a JSON object such as {"mine": {"url": "https://…/mcp", "tool": "web_search", "query": "query"}}'),
]
