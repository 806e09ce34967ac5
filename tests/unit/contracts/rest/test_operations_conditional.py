"""Entity tags: what is the same answer, and who has it already."""

from __future__ import annotations

from typing import Any

from dowse.contracts.endpoint import HttpReply, HttpRequest
from dowse.contracts.rest.operations import entity_tag, revalidate
from tests.support.tables import each_row

ANSWER: dict[str, Any] = {
    "results": [{"title": "Bridge", "fetch_time_ms": 12, "cache": "miss"}],
    "stats": {"total_ms": 12},
    "attempts": [{"ms": 3}],
    "cache_age_s": 0,
}
AGAIN: dict[str, Any] = {
    "cache_age_s": 60,
    "attempts": [],
    "stats": {"total_ms": 1},
    "results": [{"cache": "hit", "fetch_time_ms": 0, "title": "Bridge"}],
}
TAG = entity_tag(ANSWER)


def test_times_ages_and_order_change_no_tag() -> None:
    assert entity_tag(AGAIN) == TAG
    assert TAG.startswith('W/"')
    assert entity_tag({**ANSWER, "results": [{"title": "Bridges"}]}) != TAG


@each_row("sent", [TAG, TAG.removeprefix("W/"), f'"other", {TAG}', f'{TAG},W/"x"', "*", " * "])
def test_a_caller_that_has_the_reply_gets_its_tag_only(sent: str) -> None:
    reply = revalidate(HttpRequest(headers={"if-none-match": sent}), HttpReply(ANSWER, engine="serper"))
    assert (reply.status, reply.data, reply.headers["ETag"], reply.engine) == (304, b"", TAG, "serper")


@each_row("sent", ["", '"other"', TAG[:-2], "W/", f"{TAG}x"])
def test_any_other_caller_gets_the_reply(sent: str) -> None:
    reply = revalidate(HttpRequest(headers={"if-none-match": sent}), HttpReply(ANSWER, headers={"X": "1"}))
    assert (reply.status, reply.data, reply.headers["X"]) == (200, ANSWER, "1")
    assert reply.headers["Cache-Control"] == "private"
    assert {"Authorization", "X-API-Key", "Accept"} <= set(reply.headers["Vary"].split(", "))
