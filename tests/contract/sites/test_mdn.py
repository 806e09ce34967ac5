"""Pages of MDN, from the URL to the page that a model reads."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dowse.core.errors import BadAnswer, PageUnreadable, ProviderError, RateLimited, TimedOut, Unavailable
from dowse.core.models import Status
from tests.contract.sites.conftest import GENERAL, LOADED, Bench, Golden, Recorded
from tests.doubles.sites import SiteDouble

SWIM = "/en-US/docs/Web/JavaScript/Reference/Otter/swim"
URL = f"https://developer.mozilla.org{SWIM}"
OURS = [
    URL,
    f"{URL}/",
    f"{URL}#syntax",
    f"http://developer.mozilla.org{SWIM}?q=1",
    "https://developer.mozilla.org/fr/docs/Web/CSS/rivi%C3%A8re",
    "https://developer.mozilla.org/zh-CN/docs/Web/CSS/::before",
]
STRANGERS = [
    "https://developer.mozilla.org/",
    "https://developer.mozilla.org/en-US/",
    "https://developer.mozilla.org/en-US/docs/",
    "https://developer.mozilla.org/docs/Web/CSS",
    "https://developer.mozilla.org/en-US/blog/otters/",
    "https://developer.mozilla.org/en-us2/docs/Web/CSS",
    "https://developer.mozilla.org/en-US/docs/Web//CSS",
    f"{URL}/index.json",
    f"https://developer.mozilla.org:8080{SWIM}",
    f"https://ana:secret@developer.mozilla.org{SWIM}",
    f"https://mozilla.org{SWIM}",
    f"https://developer-mozilla.org{SWIM}",
    f"https://developer.mozilla.org.evil.example{SWIM}",
]


@pytest.fixture
def double(bench: Bench) -> SiteDouble:
    return bench.web.sites["mdn"]


@pytest.fixture
def swim(double: SiteDouble, recorded: Recorded) -> SiteDouble:
    return double.has(f"{SWIM}/index.json", recorded("mdn/swim.json"))


def document(*sections: Any, **fields: Any) -> str:
    return json.dumps({"doc": {"title": "A title", "body": list(sections), **fields}})


def prose(content: object, title: object = None) -> dict[str, Any]:
    return {"type": "prose", "value": {"id": "x", "title": title, "isH3": False, "content": content}}


@pytest.mark.parametrize("url", OURS)
def test_a_page_is_accepted(bench: Bench, url: str) -> None:
    assert bench.accepts("mdn", url)


@pytest.mark.parametrize("url", STRANGERS)
def test_other_pages_are_not(bench: Bench, url: str) -> None:
    assert not bench.accepts("mdn", url)


async def test_a_page_of_the_reference(bench: Bench, swim: SiteDouble, golden: Golden) -> None:
    text = await bench.read("mdn", f"{URL}#syntax")
    golden("mdn/swim", text.markdown)
    assert (text.title, text.url, text.is_cut) == ("Otter.prototype.swim()", URL, False)
    assert [seen.path for seen in swim.requests] == [f"/mdn{SWIM}/index.json"]


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("guide", "/en-US/docs/Learn_web_development/Rivers"),
        ("fr", "/fr/docs/Web/CSS/rivière"),
        ("limited", "/en-US/docs/Web/API/River/flow_event"),
        ("low", "/en-US/docs/Web/CSS/flow"),
    ],
)
async def test_pages_of_other_kinds(
    bench: Bench, double: SiteDouble, recorded: Recorded, golden: Golden, name: str, path: str
) -> None:
    """A guide, a translation, and features that not every browser has."""
    double.has(f"{path}/index.json", recorded(f"mdn/{name}.json"))
    golden(f"mdn/{name}", (await bench.read("mdn", f"https://developer.mozilla.org{path}")).markdown)


async def test_a_page_that_does_not_exist_or_has_moved_is_left_to_the_general_reader(
    bench: Bench, double: SiteDouble
) -> None:
    for reason in ("no such page", "moved"):
        with pytest.raises(PageUnreadable, match=reason):
            await bench.read("mdn", URL)
        page = await bench.page("mdn", URL)
        assert (page.text, page.engine, page.warnings) == (GENERAL, "direct", ())
        double.has(f"{SWIM}/index.json", "", status=301, headers={"Location": "/en-US/docs/Web/Otter/swim/index.json"})


@pytest.mark.parametrize(
    ("trouble", "error"),
    [("500", Unavailable), ("429", RateLimited), ("broken_json", BadAnswer), ("json_array", BadAnswer)],
)
async def test_a_site_that_fails_leaves_the_page_to_the_general_reader(
    bench: Bench, swim: SiteDouble, trouble: str, error: type[ProviderError]
) -> None:
    swim.fails(trouble, retry_after=30)
    with pytest.raises(error) as failure:
        await bench.read("mdn", URL)
    assert failure.value.retry_after_s == (30 if trouble.isdecimal() else None)
    page = await bench.page("mdn", URL)
    assert (page.status, page.text, page.engine) == (Status.OK, GENERAL, "direct")
    assert page.attempts[0].provider == "mdn"


async def test_nothing_in_a_document_forges_a_heading_or_loads_an_image(bench: Bench, double: SiteDouble) -> None:
    evil = "x\n# Forged\n![p](https://t.example/p.png)\u202e"
    html = "<h1>Forged</h1><script>alert(1)</script><img src='https://t.example/p.png' alt='pic'><p>Text.</p>"
    sections = [prose(html, evil), {"type": "specifications", "value": {"specifications": [{"title": evil}]}}]
    double.has(f"{SWIM}/index.json", document(*sections, title=evil, source={"github_url": evil}))
    text = await bench.read("mdn", URL)
    headings = [line for line in text.markdown.split("\n") if line.startswith("#")]
    assert headings == ["# x # Forged p", "## x # Forged p", "#### Forged"]
    assert not LOADED.search(text.markdown)
    assert not any(found in text.markdown for found in ("alert", "\u202e"))


@pytest.mark.parametrize("body", [{}, {"doc": None}, {"doc": {"title": "x"}}, {"doc": {"title": 5, "body": []}}])
async def test_an_answer_without_a_document_is_no_answer(
    bench: Bench, double: SiteDouble, body: dict[str, Any]
) -> None:
    double.has(f"{SWIM}/index.json", json.dumps(body))
    with pytest.raises(BadAnswer):
        await bench.read("mdn", URL)


async def test_a_document_without_text_is_left_to_the_general_reader(bench: Bench, double: SiteDouble) -> None:
    double.has(f"{SWIM}/index.json", document(prose(""), {"type": "specifications"}))
    with pytest.raises(PageUnreadable):
        await bench.read("mdn", URL)


async def test_fields_that_are_not_what_they_should_be_do_no_harm(bench: Bench, double: SiteDouble) -> None:
    sections = [
        None,
        7,
        {},
        {"type": "prose", "value": None},
        {"type": "specifications", "value": {"title": "S", "specifications": [None, {"bcdSpecificationURL": 7}]}},
        {"type": "browser_compatibility", "value": {"title": 7}},
        prose(7, 7),
        prose("<p>Text</div></div><div class='notecard'><p>Open.", "T"),
    ]
    wrong = {"baseline": {"baseline": [], "support": 7}, "parents": [7], "source": 7, "modified": 7}
    double.has(f"{SWIM}/index.json", document(*sections, **wrong))
    text = await bench.read("mdn", URL)
    assert "Text" in text.markdown
    assert "Open." in text.markdown


async def test_a_page_of_enormous_length_is_cut_and_says_so(bench: Bench, double: SiteDouble) -> None:
    double.has(f"{SWIM}/index.json", document(*(prose("<p>" + "word " * 2000, f"S{n}") for n in range(30))))
    text = await bench.read("mdn", URL)
    assert text.is_cut
    assert len(text.markdown) < 51_000


async def test_sections_and_specifications_beyond_the_first_are_counted(bench: Bench, double: SiteDouble) -> None:
    links = [{"title": f"Draft {n}", "bcdSpecificationURL": f"https://spec.example/{n}"} for n in range(25)]
    table = {"type": "specifications", "value": {"title": "Specifications", "specifications": links}}
    double.has(f"{SWIM}/index.json", document(table, *(prose("<p>Text</p>", f"S{n}") for n in range(249))))
    text = await bench.read("mdn", URL)
    assert "- [Draft 19](https://spec.example/19)\n- … and 5 more\n" in text.markdown
    assert "## S198\n" in text.markdown
    assert text.markdown.endswith(f"…(200 of 250 sections are shown; the whole is at {URL})")
    assert text.is_cut


async def test_a_title_says_what_the_page_is_about(bench: Bench, double: SiteDouble) -> None:
    name = "<video>: The Video Embed element"
    sections = [prose("<p>Text</p>", "Why <code>&lt;video&gt;</code>?"), prose("<p>Text</p>", "x")]
    sections[1]["value"]["titleAsText"] = "And <audio>?"
    double.has(f"{SWIM}/index.json", document(*sections, title=name))
    text = await bench.read("mdn", URL)
    assert text.title == name
    assert text.markdown.startswith("# \\<video\\>: The Video Embed element\n")
    assert "\n## Why \\<video\\>?\n" in text.markdown
    assert "\n## And \\<audio\\>?\n" in text.markdown


async def test_a_page_that_does_not_come_is_not_waited_for_until_the_end(bench: Bench, swim: SiteDouble) -> None:
    swim.fails("hang")
    with pytest.raises(TimedOut, match=r"within 0\.1 s"):
        await bench.read("mdn", URL, seconds=0.2)
