"""Double of Parallel's search MCP server: an objective and short queries in, excerpts out, structured and as text."""

from __future__ import annotations

import json
import uuid
from typing import ClassVar

from tests.doubles.checks import text, texts_in
from tests.doubles.listings import Wanted
from tests.doubles.mcp_server import McpDouble, Message

MOST_QUERIES, LONGEST_QUERY = 5, 200
_MOST_RESULTS = 10


def _queries(value: object) -> bool:
    if not isinstance(value, list) or not 1 <= len(value) <= MOST_QUERIES:
        return False
    return all(text(query) and len(query) <= LONGEST_QUERY for query in value)


class ParallelMcp(McpDouble):
    name = "parallel_mcp"
    tool = "web_search"
    fields: ClassVar = {"objective": text, "search_queries": _queries, "session_id": text}
    required = ("objective", "search_queries")

    def result(self, arguments: Message) -> Message:
        found = self.listings(Wanted.from_operators(texts_in(arguments, "search_queries")[0]))[:_MOST_RESULTS]
        answer = {
            "search_id": f"search_{uuid.uuid4().hex}",
            "results": [
                {
                    "url": listing.url,
                    "title": listing.title,
                    "publish_date": listing.published or None,
                    "excerpts": [listing.snippet, "Further down the page."] if listing.snippet else [],
                }
                for listing in found
            ],
            "session_id": arguments.get("session_id", f"session_{uuid.uuid4().hex}"),
        }
        return {
            "content": [{"type": "text", "text": json.dumps(answer, indent=2)}],
            "structuredContent": answer,
            "isError": False,
        }
