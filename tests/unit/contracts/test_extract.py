"""`extract` as REST and the Python API have it."""

from __future__ import annotations

import jsonschema
import pytest

from dowse.contracts.dispatch import Answer
from dowse.contracts.extract import extract
from dowse.core.errors import InvalidRequest, PageUnreadable
from dowse.core.models import Body, Status, Text
from dowse.core.runtime import CallContext
from dowse.core.tokens import estimate_tokens
from tests.fakes.bench import ContractBench
from tests.fakes.scripted import PlainExtractor

PAGE = "# Title\n\nText of the page."


class Refusing(PlainExtractor):
    async def extract(self, body: Body, *, timeout_s: float) -> Text:
        raise PageUnreadable(Status.BLOCKED)


async def call(extractor: PlainExtractor | None = None, **given: object) -> Answer:
    return await extract(ContractBench(extractor=extractor).services).call(given, CallContext())


async def test_the_whole_typed_answer() -> None:
    answer = await call(html=PAGE, url="example.org/a")
    assert answer.structured == {
        "url": "https://example.org/a",
        "title": "Title",
        "page_content": PAGE,
        "status": "ok",
        "warnings": [],
        "word_count": 6,
        "total_tokens": estimate_tokens(PAGE),
        "untrusted": True,
    }
    jsonschema.validate(answer.structured, extract(ContractBench().services).output_schema())
    assert answer.text.startswith("<<< untrusted page ")


async def test_a_page_that_is_none_is_an_error_with_a_note() -> None:
    answer = await call(Refusing(), html="<title>Just a moment...</title>")
    assert answer.is_error
    assert answer.structured is not None
    assert answer.structured["status"] == "blocked"
    assert str(answer.structured["page_content"]).startswith("_Failed to retrieve page content: ")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({}, "html is required."),
        ({"html": ""}, "html is required."),
        ({"html": 5}, "html must be the text of a page."),
        ({"html": PAGE, "url": "not an address"}, "url must be a web address such as https://example.org/page, not"),
    ],
)
async def test_what_cannot_be_meant_is_refused_in_one_sentence(given: dict[str, object], sentence: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        await call(**given)
    assert str(caught.value).startswith(sentence)
