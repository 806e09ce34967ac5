"""Titles of real pages stay readable when they are quoted, and the marks in front of web text are cheap."""

from __future__ import annotations

import json
from itertools import islice

import pytest

from dowse.contracts import web_search
from dowse.core.digests import Digest
from dowse.core.models import Hit, Page, Query, Result, SearchOutcome, Status
from dowse.core.text import one_line, quote_line
from dowse.core.tokens import estimate_tokens
from tests.realparts import missing
from tools.extractor.data import folder

pytestmark = pytest.mark.promise("fence-readable")


@pytest.fixture(scope="module")
def truths() -> list[dict[str, str]]:
    """Title, address and text of each page of the development set of WCXB."""
    data = folder() / "ground-truth"
    if not data.is_dir():
        missing(f"{data} is missing; name the folder that holds wcxb-dev in DOWSE_EVAL_DATA")
    pages = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(data.glob("*.json"))]
    return [{"url": page.get("url") or "https://a.example/page", **page["ground_truth"]} for page in pages]


def test_nearly_all_titles_are_shown_as_they_are(truths: list[dict[str, str]]) -> None:
    titles = [line for page in truths if (line := one_line(page.get("title") or ""))]
    assert len(titles) > 1000
    assert sum(quote_line(title) == title for title in titles) >= 0.99 * len(titles)


def test_marks_cost_little_of_an_answer(truths: list[dict[str, str]]) -> None:
    results = []
    for page in islice((each for each in truths if len(each.get("main_content") or "") > 2000), 30):
        title, url, text = page.get("title") or "A page", page["url"], page["main_content"][:4000]
        hit = Hit(title, url, one_line(text, 160), published="2026-01-02")
        results.append(Result(hit, Page(url, Status.OK, text, title, url), 1.0, Digest(text)))
    shown = [web_search.answer(SearchOutcome(Query("x"), "serper", (each,), ())).text for each in results]
    plain = [
        text.replace(f"Snippet: {quote_line(each.hit.snippet)}", each.hit.snippet)
        for text, each in zip(shown, results, strict=True)
    ]
    costs = [sum(estimate_tokens(text) for text in texts) for texts in (shown, plain)]
    assert costs[1] < costs[0] <= 1.02 * costs[1]
