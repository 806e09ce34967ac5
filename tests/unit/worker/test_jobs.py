"""The worker's loop over jobs, run in this process: jobs come from a file, answers go to another."""

from __future__ import annotations

import ctypes
import gc
import json
import os
import resource
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dowse.core import listings
from dowse.core.digests import Source
from dowse.core.listings import Listing, Outcome, Row
from dowse.core.models import Facts, Status, fields_of
from dowse.extract import explain
from dowse.worker import jobs, protocol

LIMIT_S = 60.0
MEMORY_BYTES = 400 * 1024 * 1024
PAGE = b"<main><h1>Title</h1><p>Some <b>words</b> to read.</p></main>"
CHALLENGE = b"<title>Just a moment...</title><script>window._cf_chl_opt={}</script>"

Answer = tuple[dict[str, object], str]
Work = Callable[..., list[Answer]]


def job(mode: str, data: bytes, **more: object) -> bytes:
    """A frame as the pool writes it."""
    header = {
        "mode": mode,
        "url": "https://pages.example/a",
        "media_type": "text/html",
        "charset": "utf-8",
        "pdf_pages": 100,
        "with_images": False,
        "limit_s": LIMIT_S,
        "memory_bytes": MEMORY_BYTES,
        **more,
    }
    return protocol.encode_head(header, len(data)) + data


@pytest.fixture(autouse=True)
def collector_as_before() -> Iterator[None]:
    """The garbage collector belongs to the process: a worker all but turns it off."""
    threshold = gc.get_threshold()
    yield
    gc.set_threshold(*threshold)


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[int, tuple[int, int]]:
    """The limits that the worker sets: here they would be those of all tests."""
    limits: dict[int, tuple[int, int]] = {}
    monkeypatch.setattr(resource, "setrlimit", limits.__setitem__)
    monkeypatch.setattr(jobs, "_OOM_SCORE", tmp_path / "oom_score_adj")
    return limits


@pytest.fixture
def timers(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The timers that would end the process."""
    timers: list[float] = []
    monkeypatch.setattr(signal, "setitimer", lambda _, seconds: timers.append(seconds))
    return timers


@pytest.fixture
def work(tmp_path: Path, limits: dict[int, tuple[int, int]], timers: list[float]) -> Work:
    """Runs the worker over the given frames, and returns its answers."""

    def run(*given: bytes) -> list[Answer]:
        asked, answered = tmp_path / "jobs", tmp_path / "answers"
        asked.write_bytes(b"".join(given))
        descriptors = os.open(asked, os.O_RDONLY), os.open(answered, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        jobs.main([str(descriptor) for descriptor in descriptors])
        with answered.open("rb") as source:
            found = [protocol.split_frame(frame) for frame in iter(lambda: protocol.read_frame(source), None)]
        return [(header, payload.decode()) for header, payload in found]

    return run


def test_a_page_is_answered_with_its_markdown_and_what_is_known_of_it(work: Work) -> None:
    assert work(job(protocol.CONVERT, PAGE)) == [
        (
            {
                "ok": True,
                "title": "Title",
                "word_count": 6,
                "is_cut": False,
                "is_thin": False,
                "facts": fields_of(Facts(site="pages.example")),
            },
            "# Title\n\nSome **words** to read.",
        )
    ]


def test_jobs_are_answered_in_their_order_until_the_pipe_ends(work: Work) -> None:
    """A job that breaks off comes from a pool that has ended, and gets no answer."""
    broken_off = job(protocol.STRIP, b"<p>c")[:-1]

    answers = work(job(protocol.STRIP, b"<p>a"), job(protocol.STRIP, b"<p>b"), broken_off)

    assert [text for _, text in answers] == ["a", "b"]


def test_an_answer_that_is_not_taken_any_more_ends_the_worker_quietly(limits: object, timers: object) -> None:
    given, asked = os.pipe()
    answered, answers = os.pipe()
    os.write(asked, job(protocol.STRIP, b"<p>a"))
    os.close(asked)
    os.close(answered)

    jobs.main([str(given), str(answers)])


def test_a_verdict_is_answered_in_place_of_a_text(work: Work) -> None:
    [(header, text)] = work(job(protocol.CONVERT, CHALLENGE))

    verdict = protocol.decode_verdict(header)
    assert verdict is not None
    assert (header["ok"], verdict.status, verdict.detail, text) == (
        True,
        Status.BLOCKED,
        "challenge page (Cloudflare)",
        "",
    )


def test_a_job_that_raises_is_answered_with_the_kind_of_the_error_and_the_next_one_is_done(work: Work) -> None:
    """No words of the error: they may be those of the page."""
    answers = work(job(protocol.FRAGMENTS, b"no JSON"), job(protocol.STRIP, b"<p>next"))

    assert answers[0] == ({"ok": False, "error": "JSONDecodeError"}, "")
    assert answers[1][1] == "next"


def test_a_text_is_cut_where_more_than_the_longest_would_be_answered(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "MOST_TEXT_CHARS", 20)

    [(header, text)] = work(job(protocol.STRIP, b"<p>one\n<p>two\n<p>three\n<p>four\n<p>five\n<p>six"))

    assert header["is_cut"] is True
    assert text.startswith("one\ntwo")
    assert len(text) <= 20


def test_fragments_of_html_are_answered_as_a_list_of_markdown(work: Work) -> None:
    fragments = {"fragments": ["<p>one</p>", "<p>two<i class=x>left out</i></p>"], "without": [".x"]}

    [(_, text)] = work(job(protocol.FRAGMENTS, json.dumps(fragments).encode(), media_type="application/json"))

    assert json.loads(text) == ["one", "two"]


def test_an_explanation_names_the_blocks_of_a_page_and_is_empty_for_what_is_no_html(work: Work) -> None:
    [(_, text), (_, nothing)] = work(
        job(protocol.EXPLAIN, PAGE), job(protocol.EXPLAIN, b"plain words", media_type="text/plain")
    )

    assert isinstance(explain.decode_explanation(text), explain.Explanation)
    assert nothing == ""


def test_a_page_of_a_search_engine_is_answered_as_its_listing(work: Work) -> None:
    page = b"<table><tr><td><a class='result-link' href='https://a.example/'>A</a></td></tr></table>"

    [(_, text)] = work(job(protocol.LISTING, page, engine="duckduckgo", query="a"))

    assert listings.decode(text) == Listing(Outcome.RESULTS, (Row("A", "https://a.example/", ""),))


def test_pages_are_digested_and_one_that_is_shown_whole_is_not_sent_back(work: Work) -> None:
    long = "\n\n".join([f"Sentence {number} about nothing much." for number in range(400)] + ["Otters eat crabs."])
    sources = [Source("# Otters\n\nOtters eat fish.", "Otters", "https://a.example/"), Source(long, "Long")]
    pages, data = protocol.encode_sources(sources, 200)

    [(_, text)] = work(
        job(
            protocol.DIGEST,
            data,
            question="what do otters eat",
            max_tokens=200,
            share=1.0,
            pages=pages,
        )
    )

    assert [page["text"] == "" for page in json.loads(text)] == [True, False]
    short, cut = protocol.decode_digests(text, sources)
    assert short.text == sources[0].text
    assert "Otters eat crabs." in cut.text
    assert len(cut.text) < len(long)


@pytest.mark.promise("passages-whole-document")
def test_an_answer_at_the_end_of_two_million_characters_is_found(work: Work) -> None:
    filler = "\n\n".join(f"Sentence {number} about nothing much." for number in range(48_000))
    sources = [Source(f"{filler}\n\nOtters eat crabs."), Source("Short.")]
    pages, data = protocol.encode_sources(sources, 200)
    asked = {"question": "what do otters eat", "max_tokens": 200, "share": 1.0}

    [(_, text)] = work(job(protocol.DIGEST, data, pages=pages, **asked))

    assert 1_500_000 < len(sources[0].text) < 2_000_000
    assert "Otters eat crabs." in protocol.decode_digests(text, sources)[0].text


def test_pages_share_what_is_sent_and_short_ones_lose_nothing() -> None:
    texts = ["a" * 100, *["b" * 1_900_000] * 3]
    pages, data = protocol.encode_sources([Source(text) for text in texts], 200)
    sent = [source.text for source in protocol.decode_sources(pages, data)]
    assert sent[0] == texts[0]
    assert sum(map(len, sent)) <= 4_000_000
    assert min(map(len, sent[1:])) > 1_300_000


def test_a_worker_limits_its_memory_and_writes_no_core(work: Work, limits: dict[int, tuple[int, int]]) -> None:
    """A core would hold the page, on the disk of the user."""
    work(job(protocol.STRIP, b"<p>a"))

    gibibyte, data = 1024**3, MEMORY_BYTES - 32 * 1024**2
    assert limits == {
        resource.RLIMIT_CORE: (0, 0),
        resource.RLIMIT_AS: (gibibyte, gibibyte),
        resource.RLIMIT_DATA: (data, data),
    }


def test_a_worker_asks_to_be_ended_before_the_server_where_memory_is_full(work: Work, tmp_path: Path) -> None:
    work()

    assert (tmp_path / "oom_score_adj").read_text() == "1000"


@pytest.mark.parametrize("megabytes", [95, 97])
def test_memory_that_a_large_page_leaves_is_given_back(
    work: Work, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, megabytes: int
) -> None:
    class Library:
        trimmed = 0

        def __init__(self, _: object) -> None: ...

        def malloc_trim(self, _: int) -> None:
            Library.trimmed += 1

    statm = tmp_path / "statm"
    statm.write_text(f"1 {megabytes * 1024**2 // resource.getpagesize()} 1")
    monkeypatch.setattr(jobs, "_STATM", statm)
    monkeypatch.setattr(ctypes, "CDLL", Library)

    work(job(protocol.STRIP, b"<p>a"))

    assert Library.trimmed == (megabytes > 96)


def test_where_the_system_refuses_a_limit_of_memory_jobs_are_done_all_the_same(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse_memory(kind: int, _: object) -> None:
        if kind != resource.RLIMIT_CORE:
            raise ValueError("current limit exceeds maximum limit")

    monkeypatch.setattr(resource, "setrlimit", refuse_memory)

    assert [text for _, text in work(job(protocol.STRIP, b"<p>a"))] == ["a"]


def test_a_timer_ends_the_process_if_a_job_does_not_and_is_stopped_after_it(work: Work, timers: list[float]) -> None:
    work(job(protocol.STRIP, b"<p>a"), job(protocol.FRAGMENTS, b"no JSON"))

    (first, first_stopped), (second, second_stopped) = timers[:2], timers[2:]
    assert (first_stopped, second_stopped) == (0, 0)
    assert first == second
    assert LIMIT_S < first < 2 * LIMIT_S


def test_what_many_objects_leave_behind_is_collected_after_the_answer(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a page is converted the collector is off, as it would look at a growing tree again and again."""
    monkeypatch.setattr(jobs, "_MANY_OBJECTS", 100)
    frozen = gc.get_freeze_count()

    [(header, _)] = work(job(protocol.CONVERT, b"<p>A paragraph of <b>many</b>.</p>" * 100))

    assert header["ok"] is True
    assert gc.get_freeze_count() > frozen


def test_descriptions_of_pictures_are_shown_where_the_job_says_so(work: Work) -> None:
    page = b"<main><h1>Title</h1><p>Words and <img src=/a.png alt='a drawing'> of it.</p></main>"

    [(_, without), (_, with_images)] = work(job(protocol.CONVERT, page), job(protocol.CONVERT, page, with_images=True))

    assert (without, with_images) == ("# Title\n\nWords and of it.", "# Title\n\nWords and a drawing of it.")
