"""Kinds of values that only searching takes: members, pauses, and remote MCP servers."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import BeforeValidator, SecretStr

from dowse.core import urls
from dowse.core.allowances import Pace
from dowse.settings.types import Takes, rate

_MEMBER = re.compile(r"[a-z][a-z0-9_]{0,39}", re.ASCII)
# What people call the members of the keyless pool.
_NICKNAMES = {
    "tavily": "tavily_keyless",
    "exa": "exa_mcp",
    "parallel": "parallel_mcp",
    "firecrawl": "firecrawl_mcp",
    "open_apis": "open",
    "searxng": "searxng_pool",
    "searx": "searxng_pool",
    "instances": "searxng_pool",
    "ddg": "duckduckgo",
}
_AT_ONCE = re.compile(r"(\d{1,5}) at once", re.ASCII)
_LONGEST_PAUSE_MS = 60_000
_SERVER_KEYS = frozenset({"url", "tool", "query", "count", "arguments", "headers", "results"})


@dataclass(frozen=True, slots=True)
class McpServer:
    """A remote MCP server to search with: which of its tools, and how its arguments and results are called.

    `query` names the argument for the query, several separated by commas; one that ends with `[]` takes a list.
    `count` names the argument for the number of results, if there is one. `results` is the way to the list of results
    in a structured answer, such as `data.web`; where it is empty, the list is looked for.
    Its address and its fixed arguments may hold a key, so that they are not shown.
    """

    url: str = field(repr=False)
    tool: str
    query: str = "query"
    count: str = ""
    arguments: Mapping[str, object] = field(default_factory=dict, repr=False)
    headers: Mapping[str, SecretStr] = field(default_factory=dict)
    results: str = ""


def _members(value: object) -> tuple[str, ...]:
    parts = [part.strip().lower().replace("-", "_") for part in str(value).split(",") if part.strip()]
    return tuple(dict.fromkeys(_NICKNAMES.get(part, part) for part in parts))


def _on_off_or(*further: str) -> BeforeValidator:
    words = {"true": "on", "1": "on", "yes": "on", "false": "off", "0": "off", "no": "off"}

    def read(value: object) -> str:
        text = str(value).strip().lower()
        text = words.get(text, text)
        if text not in ("on", "off", *further):
            raise ValueError
        return text

    return BeforeValidator(read)


def _delays(value: object) -> tuple[float, float]:
    """Milliseconds as they are written; seconds inside."""
    if isinstance(value, tuple):
        return value
    low, high = (int(part) for part in str(value).strip().strip("[]").split(","))
    if not 0 <= low <= high <= _LONGEST_PAUSE_MS:
        raise ValueError
    return low / 1000, high / 1000


def _pace(value: object) -> Pace:
    """`100/m`, `4 at once`, both separated by a comma, or `off`."""
    if isinstance(value, Pace):
        return value
    text = str(value).strip().lower()
    if text in ("off", "none", "false"):
        return Pace()
    parts = [part.strip() for part in text.split(",")]
    rates = [rate(part) for part in parts if "/" in part]
    crowds = [_AT_ONCE.fullmatch(part) for part in parts if "/" not in part]
    counts = [int(crowd[1]) for crowd in crowds if crowd]
    if len(rates) > 1 or len(crowds) > 1 or len(counts) < len(crowds) or 0 in counts:
        raise ValueError
    return Pace(rates[0] if rates else None, counts[0] if counts else None)


def _http_urls(value: object) -> tuple[str, ...]:
    parts = value if isinstance(value, tuple) else str(value).split(",")
    addresses = tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))
    parsed = [urls.parse(address) for address in addresses]
    if not addresses or not all(each and each.scheme in ("http", "https") for each in parsed):
        raise ValueError
    return addresses


def _mcp_servers(value: object) -> dict[str, McpServer]:
    given = json.loads(value) if isinstance(value, str) else value
    if not isinstance(given, dict):
        raise ValueError
    return {
        _member(name): server if isinstance(server, McpServer) else _server(server) for name, server in given.items()
    }


def _member(name: str) -> str:
    if not _MEMBER.fullmatch(name):
        raise ValueError
    return name


def _server(given: object) -> McpServer:
    if isinstance(given, McpServer):
        return given
    if not isinstance(given, dict) or given.keys() - _SERVER_KEYS or not {"url", "tool"} <= given.keys():
        raise ValueError
    texts = {name: given[name] for name in ("url", "tool", "query", "count", "results") if name in given}
    arguments, headers = given.get("arguments", {}), given.get("headers", {})
    if not isinstance(arguments, dict) or not isinstance(headers, dict):
        raise ValueError
    if not all(isinstance(text, str) for text in (*texts.values(), *headers.values())):
        raise ValueError
    if any(character in f"{name}{item}" for name, item in headers.items() for character in "\r\n\0"):
        raise ValueError
    _http_urls(texts["url"])
    return McpServer(**texts, arguments=arguments, headers={name: SecretStr(item) for name, item in headers.items()})


KeylessMembers = Annotated[tuple[str, ...], BeforeValidator(_members), Takes("names separated by commas")]
OnOffFallback = Annotated[Literal["on", "off", "fallback"], _on_off_or("fallback"), Takes("on, off or fallback")]
OnOffAll = Annotated[Literal["on", "off", "all"], _on_off_or("all"), Takes("on, off or all")]
DelayRange = Annotated[
    tuple[float, float], BeforeValidator(_delays), Takes("two numbers of milliseconds such as 100,500")
]
HttpUrls = Annotated[
    tuple[str, ...],
    BeforeValidator(_http_urls),
    Takes("an address that starts with http:// or https://, or several separated by commas"),
]
McpServers = Annotated[
    dict[str, McpServer],
    BeforeValidator(_mcp_servers),
    Takes('a JSON object such as {"mine": {"url": "https://…/mcp", "tool": "web_search", "query": "query"}}'),
]
ProviderPace = Annotated[
    Pace, BeforeValidator(_pace), Takes("calls per time such as 5/s, a number such as `4 at once`, both, or off")
]
