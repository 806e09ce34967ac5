"""Pages that are hard to convert give their words all the same; one pool reads them all, as in the server.

`tests/slow` has larger ones, and a time for each.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from dowse.core.digests import Source
from dowse.core.errors import PageUnreadable
from dowse.core.models import Body, Onward, Status
from dowse.worker.pool import WorkerPool

pytestmark = pytest.mark.asyncio(loop_scope="module")

# Far more than any of these takes, on a machine that has other work.
ENOUGH_S = 60.0
PAGE = b"<main><h1>Title</h1><p>Some <b>words</b> to read.</p></main>"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pool() -> AsyncIterator[WorkerPool]:
    pool = WorkerPool(size=2)
    yield pool
    await pool.close()


def body(data: bytes = PAGE, media_type: str = "text/html") -> Body:
    return Body("https://pages.example/a", data, media_type)


WORDS = "lorem ipsum dolor sit amet "


def pathological(scale: int) -> dict[str, str]:
    """Pages that are deep, and pages of one thing again and again: so many thousand times."""
    attributes = " ".join(f"a{number}=1" for number in range(1000 * scale))
    return {
        "5k divs deep": "<div>" * 5000 + WORDS + "</div>" * 5000,
        "100k divs deep": "<div>" * 100_000 + WORDS,
        "20k spans deep": "<span>" * 20_000 + WORDS,
        "3k lists deep": "<ul><li>lorem ipsum" * 3000,
        "250 lists deep": "<ul><li>lorem ipsum" * 250,
        "text": "<p>" + WORDS * 1850 * scale,
        "cells": "<table>" + ("<tr>" + "<td>lorem ipsum</td>" * 20 + "</tr>") * 100 * scale + "</table>",
        "a billion columns": "<table><tr><td colspan=1000000000>lorem ipsum</td><td>x</td></tr></table>",
        "links": "<p>" + '<a href="/p?utm_source=x">lorem ipsum</a> ' * 1000 * scale,
        "misnested": "<b><i>lorem ipsum</b></i>" * 800 * scale,
        "formatting reopened": "".join(f"<b id={number}><p>lorem ipsum" for number in range(200 * scale)),
        "attributes": f"<div {attributes}>{WORDS}",
        "spaces": "<p>lorem ipsum" + " " * 20_000 * scale + "dolor",
        "<": "<p>lorem ipsum</p>" + "<" * 20_000 * scale,
        "![": "<p>lorem ipsum " + "![" * 5000 * scale,
        "NULs": "<p>lorem ipsum\0 " * 1000,
    }


PATHOLOGICAL = pathological(25)


@pytest.mark.parametrize("name", PATHOLOGICAL)
async def test_pathological_page_still_gives_its_words(pool: WorkerPool, name: str) -> None:
    text = await pool.extract(body(PATHOLOGICAL[name].encode()), timeout_s=ENOUGH_S)

    assert "lorem ipsum" in text.markdown


async def test_broken_bytes_give_text_that_encodes(pool: WorkerPool) -> None:
    text = await pool.extract(body(b"<p>a\x00b\xff\xed\xa0\x80 words</p>"), timeout_s=ENOUGH_S)

    assert "words" in text.markdown
    assert text.markdown.encode().decode() == text.markdown


@pytest.mark.parametrize("timeout_s", [0.04, 0.0, -1.0])
async def test_a_job_without_time_costs_no_worker(pool: WorkerPool, timeout_s: float) -> None:
    await pool.extract(body(), timeout_s=ENOUGH_S)
    before = pool.pids

    for job in (
        pool.extract(body(), timeout_s=timeout_s),
        pool.render(["<p>x"], url="https://pages.example/", timeout_s=timeout_s),
        pool.digest("x", [Source("x")], 100, timeout_s=timeout_s),
    ):
        with pytest.raises(PageUnreadable) as raised:
            await job
        assert (raised.value.status, raised.value.onward) == (Status.TIMEOUT, Onward.SCRAPE_APIS)

    assert pool.pids == before


async def test_passages_are_cut_in_the_worker(pool: WorkerPool) -> None:
    answer = "The otter weighs 9 kg, größer als {}. It swims in rivers, and in the sea" + " as well" * 9
    page = "# Animals\n\n" + "Some words.\n\n" * 50 + answer.format("\ud800") + "\n\nMore." * 50

    long, short = await pool.digest(
        "What does the otter weigh?", [Source(page), Source("Short.", "A title")], 100, timeout_s=ENOUGH_S
    )

    assert answer.format("?") in long.text
    assert "[…]" in long.text and long.anchors and long.blocks > 100
    assert (short.text, short.anchors, short.duplicate_of) == ("Short.", (), None)


async def test_a_page_that_is_not_cut_comes_back_as_it_was(pool: WorkerPool) -> None:
    page = "# Animals\n\n" + "The otter swims. " * 50_000

    (digest,) = await pool.digest("otter", [Source(page)], 0, timeout_s=ENOUGH_S)

    assert digest.text == page
    assert len(digest.summary) <= 500


async def test_of_a_page_that_is_sent_in_part_no_more_than_that_is_shown(pool: WorkerPool) -> None:
    page = "# Animals\n\n```\n" + f"{'=' * 99}\n" * 45_000

    (digest,) = await pool.digest("animals", [Source(page)], 1_000_000, timeout_s=ENOUGH_S)

    assert digest.text.count("=\n") > 1000
    assert len(digest.text) <= 4_000_100 and digest.text.endswith(f"{'=' * 99}\n```")


LONG_LIST = "".join(f"<li>{number} lorem ipsum dolor sit amet elit sed do" + " do" * 10 for number in range(45_000))


@pytest.mark.parametrize(
    ("data", "media_type", "end"),
    [
        ("<ul><li>x" * 100 + LONG_LIST, "text/html", " do"),
        ("lorem ipsum\n" * 250_000, "text/x-python", "\nlorem ipsum\n```"),
        ("lorem " * 500_000, "text/plain", " lorem"),
        ("𝄞" * 2_100_000, "text/plain", "𝄞"),
    ],
    ids=["lists", "code", "one line", "one word"],
)
async def test_a_text_that_grows_beyond_all_bounds_is_cut(
    pool: WorkerPool, data: str, media_type: str, end: str
) -> None:
    text = await pool.extract(body(data.encode(), media_type), timeout_s=ENOUGH_S)

    assert text.is_cut
    assert 1_900_000 < len(text.markdown) < 2_000_010
    assert text.markdown.endswith(end)


async def test_pieces_that_grow_beyond_all_bounds_are_cut_and_say_so(pool: WorkerPool) -> None:
    long = "<p>" + "lorem " * 240_000

    pieces = await pool.render([long, "<p>x", long, "<p>y"], url="https://pages.example/", timeout_s=ENOUGH_S)

    assert [len(piece) > 500_000 for piece in pieces] == [True, False, True, False]
    assert (pieces[1], pieces[3]) == ("x", "")
    assert pieces[2].endswith(" lorem\n\n_The rest is not shown._")


@pytest.mark.parametrize("data", [b"", b"<html></html>", b"<script>only()</script>", b"\xef\xbb\xbf"])
async def test_page_without_text_has_no_readable_content(pool: WorkerPool, data: bytes) -> None:
    with pytest.raises(PageUnreadable) as raised:
        await pool.extract(body(data), timeout_s=ENOUGH_S)

    assert (raised.value.status, raised.value.detail) == (Status.ERROR, "no readable content")
