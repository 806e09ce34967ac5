"""Double of Exa's MCP server: labelled text, and a free tier whose end is told without an error."""

from __future__ import annotations

from typing import ClassVar, Self

from tests.doubles.checks import number_in, text, whole
from tests.doubles.listings import Listing, Wanted
from tests.doubles.mcp_server import McpDouble, Message


class ExaMcp(McpDouble):
    name = "exa_mcp"
    tool = "web_search_exa"
    fields: ClassVar = {"query": text, "objective": text, "numResults": whole(1, 100)}
    required = ("query", "objective")

    def result(self, arguments: Message) -> Message:
        found = self.listings(Wanted.from_operators(str(arguments["query"])))[: number_in(arguments, "numResults", 8)]
        if not found:
            return _said("No search results found. Please try a different query.")
        return _said("\n\n---\n\n".join(map(_written, found)))

    def has_spent_its_free_tier(self) -> Self:
        spent = _said("You have reached the rate limit of the free tier. Create an API key to go on.")
        return self.answers(spent | {"_meta": {"ai.exa/rateLimited": True}})


def _said(words: str) -> Message:
    return {"content": [{"type": "text", "text": words}]}


def _written(listing: Listing) -> str:
    published = f"{listing.published[:10]}T00:00:00.000Z" if listing.published else "N/A"
    return (
        f"Title: {listing.title}\nURL: {listing.url}\nPublished: {published}\nAuthor: N/A\n"
        f"Highlights:\n{listing.snippet}\n...\nFurther down the page."
    )
