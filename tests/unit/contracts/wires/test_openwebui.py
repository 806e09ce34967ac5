"""Open WebUI's search, retriever and loader: how much text each page has, and what is left out."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from dowse.contracts.output import MAX_TOKENS
from dowse.core.digests import Digest, Source
from tests.fakes.scripted import PlainExtractor
from tests.fakes.wiring import PAGE, WireBench


class Metered(PlainExtractor):
    """Remembers how many tokens the passages of a search may have."""

    def __init__(self) -> None:
        self.budgets: list[int] = []

    async def digest(
        self, question: str, sources: Sequence[Source], max_tokens: int, *, timeout_s: float, share: float = 1.0
    ) -> tuple[Digest, ...]:
        self.budgets.append(max_tokens)
        return await super().digest(question, sources, max_tokens, timeout_s=timeout_s, share=share)


@pytest.mark.parametrize(
    ("count", "most", "tokens"),
    [(1, 50, 800), (3, 50, 2400), (50, 50, MAX_TOKENS), (50, 10, 8000)],
)
async def test_each_result_has_room_for_passages_and_all_of_them_fit_into_an_answer(
    count: int, most: int, tokens: int
) -> None:
    metered = Metered()
    bench = WireBench("openwebui", extractor=metered, most_results=most)
    await bench.post("/search", query="bridge", count=count)
    assert metered.budgets == [tokens]


@pytest.mark.parametrize(("sent", "expected"), [({}, 3), ({"max_results": "7"}, 7), ({"max_results": "999"}, 50)])
async def test_a_retriever_gets_as_many_whole_pages_as_it_asks_for(sent: dict[str, str], expected: int) -> None:
    bench = WireBench("openwebui")
    reply = await bench.ask("GET", "/retriever", query={"query": "bridge", **sent})
    assert reply.data == [{"url": PAGE, "raw_content": "# Page\n\nThe text of the page."}]
    assert bench.bench.provider.asked[0].num_results == expected


async def test_a_page_that_failed_is_left_out_and_named() -> None:
    reply = await WireBench("openwebui").ask("POST", "/loader", body={"urls": [PAGE, "https://gone.test/"]})
    assert isinstance(reply.data, list)
    assert [each["metadata"]["source"] for each in reply.data] == [PAGE]
    assert "not read: https://gone.test/ (not_found" in reply.headers["X-Dowse-Warnings"]


@pytest.mark.parametrize("body", [{}, {"urls": []}, {"urls": [f"{PAGE}/{number}" for number in range(21)]}])
async def test_a_loader_needs_a_few_addresses(body: dict[str, object]) -> None:
    assert (await WireBench("openwebui").ask("POST", "/loader", body=body)).status == 400


async def test_a_document_has_the_name_that_its_header_gives() -> None:
    headers = {"content-type": "text/plain", "x-filename": "my%20notes.txt"}
    reply = await WireBench("openwebui").ask("PUT", "/process", headers=headers, data=b"Notes of the meeting.")
    assert isinstance(reply.data, dict)
    assert reply.data["metadata"] == {"source": "my notes.txt", "title": "my notes.txt"}
