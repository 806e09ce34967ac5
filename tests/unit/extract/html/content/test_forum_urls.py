"""Which addresses lead to a thread, whatever the page looks like."""

from __future__ import annotations

import numpy as np
import pytest

from dowse.extract.html.content.features import FORUM, KINDS
from dowse.extract.html.content.forum import weigh_url
from dowse.extract.html.content.selection import select
from dowse.extract.html.tree.build import build
from tests.support.tables import each_row

UNKNOWN = np.full(len(KINDS), 1 / len(KINDS))


@each_row(
    "url",
    [
        "https://bbs.example/viewtopic.php?id=309936",
        "https://www.example.com/showthread.php?t=1930933",
        "https://smf.example/index.php?topic=4711.0",
        "https://forum.example/t/how-to-feed-otters/68911",
        "https://forum.example/t/68911",
        "https://forum.example/t/" + "%D0%B2" * 60 + "/12",
        "https://forum.example/index.php?/topic/201820-otters/",
        "https://forum.example/threads/otters-in-winter.1066181/",
        "https://boards.example/topic/3003956-otters-and-rivers/",
        "https://community.example/topic/18427/otters",
        "https://community.example/thread-222085.html",
        "https://open.example/discussion/39620/otters",
        "https://discuss.example/d/2068-otters",
        "https://www.example.com/forum/trips/2212958-where-otters-live.html",
        "https://www.reddit.com/r/otters/comments/1rl4mew/they_hold_hands/",
        "https://old.reddit.com/r/otters/comments/1rl4mew/",
        "https://news.ycombinator.com/item?id=1",
        "https://lobste.rs/s/dwip3v/otters",
        "https://lemmy.example/post/21018364",
        "https://stackoverflow.com/questions/50757497/otters",
        "https://biology.stackexchange.com/q/442960",
        "https://www.quora.com/Do-otters-hold-hands",
        "https://github.com/otters/river/issues/12",
        "https://gitlab.example/otters/river/-/issues/3",
    ],
)
def test_an_address_of_a_thread_says_so(url: str) -> None:
    known = weigh_url(UNKNOWN, url)

    assert int(np.argmax(known)) == FORUM
    assert known.sum() == pytest.approx(1)


@each_row(
    "url",
    [
        "",
        "https://news.example/2026/11/otters-return-to-the-river",
        "https://news.example/topic/otters",
        "https://shop.example/t/otters",
        "https://stackoverflow.com/tags",
        "https://github.com/otters/river",
        "https://github.com/otters/river/issues",
        "https://docs.example/threading/locks.html",
        "https://www.quora.com/",
        "https://www.reddit.com/r/otters/",
        "https://blog.example/?p=12",
        "https://metacpan.org/dist/Moose/source/t/000_load.t",
        "https://github.com/otters/river/blob/main/t/01-load.t",
        "https://docs.example/document/d/1-AbCdEf/edit",
        "https://news.example/topic/1812-overture",
        "https://news.example/discussion/2024/05/05/story",
        "https://fair.example/events/forum/speakers/2024-keynotes",
        "https://shop.example/sewing/thread/40-weight-cotton",
        "https://www.quora.com/about-us",
        "https://news.example/story?from=/t/5",
        "https://news.example/login?redirect=/t/otters/12",
    ],
)
def test_other_addresses_leave_it_to_the_page(url: str) -> None:
    assert weigh_url(UNKNOWN, url) is UNKNOWN


def test_a_long_address_is_looked_at_in_no_time() -> None:
    assert weigh_url(UNKNOWN, "https://forum.example/forum" + "/t/" * 100_000) is UNKNOWN


def test_a_page_of_which_the_address_says_so_is_a_forum() -> None:
    words = "They eat fish, crabs and whatever else the river has to offer, and sleep on their backs."
    page = build(f"<main><h1>Otters</h1>{''.join(f'<p>{number}: {words}</p>' for number in range(12))}</main>")

    assert select(page, "https://forum.example/t/otters/12").kind == "forum"
    assert select(page, "https://news.example/otters").kind != "forum"
