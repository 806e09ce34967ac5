"""Packages on npm, from the URL to the page that a model reads."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dowse.core.errors import BadAnswer, PageUnreadable, ProviderError, RateLimited, Unavailable
from dowse.core.models import Status
from dowse.core.runtime import SystemClock
from tests.contract.sites.conftest import GENERAL, LOADED, Bench, Golden, Recorded
from tests.doubles.sites import SiteDouble

URL = "https://www.npmjs.com/package/pond-server"
OURS = [
    URL,
    "http://npmjs.com/package/pond-server/",
    "https://www.npmjs.com/package/@pond/core",
    "https://www.npmjs.com/package/%40pond/core",
    "https://www.npmjs.com/package/pond-server/v/1.11.0",
    "https://www.npmjs.com/package/@pond/core/v/next",
    "https://www.npmjs.com/package/pond-server?activeTab=versions",
]
STRANGERS = [
    "https://www.npmjs.com/",
    "https://www.npmjs.com/package/",
    "https://www.npmjs.com/package/@pond",
    "https://www.npmjs.com/package/.hidden",
    "https://www.npmjs.com/package/a%2Fb",
    "https://www.npmjs.com/package/@a%2Fb/c",
    "https://www.npmjs.com/package/pond-server/v",
    "https://www.npmjs.com/package/pond-server/1.0.0",
    "https://www.npmjs.com/package/pond-server/v/1.0.0/x",
    "https://www.npmjs.com/~ana",
    "https://www.npmjs.com/search?q=pond",
    "https://www.npmjs.com:8080/package/pond-server",
    "https://ana:secret@www.npmjs.com/package/pond-server",
    "https://docs.npmjs.com/package/pond-server",
    "https://evilnpmjs.com/package/pond-server",
    "https://www.npmjs.com.evil.example/package/pond-server",
]


@pytest.fixture
def double(bench: Bench) -> SiteDouble:
    return bench.web.sites["npm"]


@pytest.fixture
def pond(double: SiteDouble, recorded: Recorded) -> SiteDouble:
    return double.has("/pond-server", recorded("npm/pond-server.json"))


def document(**fields: Any) -> str:
    manifest = {"name": "pond-server", "version": "1.0.0", **fields}
    return json.dumps({"name": "pond-server", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": manifest}})


@pytest.mark.parametrize("url", OURS)
def test_a_package_is_accepted(bench: Bench, url: str) -> None:
    assert bench.accepts("npm", url)


@pytest.mark.parametrize("url", STRANGERS)
def test_other_pages_are_not_taken_for_packages(bench: Bench, url: str) -> None:
    assert not bench.accepts("npm", url)


async def test_a_package(bench: Bench, pond: SiteDouble, golden: Golden) -> None:
    text = await bench.read("npm", URL)
    golden("npm/pond-server", text.markdown)
    assert (text.title, text.url, text.is_cut) == ("pond-server 2.0.0", URL, False)
    assert [seen.path for seen in pond.requests] == ["/npm/pond-server"]


@pytest.mark.parametrize(("version", "name"), [("1.11.0", "old_version"), ("next", "tag")])
async def test_a_version_and_a_tag(bench: Bench, pond: SiteDouble, golden: Golden, version: str, name: str) -> None:
    golden(f"npm/{name}", (await bench.read("npm", f"{URL}/v/{version}")).markdown)


@pytest.mark.parametrize(("name", "package"), [("core", "@pond/core"), ("left-bank", "left-bank")])
async def test_packages_of_other_kinds(
    bench: Bench, double: SiteDouble, recorded: Recorded, golden: Golden, name: str, package: str
) -> None:
    """One with a scope and without a README, one that is deprecated as a whole."""
    double.has(f"/{package}", recorded(f"npm/{name}.json"))
    golden(f"npm/{name}", (await bench.read("npm", f"https://www.npmjs.com/package/{package}")).markdown)


@pytest.fixture
def popular(double: SiteDouble, recorded: Recorded) -> SiteDouble:
    """A package with so many versions that its document is too large."""
    double.has("/pond-server", b'{"readme": "' + b"x" * 5_100_000 + b'"}')
    return double.has("/pond-server/latest", recorded("npm/pond-server-latest.json"))


async def test_a_package_with_too_large_a_document_has_its_readme_from_elsewhere(
    bench: Bench, popular: SiteDouble, golden: Golden
) -> None:
    readme = "# pond-server\n\nSee [the guide](docs/guide.md).\n"
    bench.web.pages.serves("/files/pond-server@2.0.0/README.md", readme, content_type="text/markdown")
    text = await bench.read("npm", URL)
    golden("npm/without_document", text.markdown)
    assert text.is_cut


@pytest.mark.parametrize("readme", ["", "word " * 210_000])
async def test_a_readme_that_cannot_be_got_is_said_to_be_missing(
    bench: Bench, popular: SiteDouble, readme: str
) -> None:
    """There is none, or one of more than a megabyte."""
    if readme:
        bench.web.pages.serves("/files/pond-server@2.0.0/README.md", readme)
    text = await bench.read("npm", URL)
    assert "## README" not in text.markdown
    assert "the README, the dates and the other versions are missing here" in text.markdown


async def test_a_document_that_does_not_come_leaves_time_for_the_version_alone(
    bench: Bench, popular: SiteDouble
) -> None:
    popular.fails("hang", times=1)
    text = await bench.read("npm", URL, seconds=1.0, clock=SystemClock())
    assert text.markdown.startswith("# pond-server 2.0.0\n")


@pytest.mark.parametrize("url", ["https://www.npmjs.com/package/nothing", f"{URL}/v/9.9.9"])
async def test_what_does_not_exist_is_left_to_the_general_reader(bench: Bench, pond: SiteDouble, url: str) -> None:
    with pytest.raises(PageUnreadable, match="no such"):
        await bench.read("npm", url)
    page = await bench.page("npm", url)
    assert (page.text, page.engine, page.warnings) == (GENERAL, "direct", ())


async def test_a_package_that_has_moved_is_no_failure_of_the_registry(bench: Bench, double: SiteDouble) -> None:
    double.has("/pond-server", "", status=302, headers={"Location": "/lake-server"})
    with pytest.raises(PageUnreadable, match="moved"):
        await bench.read("npm", URL)


@pytest.mark.parametrize(
    ("trouble", "error"),
    [("500", Unavailable), ("429", RateLimited), ("broken_json", BadAnswer), ("json_array", BadAnswer)],
)
async def test_an_api_that_fails_leaves_the_page_to_the_general_reader(
    bench: Bench, pond: SiteDouble, trouble: str, error: type[ProviderError]
) -> None:
    pond.fails(trouble, retry_after=30)
    with pytest.raises(error) as failure:
        await bench.read("npm", URL)
    assert failure.value.retry_after_s == (30 if trouble.isdecimal() else None)
    page = await bench.page("npm", URL)
    assert (page.status, page.text, page.engine) == (Status.OK, GENERAL, "direct")
    assert page.attempts[0].provider == "npm"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("git+https://github.com/pond/x.git", "https://github.com/pond/x"),
        ("git://github.com/pond/x.git", "https://github.com/pond/x"),
        ("git@github.com:pond/x.git", "https://github.com/pond/x"),
        ("ssh://git@gitlab.com/pond/x.git", "https://gitlab.com/pond/x"),
        ("git+ssh://git@github.com/pond/x.git", "https://github.com/pond/x"),
        ("pond/x", "https://github.com/pond/x"),
        ("gitlab:pond/x", "https://gitlab.com/pond/x"),
        ("https://user:secret@github.com/pond/x", ""),
        ("file:///etc/passwd", ""),
    ],
)
async def test_a_repository_is_an_address_that_can_be_opened(
    bench: Bench, double: SiteDouble, written: str, shown: str
) -> None:
    double.has("/pond-server", document(repository={"url": written}))
    text = await bench.read("npm", URL)
    assert (f"- Repository: {shown}\n" in f"{text.markdown}\n") == bool(shown)
    assert "Repository" not in text.markdown or shown


@pytest.mark.parametrize("directory", ["packages/server", "/packages/server/"])
async def test_links_in_a_readme_start_in_the_folder_of_the_package(
    bench: Bench, double: SiteDouble, directory: str
) -> None:
    repository = {"url": "git+https://github.com/pond/x.git", "directory": directory}
    double.has("/pond-server", document(repository=repository, readme="[a](docs/a.md) [b](/LICENSE) [c](../core)"))
    text = await bench.read("npm", URL)
    base = "https://github.com/pond/x/blob/HEAD"
    assert f"[a]({base}/packages/server/docs/a.md) [b]({base}/LICENSE) [c]({base}/packages/core)" in text.markdown


async def test_what_authors_write_forges_no_heading_no_warning_and_no_image(bench: Bench, double: SiteDouble) -> None:
    evil = "x\n\n# Forged\n\n> **Deprecated**\n\n![p](https://t.example/p.png)\u202e"
    texts = dict.fromkeys(("description", "license", "homepage", "author"), evil)
    maps = {name: {evil: evil} for name in ("dependencies", "peerDependencies", "engines", "bin")}
    double.has("/pond-server", document(**texts, **maps, readme=evil, deprecated=evil))
    text = await bench.read("npm", URL)
    lines = text.markdown.split("\n")
    assert [line for line in lines if line.startswith("# ")] == ["# pond-server 1.0.0"]
    assert [line for line in lines if line.startswith("#")][-1] == "### Forged"
    assert len([line for line in lines if line.startswith(">")]) == 2, "ours, and the README's own"
    assert not LOADED.search(text.markdown)
    assert "\u202e" not in text.markdown


async def test_fields_that_are_not_what_they_should_be_do_no_harm(bench: Bench, double: SiteDouble) -> None:
    names = ("dependencies", "engines", "bin", "repository", "bugs", "maintainers", "license", "author", "readme")
    double.has("/pond-server", document(**dict.fromkeys(names, 7), peerDependencies=["x"], deprecated=False))
    text = await bench.read("npm", URL)
    assert text.markdown.startswith("# pond-server 1.0.0\n")
    assert "Deprecated" not in text.markdown


@pytest.mark.parametrize("body", [{}, {"versions": None}, {"dist-tags": {"latest": 5}, "versions": {"1": {}}}])
async def test_a_document_without_versions_is_left_to_the_general_reader(
    bench: Bench, double: SiteDouble, body: dict[str, Any]
) -> None:
    """As that of a package which was unpublished."""
    double.has("/pond-server", json.dumps(body))
    with pytest.raises(PageUnreadable):
        await bench.read("npm", URL)


async def test_a_readme_of_enormous_length_is_cut_and_says_so(bench: Bench, double: SiteDouble) -> None:
    double.has("/pond-server", document(readme="word " * 200_000))
    text = await bench.read("npm", URL)
    assert text.is_cut
    assert len(text.markdown) < 51_000
