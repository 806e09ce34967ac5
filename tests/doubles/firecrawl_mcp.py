"""Double of Firecrawl's MCP server: results by source below `data`, and a free tier that says when to come again."""

from __future__ import annotations

import json
import uuid
from typing import ClassVar, Self

from tests.doubles.checks import number_in, text, whole
from tests.doubles.listings import Wanted
from tests.doubles.mcp_server import McpDouble, Message, failed


class FirecrawlMcp(McpDouble):
    name = "firecrawl_mcp"
    tool = "firecrawl_search"
    fields: ClassVar = {"query": text, "limit": whole(1, 100)}
    required = ("query",)

    def result(self, arguments: Message) -> Message:
        found = self.listings(Wanted.from_operators(str(arguments["query"])))[: number_in(arguments, "limit", 5)]
        web = [
            {"url": listing.url, "title": listing.title, "description": listing.snippet, "position": place}
            for place, listing in enumerate(found, 1)
        ]
        answer: Message = {"success": True, "data": {"web": web} if web else {}}
        answer |= {"id": str(uuid.uuid4()), "creditsUsed": 2}
        return {"content": [{"type": "text", "text": json.dumps(answer)}], "structuredContent": answer}

    def has_spent_its_free_tier(self, retry_after_s: int) -> Self:
        words = "The rate limit of the free tier is reached. Create an API key to go on."
        code = "KEYLESS_QUOTA_EXHAUSTED"
        return self.answers(failed(words, code=code, message=words, retry_after_seconds=retry_after_s))
