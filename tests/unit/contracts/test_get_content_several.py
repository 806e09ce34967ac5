"""`get_content` of several pages: side by side, in their order, within one budget."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from dowse.contracts.output import CEILING, GetContentOutput, PagesOutput, schema_of
from dowse.core.errors import InvalidRequest, Offline, PageUnreadable
from dowse.core.models import Status
from dowse.core.tokens import estimate_tokens
from tests.fakes.bench import ContractBench

A, B, C = "https://a.example/", "https://b.example/page,1", "https://c.example/"
LONG = "\n\n".join(f"The otter number {number} swims in the river and weighs nine kilograms." for number in range(900))
GONE = PageUnreadable(Status.NOT_FOUND, "HTTP 404", http_status=404)


def results(found: dict[str, object]) -> list[dict[str, Any]]:
    listed = found["results"]
    assert isinstance(listed, list)
    return listed


async def test_pages_come_in_the_order_of_their_urls_each_in_a_fence_of_its_own() -> None:
    bench = ContractBench(pages={A: "First.", B: GONE, C: "Third."})
    answered = await bench.call("get_content", urls=[C, B, A])
    assert answered.text.startswith("2 of 3 pages were read. What follows comes from the web")
    heads = [line for line in answered.text.splitlines() if line.startswith("## ")]
    assert heads == [f"## 1. {C}", f"## 2. {B}", f"## 3. {A}"]
    assert answered.text.index("Third.") < answered.text.index("HTTP 404") < answered.text.index("First.")
    assert [answered.text.count(f"<<< untrusted page {number} ") for number in (1, 2, 3)] == [1, 0, 1]
    assert "_Failed to retrieve page content: the page does not exist_ Status: not_found (HTTP 404)." in answered.text
    assert not answered.is_error
    assert bench.steps == [f"read {done} of 3 pages" for done in range(4)]


async def test_the_typed_object_lists_the_pages_and_fits_the_schema() -> None:
    bench = ContractBench(pages={A: "First.", B: GONE})
    found = await bench.structured("get_content", urls=[A, B], colour="red")
    jsonschema.validate(found, schema_of(GetContentOutput, PagesOutput))
    assert [(page["url"], page["status"]) for page in results(found)] == [(A, "ok"), (B, "not_found")]
    assert found["warnings"] == ['unknown argument "colour" was ignored.']


async def test_it_is_an_error_only_when_all_pages_fail() -> None:
    answered = await ContractBench(pages={A: GONE, B: GONE}).call("get_content", urls=[A, B])
    assert answered.is_error
    assert answered.text.startswith("0 of 2 pages were read.")


async def test_one_budget_is_for_all_pages_and_short_ones_are_whole() -> None:
    bench = ContractBench(pages={A: LONG, B: "Short.", C: LONG})
    first, second, third = results(await bench.structured("get_content", urls=[A, B, C], max_tokens=1000))
    costs = [estimate_tokens(str(page["page_content"])) for page in (first, second, third)]
    assert 800 < sum(costs) <= 1000
    assert (second["page_content"], second["status"]) == ("Short.", "ok")
    assert abs(costs[0] - costs[2]) < 50
    assert first["status"] == third["status"] == "truncated"
    assert all(page["next_cursor"] for page in (first, third))


async def test_a_page_that_was_cut_can_be_read_on_alone() -> None:
    bench = ContractBench(pages={A: LONG, C: LONG})
    first, _ = results(await bench.structured("get_content", urls=[A, C], max_tokens=400))
    rest = await bench.structured("get_content", url=A, cursor=first["next_cursor"], max_tokens=400)
    assert LONG.startswith(first["page_content"] + str(rest["page_content"]))


async def test_a_question_is_asked_of_every_page() -> None:
    hidden = f"{LONG}\n\nThe secret word is quetzal.\n\n{LONG}"
    bench = ContractBench(pages={A: hidden, C: hidden})
    answered = await bench.call("get_content", urls=[A, C], question="secret word quetzal", max_tokens=400)
    assert answered.text.count("The secret word is quetzal.") == 2


async def test_twenty_pages_stay_below_the_size_at_which_clients_cut() -> None:
    addresses = [f"https://{number}.example/{'x' * 7000}" for number in range(20)]
    bench = ContractBench(pages={address: LONG for address in addresses})
    answered = await bench.call("get_content", urls=addresses, max_tokens=24_000)
    assert estimate_tokens(answered.text) <= CEILING
    assert answered.text.startswith("20 of 20 pages were read.")


async def test_more_than_twenty_are_cut_to_twenty_with_a_note() -> None:
    addresses = [f"https://{number}.example/" for number in range(25)]
    bench = ContractBench(pages={address: "Text." for address in addresses})
    answered = await bench.call("get_content", urls=addresses)
    assert bench.fetcher.asked == addresses[:20]
    assert answered.text.endswith("Note: urls takes at most 20; the first 20 of 25 were read")


async def test_a_budget_too_small_for_the_pages_is_raised_with_a_note() -> None:
    bench = ContractBench(pages={A: LONG, C: LONG})
    answered = await bench.call("get_content", urls=[A, C], max_tokens=100)
    assert "Note: max_tokens is at least 100 for each page; 100 was read as 200" in answered.text


@pytest.mark.parametrize(
    "given",
    [
        {"urls": f"{A}, {B}"},
        {"urls": f"{A},{B}"},
        {"urls": f"{A}\n{B}"},
        {"urls": json.dumps([A, B])},
        {"url": [A, B]},
        {"url": A, "urls": [B]},
        {"url": A, "urls": [A, B]},
        {"urls": ["a.example/", B]},
    ],
)
async def test_addresses_are_understood_in_every_usual_form(given: dict[str, object]) -> None:
    bench = ContractBench(pages={A: "First.", B: "Second."})
    await bench.call("get_content", **given)
    assert sorted(bench.fetcher.asked) == [A, B]


async def test_one_address_in_urls_is_an_ordinary_call() -> None:
    found = await ContractBench(pages={B: LONG}).structured("get_content", urls=[B], section="b2")
    assert found["url"] == B


@pytest.mark.parametrize("part", [{"cursor": "2"}, {"section": "1"}])
async def test_cursor_and_section_go_with_one_url(part: dict[str, object]) -> None:
    bench = ContractBench(pages={A: LONG, B: LONG})
    with pytest.raises(InvalidRequest, match=r"^cursor and section go with one url\.$"):
        await bench.call("get_content", urls=[A, B], **part)
    assert bench.fetcher.asked == []


async def test_without_an_address_one_is_asked_for() -> None:
    for given in ({}, {"url": ""}, {"urls": []}):
        with pytest.raises(InvalidRequest):
            await ContractBench().call("get_content", **given)
    with pytest.raises(InvalidRequest, match=r"^url is required, or urls for several pages\.$"):
        await ContractBench().call("get_content", urls=[])


async def test_offline_is_one_refusal_for_all() -> None:
    with pytest.raises(Offline):
        await ContractBench(pages={A: LONG}).call("get_content", urls=[A, B], offline_mode=True)
