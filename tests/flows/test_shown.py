"""What a model receives: how long it is, what is left out, and what it is told about that."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import product

from dowse.app import App
from dowse.core.runtime import CallContext
from dowse.core.tokens import estimate_tokens
from dowse.settings.sources import load
from tests.doubles import PocketWeb

QUERIES = (
    "lantern client: how long does it wait between attempts",
    "harbour bridge nordhaven reopening tram",
    "python 3.15 release",
    "annals of the valley line lantern",
    "what is the airspeed of a swallow",
)


@asynccontextmanager
async def asking(web: PocketWeb) -> AsyncIterator[Callable[..., Awaitable[str]]]:
    settings = {**web.environment("serper", "tavily"), "DOWSE_STATE": "memory:", "DOWSE_BROWSER": "off"}
    async with App(load({}, settings).settings) as app:

        async def ask(name: str, **arguments: object) -> str:
            tool = app.contract.tool(name)
            assert tool
            return (await tool.call(arguments, CallContext())).text

        yield ask


async def test_a_concise_answer_is_at_most_half_as_long_as_a_detailed_one(web: PocketWeb) -> None:
    async with asking(web) as ask:
        for query, others in product(QUERIES, ({}, {"num_results": 1}, {"max_tokens": 500}, {"depth": "wide"})):
            arguments = {"query": query, **others}
            detailed = await ask("web_search", **arguments)
            concise = await ask("web_search", response_format="concise", **arguments)
            assert 2 * estimate_tokens(concise) <= estimate_tokens(detailed), arguments
            left_out = concise.count(" (off topic)\n")
            assert concise.count("<<< untrusted page") + left_out == detailed.count("<<< untrusted page")


async def test_a_fragment_selects_a_part_by_the_ids_of_the_page(web: PocketWeb) -> None:
    async with asking(web) as ask:
        by_url = await ask("get_content", url=web.page("/docs/retrying#waiting"))
        by_section = await ask("get_content", url=web.page("/docs/retrying"), section="#off")
        post = await ask("get_content", url=web.page("/forum/thread-4471#p3"))
        missing = await ask("get_content", url=web.page("/docs/retrying#nowhere"))
    assert "\n## How long it waits\n" in by_url and "## Switching it off" not in by_url
    assert "\n## Switching it off\n" in by_section and "## How long it waits" not in by_section
    assert "The cheapest one, 9 % protein." in post and "My loaves look fine" not in post
    assert missing.startswith("The page has no part #nowhere; this is its beginning.\n")


async def test_of_several_pages_each_says_first_that_nothing_matches_the_question(web: PocketWeb) -> None:
    pages = [web.page("/docs/retrying"), web.page("/news/harbour-bridge")]
    async with asking(web) as ask:
        text = await ask("get_content", urls=pages, question="When did trams cross the harbour bridge again?")
    wrong, right = text.split("\n## 2. ")
    assert wrong.index("nothing on the page matches the question") < wrong.index("<<< untrusted")
    assert "matches the question" not in right


async def test_a_page_about_something_else_is_shown_by_its_best_lines_with_a_remark(web: PocketWeb) -> None:
    web.serper.finds(["/docs/retrying", "/news/harbour-bridge"])
    query = "how long does the lantern client wait between attempts"
    async with asking(web) as ask:
        text = await ask("web_search", query=query, num_results=2)
    right, wrong = text.split("\n## 2. ")
    assert "On the command line the same is done for a single call" in right
    assert "hardly a word of the query is on this page, so only its best lines are shown" in wrong
    assert "hardly a word" not in right
    assert "Harbour bridge reopens three weeks early" in wrong
    assert estimate_tokens(wrong) < 300
