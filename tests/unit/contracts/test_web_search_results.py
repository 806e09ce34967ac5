"""A result tells what is shown of its page, who found it and what says the same; a concise one tells it once."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import jsonschema

from dowse.contracts.output import WebSearchOutput, schema_of
from dowse.contracts.web_search import answer
from dowse.core.digests import CodeBlock, Digest, KeyPoint
from dowse.core.models import Hit, Page, Query, Result, SearchOutcome, Status

A, B = "https://example.org/a", "https://example.org/b"
DIGEST = Digest(
    "# Otters\n\n[…]\n\nThe otter weighs nine kilograms.",
    anchors=("b1", "b7"),
    blocks=41,
    tokens=1040,
    relevance=0.9,
    summary="All about otters.",
    key_points=(KeyPoint("The otter weighs nine kilograms.", "b7"),),
    code_blocks=(CodeBlock("b12", "python", 3, "import otter"),),
)
PAGE = Page(
    A, Status.OK, "# Otters\n\nLong.\n\nThe otter weighs nine kilograms.\n\nLonger.", "Otters", A, word_count=812
)
CUT = Result(Hit("Otters", A, "A snippet.", published="2026-03-02"), PAGE, 1.0, DIGEST)
WHOLE = Result(Hit("Bears", B, "Another."), Page(B, Status.OK, "Bears.", final_url=B), 0.9, Digest("Bears.", blocks=1))


def found(*results: Result, **fields: Any) -> SearchOutcome:
    return SearchOutcome(Query("otter weight"), "serper", results, (), **fields)


def typed(outcome: SearchOutcome, *, is_concise: bool = False) -> dict[str, Any]:
    structured = answer(outcome, is_concise=is_concise).structured
    jsonschema.validate(structured, schema_of(WebSearchOutput))
    assert structured is not None
    return dict(structured)


def test_a_page_that_is_cut_tells_its_blocks_its_key_points_and_its_code() -> None:
    item, whole = typed(found(CUT, WHOLE))["results"]
    assert (item["page_content"], item["status"], item["summary"]) == (DIGEST.text, "truncated", "All about otters.")
    assert (item["blocks"], item["anchors"]) == ("2 of 41", ["b1", "b7"])
    assert item["key_points"] == [{"text": "The otter weighs nine kilograms.", "anchor": "b7"}]
    assert item["code_blocks"] == [{"anchor": "b12", "language": "python", "lines": 3, "beginning": "import otter"}]
    assert {"blocks", "anchors", "key_points", "code_blocks", "found_by", "duplicates"}.isdisjoint(whole)


def test_the_text_says_what_is_shown_and_the_call_for_more() -> None:
    text = re.sub("[0-9a-f]{8}", "NONCE", answer(found(CUT, WHOLE)).text)
    assert text.partition("\n\n")[2] == (
        f"## 1. Otters\n{A} · 2026-03-02\nSnippet: A snippet.\n"
        f"<<< untrusted page 1 NONCE\n{DIGEST.text}\n>>> end of page 1 NONCE\n"
        "(Cut to blocks b1, b7 of 41; the page has about 1,040 tokens.)\n\n"
        f"## 2. Bears\n{B}\nSnippet: Another.\n<<< untrusted page 2 NONCE\nBears.\n>>> end of page 2 NONCE\n\n"
        f'More of a page: get_content(url="{A}", section="b7") from that block on, with question other passages, '
        "with the url alone all of it."
    )


def test_a_concise_result_does_not_say_again_what_the_page_says() -> None:
    unread = Result(Hit("Gone", B, "A snippet of it."), Page(B, Status.NOT_FOUND), 0.8)
    item, failed = typed(found(CUT, unread), is_concise=True)["results"]
    assert (item["page_content"], item["blocks"]) == (DIGEST.text, "2 of 41")
    assert (item["snippet"], item["summary"]) == ("", "")
    assert {"key_points", "code_blocks"}.isdisjoint(item)
    assert failed["snippet"] == "A snippet of it."


def test_details_are_for_the_first_ten_results() -> None:
    items = typed(found(*[CUT] * 12))["results"]
    assert ["key_points" in item for item in items] == [True] * 10 + [False] * 2
    assert [item["summary"] for item in items] == ["All about otters."] * 12


def test_a_wide_search_says_who_found_what_and_where_indexes_agree() -> None:
    agreed = replace(CUT, found_by=("serper", "exa"), indexes=("google", "exa"))
    # Two providers that ask the same index are one witness.
    same = replace(WHOLE, found_by=("serper", "searxng"), indexes=("google",))
    wide = found(agreed, same, providers=("serper", "exa", "searxng"))
    answered = typed(wide)
    assert (answered["providers"], answered["agreement"]) == (["serper", "exa", "searxng"], 1)
    assert [item["found_by"] for item in answered["results"]] == [["serper", "exa"], ["serper", "searxng"]]
    text = answer(wide).text
    assert text.startswith(
        "2 results for 'otter weight', found by serper, exa and searxng; 1 of them in more than one index. What follows"
    )
    assert f"## 1. Otters\n{A} · 2026-03-02 · found by serper, exa\nSnippet: A snippet.\n" in text


def test_a_search_of_one_provider_has_nothing_to_compare() -> None:
    answered = typed(found(replace(CUT, found_by=("serper",), indexes=("google",)), providers=("serper",)))
    assert {"providers", "agreement"}.isdisjoint(answered)
    assert "found_by" not in answered["results"][0]


def test_the_same_text_elsewhere_is_named() -> None:
    copies = tuple(f"https://mirror{number}.example/" for number in range(4))
    outcome = found(replace(WHOLE, duplicates=copies))
    assert typed(outcome)["results"][0]["duplicates"] == list(copies)
    assert answer(outcome).text.endswith(f"\n(The same text is at {', '.join(copies[:3])}, …)")


def test_why_a_result_was_sorted_down_is_told() -> None:
    outcome = found(replace(WHOLE, remarks=("sorted down: it repeats itself",)))
    assert typed(outcome)["results"][0]["warnings"] == ["sorted down: it repeats itself"]
    assert answer(outcome).text.endswith("\n(Note: sorted down: it repeats itself.)")


def test_a_page_of_which_the_beginning_is_shown_is_cut_without_blocks() -> None:
    """As it is where nobody had time to look for the passages."""
    beginning = replace(CUT, digest=Digest("# Otters\n\nLong."))
    (item,) = typed(found(beginning))["results"]
    assert (item["status"], item.get("blocks")) == ("truncated", None)
    text = answer(found(beginning)).text
    assert "\n(Cut: the page has more.)\n\n" in text
    assert text.endswith(f'\n\nMore of a page: get_content(url="{A}")')


def test_a_page_for_which_the_budget_has_no_room_keeps_its_snippet_and_says_so() -> None:
    outcome = found(replace(CUT, digest=replace(DIGEST, text="", anchors=())), WHOLE)
    concise = typed(outcome, is_concise=True)["results"]
    assert [(item["status"], item["snippet"]) for item in concise] == [("truncated", "A snippet."), ("ok", "")]
    assert answer(outcome).text.split("\n\n")[1] == (
        f"## 1. Otters\n{A} · 2026-03-02\nSnippet: A snippet.\n"
        "(Nothing of the page is shown: max_tokens is too small for all of them.)"
    )
