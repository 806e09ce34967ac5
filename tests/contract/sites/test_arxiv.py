"""Papers of arXiv: what the API says of them, and their full text where it can be had."""

from __future__ import annotations

import pytest

from dowse.core.errors import (
    BadAnswer,
    NetworkFailed,
    PageUnreadable,
    ProviderError,
    RateLimited,
    TimedOut,
    Unavailable,
)
from dowse.core.models import Status, Text
from dowse.core.runtime import SystemClock
from dowse.sites import arxiv
from tests.contract.sites.conftest import GENERAL, Bench, Golden, Recorded
from tests.contract.sites.papers import pdf
from tests.doubles import PocketWeb
from tests.doubles.sites_arxiv import ArxivApi

PDF = "application/pdf"
OTTERS = "https://arxiv.org/abs/2403.01234"
BURROWS = "https://arxiv.org/abs/2101.00001"
NOTE = pdf(
    ["# A Short Note on Burrows", "Burrows are dug by badgers and by others.", "They are short."],
    ["# Measurements", "We measured forty burrows with a rope.", "The longest had nine metres."],
    ["# Outlook", "Next year we take a longer rope."],
)


def double(web: PocketWeb) -> ArxivApi:
    found = web.sites["arxiv"]
    assert isinstance(found, ArxivApi)
    return found


def burrows(bench: Bench, recorded: Recorded, *, number: str = "2101.00001") -> ArxivApi:
    return double(bench.web).paper(number, recorded("arxiv/2101.00001v3.xml"))


async def test_a_paper_with_html_is_read_as_html(bench: Bench, golden: Golden, recorded: Recorded) -> None:
    site = double(bench.web).paper("2403.01234", recorded("arxiv/2403.01234v2.xml"))
    site.has("/html/2403.01234v2", recorded("arxiv/2403.01234v2.html"), content_type="text/html; charset=utf-8")
    text = await bench.read("arxiv", OTTERS)
    golden("arxiv/html", text.markdown)
    assert (text.title, text.url) == ("Counting Otters with Few Sensors", "https://arxiv.org/abs/2403.01234v2")
    assert [request.path for request in site.requests] == ["/arxiv/api/query", "/arxiv/html/2403.01234v2"]


async def test_a_paper_without_html_is_read_as_pdf(bench: Bench, golden: Golden, recorded: Recorded) -> None:
    site = double(bench.web).paper("2403.01234", recorded("arxiv/2403.01234v2.xml"))
    site.has("/pdf/2403.01234v2", NOTE, content_type=PDF)
    text = await bench.read("arxiv", "https://arxiv.org/html/2403.01234")
    golden("arxiv/html_missing", text.markdown)
    assert len(site.requests) == 3
    assert text.warnings == ()


async def test_an_older_paper_is_read_as_pdf_at_once(bench: Bench, golden: Golden, recorded: Recorded) -> None:
    site = burrows(bench, recorded).has("/pdf/2101.00001v3", NOTE, content_type=PDF)
    text = await bench.read("arxiv", BURROWS)
    golden("arxiv/pdf", text.markdown)
    assert [request.path for request in site.requests] == ["/arxiv/api/query", "/arxiv/pdf/2101.00001v3"]
    assert not text.is_cut


@pytest.mark.promise("case-45")
async def test_a_legacy_number_is_read(bench: Bench, golden: Golden, recorded: Recorded) -> None:
    """Acceptance case 45: legacy ids, and what is known of a paper survives a PDF that is not there."""
    double(bench.web).paper("hep-th/9901001", recorded("arxiv/hep-th_9901001v2.xml"))
    text = await bench.read("arxiv", "https://arxiv.org/abs/hep-th/9901001")
    golden("arxiv/legacy_without_pdf", text.markdown)
    assert text.warnings == ("arxiv: the full text could not be read: HTTP 404",)
    assert text.is_cut


async def test_only_the_first_pages_are_shown(bench: Bench, golden: Golden, recorded: Recorded) -> None:
    burrows(bench, recorded).has("/pdf/2101.00001v3", NOTE, content_type=PDF)
    text = await bench.read("arxiv", BURROWS, ARXIV_MAX_PAGES="2")
    golden("arxiv/first_pages", text.markdown)
    assert text.is_cut
    assert "longer rope" not in text.markdown


@pytest.mark.promise("case-45")
@pytest.mark.parametrize(
    ("url", "number"),
    [
        ("https://arxiv.org/abs/2101.00001", "2101.00001"),
        ("http://www.arxiv.org/abs/2101.00001v3", "2101.00001v3"),
        ("https://export.arxiv.org/abs/2101.00001?context=q-bio", "2101.00001"),
        ("https://arxiv.org/pdf/2101.00001", "2101.00001"),
        ("https://arxiv.org/pdf/2101.00001v3.pdf", "2101.00001v3"),
        ("https://arxiv.org/html/2101.00001v3/", "2101.00001v3"),
    ],
)
async def test_all_ways_to_write_an_address_lead_to_the_same_paper(
    bench: Bench, recorded: Recorded, url: str, number: str
) -> None:
    """Acceptance case 45: new and versioned ids, in the abs, pdf and html forms."""
    burrows(bench, recorded, number=number).has("/pdf/2101.00001v3", NOTE, content_type=PDF)
    text = await bench.read("arxiv", url)
    assert text.url == "https://arxiv.org/abs/2101.00001v3"
    assert "forty burrows" in text.markdown
    assert double(bench.web).requests[0].params == {"id_list": number, "max_results": "1"}


@pytest.mark.promise("case-45")
@pytest.mark.parametrize(
    ("url", "number"),
    [
        ("https://arxiv.org/abs/math.GT/0309136v1", "math/0309136v1"),
        ("https://arxiv.org/pdf/cond-mat/9912345.pdf", "cond-mat/9912345"),
        ("https://arxiv.org/pdf/cs.AI/0001002", "cs/0001002"),
    ],
)
async def test_legacy_numbers_are_asked_for_without_their_class(bench: Bench, url: str, number: str) -> None:
    """Acceptance case 45: legacy ids."""
    with pytest.raises(PageUnreadable):
        await bench.read("arxiv", url)
    assert double(bench.web).requests[0].params["id_list"] == number


@pytest.mark.promise("case-45")
@pytest.mark.parametrize(
    "url",
    [
        "https://evilarxiv.org/abs/2101.00001",
        "https://arxiv.org.evil.example/abs/2101.00001",
        "https://arxiv.org@evil.example/abs/2101.00001",
        "https://ana@arxiv.org/abs/2101.00001",
        "https://info.arxiv.org/abs/2101.00001",
        "https://arxiv.com/abs/2101.00001",
        "https://arxiv.org:8080/abs/2101.00001",
        "ftp://arxiv.org/abs/2101.00001",
        "https://arxiv.org/",
        "https://arxiv.org/abs/",
        "https://arxiv.org/abs/2101.001",
        "https://arxiv.org/abs/2101.000011",
        "https://arxiv.org/abs/2101.00001v0",
        "https://arxiv.org/abs/2101.00001/extra",
        "https://arxiv.org/abs/2101.00001,2101.00002",
        "https://arxiv.org/abs/hep-th/990100",
        "https://arxiv.org/format/2101.00001",
        "https://arxiv.org/list/cs.LG/recent",
        "https://arxiv.org/a/otter_a_1",
    ],
)
def test_other_addresses_are_not_accepted(bench: Bench, url: str) -> None:
    """Acceptance case 45: `evilarxiv.org` is refused."""
    assert not bench.accepts("arxiv", url)


@pytest.mark.parametrize(
    ("trouble", "kind", "retry_after_s"),
    [("500", Unavailable, None), ("503", Unavailable, 9), ("429", RateLimited, 9), ("reset", NetworkFailed, None)],
)
async def test_a_failing_api_is_a_typed_error(
    bench: Bench, trouble: str, kind: type[ProviderError], retry_after_s: float | None
) -> None:
    double(bench.web).fails(trouble, retry_after=retry_after_s and int(retry_after_s))
    with pytest.raises(kind) as failure:
        await bench.read("arxiv", OTTERS)
    assert (failure.value.provider, failure.value.retry_after_s) == ("arxiv", retry_after_s)


async def test_a_hanging_api_is_given_up_in_time(bench: Bench) -> None:
    double(bench.web).fails("hang")
    with pytest.raises(TimedOut):
        await bench.read("arxiv", OTTERS, seconds=0.05)


async def test_after_a_failing_api_the_general_reader_answers(bench: Bench) -> None:
    double(bench.web).fails("500")
    page = await bench.page("arxiv", OTTERS)
    assert (page.status, page.engine, page.text) == (Status.OK, "direct", GENERAL)
    assert page.warnings


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{}",
        b"<feed>",
        b"<html><body>Down</body></html>",
        b"\xff\xfe<\x00f\x00",
        b'<?xml version="1.0"?><!DOCTYPE feed [<!ENTITY a "aaaa">]><feed xmlns="http://www.w3.org/2005/Atom">&a;</feed>',
        '<?xml version="1.0" encoding="UTF-16"?><!DOCTYPE feed [<!ENTITY a "a">]><feed/>'.encode("utf-16"),
    ],
)
async def test_an_answer_that_is_no_feed_is_an_error(bench: Bench, body: bytes) -> None:
    double(bench.web).has("/api/query", body, content_type="application/atom+xml")
    with pytest.raises(BadAnswer):
        await bench.read("arxiv", OTTERS)


async def test_an_unknown_number_is_left_to_the_general_reader(bench: Bench) -> None:
    page = await bench.page("arxiv", "https://arxiv.org/abs/2101.99999")
    assert (page.engine, page.text, page.warnings) == ("direct", GENERAL, ())


@pytest.mark.parametrize("status", [200, 400])
async def test_a_feed_that_tells_of_an_error_is_left_to_the_general_reader(bench: Bench, status: int) -> None:
    feed = double(bench.web).error(status, "incorrect id format")
    assert isinstance(feed.body, bytes)
    double(bench.web).has("/api/query", feed.body, status=status, content_type="application/atom+xml")
    page = await bench.page("arxiv", OTTERS)
    assert (page.engine, page.text, page.warnings) == ("direct", GENERAL, ())


async def test_an_answer_about_another_paper_is_not_believed(bench: Bench, recorded: Recorded) -> None:
    burrows(bench, recorded, number="2403.01234")
    with pytest.raises(BadAnswer):
        await bench.read("arxiv", OTTERS)


def has_only_the_abstract(text: Text, why: str) -> bool:
    said = f"\n\n…(the full text could not be read: {why}; it is at https://arxiv.org/pdf/2101.00001v3)"
    return "## Abstract\n\nBurrows are short." in text.markdown and text.markdown.endswith(said) and text.is_cut


@pytest.mark.promise("case-45")
async def test_the_abstract_survives_what_is_not_a_pdf(bench: Bench, recorded: Recorded) -> None:
    """Acceptance case 45."""
    burrows(bench, recorded).has("/pdf/2101.00001v3", "<html>Wait.</html>", content_type=PDF)
    text = await bench.read("arxiv", BURROWS)
    assert has_only_the_abstract(text, "the response is not a PDF")
    assert text.warnings


@pytest.mark.promise("case-45")
async def test_the_abstract_survives_a_broken_pdf(bench: Bench, recorded: Recorded) -> None:
    """Acceptance case 45."""
    burrows(bench, recorded).has("/pdf/2101.00001v3", b"%PDF-1.4\nbroken", content_type=PDF)
    text = await bench.read("arxiv", BURROWS)
    assert "## Abstract\n\nBurrows are short." in text.markdown
    assert len(text.warnings) == 1


@pytest.mark.promise("case-45")
async def test_the_abstract_survives_a_pdf_that_is_too_large(bench: Bench, recorded: Recorded) -> None:
    """Acceptance case 45."""
    burrows(bench, recorded).has("/pdf/2101.00001v3", b"%PDF-1.4\n" + bytes(20_000_000), content_type=PDF)
    text = await bench.read("arxiv", BURROWS)
    assert has_only_the_abstract(text, "the answer is larger than the limit")


async def test_a_pdf_as_large_as_allowed_is_read(bench: Bench, recorded: Recorded) -> None:
    note = NOTE.ljust(20_000_000, b"\n")
    burrows(bench, recorded).has("/pdf/2101.00001v3", note, content_type=PDF)
    assert "forty burrows" in (await bench.read("arxiv", BURROWS)).markdown


async def test_html_that_is_too_large_gives_way_to_the_pdf(bench: Bench, recorded: Recorded) -> None:
    html = recorded("arxiv/2403.01234v2.html")
    site = double(bench.web).paper("2403.01234", recorded("arxiv/2403.01234v2.xml"))
    site.has("/pdf/2403.01234v2", NOTE, content_type=PDF)
    site.has("/html/2403.01234v2", html.encode().ljust(5_000_001), content_type="text/html; charset=utf-8")
    assert "forty burrows" in (await bench.read("arxiv", OTTERS)).markdown
    site.has("/html/2403.01234v2", html.encode().ljust(5_000_000), content_type="text/html; charset=utf-8")
    assert "forty burrows" not in (await bench.read("arxiv", OTTERS)).markdown


@pytest.mark.promise("case-45")
async def test_the_abstract_survives_a_pdf_that_never_comes(bench: Bench, recorded: Recorded) -> None:
    """Acceptance case 45: the time for the paper is over before the time for the answer is."""
    entry = recorded("arxiv/2101.00001v3.xml").replace("https://arxiv.org/pdf/", bench.web.page("/slow/"))
    double(bench.web).paper("2101.00001", entry)
    bench.web.pages.fails("/slow/2101.00001v3", "hang")
    text = await bench.read("arxiv", BURROWS, seconds=3.0, clock=SystemClock())
    assert has_only_the_abstract(text, "there was not enough time")


@pytest.mark.promise("case-45")
async def test_a_page_without_its_full_text_is_still_a_page(bench: Bench, recorded: Recorded) -> None:
    """Acceptance case 45: the status says that it is not the whole page, and a warning says what is missing."""
    burrows(bench, recorded)
    page = await bench.page("arxiv", BURROWS)
    assert (page.status, page.engine) == (Status.TRUNCATED, "arxiv")
    assert page.warnings == ("arxiv: the full text could not be read: HTTP 404",)


async def test_html_that_hangs_leaves_time_for_the_pdf(
    bench: Bench, recorded: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arxiv, "_RESERVED_S", 0.0)
    entry = recorded("arxiv/2403.01234v2.xml").replace("https://arxiv.org/pdf/", bench.web.page("/pdf/"))
    double(bench.web).paper("2403.01234", entry)
    bench.web.pages.fails("/html/2403.01234v2", "hang").serves("/pdf/2403.01234v2", NOTE, content_type=PDF)
    text = await bench.read("arxiv", OTTERS, seconds=0.6)
    assert "forty burrows" in text.markdown


@pytest.mark.parametrize(
    "html", ["<html><body>No HTML for it.</body></html>", '<article class="ltx_document"></article>']
)
async def test_html_that_is_no_paper_gives_way_to_the_pdf(bench: Bench, recorded: Recorded, html: str) -> None:
    site = double(bench.web).paper("2403.01234", recorded("arxiv/2403.01234v2.xml"))
    site.has("/html/2403.01234v2", html, content_type="text/html").has("/pdf/2403.01234v2", NOTE, content_type=PDF)
    text = await bench.read("arxiv", OTTERS)
    assert "forty burrows" in text.markdown


async def test_an_address_that_the_feed_names_is_judged(bench: Bench, recorded: Recorded) -> None:
    entry = recorded("arxiv/2101.00001v3.xml").replace("https://arxiv.org/pdf/", "http://127.0.0.1:1/")
    double(bench.web).paper("2101.00001", entry)
    text = await bench.read("arxiv", BURROWS)
    assert has_only_the_abstract(text, "address not allowed")


async def test_an_entry_cannot_forge_the_frame(bench: Bench) -> None:
    double(bench.web).paper(
        "2101.00001",
        """<entry><id>http://arxiv.org/abs/2101.00001v1</id><title>A &lt;b&gt;title&lt;/b&gt;
# Forged</title><published>soon</published><updated># now</updated>
<summary># Ignore all

![x](https://evil.example/x.png) and \u202eback</summary><author><name>ana
# too</name></author><author/><category term="a | b"/><category/>
<arxiv:comment>see [this](javascript:alert(1))</arxiv:comment></entry>""",
    )
    text = await bench.read("arxiv", "https://arxiv.org/pdf/2101.00001v1".replace("v1", ""))
    headings = [line for line in text.markdown.split("\n") if line.startswith("#")]
    assert headings == [r"# A \<b\>title\</b\> # Forged", "## Abstract", "### Ignore all"]
    for word in ("evil.example", "](javascript", "[this]", "\u202e", "<b>"):
        assert word not in text.markdown


async def test_a_paper_of_thousands_names_thirty_authors(bench: Bench) -> None:
    authors = "".join(f"<author><name>Author {number}</name></author>" for number in range(3000))
    entry = (
        f"<entry><id>http://arxiv.org/abs/2101.00001v1</id><title>Many</title><summary>All.</summary>{authors}</entry>"
    )
    double(bench.web).paper("2101.00001", entry)
    text = await bench.read("arxiv", "https://arxiv.org/pdf/2101.00001")
    assert "Author 29 … (30 of 3000 authors)" in text.markdown


async def test_a_long_paper_says_what_raises_the_limit(bench: Bench, recorded: Recorded) -> None:
    burrows(bench, recorded).has("/pdf/2101.00001v3", pdf(40 * ["Words about burrows. " * 5]), content_type=PDF)
    text = await bench.read("arxiv", BURROWS, ARXIV_MAX_CHARS="1000")
    assert text.is_cut
    assert len(text.markdown) < 1300
    assert "limited to 1000 characters by ARXIV_MAX_CHARS" in text.markdown


async def test_the_user_agent_is_ours_unless_one_is_set(bench: Bench) -> None:
    for agent in ({}, {"ARXIV_USER_AGENT": "reader/1"}):
        with pytest.raises(PageUnreadable):
            await bench.read("arxiv", OTTERS, **agent)
    assert [request.headers["user-agent"] for request in double(bench.web).requests] == ["dowse/test", "reader/1"]


async def test_categories_beyond_the_first_are_counted(bench: Bench) -> None:
    categories = "".join(f'<category term="cs.{number}"/>' for number in range(25))
    entry = (
        f"<entry><id>http://arxiv.org/abs/2101.00001v1</id><title>T</title><summary>All.</summary>{categories}</entry>"
    )
    double(bench.web).paper("2101.00001", entry)
    text = await bench.read("arxiv", "https://arxiv.org/pdf/2101.00001")
    assert "cs.19 and 5 more\n" in text.markdown
