"""Reading on with a cursor: the very text that was begun, without a look at the page while it is remembered."""

from __future__ import annotations

import re

import pytest

from dowse.contracts.dispatch import Answer
from dowse.core.errors import InvalidRequest, Offline, PageUnreadable
from dowse.core.models import Status
from dowse.core.tokens import estimate_tokens
from dowse.flows.read import content_hash
from tests.fakes.bench import ContractBench

URL = "https://example.org/page"
LONG = "# Title\n\n" + "".join(f"Paragraph {number} of the page says something.\n\n" for number in range(80)).strip()
CHANGED = "the page has changed since it was begun; this is its new beginning"


def a_bench(page: str | Exception = LONG, **environ: str) -> ContractBench:
    return ContractBench(pages={URL: page}, is_remembering=True, **environ)


async def begun(bench: ContractBench) -> str:
    """A page of which the first part was read; where to read on."""
    return str((await bench.structured("get_content", url=URL, max_tokens=200))["next_cursor"])


async def read_on(bench: ContractBench, cursor: str, **arguments: object) -> dict[str, object]:
    return await bench.structured("get_content", url=URL, max_tokens=200, cursor=cursor, **arguments)


async def test_the_parts_of_a_page_join_to_its_text_and_cost_one_fetch() -> None:
    bench = a_bench()
    parts = [await bench.structured("get_content", url=URL, max_tokens=200)]
    while parts[-1]["next_cursor"]:
        bench.clock.advance(60)
        parts.append(await read_on(bench, str(parts[-1]["next_cursor"])))
    assert "".join(str(part["page_content"]) for part in parts) == LONG
    assert bench.fetcher.asked == [URL]
    assert len(parts) > 2
    assert all(estimate_tokens(str(part["page_content"])) <= 200 for part in parts)
    assert [(part["cache"], part["cache_age_s"]) for part in parts][:3] == [("miss", 0), ("hit", 60), ("hit", 120)]
    assert [part["status"] for part in parts] == ["truncated"] * (len(parts) - 1) + ["ok"]
    assert {part["total_tokens"] for part in parts} == {estimate_tokens(LONG)}
    assert {part["title"] for part in parts} == {"Title"}


async def test_the_text_says_how_much_is_left_and_how_to_read_on() -> None:
    first: Answer = await a_bench().call("get_content", url=URL, max_tokens=200)
    assert first.structured is not None
    rest = estimate_tokens(LONG[len(str(first.structured["page_content"])) :])
    assert first.text.split("\n\n")[-2] == (
        f"(Cut: about {rest} tokens are left; the page has about {estimate_tokens(LONG)} tokens. "
        f'To read on: get_content(url="{URL}", cursor="{first.structured["next_cursor"]}"). '
        "Or pass section with a number of the outline.)"
    )


async def test_a_further_part_does_not_begin_with_the_title() -> None:
    bench = a_bench()
    text = (await bench.call("get_content", url=URL, max_tokens=200, cursor=await begun(bench))).text
    assert re.search(r"^<<< untrusted page [0-9a-f]{8}\nParagraph \d+ of", text, re.MULTILINE)


async def test_a_text_that_is_forgotten_is_read_again_and_goes_on_where_it_was_left() -> None:
    cursor = await begun(a_bench())
    restarted = a_bench()
    part = await read_on(restarted, cursor)
    assert LONG[int(cursor.partition(".")[0]) :].startswith(str(part["page_content"]))
    assert (part["cache"], part["warnings"], restarted.fetcher.asked) == ("miss", [], [URL])
    assert str((await read_on(restarted, str(part["next_cursor"])))["page_content"]).startswith("Paragraph ")
    assert restarted.fetcher.asked == [URL], "now it is remembered"


async def test_what_was_begun_is_read_to_its_end_although_the_page_has_changed() -> None:
    bench = a_bench()
    cursor = await begun(bench)
    bench.fetcher.pages = {URL: "# Title\n\nAll is new."}
    bench.clock.advance(7200)
    assert str((await read_on(bench, cursor))["page_content"]).startswith("Paragraph ")


async def test_a_changed_page_that_is_forgotten_is_begun_again_with_a_warning() -> None:
    cursor = await begun(a_bench())
    part = await read_on(a_bench(LONG.replace("says", "said")), cursor)
    assert part["warnings"] == [CHANGED]
    assert str(part["page_content"]).startswith("# Title\n\nParagraph 0 of the page said")
    assert part["next_cursor"] != cursor
    part = await read_on(a_bench("All is new."), cursor)
    assert (part["page_content"], part["status"], part["next_cursor"]) == ("All is new.", "ok", "")
    assert part["warnings"] == [CHANGED]


async def test_a_page_that_has_gone_since_is_its_note() -> None:
    cursor = await begun(a_bench())
    part = await read_on(a_bench(PageUnreadable(Status.NOT_FOUND, "HTTP 404")), cursor)
    assert (part["status"], part["next_cursor"], part["warnings"]) == ("not_found", "", [])


async def test_the_cursor_of_another_page_is_of_no_use() -> None:
    bench = a_bench()
    cursor = await begun(bench)
    bench.fetcher.pages = {URL: LONG, f"{URL}2": "Another page."}
    part = await bench.structured("get_content", url=f"{URL}2", cursor=cursor)
    assert (part["page_content"], part["warnings"]) == ("Another page.", [CHANGED])


async def test_a_cursor_behind_the_end_is_refused() -> None:
    for at in (len(LONG), 999_999_999):
        with pytest.raises(InvalidRequest) as caught:
            await read_on(a_bench(), f"{at}.{content_hash(LONG)}")
        assert str(caught.value) == (
            "cursor is behind the end of the page; leave it out to read the page from its beginning."
        )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"cursor": "page 2"}, "cursor must be the next_cursor of an earlier answer"),
        ({"cursor": 5}, "cursor must be the next_cursor of an earlier answer"),
        ({"cursor": ["x"]}, "cursor must be text, not a list."),
        (
            {"cursor": f"5.{content_hash(LONG)}", "question": "What?"},
            "cursor reads on where an answer ended: pass it without question and section.",
        ),
        (
            {"cursor": f"5.{content_hash(LONG)}", "section": "2"},
            "cursor reads on where an answer ended: pass it without question and section.",
        ),
    ],
)
async def test_what_makes_no_sense_is_refused_before_anything_is_fetched(
    arguments: dict[str, object], sentence: str
) -> None:
    bench = a_bench()
    with pytest.raises(InvalidRequest) as caught:
        await bench.call("get_content", url=URL, **arguments)
    assert str(caught.value).startswith(sentence)
    assert bench.fetcher.asked == []


async def test_an_empty_cursor_is_none() -> None:
    """Some models fill in every argument."""
    assert str((await read_on(a_bench(), ""))["page_content"]).startswith("# Title")


async def test_offline_refuses_although_the_text_is_remembered() -> None:
    bench = a_bench()
    cursor = await begun(bench)
    with pytest.raises(Offline):
        await read_on(bench, cursor, offline_mode=True)
    with pytest.raises(Offline):
        await read_on(a_bench(DOWSE_OFFLINE="true"), cursor)


async def test_passages_have_no_cursor_but_a_beginning_in_their_place_has_one() -> None:
    bench = a_bench(LONG + "\n\nThe otter weighs nine kilograms.")
    passages = await bench.structured("get_content", url=URL, question="otter weight", max_tokens=100)
    assert (passages["status"], passages["next_cursor"]) == ("truncated", "")
    beginning = await bench.structured("get_content", url=URL, question="quantum chromodynamics", max_tokens=100)
    assert str(beginning["page_content"]).startswith("# Title")
    assert beginning["next_cursor"]


async def test_long_code_stays_code_in_every_part() -> None:
    bench = a_bench("Look:\n\n```python\n" + "    call(1, 2, 3)\n" * 200 + "```\n\nThe end.")
    first = await bench.structured("get_content", url=URL, max_tokens=200)
    second = await read_on(bench, str(first["next_cursor"]))
    assert str(first["page_content"]).endswith("call(1, 2, 3)\n```\n")
    assert str(second["page_content"]).startswith("```python\n    call(1, 2, 3)\n")
