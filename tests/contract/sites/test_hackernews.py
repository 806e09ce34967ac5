"""Discussions on Hacker News, from the URL to the tree of comments that a model reads."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dowse.core.errors import (
    BadAnswer,
    BadRequest,
    Blocked,
    NotRead,
    PageUnreadable,
    ProviderError,
    RateLimited,
    Unavailable,
)
from dowse.core.models import Deadline, Status
from tests.contract.sites.conftest import GENERAL, Bench, Golden, Recorded, SlowRequests
from tests.doubles.sites import SiteDouble
from tests.fakes import FakeClock

STORY = "https://news.ycombinator.com/item?id=1000"
OURS = [
    STORY,
    "http://news.ycombinator.com/item?id=1000",
    "https://news.ycombinator.com./item?id=1000",
    "https://news.ycombinator.com/item?p=2&id=1000",
    "https://news.ycombinator.com/item?id=1000#1004",
]
STRANGERS = [
    "https://news.ycombinator.com/",
    "https://news.ycombinator.com/item",
    "https://news.ycombinator.com/item?id=",
    "https://news.ycombinator.com/item?id=0",
    "https://news.ycombinator.com/item?id=12ab",
    "https://news.ycombinator.com/item?id=-1",
    "https://news.ycombinator.com/item/?id=1000",
    "https://news.ycombinator.com/user?id=1000",
    "https://news.ycombinator.com:8080/item?id=1000",
    "http://news.ycombinator.com:443/item?id=1000",
    "https://ana:secret@news.ycombinator.com/item?id=1000",
    "https://www.news.ycombinator.com/item?id=1000",
    "https://ycombinator.com/item?id=1000",
    "https://news-ycombinator.com/item?id=1000",
    "https://news.ycombinator.com.evil.example/item?id=1000",
    "https://evil.example/item?id=1000",
    "gopher://news.ycombinator.com/item?id=1000",
]


@pytest.fixture
def double(bench: Bench) -> SiteDouble:
    return bench.web.sites["hackernews"]


@pytest.fixture
def story(double: SiteDouble, recorded: Recorded) -> SiteDouble:
    return double.has("/items/1000", recorded("hackernews/story.json"))


def item(number: int, *children: dict[str, Any], **fields: Any) -> dict[str, Any]:
    common = {
        "created_at": "2026-02-03T10:00:00.000Z",
        "type": "comment",
        "author": "ana",
        "text": f"Words of {number}.",
    }
    return {"id": number, **common, "children": list(children), **fields}


def discussion(*children: dict[str, Any], **fields: Any) -> str:
    return json.dumps(
        item(1000, *children, **{"type": "story", "title": "A title", "text": None, "points": 1, **fields})
    )


@pytest.mark.parametrize("url", OURS)
def test_a_discussion_is_accepted(bench: Bench, url: str) -> None:
    assert bench.accepts("hackernews", url)


@pytest.mark.parametrize("url", STRANGERS)
def test_other_pages_are_not_taken_for_discussions(bench: Bench, url: str) -> None:
    assert not bench.accepts("hackernews", url)


async def test_a_story_with_its_comments(bench: Bench, story: SiteDouble, golden: Golden) -> None:
    text = await bench.read("hackernews", STORY)
    golden("hackernews/story", text.markdown)
    assert (text.title, text.url) == ("Show HN: A very small widget compiler", STORY)
    assert not text.is_cut
    assert [seen.path for seen in story.requests] == ["/hackernews/items/1000"]


@pytest.mark.parametrize(("name", "number"), [("ask", 2000), ("poll", 3000), ("job", 4000)])
async def test_what_is_not_a_story(
    bench: Bench, double: SiteDouble, recorded: Recorded, golden: Golden, name: str, number: int
) -> None:
    double.has(f"/items/{number}", recorded(f"hackernews/{name}.json"))
    text = await bench.read("hackernews", f"https://news.ycombinator.com/item?id={number}")
    golden(f"hackernews/{name}", text.markdown)


async def test_a_comment_says_which_story_it_belongs_to(
    bench: Bench, double: SiteDouble, recorded: Recorded, golden: Golden
) -> None:
    double.has("/items/1004", recorded("hackernews/comment.json"))
    about = {"tags": "story_1000,(story,poll)", "hitsPerPage": "1"}
    double.has("/search", recorded("hackernews/comment_story.json"), params=about)
    text = await bench.read("hackernews", "https://news.ycombinator.com/item?id=1004")
    golden("hackernews/comment", text.markdown)
    assert text.title == "Comment by ana on “Show HN: A very small widget compiler”"


@pytest.mark.parametrize("trouble", ["500", "broken_json", "json_null"])
async def test_a_comment_whose_story_cannot_be_told_still_links_it(
    bench: Bench, double: SiteDouble, recorded: Recorded, trouble: str
) -> None:
    double.replies(json=json.loads(recorded("hackernews/comment.json")), times=1).fails(trouble)
    text = await bench.read("hackernews", "https://news.ycombinator.com/item?id=1004")
    assert text.markdown.startswith("# Comment by ana on Hacker News\n")
    assert "Story: [link](https://news.ycombinator.com/item?id=1000)" in text.markdown


async def test_all_threads_are_begun_before_any_goes_into_its_depths(
    bench: Bench, story: SiteDouble, golden: Golden
) -> None:
    text = await bench.read("hackernews", STORY, HACKERNEWS_MAX_COMMENTS="3")
    golden("hackernews/cut", text.markdown)
    assert text.is_cut


async def test_a_linked_comment_is_shown_with_all_above_it(bench: Bench, story: SiteDouble) -> None:
    text = await bench.read("hackernews", f"{STORY}#1006", HACKERNEWS_MAX_COMMENTS="3")
    shown = [number for number in range(1001, 1010) if f"item?id={number})" in text.markdown]
    assert shown == [1001, 1004, 1006]
    assert "[2026-02-03](https://news.ycombinator.com/item?id=1006), the link points here" in text.markdown


@pytest.mark.parametrize(
    ("stored", "reason"), [(None, "no such item"), (item(1000, author=None, text=None), "deleted")]
)
async def test_an_item_that_is_not_there_is_left_to_the_general_reader(
    bench: Bench, double: SiteDouble, stored: dict[str, Any] | None, reason: str
) -> None:
    if stored:
        double.has("/items/1000", json.dumps(stored))
    with pytest.raises(PageUnreadable, match=reason):
        await bench.read("hackernews", STORY)
    page = await bench.page("hackernews", STORY)
    assert (page.text, page.engine, page.warnings) == (GENERAL, "direct", ())


@pytest.mark.parametrize(
    ("trouble", "error"),
    [
        ("500", Unavailable),
        ("429", RateLimited),
        ("broken_json", BadAnswer),
        ("json_array", BadAnswer),
        ("400", BadRequest),
        ("403", Blocked),
    ],
)
async def test_an_api_that_fails_leaves_the_page_to_the_general_reader(
    bench: Bench, story: SiteDouble, trouble: str, error: type[ProviderError]
) -> None:
    story.fails(trouble, retry_after=30)
    with pytest.raises(error) as failure:
        await bench.read("hackernews", STORY)
    assert failure.value.retry_after_s == (30 if trouble.isdecimal() else None)
    page = await bench.page("hackernews", STORY)
    assert (page.status, page.text, page.engine) == (Status.OK, GENERAL, "direct")
    assert page.attempts[0].provider == "hackernews"


async def test_what_people_write_forges_no_heading_no_comment_and_no_image(bench: Bench, double: SiteDouble) -> None:
    name = "ana\n### bo\n![x](https://t.example/p.png)\u202e"
    evil = "<h1>mira</h1><p>### bo</p><ul><li>x</li></ul><img src='https://t.example/p.png' alt='pic'>"
    double.has(
        "/items/1000",
        discussion(
            item(1001, item(1002, author=name, text=evil), author=name, text=evil), title=name, url="javascript:x"
        ),
    )
    text = await bench.read("hackernews", STORY)
    headings = [line for line in text.markdown.split("\n") if line.lstrip().startswith("#")]
    assert headings == ["# ana ### bo x", "## Comments", "### ana ### bo x", "#### mira", "  #### mira"]
    assert "t.example" not in text.markdown
    assert "javascript" not in text.markdown
    assert "\u202e" not in text.markdown


@pytest.mark.parametrize(
    "fields",
    [
        {"children": None, "options": "x", "points": "many"},
        {"children": [None, 5, "x", {}, {"id": "y", "author": 3, "text": []}], "created_at": 7},
        {"url": "http://[broken", "options": [None, {"text": None, "points": []}]},
    ],
)
async def test_fields_that_are_not_what_they_should_be_do_no_harm(
    bench: Bench, double: SiteDouble, fields: dict[str, Any]
) -> None:
    double.has("/items/1000", discussion(**fields))
    text = await bench.read("hackernews", STORY)
    assert text.markdown.startswith("# A title\n")
    assert text.markdown.endswith("No comments yet.")


async def test_text_of_which_nothing_can_be_seen_does_no_harm(bench: Bench, double: SiteDouble) -> None:
    nothing = "\ud800\u200b"
    double.has("/items/1000", discussion(item(1001, author=nothing, text=nothing), title=nothing, author=nothing))
    assert (await bench.read("hackernews", STORY)).markdown.startswith("# Item without a title\n")


async def test_a_thread_that_goes_on_for_ever_is_flat_at_the_end(bench: Bench, double: SiteDouble) -> None:
    deep = item(1400)
    for number in range(1399, 1000, -1):
        deep = item(number, deep, author=f"user{number}")
    double.has("/items/1000", discussion(deep))
    text = await bench.read("hackernews", STORY, HACKERNEWS_MAX_COMMENTS="500")
    assert (
        "    - **ana** ([2026-02-03](https://news.ycombinator.com/item?id=1400), reply to user1399):" in text.markdown
    )
    assert max(len(line) - len(line.lstrip()) for line in text.markdown.split("\n")) == 6


async def test_thousands_of_comments_are_counted_and_few_are_converted(bench: Bench, double: SiteDouble) -> None:
    double.has("/items/1000", discussion(*(item(n) for n in range(2000, 7000))))
    text = await bench.read("hackernews", STORY)
    assert "…(truncated: 50 of 5000 comments are shown; " in text.markdown
    assert text.markdown.count("### ana") == 50


async def test_comments_of_enormous_length_end_before_the_page_does(bench: Bench, double: SiteDouble) -> None:
    double.has("/items/1000", discussion(*(item(n, text="word " * 10_000) for n in range(1, 11))))
    text = await bench.read("hackernews", STORY)
    assert len(text.markdown) < 200_000
    assert "…(truncated: 2 of 10 comments are shown; " in text.markdown


async def test_threads_are_shown_with_what_was_said_to_them(bench: Bench, double: SiteDouble) -> None:
    """A list of first words is no discussion."""
    double.has("/items/1000", discussion(*(item(n, item(n + 1, item(n + 2))) for n in range(2000, 3000, 10))))
    text = await bench.read("hackernews", STORY, HACKERNEWS_MAX_COMMENTS="10")
    shown = [n for n in range(2000, 3000) if f"item?id={n})" in text.markdown]
    assert shown == sorted(number + reply for number in range(2000, 2050, 10) for reply in (0, 1))


async def test_a_comment_without_replies_is_shown_as_far_as_there_is_room(bench: Bench, double: SiteDouble) -> None:
    double.has("/items/1000", discussion(*(item(n) for n in range(2000, 2010))))
    text = await bench.read("hackernews", STORY, HACKERNEWS_MAX_COMMENTS="10")
    assert text.markdown.count("### ana") == 10
    assert not text.is_cut


async def test_requests_that_are_slow_leave_time_for_converting(
    bench: Bench, double: SiteDouble, recorded: Recorded
) -> None:
    """Of 30 seconds 21 are for requests: after one of 25 seconds, nobody asks for the title of the story."""
    double.has("/items/1004", recorded("hackernews/comment.json"))
    double.has("/search", recorded("hackernews/comment_story.json"))
    url = "https://news.ycombinator.com/item?id=1004"
    text = await bench.read("hackernews", url, clock=SlowRequests(double, 25))
    assert text.title == "Comment by ana on Hacker News"


async def test_discussions_that_are_too_large_say_nothing_against_the_api(bench: Bench, double: SiteDouble) -> None:
    huge = json.dumps({"text": "x" * 5_100_000})
    double.has("/items/1", huge).has("/items/1000", discussion())
    flow = bench.flow("hackernews", STORY)
    with pytest.raises(NotRead, match="larger than the limit"):
        await bench.read("hackernews", "https://news.ycombinator.com/item?id=1")
    for _ in range(5):
        await flow.read("https://news.ycombinator.com/item?id=1", Deadline.after(FakeClock(), 30))
    assert (await flow.read(STORY, Deadline.after(FakeClock(), 30))).engine == "hackernews"


async def test_options_beyond_the_first_are_counted(bench: Bench, double: SiteDouble) -> None:
    options = [{"id": n, "type": "pollopt", "text": f"Use <b>{n}</b>", "points": n} for n in range(60)]
    double.has("/items/1000", discussion(type="poll", options=options))
    assert "- Use 49 (49 points)\n- … and 10 more\n" in (await bench.read("hackernews", STORY)).markdown
