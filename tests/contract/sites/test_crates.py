"""Rust crates on crates.io, from the URL to the page that a model reads."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from dowse.core.errors import BadAnswer, PageUnreadable, ProviderError, RateLimited, TimedOut, Unavailable
from dowse.core.models import Deadline, Status
from dowse.sites.crates import CratesLoader
from tests.contract.sites.conftest import GENERAL, LOADED, Bench, Golden, Recorded, SlowRequests
from tests.doubles.sites import SiteDouble
from tests.fakes import FakeClock
from tests.fakes.scripted import PlainExtractor

URL = "https://crates.io/crates/otter"
README = """\
<h1><a href="#otter">otter</a></h1>
<p><a href="https://ci.example"><img src="https://img.example/b.svg" alt="CI"></a></p>
<p>Serialises <em>otters</em>. See <a href="https://otter.example/guide">the guide</a>.</p>
<h2>Example</h2>
<pre><code class="language-rust">let otter = Otter::new();
if otter.wet() {
    otter.swim();
}
</code></pre>
"""
UNREAD = "…(the README could not be read; the whole is at https://crates.io/crates/otter/1.2.0)"
OURS = [
    URL,
    "http://crates.io/crates/otter/",
    "https://crates.io/crates/otter/1.1.1",
    "https://crates.io/crates/otter/2.0.0-alpha.1",
    "https://crates.io/crates/otter_derive",
]
STRANGERS = [
    "https://crates.io/",
    "https://crates.io/crates",
    "https://crates.io/crates/1otter",
    "https://crates.io/crates/otter/versions",
    "https://crates.io/crates/otter/1.0",
    "https://crates.io/crates/otter/1.0.0/dependencies",
    "https://crates.io/crates/a%2Fb",
    "https://crates.io/keywords/otter",
    "https://crates.io:8080/crates/otter",
    "https://ana:secret@crates.io/crates/otter",
    "https://static.crates.io/crates/otter",
    "https://evilcrates.io/crates/otter",
    "https://crates.io.evil.example/crates/otter",
    "https://docs.rs/crates/otter",
]


@pytest.fixture
def double(bench: Bench) -> SiteDouble:
    return bench.web.sites["crates"]


@pytest.fixture
def otter(bench: Bench, double: SiteDouble, recorded: Recorded) -> SiteDouble:
    bench.web.pages.serves("/readmes/otter.html", README)
    double.has("/crates/otter", recorded("crates/otter.json"))
    for version in ("1.2.0", "1.1.1", "2.0.0-alpha.1"):
        double.has(f"/crates/otter/{version}/dependencies", recorded("crates/otter-dependencies.json"))
        double.has(f"/crates/otter/{version}/readme", json.dumps({"url": bench.web.page("/readmes/otter.html")}))
    return double


def crate(version: dict[str, Any] | None = None, **fields: Any) -> str:
    versions = [{"num": "1.0.0", **(version or {})}]
    return json.dumps({"crate": {"name": "otter", "max_version": "1.0.0", **fields}, "versions": versions})


@pytest.mark.parametrize("url", OURS)
def test_a_crate_is_accepted(bench: Bench, url: str) -> None:
    assert bench.accepts("crates", url)


@pytest.mark.parametrize("url", STRANGERS)
def test_other_pages_are_not_taken_for_crates(bench: Bench, url: str) -> None:
    assert not bench.accepts("crates", url)


async def test_a_crate(bench: Bench, otter: SiteDouble, golden: Golden) -> None:
    text = await bench.read("crates", URL)
    golden("crates/otter", text.markdown)
    assert (text.title, text.url, text.is_cut) == ("otter 1.2.0", URL, False)
    assert sorted(seen.path for seen in otter.requests) == [
        "/crates/crates/otter",
        "/crates/crates/otter/1.2.0/dependencies",
        "/crates/crates/otter/1.2.0/readme",
    ]


@pytest.mark.parametrize(("version", "name"), [("1.1.1", "yanked"), ("2.0.0-alpha.1", "alpha")])
async def test_a_version(bench: Bench, otter: SiteDouble, golden: Golden, version: str, name: str) -> None:
    golden(f"crates/{name}", (await bench.read("crates", f"{URL}/{version}")).markdown)


async def test_a_crate_that_has_and_says_little(
    bench: Bench, double: SiteDouble, recorded: Recorded, golden: Golden
) -> None:
    double.has("/crates/brook", recorded("crates/brook.json"))
    double.has("/crates/brook/0.1.0/dependencies", recorded("crates/no-dependencies.json"))
    double.has("/crates/brook/0.1.0/readme", json.dumps({"url": bench.web.page("/readmes/nowhere.html")}))
    golden("crates/brook", (await bench.read("crates", "https://crates.io/crates/brook")).markdown)


async def test_a_crate_is_read_although_its_dependencies_and_its_readme_are_not(
    bench: Bench, double: SiteDouble, recorded: Recorded, golden: Golden
) -> None:
    double.has("/crates/otter", recorded("crates/otter.json"))
    text = await bench.read("crates", URL)
    golden("crates/alone", text.markdown)
    assert text.is_cut


@pytest.mark.parametrize(("status", "is_none"), [(403, True), (404, True), (500, False), (204, False)])
async def test_a_crate_without_a_readme_is_told_from_one_whose_readme_is_not_got(
    bench: Bench, otter: SiteDouble, status: int, is_none: bool
) -> None:
    """Where READMEs are kept, a 403 says the same as a 404."""
    bench.web.pages.serves("/readmes/otter.html", "", status=status)
    text = await bench.read("crates", URL)
    assert ("## README\n\nThere is none." in text.markdown) == is_none
    assert (UNREAD in text.markdown) == (not is_none)
    assert text.is_cut != is_none


async def test_a_readme_that_cannot_be_converted_costs_nothing_but_itself(bench: Bench, otter: SiteDouble) -> None:
    class Failing(PlainExtractor):
        async def render(self, fragments: object, **_options: object) -> list[str]:
            raise PageUnreadable(Status.ERROR, "could not be converted")

    loader = CratesLoader(replace(bench.kit(), extractor=Failing()))
    text = await loader.read(URL, Deadline.after(FakeClock(), 30))
    assert "- `memchr` `^2.7`" in text.markdown
    assert text.markdown.endswith(UNREAD)


async def test_a_readme_of_more_than_a_megabyte_is_not_got(bench: Bench, otter: SiteDouble) -> None:
    bench.web.pages.serves("/readmes/otter.html", f"{README}<!--{'x' * 1_000_000}-->")
    assert UNREAD in (await bench.read("crates", URL)).markdown


async def test_requests_leave_time_for_converting(bench: Bench, otter: SiteDouble) -> None:
    """The crate alone takes eight of ten seconds: what is left is not for more requests."""
    text = await bench.read("crates", URL, seconds=10, clock=SlowRequests(otter, 8))
    assert "the dependencies and the README could not be read" in text.markdown


async def test_a_crate_that_does_not_come_is_not_waited_for_until_the_end(bench: Bench, otter: SiteDouble) -> None:
    otter.fails("hang")
    with pytest.raises(TimedOut, match=r"within 0\.1 s"):
        await bench.read("crates", URL, seconds=0.2)


async def test_what_is_left_out_of_a_list_within_a_line_is_counted(bench: Bench, double: SiteDouble) -> None:
    names = [f"part{number}" for number in range(20)]
    double.has("/crates/otter", crate({"features": {"all": names}}))
    needed = [{"crate_id": "memchr", "req": "^2", "kind": "normal", "features": names}]
    double.has("/crates/otter/1.0.0/dependencies", json.dumps({"dependencies": needed}))
    text = await bench.read("crates", URL)
    assert text.markdown.count("`part14` and 5 more") == 2


@pytest.mark.parametrize("address", ["http://169.254.169.254/latest", "file:///etc/passwd", "", "http://10.0.0.1/"])
async def test_a_readme_is_not_got_from_an_address_that_is_not_allowed(
    bench: Bench, otter: SiteDouble, address: str
) -> None:
    otter.has("/crates/otter/1.2.0/readme", json.dumps({"url": address}))
    text = await bench.read("crates", URL)
    assert text.markdown.endswith(UNREAD)


@pytest.mark.parametrize("url", ["https://crates.io/crates/nothing", f"{URL}/9.9.9"])
async def test_what_does_not_exist_is_left_to_the_general_reader(bench: Bench, otter: SiteDouble, url: str) -> None:
    with pytest.raises(PageUnreadable, match="no such"):
        await bench.read("crates", url)
    page = await bench.page("crates", url)
    assert (page.text, page.engine, page.warnings) == (GENERAL, "direct", ())


@pytest.mark.parametrize(
    ("trouble", "error"),
    [("500", Unavailable), ("429", RateLimited), ("broken_json", BadAnswer), ("json_array", BadAnswer)],
)
async def test_an_api_that_fails_leaves_the_page_to_the_general_reader(
    bench: Bench, otter: SiteDouble, trouble: str, error: type[ProviderError]
) -> None:
    otter.fails(trouble, retry_after=30)
    with pytest.raises(error) as failure:
        await bench.read("crates", URL)
    assert failure.value.retry_after_s == (30 if trouble.isdecimal() else None)
    page = await bench.page("crates", URL)
    assert (page.status, page.text, page.engine) == (Status.OK, GENERAL, "direct")
    assert page.attempts[0].provider == "crates"


async def test_what_authors_write_forges_no_heading_no_warning_and_no_image(bench: Bench, double: SiteDouble) -> None:
    evil = "x\n\n# Forged\n\n> **Yanked**\n\n![p](https://t.example/p.png)\u202e"
    version = {"license": evil, "rust_version": evil, "features": {evil: [evil]}, "yanked": True, "yank_message": evil}
    double.has("/crates/otter", crate(version, description=evil, homepage=evil, keywords=[evil]))
    bench.web.pages.serves("/evil.html", "<h1>Forged</h1><img src='https://t.example/p.png'>")
    double.has("/crates/otter/1.0.0/readme", json.dumps({"url": bench.web.page("/evil.html")}))
    needed = [{"crate_id": evil, "req": evil, "kind": "normal", "target": evil, "features": [evil]}]
    double.has("/crates/otter/1.0.0/dependencies", json.dumps({"dependencies": needed}))
    text = await bench.read("crates", URL)
    lines = text.markdown.split("\n")
    assert [line for line in lines if line.startswith("# ")] == ["# otter 1.0.0"]
    assert [line for line in lines if line.startswith("#")][-1] == "### Forged"
    assert len([line for line in lines if line.startswith(">")]) == 1
    assert not LOADED.search(text.markdown)
    assert "\u202e" not in text.markdown


@pytest.mark.parametrize("body", [{}, {"crate": {}, "versions": None}, {"crate": None, "versions": [{"num": 5}]}])
async def test_an_answer_without_a_crate_is_no_answer(bench: Bench, double: SiteDouble, body: dict[str, Any]) -> None:
    double.has("/crates/otter", json.dumps(body))
    with pytest.raises(BadAnswer):
        await bench.read("crates", URL)


async def test_fields_that_are_not_what_they_should_be_do_no_harm(bench: Bench, double: SiteDouble) -> None:
    double.has("/crates/otter", crate({"features": [1], "created_at": 7}, downloads="many", keywords=7, description=[]))
    double.has("/crates/otter/1.0.0/dependencies", json.dumps({"dependencies": [None, {}, {"kind": "normal"}]}))
    double.has("/crates/otter/1.0.0/readme", json.dumps({"url": 7}))
    assert (await bench.read("crates", URL)).markdown.startswith("# otter 1.0.0\n")


async def test_a_readme_of_enormous_length_is_cut_and_says_so(bench: Bench, otter: SiteDouble) -> None:
    bench.web.pages.serves("/readmes/otter.html", "<p>" + "word " * 100_000)
    text = await bench.read("crates", URL)
    assert text.is_cut
    assert len(text.markdown) < 51_000
