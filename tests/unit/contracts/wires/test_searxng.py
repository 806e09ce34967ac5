"""SearXNG's parameters: the patience of its clients, the engines they send by themselves, and forms."""

from __future__ import annotations

import pytest

from dowse.contracts.wires import searxng
from dowse.contracts.wires.fields import Fields
from dowse.core.errors import InvalidRequest
from tests.fakes.wiring import WireBench


@pytest.mark.parametrize(
    ("sent", "seconds"),
    [({}, 10), ({"timeout_limit": "3"}, 3), ({"timeout_limit": "2.5"}, 2.5), ({"timeout_limit": "60"}, 10)],
)
def test_a_caller_may_be_less_patient_than_usual_clients(sent: dict[str, object], seconds: float) -> None:
    assert searxng.to_wanted(Fields({"q": "bridge", **sent})).timeout_s == seconds


@pytest.mark.parametrize("limit", ["0", "-1", "soon"])
def test_no_patience_at_all_is_refused(limit: str) -> None:
    with pytest.raises(InvalidRequest, match="timeout_limit"):
        searxng.to_wanted(Fields({"q": "bridge", "timeout_limit": limit}))


@pytest.mark.parametrize(
    ("sent", "warning"),
    [
        ({"engines": "google,bing,duckduckgo"}, None),
        ({"engines": "mojeek"}, "without effect here: engines"),
        ({"theme": "simple"}, None),
    ],
)
async def test_engines_that_somebody_chose_are_named_as_without_effect(
    sent: dict[str, str], warning: str | None
) -> None:
    reply = await WireBench("searxng").ask("GET", "/search", query={"q": "bridge", **sent})
    assert reply.headers.get("X-Dowse-Warnings") == warning


async def test_a_form_counts_where_it_and_the_address_differ() -> None:
    bench = WireBench("searxng")
    query = await bench.searched("POST", "/search", query={"q": "a", "category": "news"}, data=b"q=b&pageno=2")
    assert (query.text, query.page, query.category) == ("b", 2, "news")
