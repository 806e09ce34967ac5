"""However long the parts are, an answer stays below what clients accept: 25,000 tokens for a real tokenizer."""

from __future__ import annotations

import json
import secrets
from dataclasses import replace

import pytest

from dowse.contracts.dispatch import Answer
from dowse.contracts.output import MAX_TOKENS
from dowse.contracts.web_search import answer
from dowse.core.digests import Digest
from dowse.core.models import Hit, Page, Query, Result, SearchOutcome, Status
from dowse.document.cut import truncate
from tests.fakes.bench import ContractBench
from tests.support.tables import each_row
from tools.passages.metric import tokens

WALL = 25_000
LANGUAGES = {
    "english": "The harbour bridge carries trams again after three weeks of repairs to its counterweight.\n",
    "japanese": "港の橋は三週間の修理を終えて、再び路面電車を通している。\n",
    "code": "x = f(1, 2)[3] if a != b else {}; y <<= 0x7F\n",
}


def filled(words: str, chars: int) -> str:
    return (words * (chars // len(words) + 1))[:chars].strip()


def searched(count: int, words: str, *, page_tokens: int, url_chars: int = 60, title_chars: int = 90) -> SearchOutcome:
    """So many results with snippets as long as they get, and pages that have so many tokens together."""
    shown, line = truncate(filled(words, 200_000), page_tokens // count), words.strip()
    results = []
    for number in range(count):
        url = f"https://example.org/{number}/".ljust(url_chars, "x")
        hit = Hit(filled(line, title_chars), url, filled(line, 1000), published="2026-03-02")
        page = Page(url, Status.OK, f"{shown} And more.", final_url=url, word_count=9)
        digest = Digest(shown, anchors=("b1", "b2"), blocks=9, summary=filled(line, 500))
        results.append(Result(hit, page, 1.0, digest))
    return SearchOutcome(Query("x"), "serper", tuple(results), ())


def typed(answered: Answer) -> str:
    return json.dumps(answered.structured, ensure_ascii=False)


def items(answered: Answer) -> list[dict[str, object]]:
    assert answered.structured is not None
    results = answered.structured["results"]
    assert isinstance(results, list)
    return results


@each_row("words", LANGUAGES.values())
def test_snippets_are_shortened_before_anything_else(words: str) -> None:
    outcome = searched(50, words, page_tokens=6000)
    answered = answer(outcome, is_structured=True)
    assert tokens(answered.text) < WALL > tokens(typed(answered))
    for item, result in zip(items(answered), outcome.results, strict=True):
        assert result.digest is not None
        assert (item["page_content"], item["title"]) == (result.digest.text, result.hit.title)
        assert str(item["snippet"]) in answered.text


@each_row("words", LANGUAGES.values())
def test_the_text_alone_has_room_for_more(words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # The random marker of the fences stands in the text a hundred times, and not each has as many tokens.
    monkeypatch.setattr(secrets, "token_hex", lambda _bytes: "0f1e2d3c")
    outcome = searched(50, words, page_tokens=6000)
    alone, both = answer(outcome), answer(outcome, is_structured=True)
    assert tokens(both.text) <= tokens(alone.text) < WALL


def test_a_few_results_with_all_the_pages_that_may_be_asked_for_lose_nothing_of_them() -> None:
    outcome = searched(4, LANGUAGES["english"], page_tokens=MAX_TOKENS - 4000)
    answered = answer(outcome, is_structured=True)
    assert tokens(answered.text) < WALL > tokens(typed(answered))
    assert [item["page_content"] for item in items(answered)] == [
        each.digest.text for each in outcome.results if each.digest
    ]


@each_row("words", LANGUAGES.values())
def test_pages_are_shortened_where_titles_and_addresses_leave_no_room(words: str) -> None:
    outcome = searched(50, words, page_tokens=MAX_TOKENS, url_chars=300, title_chars=200)
    answered = answer(outcome, is_structured=True)
    assert tokens(answered.text) < WALL > tokens(typed(answered))
    listed = items(answered)
    assert len(listed) == 50
    assert {item["status"] for item in listed} == {"truncated"}
    assert all(item["page_content"] for item in listed)


def test_results_are_left_out_where_addresses_alone_are_too_long_and_that_is_said() -> None:
    outcome = searched(50, LANGUAGES["english"], page_tokens=6000, url_chars=2048)
    unread = tuple(replace(each, page=Page(each.hit.url, Status.NOT_FOUND), digest=None) for each in outcome.results)
    answered = answer(replace(outcome, results=unread), is_structured=True)
    assert tokens(answered.text) < WALL > tokens(typed(answered))
    kept = len(items(answered))
    assert 10 < kept < 50
    missing = f"{50 - kept} more results did not fit into one answer; lower num_results"
    assert answered.structured is not None
    assert answered.structured["warnings"] == [missing]
    assert answered.text.endswith(f"Note: {missing}")


@pytest.mark.parametrize("url_chars", [30, 7900])
async def test_a_page_with_a_long_address_and_a_long_outline_fits(url_chars: int) -> None:
    url = "https://example.org/".ljust(url_chars, "x")
    heading = filled(LANGUAGES["english"].strip(), 290)
    page = "".join(f"## {number} {heading}\n\n{LANGUAGES['english'] * 9}\n" for number in range(300))
    answered = await ContractBench(pages={url: page}).call("get_content", url=url, max_tokens=MAX_TOKENS)
    assert tokens(answered.text) < WALL > tokens(typed(answered))
    assert answered.structured is not None
    assert tokens(str(answered.structured["page_content"])) > 0.7 * MAX_TOKENS


async def test_passages_of_very_many_blocks_fit_with_their_names() -> None:
    url, page = "https://example.org/a", "\n\n".join(f"Otter {number}." for number in range(6000))
    answered = await ContractBench(pages={url: page}).call(
        "get_content", url=url, question="otter", max_tokens=MAX_TOKENS
    )
    assert tokens(answered.text) < WALL > tokens(typed(answered))
    assert answered.structured is not None
    anchors, blocks = answered.structured["anchors"], str(answered.structured["blocks"])
    assert isinstance(anchors, list) and len(anchors) == 40 < int(blocks.partition(" of ")[0])
    assert f'section="{anchors[-1]}"' in answered.text
