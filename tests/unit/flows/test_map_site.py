"""Maps of sites over scripted files: which links are of the site, in which order, and what a failure leaves."""

from __future__ import annotations

import gzip

import pytest

from dowse.core.errors import Offline, PageUnreadable
from dowse.core.models import Status
from dowse.core.wire_errors import WireFailed
from dowse.flows.map_site import SitemapUse
from tests.fakes.sites import SITE, Cartographer, Rules, index, urlset

START = f'<a href="/linked?page=2">Linked</a><a href="{SITE}/other">Other</a>'
FILES: dict[str, str | Exception] = {
    f"{SITE}/sitemap.xml": urlset(f"{SITE}/listed"),
    f"{SITE}/llms.txt": "- [Guide](/guide.md): About bridges",
}
HOME, LINKED, OTHER, LISTED, GUIDE = (f"{SITE}/{path}" for path in ("", "linked", "other", "listed", "guide.md"))


@pytest.mark.parametrize(
    ("use", "links"),
    [
        (SitemapUse.INCLUDE, [HOME, f"{LINKED}?page=2", OTHER, GUIDE, LISTED]),
        (SitemapUse.SKIP, [HOME, f"{LINKED}?page=2", OTHER]),
        (SitemapUse.ONLY, [GUIDE, LISTED]),
    ],
)
async def test_links_come_from_the_wanted_sources_in_their_order(use: SitemapUse, links: list[str]) -> None:
    cartographer = Cartographer(START, FILES)
    found = await cartographer.map(sitemap=use)
    assert [link.url for link in found.links] == links
    assert (found.site, found.warnings) == (HOME, ())
    assert bool(cartographer.fetcher.asked) == (use is not SitemapUse.ONLY)
    assert bool(cartographer.client.asked) == (use is not SitemapUse.SKIP)


@pytest.mark.parametrize(
    ("options", "link", "is_found"),
    [
        ({}, "https://docs.example.org/a", False),
        ({"with_subdomains": True}, "https://docs.example.org/a", True),
        ({"with_subdomains": True}, "https://notexample.org/a", False),
        ({}, "https://www.example.org/a", True),
        ({}, "http://example.org/a", True),
        ({}, "https://example.org:8443/a", False),
        ({}, "https://elsewhere.test/a", False),
        ({}, "ftp://example.org/a", False),
        ({}, f"{SITE}/a?x=1", True),
        ({"with_queries": False}, f"{SITE}/a?x=1", False),
    ],
)
async def test_a_map_has_pages_of_its_site_only(options: dict[str, object], link: str, is_found: bool) -> None:
    found = await Cartographer(f'<a href="{link}">A</a>').map(**options)
    assert (link in [each.url for each in found.links]) == is_found


async def test_a_page_is_listed_once_with_the_title_that_any_source_has() -> None:
    files = {f"{SITE}/llms.txt": f"- [Other pages]({OTHER}): All of them"}
    found = await Cartographer('<a href="/other#a"></a><a href="/other"><img></a>', files).map()
    assert [(link.url, link.title) for link in found.links] == [(HOME, ""), (OTHER, "Other pages")]


async def test_words_bring_the_pages_about_most_of_them_to_the_front() -> None:
    files = {f"{SITE}/sitemap.xml": urlset(OTHER, f"{SITE}/bridge", f"{SITE}/old-bridge")}
    found = await Cartographer(START, files).map(search="Old BRIDGE", limit=2)
    assert [link.url for link in found.links] == [f"{SITE}/old-bridge", f"{SITE}/bridge"]


async def test_a_full_map_reads_no_further_sitemap() -> None:
    maps = [f"{SITE}/{number}.xml" for number in range(9)]
    files = {f"{SITE}/sitemap.xml": index(*maps), **{each: urlset(f"{each}/page") for each in maps}}
    cartographer = Cartographer(START, files)
    found = await cartographer.map(sitemap=SitemapUse.ONLY, limit=1)
    assert len(found.links) == 1
    assert len(set(cartographer.client.asked) & set(maps)) <= 2


async def test_sitemaps_are_each_read_once_and_only_so_many() -> None:
    maps = [f"{SITE}/{number}.xml" for number in range(100)]
    files = {f"{SITE}/sitemap.xml": index(f"{SITE}/sitemap.xml", *maps)}
    cartographer = Cartographer("", files)
    found = await cartographer.map()
    assert len(cartographer.client.asked) == len(set(cartographer.client.asked)) <= 32
    assert "sitemaps were not read" in found.warnings[-1]


async def test_sitemaps_are_those_of_robots_txt_packed_or_not() -> None:
    files = {
        f"{SITE}/robots.txt": f"Sitemap: {SITE}/map.xml.gz\n",
        f"{SITE}/map.xml.gz": gzip.compress(urlset(OTHER).encode()),
        f"{SITE}/sitemap.xml": urlset(LISTED),
    }
    found = await Cartographer("", files).map(sitemap=SitemapUse.ONLY)
    assert [link.url for link in found.links] == [OTHER]


async def test_a_file_that_fails_is_a_warning_and_a_missing_one_is_none() -> None:
    files = {**FILES, f"{SITE}/sitemap.xml": WireFailed("reset")}
    found = await Cartographer(START, files).map()
    assert GUIDE in [link.url for link in found.links]
    (warning,) = found.warnings
    assert warning.startswith("/sitemap.xml: ")
    assert (await Cartographer(START).map()).warnings == ()


async def test_a_start_page_that_cannot_be_read_is_a_warning_beside_other_pages_and_an_error_without() -> None:
    blocked = PageUnreadable(Status.BLOCKED)
    found = await Cartographer(blocked, FILES).map()
    assert [link.url for link in found.links] == [GUIDE, LISTED]
    assert found.warnings == ("the start page could not be read: blocked",)
    with pytest.raises(PageUnreadable) as raised:
        await Cartographer(blocked).map()
    assert raised.value.status is Status.BLOCKED


@pytest.mark.parametrize(("mode", "is_read"), [("off", True), ("search", False), ("all", False)])
async def test_robots_txt_keeps_the_start_page_unread_where_it_is_heeded(mode: str, is_read: bool) -> None:
    cartographer = Cartographer(START, FILES, DOWSE_RESPECT_ROBOTS=mode)
    await cartographer.map(robots=Rules(allows=False))
    assert cartographer.fetcher.asked == ([HOME] if is_read else [])


@pytest.mark.parametrize("url", ["not an address", "ftp://example.org/", "https://example.org/?token=ghp_" + "a1" * 18])
async def test_an_address_that_may_not_be_asked_is_refused_before_anything_is_fetched(url: str) -> None:
    cartographer = Cartographer(START, FILES)
    with pytest.raises(PageUnreadable) as raised:
        await cartographer.map(url)
    assert raised.value.status is Status.DENIED
    assert cartographer.fetcher.asked == cartographer.client.asked == []


async def test_nothing_is_mapped_offline() -> None:
    with pytest.raises(Offline):
        await Cartographer(START, DOWSE_OFFLINE="true").map()


async def test_a_map_without_time_left_reads_no_file() -> None:
    cartographer = Cartographer(START, FILES)
    found = await cartographer.map(sitemap=SitemapUse.ONLY, within_s=0.2)
    assert (found.links, cartographer.client.asked) == ((), [])
