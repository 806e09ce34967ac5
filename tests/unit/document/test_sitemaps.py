"""Sitemaps, robots.txt, llms.txt and anchors, as sites write them, and as nobody should."""

import gzip
import time

import pytest

from dowse.document.sitemaps import (
    MAX_BYTES,
    PageLink,
    find_sitemaps,
    read_anchors,
    read_llms_txt,
    read_sitemap,
    unpack,
)

SITE = "https://example.org/"
URLSET = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">
  <url><loc>https://example.org/a?x=1&amp;y=2</loc><lastmod>2026-01-01</lastmod></url>
  <url>
    <loc><![CDATA[ https://example.org/b ]]></loc>
    <news:news><news:title>Bridge &amp; harbour</news:title></news:news>
  </url>
  <url><loc>/relative</loc></url>
  <url><loc>https://example.org/b</loc></url>
  <url><loc>javascript:alert(1)</loc></url>
</urlset>"""


def addresses(text: str, most: int = 100) -> list[str]:
    return [link.url for link in read_sitemap(text, SITE, most).pages]


def test_pages_of_a_sitemap_are_listed_once_with_the_titles_of_news() -> None:
    assert read_sitemap(URLSET, SITE, 100).pages == (
        PageLink("https://example.org/a?x=1&y=2"),
        PageLink("https://example.org/b", "Bridge & harbour"),
        PageLink("https://example.org/relative"),
    )


def test_an_index_lists_sitemaps_and_no_pages() -> None:
    index = "<sitemapindex><sitemap><loc>https://example.org/s1.xml.gz</loc></sitemap></sitemapindex>"
    found = read_sitemap(index, SITE, 100)
    assert (found.pages, found.sitemaps) == ((), ("https://example.org/s1.xml.gz",))


def test_a_prefix_a_plain_list_and_broken_xml_are_read_as_far_as_they_go() -> None:
    prefixed = '<sm:urlset xmlns:sm="x"><sm:url><sm:loc>https://example.org/p</sm:loc></sm:url></sm:urlset>'
    assert addresses(prefixed) == ["https://example.org/p"]
    assert addresses("https://example.org/1\n\nhttps://example.org/2\nno address\n") == [
        "https://example.org/1",
        "https://example.org/2",
    ]
    assert addresses("<urlset><url><loc>https://example.org/1</loc><url><loc>https://exam") == ["https://example.org/1"]


def test_no_more_are_read_than_are_wanted() -> None:
    many = "<urlset>" + "".join(f"<url><loc>https://example.org/{n}</loc></url>" for n in range(5000)) + "</urlset>"
    assert len(addresses(many, 7)) == 7


def test_entities_of_the_file_are_never_expanded() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "https://evil.example/"><!ENTITY b SYSTEM "file:///etc/passwd">]>'
    found = addresses(bomb + "<urlset><url><loc>https://example.org/&a;&b;</loc></url></urlset>")
    assert found == ["https://example.org/&a;&b;"]


def test_a_gzipped_file_is_unpacked_and_a_bomb_only_up_to_the_limit() -> None:
    assert unpack(gzip.compress(URLSET.encode())) == URLSET
    assert len(unpack(gzip.compress(b"a" * (3 * MAX_BYTES)))) == MAX_BYTES
    assert unpack(b"\x1f\x8bdamaged") == ""
    assert unpack(b"\xff\xfe") == "\ufffd\ufffd"


def test_robots_txt_names_sitemaps_in_any_case() -> None:
    text = "User-agent: *\nSitemap: https://example.org/a.xml\n  SITEMAP:https://example.org/b.xml\n# Sitemap: c"
    assert find_sitemaps(text) == ("https://example.org/a.xml", "https://example.org/b.xml")


def test_anchors_are_resolved_and_have_the_beginning_of_their_text() -> None:
    page = """<base href="https://example.org/docs/"><a class=x href='one.html'>One &amp; <b>only</b></a>
    <A HREF=two.html#part>Two</A><a href="mailto:a@b">m</a><a name=x>no</a><area href="/area">"""
    assert list(read_anchors(page, SITE)) == [
        PageLink("https://example.org/docs/one.html", "One &"),
        PageLink("https://example.org/docs/two.html", "Two"),
    ]


def test_llms_txt_has_titles_and_descriptions_and_a_web_page_in_its_place_has_none() -> None:
    text = "# Site\n\n- [Guide](/guide.md): How it works\n- [API](https://example.org/api)\n"
    assert list(read_llms_txt(text, SITE)) == [
        PageLink("https://example.org/guide.md", "Guide", "How it works"),
        PageLink("https://example.org/api", "API"),
    ]
    assert list(read_llms_txt("<!doctype html>[x](/y)", SITE)) == []


@pytest.mark.parametrize(
    "text",
    [
        "<a " * 300_000,
        "<a href=" * 150_000,
        '<a href="' + "x" * 900_000,
        "<url><loc>" * 150_000,
        "<loc><![CDATA[" * 100_000,
        "[" * 900_000,
        "[a](" * 300_000,
        "Sitemap:" + " " * 900_000,
    ],
)
def test_hostile_files_take_no_longer_than_their_size(text: str) -> None:
    began = time.process_time()
    read_sitemap(text, SITE, 5000)
    list(read_anchors(text, SITE))
    list(read_llms_txt(text, SITE))
    find_sitemaps(text)
    assert time.process_time() - began < 3
