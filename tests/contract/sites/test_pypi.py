"""Python packages on PyPI, from the URL to the page that a model reads."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dowse.core.errors import BadAnswer, PageUnreadable, ProviderError, RateLimited, Unavailable
from dowse.core.models import Status
from tests.contract.sites.conftest import GENERAL, LOADED, Bench, Golden, Recorded
from tests.doubles.sites import SiteDouble

URL = "https://pypi.org/project/otterlib/"
OURS = [
    URL,
    "http://pypi.org/project/otterlib",
    "https://pypi.org/project/Otter.Lib/#history",
    "https://pypi.org/project/otterlib/2.0.1/",
    "https://pypi.org/project/otterlib/1!2.0+local.1",
    "https://pypi.org/project/otterlib/?tab=files",
]
STRANGERS = [
    "https://pypi.org/",
    "https://pypi.org/project/",
    "https://pypi.org/project/-/",
    "https://pypi.org/project/a%2Fb/",
    "https://pypi.org/project/otterlib/2.0/files/",
    "https://pypi.org/project/otterlib/%20/",
    "https://pypi.org/user/ana/",
    "https://pypi.org/search/?q=otter",
    "https://pypi.org/simple/otterlib/",
    "https://pypi.org:8443/project/otterlib/",
    "https://ana:secret@pypi.org/project/otterlib/",
    "http://pypi.org:443/project/otterlib/",
    "https://test.pypi.org/project/otterlib/",
    "https://evil-pypi.org/project/otterlib/",
    "https://pypi.org.evil.example/project/otterlib/",
    "ftp://pypi.org/project/otterlib/",
]


@pytest.fixture
def double(bench: Bench) -> SiteDouble:
    return bench.web.sites["pypi"]


@pytest.fixture
def otterlib(double: SiteDouble, recorded: Recorded) -> SiteDouble:
    return double.has("/pypi/otterlib/json", recorded("pypi/otterlib.json"))


def package(**fields: Any) -> str:
    return json.dumps({"info": {"name": "otterlib", "version": "1.0", **fields}, "urls": [], "releases": {}})


@pytest.mark.parametrize("url", OURS)
def test_a_package_is_accepted(bench: Bench, url: str) -> None:
    assert bench.accepts("pypi", url)


@pytest.mark.parametrize("url", STRANGERS)
def test_other_pages_are_not_taken_for_packages(bench: Bench, url: str) -> None:
    assert not bench.accepts("pypi", url)


async def test_a_package(bench: Bench, otterlib: SiteDouble, golden: Golden) -> None:
    text = await bench.read("pypi", URL)
    golden("pypi/otterlib", text.markdown)
    assert (text.title, text.url, text.is_cut) == ("otterlib 2.1.0", URL, False)
    assert [seen.path for seen in otterlib.requests] == ["/pypi/pypi/otterlib/json"]


async def test_an_old_version_says_that_it_is_yanked_vulnerable_and_old(
    bench: Bench, otterlib: SiteDouble, recorded: Recorded, golden: Golden
) -> None:
    otterlib.has("/pypi/otterlib/2.0.1/json", recorded("pypi/otterlib-2.0.1.json"))
    text = await bench.read("pypi", f"{URL}2.0.1/")
    golden("pypi/old_version", text.markdown)
    assert text.url == f"{URL}2.0.1/"


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("river-tools", "https://pypi.org/project/River_Tools"),
        ("bare", "https://pypi.org/project/bare/"),
        ("pond", "https://pypi.org/project/pond/#files"),
    ],
)
async def test_packages_of_other_kinds(
    bench: Bench, double: SiteDouble, recorded: Recorded, golden: Golden, name: str, url: str
) -> None:
    """One in reStructuredText with a licence of pages, one that says nothing, one with many dependencies."""
    double.has(f"/pypi/{name}/json", recorded(f"pypi/{name}.json"))
    golden(f"pypi/{name}", (await bench.read("pypi", url)).markdown)


async def test_of_a_licence_with_its_whole_text_the_first_line_is_shown(bench: Bench, double: SiteDouble) -> None:
    """Where no classifier names it."""
    info = {
        "name": "reed",
        "version": "1.0",
        "license": "Otter Public Licence\n\nEverybody may swim.",
        "classifiers": [],
    }
    double.has("/pypi/reed/json", json.dumps({"info": info, "releases": {}, "urls": []}))
    text = await bench.read("pypi", "https://pypi.org/project/reed/")
    assert "Otter Public Licence" in text.markdown
    assert "Everybody may swim" not in text.markdown


async def test_a_version_is_read_although_the_project_is_not(
    bench: Bench, double: SiteDouble, recorded: Recorded
) -> None:
    double.has("/pypi/otterlib/2.0.1/json", recorded("pypi/otterlib-2.0.1.json"))
    double.has("/pypi/otterlib/json", "{", status=500)
    text = await bench.read("pypi", f"{URL}2.0.1/")
    assert "yanked" in text.markdown
    assert "## Versions" not in text.markdown


@pytest.mark.parametrize("url", [URL, f"{URL}9.9/"])
async def test_what_does_not_exist_is_left_to_the_general_reader(bench: Bench, double: SiteDouble, url: str) -> None:
    with pytest.raises(PageUnreadable, match="no such package"):
        await bench.read("pypi", url)
    page = await bench.page("pypi", url)
    assert (page.text, page.engine, page.warnings) == (GENERAL, "direct", ())


@pytest.mark.parametrize("url", [URL, f"{URL}2.0.1/"])
async def test_a_package_that_has_moved_is_no_failure_of_the_registry(
    bench: Bench, double: SiteDouble, url: str
) -> None:
    for path in ("/pypi/otterlib/json", "/pypi/otterlib/2.0.1/json"):
        double.has(path, "", status=301, headers={"Location": "/pypi/otter-lib/json"})
    with pytest.raises(PageUnreadable, match="moved"):
        await bench.read("pypi", url)


@pytest.mark.parametrize(
    ("trouble", "error"),
    [("500", Unavailable), ("429", RateLimited), ("broken_json", BadAnswer), ("json_array", BadAnswer)],
)
async def test_an_api_that_fails_leaves_the_page_to_the_general_reader(
    bench: Bench, otterlib: SiteDouble, trouble: str, error: type[ProviderError]
) -> None:
    otterlib.fails(trouble, retry_after=30)
    with pytest.raises(error) as failure:
        await bench.read("pypi", URL)
    assert failure.value.retry_after_s == (30 if trouble.isdecimal() else None)
    page = await bench.page("pypi", URL)
    assert (page.status, page.text, page.engine) == (Status.OK, GENERAL, "direct")
    assert page.attempts[0].provider == "pypi"


async def test_what_authors_write_forges_no_heading_no_warning_and_no_image(bench: Bench, double: SiteDouble) -> None:
    evil = "x\n\n# Forged\n\n> **Yanked**\n\n![p](https://t.example/p.png)\u202e"
    fields = dict.fromkeys(("summary", "author", "license", "requires_python", "name", "version"), evil)
    double.has(
        "/pypi/otterlib/json",
        package(
            **fields,
            description=evil,
            description_content_type="text/markdown",
            project_urls={evil: "https://otter.example/\n# Forged", "Bad": "javascript:alert(1)"},
            requires_dist=[evil, f"a; extra == 'b' and {evil}"],
            classifiers=[f"Framework :: {evil}"],
        ),
    )
    text = await bench.read("pypi", URL)
    lines = text.markdown.split("\n")
    assert [line for line in lines if line.startswith("# ")] == [lines[0]]
    assert [line for line in lines if line.startswith("#")][-1] == "### Forged"
    assert [line for line in lines if line.startswith(">")] == ["> **Yanked**"], "the description's own"
    assert not LOADED.search(text.markdown)
    assert not any(found in text.markdown for found in ("javascript", "\u202e"))


@pytest.mark.parametrize(
    "body",
    [
        {"info": None},
        {"info": {"name": 5, "version": []}},
        {"info": []},
        {},
    ],
)
async def test_an_answer_without_a_package_is_no_answer(bench: Bench, double: SiteDouble, body: dict[str, Any]) -> None:
    double.has("/pypi/otterlib/json", json.dumps(body))
    with pytest.raises(BadAnswer):
        await bench.read("pypi", URL)


async def test_fields_that_are_not_what_they_should_be_do_no_harm(bench: Bench, double: SiteDouble) -> None:
    wrong = {
        "info": {
            "name": "otterlib",
            "version": "1.0",
            **dict.fromkeys(("classifiers", "requires_dist", "project_urls", "summary", "description"), 7),
        },
        "urls": [None, {"upload_time": 3}],
        "releases": {"1.0": "x", "2.0": [None], "3.0": [{"upload_time": "yesterday"}]},
        "vulnerabilities": [None, {}, {"id": 7, "aliases": "x", "fixed_in": [1]}],
    }
    double.has("/pypi/otterlib/json", json.dumps(wrong))
    text = await bench.read("pypi", URL)
    assert text.markdown.startswith("# otterlib 1.0\n")


async def test_what_is_left_out_of_a_list_within_a_line_is_counted(bench: Bench, double: SiteDouble) -> None:
    needed = [f"part{number}; extra == 'all'" for number in range(35)]
    names = [f"{letter} <{letter}@otter.example>" for letter in "abcdefgh"]
    double.has("/pypi/otterlib/json", package(requires_dist=needed, author_email=", ".join(names)))
    markdown = (await bench.read("pypi", URL)).markdown
    assert "`part29` and 5 more" in markdown
    assert "Author: a, b, c, d, e and 3 more" in markdown


async def test_a_description_of_enormous_length_is_cut_and_says_so(bench: Bench, double: SiteDouble) -> None:
    double.has("/pypi/otterlib/json", package(description="word " * 200_000, description_content_type="text/markdown"))
    text = await bench.read("pypi", URL)
    assert text.is_cut
    assert len(text.markdown) < 51_000
    assert text.markdown.endswith(f"…(truncated: the text is limited to 50000 characters; the whole is at {URL})")
