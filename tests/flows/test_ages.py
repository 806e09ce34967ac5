"""What searches say about the age of their results: 20 searches over old, undated, changed and new hits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from dowse.app import App
from dowse.core.runtime import no_progress
from dowse.settings.sources import load
from tests.doubles import PocketWeb
from tests.fakes import FakeClock
from tests.support.tables import each_row

# The clock of the tests says 2026-11-15, noon.
SETTINGS = {"DOWSE_STATE": "memory:", "DOWSE_BROWSER": "off", "DOWSE_KEYLESS": "off", "DOWSE_STRUCTURED": "on"}
LINES = (
    "The ferry to the harbour islands sails from the {} quay, because the bridge carries trams again.",
    "Divers found the wreck of the {} in the bay, with its cargo of amber and millstones.",
    "The {} orchard sells its first apples on the market, and a press makes juice of the rest.",
    "A storm took the roof of the {} observatory, whose telescope was not damaged by the rain.",
)
NAMES = ("northern", "old", "western", "royal")
NOTHING = "Nothing published {} was found: "
UNKNOWN = "Not known to be published {}: "


@dataclass(frozen=True)
class Found:
    """A hit and its page: the date that the provider tells, markup that states others, and the path of the page."""

    by_provider: str = ""
    head: str = ""
    byline: str = ""
    path: str = ""
    is_missing: bool = False


def stated(published: str = "", modified: str = "") -> str:
    metas = (("article:published_time", published), ("article:modified_time", modified))
    return "".join(f'<meta property="{name}" content="{day}">' for name, day in metas if day)


NEW = Found(head=stated("2026-11-14"))
OLD = Found(head=stated("2021-03-02"))
UNDATED = Found()
PROVIDER_NEW, PROVIDER_OLD = Found("Nov 15, 2026"), Found("Mar 2, 2021")


@dataclass(frozen=True)
class Search:
    """Arguments and what is found; expected are the sentence, the dates in order, and how many are left out."""

    arguments: Mapping[str, object]
    found: tuple[Found, ...]
    says: str
    dates: tuple[str, ...]
    left_out: int = 0
    titles: str = ""
    fields: Mapping[str, object] = field(default_factory=dict)


DAY, WEEK = {"time_range": "day"}, {"time_range": "week"}
IN_DAY, IN_WEEK = "in the last day", "in the last week"
SEARCHES = {
    "all new": Search(DAY, (NEW, PROVIDER_NEW), "", ("2026-11-14 (page)", "2026-11-15 (provider)")),
    "all old": Search(
        DAY,
        (OLD, PROVIDER_OLD),
        NOTHING.format(IN_DAY) + "results 1-2 are older.",
        ("2021-03-02 (page)", "2021-03-02 (provider)"),
        titles="01",
    ),
    "all undated": Search(
        WEEK, (UNDATED, UNDATED), NOTHING.format(IN_WEEK) + "results 1-2 have no date.", ("no date", "no date")
    ),
    "one old hit": Search(WEEK, (OLD,), NOTHING.format(IN_WEEK) + "result 1 is older.", ("2021-03-02 (page)",)),
    "old before new": Search(WEEK, (OLD, NEW), "", ("2026-11-14 (page)",), left_out=1, titles="1"),
    "old by the provider before new": Search(WEEK, (PROVIDER_OLD, PROVIDER_NEW), "", ("2026-11-15 (provider)",), 1),
    "undated before new": Search(
        WEEK,
        (UNDATED, NEW),
        UNKNOWN.format(IN_WEEK) + "result 2 has no date.",
        ("2026-11-14 (page)", "no date"),
        titles="10",
    ),
    "old, undated and new": Search(
        WEEK,
        (OLD, UNDATED, NEW, UNDATED),
        UNKNOWN.format(IN_WEEK) + "results 2-3 have no date.",
        ("2026-11-14 (page)", "no date", "no date"),
        left_out=1,
        titles="213",
    ),
    "old and undated": Search(
        WEEK,
        (OLD, UNDATED),
        NOTHING.format(IN_WEEK) + "result 1 has no date; result 2 is older.",
        ("no date", "2021-03-02 (page)"),
        titles="10",
    ),
    "an age instead of a date": Search(
        DAY,
        (Found("3 hours ago"), Found("vor 5 Monaten"), Found("2. März 2021")),
        "",
        ("2026-11-15 (provider)",),
        left_out=2,
        fields={"published": "2026-11-15", "published_from": "provider"},
    ),
    "the page contradicts the provider": Search(
        WEEK,
        (Found("Nov 15, 2026", stated("2019-05-01")),),
        NOTHING.format(IN_WEEK) + "result 1 is older.",
        ("2019-05-01 (page)",),
        fields={"published_from": "page", "published_confidence": "high", "in_period": "older"},
    ),
    "the date is in the address": Search(
        WEEK,
        (Found(path="/2026/11/13/ferry"),),
        "",
        ("2026-11-13 (url)",),
        fields={"published_from": "url", "published_confidence": "medium"},
    ),
    "an unread page with the date in its address": Search(
        {**WEEK, "fetch_content": False},
        (Found(path="/2019/11/13/a"), NEW),
        NOTHING.format(IN_WEEK) + "result 1 has no date; result 2 is older.",
        ("no date", "2019-11-13 (url)"),
    ),
    "a doubtful date is none": Search(
        WEEK,
        (Found(byline="<p>03/04/2019</p>"),),
        NOTHING.format(IN_WEEK) + "result 1 has no date.",
        ("no date",),
        fields={"published": "", "in_period": "undated"},
    ),
    "changed lately": Search(
        WEEK,
        (Found(head=stated("2020-01-01", "2026-11-12")),),
        "",
        ("2020-01-01 (page), changed 2026-11-12",),
        fields={"in_period": "changed", "modified": "2026-11-12"},
    ),
    "a date in the future is none": Search(
        WEEK, (Found("Dec 24, 2027"),), NOTHING.format(IN_WEEK) + "result 1 has no date.", ("2027-12-24 (provider)",)
    ),
    "between two days": Search(
        {"start_date": "2021-03-01", "end_date": "2021-03-31"}, (NEW, OLD), "", ("2021-03-02 (page)",), left_out=1
    ),
    "until a day, and all are newer": Search(
        {"end_date": "2020-12-31"},
        (NEW, OLD),
        NOTHING.format("until 2020-12-31") + "results 1-2 are newer.",
        ("2026-11-14 (page)", "2021-03-02 (page)"),
    ),
    "a page that cannot be read": Search(
        WEEK,
        (Found("Nov 15, 2026", is_missing=True), Found(is_missing=True)),
        UNKNOWN.format(IN_WEEK) + "result 2 has no date.",
        ("2026-11-15 (provider)", "no date"),
    ),
    "no period": Search({}, (OLD, UNDATED, NEW), "", ("2021-03-02", "", "2026-11-14"), titles="012"),
}


def page_of(number: int, found: Found) -> str:
    words = " ".join(line.format(NAMES[number]) for line in LINES[number:] + LINES[:number])
    article = f"<h1>Ferry {number}</h1>{found.byline}<p>{words}</p>"
    return (
        f"<html><head><title>Ferry {number}</title>{found.head}</head><body><article>{article}</article></body></html>"
    )


def prepare(web: PocketWeb, found: tuple[Found, ...]) -> None:
    web.pages.reset()
    listed = []
    for number, each in enumerate(found):
        path = each.path or f"/ferry-{number}"
        if not each.is_missing:
            web.pages.serves(path, page_of(number, each))
        item = {"title": f"Ferry {number}", "link": web.page(path), "snippet": "The ferry to the islands."}
        listed.append(item | ({"date": each.by_provider} if each.by_provider else {}))
    web.serper.lists(listed)


def items(structured: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    assert structured is not None
    listed = structured["results"]
    assert isinstance(listed, list)
    return listed


def date_shown(text: str, title: str) -> str:
    """What the line of the address of a result says behind that."""
    line = text.split(f"{title}\n", 1)[1].partition("\n")[0]
    return line.partition(" · ")[2]


@pytest.mark.promise("freshness-stated")
@each_row("name", list(SEARCHES))
async def test_a_search_states_how_old_its_results_are(name: str, web: PocketWeb, clock: FakeClock) -> None:
    search = SEARCHES[name]
    prepare(web, search.found)
    async with App(load({}, {**web.environment("serper"), **SETTINGS}).settings, clock=clock) as app:
        tool = app.contract.tool("web_search")
        assert tool is not None
        answer = await app.dispatcher.call(tool, {"query": "ferry", "num_results": 5, **search.arguments}, no_progress)
    results = items(answer.structured)
    sentences = [line for line in answer.text.split("\n") if line.startswith(("Nothing pub", "Not known to"))]
    assert sentences == ([search.says] if search.says else [])
    assert tuple(date_shown(answer.text, each["title"]) for each in results) == search.dates
    assert not search.titles or [each["title"] for each in results] == [f"Ferry {place}" for place in search.titles]
    told = [line for line in answer.text.split("\n") if "left out: " in line]
    assert [line.split()[1] for line in told] == ([str(search.left_out)] if search.left_out else [])
    assert search.fields.items() <= results[0].items()


def test_there_are_20_searches() -> None:
    assert len(SEARCHES) == 20
