"""Articles of Wikipedia through its API, in the shapes in which people link to them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

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
from dowse.core.models import Deadline, Status
from dowse.net.clients import ConfiguredClient, Reply
from dowse.settings.sources import load
from dowse.sites.wikipedia import WikipediaLoader
from tests.contract.sites.conftest import GENERAL, Bench, Golden, Recorded, SlowRequests
from tests.doubles import PocketWeb
from tests.doubles.sites_wikipedia import WikipediaApi
from tests.fakes import FakeClock

OTTER = "https://en.wikipedia.org/wiki/Pocket_otter"


def double(web: PocketWeb) -> WikipediaApi:
    found = web.sites["wikipedia"]
    assert isinstance(found, WikipediaApi)
    return found


def parsed(html: str, *, title: str = "Any", number: int = 1) -> str:
    return json.dumps({"parse": {"title": title, "pageid": number, "text": html}})


def found(title: str, *, number: int = 1, **fields: object) -> str:
    page = {"pageid": number, "ns": 0, "title": title, "lastrevid": 9, **fields}
    return json.dumps({"batchcomplete": True, "query": {"pages": [page]}})


def otter(web: PocketWeb, recorded: Recorded, **asked: str) -> None:
    query, html = recorded("wikipedia/pocket_otter.json"), recorded("wikipedia/pocket_otter.html")
    double(web).page(query, parsed(html), **(asked or {"titles": "Pocket otter"}), pageid="5551")


def small(web: PocketWeb, html: str, title: str = "Any", **fields: object) -> None:
    double(web).page(found(title, **fields), parsed(html), titles=title, pageid="1")


@pytest.mark.parametrize(
    ("name", "url", "answer", "asked"),
    [
        ("article", OTTER, "pocket_otter", {"titles": "Pocket otter", "pageid": "5551"}),
        ("section", f"{OTTER}#Population", "pocket_otter", {"titles": "Pocket otter", "pageid": "5551"}),
        (
            "redirect_to_a_section",
            "https://de.m.wikipedia.org/wiki/Vesperdose",
            "brotbuechse",
            {"titles": "Vesperdose", "pageid": "4242"},
        ),
        (
            "old_version",
            "https://en.wikipedia.org/w/index.php?title=Pocket_otter&oldid=800100",
            "old_revision",
            {"revids": "800100", "oldid": "800100"},
        ),
        (
            "disambiguation",
            "https://en.wikipedia.org/wiki/kettle_(disambiguation)",
            "kettle",
            {"titles": "kettle (disambiguation)", "pageid": "777"},
        ),
        (
            "variant",
            "https://zh.wikipedia.org/zh-cn/%E6%B0%B4%E7%8D%AD",
            "otter_zh",
            {"titles": "水獭", "pageid": "99", "variant": "zh-cn"},
        ),
    ],
)
async def test_pages_read_like_edited_ones(
    bench: Bench, golden: Golden, recorded: Recorded, name: str, url: str, answer: str, asked: dict[str, str]
) -> None:
    variant = {"variant": asked.pop("variant")} if "variant" in asked else {}
    html = parsed(recorded(f"wikipedia/{answer}.html"))
    double(bench.web).page(recorded(f"wikipedia/{answer}.json"), html, **asked)
    text = await bench.read("wikipedia", url)
    golden(f"wikipedia/{name}", text.markdown)
    assert not text.is_cut
    assert len(double(bench.web).requests) == 2
    last = double(bench.web).requests[-1]
    assert {key: value for key, value in last.params.items() if key == "variant"} == variant


@pytest.mark.promise("case-44")
@pytest.mark.parametrize(
    "url",
    [
        OTTER,
        "http://en.wikipedia.org/wiki/Pocket_otter?wprov=sfti1",
        "https://en.m.wikipedia.org/wiki/Pocket%20otter",
        "https://en.wikipedia.org/w/index.php?title=Pocket_otter&action=view",
        "https://en.m.wikipedia.org/w/index.php?title=Pocket+otter",
        "https://en.wikipedia.org/?title=Pocket_otter",
    ],
)
async def test_all_ways_to_write_an_address_lead_to_the_same_article(
    bench: Bench, recorded: Recorded, url: str
) -> None:
    """Acceptance case 44: wiki path, index.php and mobile host."""
    otter(bench.web, recorded)
    text = await bench.read("wikipedia", url)
    assert (text.title, text.url) == ("Pocket otter", OTTER)
    assert "The **pocket otter** (*Lutra minima*) is a small mammal" in text.markdown


async def test_the_number_of_a_page_leads_to_it(bench: Bench, recorded: Recorded) -> None:
    otter(bench.web, recorded, pageids="5551")
    text = await bench.read("wikipedia", "https://en.wikipedia.org/?curid=5551")
    assert text.url == OTTER


@pytest.mark.promise("case-44")
async def test_a_disambiguation_page_lists_what_it_may_mean(bench: Bench, recorded: Recorded) -> None:
    """Acceptance case 44: the options, with links to go on."""
    html = parsed(recorded("wikipedia/kettle.html"))
    double(bench.web).page(recorded("wikipedia/kettle.json"), html, titles="Kettle", pageid="777")
    text = await bench.read("wikipedia", "https://en.wikipedia.org/wiki/Kettle")
    assert "## Meanings" in text.markdown
    assert "- [Kettle, Fife](https://en.wikipedia.org/wiki/Kettle,_Fife), a village" in text.markdown


@pytest.mark.promise("case-44")
@pytest.mark.parametrize(
    ("url", "title", "namespace"),
    [
        ("https://en.wikipedia.org/wiki/Talk:Pocket_otter", "Talk:Pocket otter", 1),
        ("https://fr.wikipedia.org/wiki/Discussion:Loutre", "Discussion:Loutre", 1),
        ("https://de.wikipedia.org/wiki/Diskussion:Otter", "Diskussion:Otter", 1),
        ("https://ja.wikipedia.org/wiki/%E3%83%8E%E3%83%BC%E3%83%88:X", "ノート:X", 1),
        ("https://de.wikipedia.org/wiki/Benutzer:Ana", "Benutzer:Ana", 2),
        ("https://en.wikipedia.org/wiki/File:Otter.jpg", "File:Otter.jpg", 6),
        ("https://es.wikipedia.org/wiki/Especial:Buscar", "Especial:Buscar", -1),
    ],
)
async def test_what_is_no_article_is_left_to_the_general_reader(
    bench: Bench, url: str, title: str, namespace: int
) -> None:
    """Acceptance case 44: Talk, User and File pages, whatever a language calls them."""
    double(bench.web).page(found(title, ns=namespace), titles=title)
    page = await bench.page("wikipedia", url)
    assert (page.status, page.engine, page.text, page.warnings) == (Status.OK, "direct", GENERAL, ())
    assert len(double(bench.web).requests) == 1


async def test_a_colon_in_the_title_of_an_article_means_nothing(bench: Bench) -> None:
    small(bench.web, "<p>A film about talk.</p>", "Talk: the film")
    text = await bench.read("wikipedia", "https://en.wikipedia.org/wiki/Talk:_the_film")
    assert "A film about talk." in text.markdown


async def test_help_pages_are_read_like_articles(bench: Bench) -> None:
    small(bench.web, "<p>How to edit.</p>", "Hilfe:Bearbeiten", ns=12)
    text = await bench.read("wikipedia", "https://de.wikipedia.org/wiki/Hilfe:Bearbeiten")
    assert "How to edit." in text.markdown


async def test_a_missing_article_is_left_to_the_general_reader(bench: Bench) -> None:
    page = await bench.page("wikipedia", "https://en.wikipedia.org/wiki/Nobody_wrote_this")
    assert (page.engine, page.text) == ("direct", GENERAL)


@pytest.mark.parametrize(
    "url",
    [
        "https://en.wikipedia.org.evil.example/wiki/X",
        "https://evilwikipedia.org/wiki/X",
        "https://en.evilwikipedia.org/wiki/X",
        "https://en-wikipedia.org/wiki/X",
        "https://wikipedia.org/wiki/X",
        "https://www.wikipedia.org/wiki/X",
        "https://m.wikipedia.org/wiki/X",
        "https://a.b.wikipedia.org/wiki/X",
        "https://commons.wikimedia.org/wiki/File:X.jpg",
        "https://en.wiktionary.org/wiki/X",
        "https://en.wikipedia.org:8443/wiki/X",
        "http://en.wikipedia.org:443/wiki/X",
        "https://ana@en.wikipedia.org/wiki/X",
        "ftp://en.wikipedia.org/wiki/X",
        "https://en.wikipedia.org/",
        "https://en.wikipedia.org/wiki/",
        "https://en.wikipedia.org/wiki",
        "https://en.wikipedia.org/wiki/___",
        "https://en.wikipedia.org/w/api.php?title=X",
        "https://en.wikipedia.org/w/index.php",
        "https://en.wikipedia.org/w/index.php?title=X&action=edit",
        "https://en.wikipedia.org/wiki/X?action=history",
        "https://en.wikipedia.org/w/index.php?title=X&diff=2&oldid=1",
        "https://en.wikipedia.org/w/index.php?title=X&oldid=next",
        "https://en.wikipedia.org/wiki/A%7CB",
        "https://en.wikipedia.org/wiki/%1FA%1FB",
        "https://en.wikipedia.org/wiki/A%FF",
        "https://en.wikipedia.org/wiki/" + 256 * "x",
        "https://en.wikipedia.org/wiki/X?" + 51 * "a=b&",
        "https://en.wikipedia.org/en-gb/X",
        "https://zh.wikipedia.org/sr-el/X",
    ],
)
def test_other_addresses_are_not_accepted(bench: Bench, url: str) -> None:
    assert not bench.accepts("wikipedia", url)


@pytest.mark.parametrize(
    "language", ["en", "de", "simple", "zh-min-nan", "be-tarask", "be-x-old", "zh-classical", "ceb"]
)
def test_every_language_is_accepted_on_both_hosts(bench: Bench, language: str) -> None:
    assert bench.accepts("wikipedia", f"https://{language}.wikipedia.org/wiki/X")
    assert bench.accepts("wikipedia", f"https://{language}.m.wikipedia.org/wiki/X")


@pytest.mark.parametrize("path", ["/zh-hans/X", "/zh-hant/X", "/zh/X", "/zh-tw/X"])
def test_paths_of_variants_are_accepted(bench: Bench, path: str) -> None:
    assert bench.accepts("wikipedia", f"https://zh.wikipedia.org{path}")


@pytest.mark.parametrize(
    ("trouble", "kind"),
    [
        ("500", Unavailable),
        ("503", Unavailable),
        ("429", RateLimited),
        ("broken_json", BadAnswer),
        ("json_array", BadAnswer),
        ("reset", NetworkFailed),
    ],
)
async def test_a_failing_api_is_a_typed_error(bench: Bench, trouble: str, kind: type[ProviderError]) -> None:
    double(bench.web).fails(trouble, retry_after=7 if trouble in ("429", "503") else None)
    with pytest.raises(kind) as failure:
        await bench.read("wikipedia", OTTER)
    assert failure.value.provider == "wikipedia"
    assert failure.value.retry_after_s == (7 if trouble in ("429", "503") else None)
    assert len(double(bench.web).requests) == 1


async def test_after_a_failing_api_the_general_reader_answers(bench: Bench) -> None:
    double(bench.web).fails("500")
    page = await bench.page("wikipedia", OTTER)
    assert (page.status, page.engine, page.text) == (Status.OK, "direct", GENERAL)
    assert [(attempt.provider, attempt.outcome) for attempt in page.attempts] == [
        ("wikipedia", "unavailable"),
        ("direct", "ok"),
    ]
    assert page.warnings


async def test_an_overloaded_wikipedia_says_when_to_come_back(bench: Bench) -> None:
    error = {"code": "maxlag", "info": "Waiting for db1: 12.5 seconds lagged.", "host": "db1", "lag": 12.5}
    double(bench.web).replies(json={"error": error}, headers={"Retry-After": "5"})
    with pytest.raises(RateLimited) as failure:
        await bench.read("wikipedia", OTTER)
    assert failure.value.retry_after_s == 12.5


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("nosuchrevid", PageUnreadable),
        ("ratelimited", RateLimited),
        ("internal_api_error_DBQueryError", Unavailable),
        ("permissiondenied", ProviderError),
    ],
)
async def test_errors_with_the_status_of_a_success_are_told_apart(
    bench: Bench, code: str, kind: type[Exception]
) -> None:
    double(bench.web).replies(json={"error": {"code": code, "info": "Words."}})
    with pytest.raises(kind):
        await bench.read("wikipedia", OTTER)


async def test_a_language_without_a_wikipedia_is_left_to_the_general_reader(bench: Bench) -> None:
    double(bench.web).fails("redirect")
    with pytest.raises(PageUnreadable):
        await bench.read("wikipedia", "https://xyz.wikipedia.org/wiki/X")


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"query": None},
        {"query": {"pages": []}},
        {"query": {"pages": ["text"]}},
        {"query": {"pages": [{"ns": 0}]}},
        {"query": {"pages": [{"ns": 0, "pageid": "7", "title": ["x"]}]}},
        {"query": {"interwiki": [{"title": "de:X", "iw": "de"}]}},
        {"parse": {"text": None}},
    ],
)
async def test_answers_of_another_shape_are_errors(bench: Bench, answer: dict[str, object]) -> None:
    double(bench.web).replies(json=answer)
    with pytest.raises((BadAnswer, PageUnreadable)):
        await bench.read("wikipedia", OTTER)


async def test_fields_of_another_type_do_no_harm(bench: Bench) -> None:
    odd = {"pageprops": [], "revisions": [None], "lastrevid": "x"}
    double(bench.web).page(found("Any", **odd), parsed("<p>Text.</p>"), titles="Any", pageid="1")
    text = await bench.read("wikipedia", "https://en.wikipedia.org/wiki/Any")
    assert "Text." in text.markdown


async def test_an_article_without_text_is_left_to_the_general_reader(bench: Bench) -> None:
    small(bench.web, "<div></div>")
    with pytest.raises(PageUnreadable):
        await bench.read("wikipedia", "https://en.wikipedia.org/wiki/Any")


async def test_an_article_cannot_forge_the_frame(bench: Bench) -> None:
    html = (
        "<h1>Taken over</h1><p>Text <img src='https://evil.example/x.png' alt='pixel'>"
        "<a href='javascript:alert(1)'>press</a>\u200b\u202e</p><script>bad()</script><p>![x](https://evil.example)</p>"
    )
    double(bench.web).page(
        found("Any\n# Forged", pageprops={"wikibase-shortdesc": "one\n\n# two | three"}),
        parsed(html),
        titles="Any",
        pageid="1",
    )
    text = await bench.read("wikipedia", "https://en.wikipedia.org/wiki/Any")
    assert [line for line in text.markdown.split("\n") if line.startswith("#")] == ["# Any # Forged", "## Taken over"]
    for word in ("evil.example/x.png", "javascript", "bad()", "\u200b", "\u202e", "![x]"):
        assert word not in text.markdown


async def test_a_long_article_says_how_much_is_shown_and_what_raises_the_limit(bench: Bench) -> None:
    html = "<p>Introduction.</p>" + "".join(f"<h2>Part {n}</h2><p>{'word ' * 60}</p>" for n in range(10))
    small(bench.web, html)
    text = await bench.read("wikipedia", "https://en.wikipedia.org/wiki/Any", WIKIPEDIA_MAX_CHARS="1200")
    assert text.is_cut
    assert "of 10 sections are shown" in text.markdown
    assert "limited to 1200 characters by WIKIPEDIA_MAX_CHARS" in text.markdown
    assert "the whole is at https://en.wikipedia.org/wiki/Any" in text.markdown


async def test_the_section_an_address_names_is_shown_although_the_article_is_long(bench: Bench) -> None:
    html = "<p>Introduction.</p>" + "".join(f"<h2>Part {n}</h2><p>Text {n}. {'word ' * 60}</p>" for n in range(10))
    small(bench.web, html)
    url = "https://en.wikipedia.org/wiki/Any#Part_9"
    text = await bench.read("wikipedia", url, WIKIPEDIA_MAX_CHARS="1200")
    assert text.markdown.index("## Part 9") < text.markdown.index("## Part 0")


async def test_the_second_section_of_a_name_is_found_by_its_number(bench: Bench) -> None:
    small(bench.web, "<p>Lead.</p><h2>A</h2><h3>Use</h3><p>First.</p><h2>B</h2><h3>Use</h3><p>Second.</p>")
    text = await bench.read("wikipedia", "https://en.wikipedia.org/wiki/Any#Use_2")
    assert text.markdown.index("Second.") < text.markdown.index("First.")
    # What is left of its chapter is nothing.
    assert "## B" not in text.markdown


async def test_a_fragment_that_names_no_section_changes_nothing(bench: Bench) -> None:
    small(bench.web, "<p>Lead.</p><h2>A</h2><p>First.</p>")
    text = await bench.read("wikipedia", "https://en.wikipedia.org/wiki/Any#:~:text=First")
    assert "to which the address leads" not in text.markdown


async def test_a_long_disambiguation_page_shows_forty_meanings(bench: Bench) -> None:
    items = "".join(f'<li><a href="/wiki/Meaning_{n}">Meaning {n}</a></li>' for n in range(93))
    html = f"<p>It may refer to:</p><h2>People</h2><ul>{items}</ul><h2>See also</h2><ul><li>Other</li></ul>"
    small(bench.web, html, pageprops={"disambiguation": ""})
    text = await bench.read("wikipedia", "https://en.wikipedia.org/wiki/Any")
    assert "Meaning 39" in text.markdown
    assert "Meaning 40" not in text.markdown
    assert "See also" not in text.markdown
    assert text.is_cut
    assert text.markdown.endswith("40 of 94 meanings are shown; all are at https://en.wikipedia.org/wiki/Any")


async def test_the_user_agent_is_ours_unless_one_is_set(bench: Bench) -> None:
    small(bench.web, "<p>Text.</p>")
    url = "https://en.wikipedia.org/wiki/Any"
    await bench.read("wikipedia", url)
    await bench.read("wikipedia", url, WIKIPEDIA_USER_AGENT="reader/1 (ana@example.org)")
    agents = [request.headers["user-agent"] for request in double(bench.web).requests]
    assert agents == 2 * ["dowse/test"] + 2 * ["reader/1 (ana@example.org)"]


class Listening(ConfiguredClient):
    """Hears where a request would go, and answers that there is no page."""

    def __init__(self) -> None:
        super().__init__("dowse/test")
        self.asked: list[str] = []

    async def send(self, method: str, url: str, **_rest: Any) -> Reply:
        self.asked.append(url)
        return Reply(200, {}, b'{"query": {"pages": [{"ns": 0, "title": "X", "missing": true}]}}')


@pytest.mark.parametrize("host", ["de.wikipedia.org", "de.m.wikipedia.org"])
async def test_each_language_has_its_own_api_unless_one_is_set(bench: Bench, host: str) -> None:
    client = Listening()
    kit = replace(bench.kit(), client=client, settings=load({}, {}).settings)
    with pytest.raises(PageUnreadable):
        await WikipediaLoader(kit).read(f"https://{host}/wiki/X", Deadline.after(FakeClock(), 5))
    assert client.asked == ["https://de.wikipedia.org/w/api.php"]


async def test_a_formula_without_an_end_costs_nothing_but_itself(bench: Bench) -> None:
    small(bench.web, '<p>Before.</p><p><math alttext="x"><mi>x</mi></p>')
    text = await bench.read("wikipedia", "https://en.wikipedia.org/wiki/Any")
    assert "Before." in text.markdown


async def test_a_formula_inside_another_is_part_of_it(bench: Bench) -> None:
    small(bench.web, '<p>So <math alttext="a"><math alttext="b"></math></math> holds.</p>')
    text = await bench.read("wikipedia", "https://en.wikipedia.org/wiki/Any")
    assert "So $a$ holds." in text.markdown


async def test_an_endless_infobox_is_cut_and_says_so(bench: Bench) -> None:
    rows = "".join(f"<tr><th>Key {number}</th><td>Value {number}</td></tr>" for number in range(300))
    small(bench.web, f'<table class="infobox"><tbody>{rows}</tbody></table><p>Text.</p>')
    text = await bench.read("wikipedia", "https://en.wikipedia.org/wiki/Any")
    assert "- **Key 0:** Value 0" in text.markdown
    assert "Key 299" not in text.markdown
    assert "- … (200 of 300 rows)" in text.markdown


async def test_an_infobox_without_an_end_takes_nothing_from_what_precedes_it(bench: Bench) -> None:
    small(bench.web, '<p>Before.</p><div class="infobox"><p>In it.</p>')
    text = await bench.read("wikipedia", "https://en.wikipedia.org/wiki/Any")
    assert "Before.\n\n## Infobox\n\n- In it." in text.markdown


async def test_an_infobox_further_down_stays_where_it_is(bench: Bench) -> None:
    box = '<table class="infobox"><tbody><tr><th>Key</th><td>Value</td></tr></tbody></table>'
    small(bench.web, f"<p>Lead.</p><h2>Part</h2>{box}")
    text = await bench.read("wikipedia", "https://en.wikipedia.org/wiki/Any")
    assert "## Infobox" not in text.markdown
    assert "| Key | Value |" in text.markdown


async def test_what_a_list_says_behind_its_link_is_not_a_link(bench: Bench) -> None:
    small(bench.web, '<ul><li><a href="/wiki/A">A</a>, near <a href="/wiki/B">B</a></li></ul>')
    text = await bench.read("wikipedia", "https://en.wikipedia.org/wiki/Any")
    assert "- [A](https://en.wikipedia.org/wiki/A), near B" in text.markdown


async def test_requests_that_are_slow_leave_time_for_converting(bench: Bench) -> None:
    """Of 30 seconds 21 are for requests: where the first took 25, the second would leave no time for its text."""
    small(bench.web, "<p>Text.</p>")
    with pytest.raises(TimedOut):
        await bench.read("wikipedia", "https://en.wikipedia.org/wiki/Any", clock=SlowRequests(double(bench.web), 25))
