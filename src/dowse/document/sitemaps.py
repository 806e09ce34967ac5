"""Addresses in robots.txt, sitemaps, llms.txt and the links of a page: scanners in linear time, without an XML parser.

A sitemap needs no more than its `loc` elements, and a scanner expands no entities of the file's own.
"""

from __future__ import annotations

import html
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from dowse.core import urls
from dowse.core.text import one_line, without_markup

MAX_BYTES = 5_000_000
"""Of one file, decompressed."""
_GZIP = b"\x1f\x8b"
_TITLE_CHARS, _DESCRIPTION_CHARS = 200, 300
_URL_CHARS = 2048
_MOST_LINES = 20_000
_SITEMAP_LINE = re.compile(r"(?im)^[ \t]{0,9}sitemap[ \t]{0,9}:[ \t]{0,9}(\S{1,2048})")
_INDEX = re.compile(r"<(?:[\w.-]{1,20}:)?sitemapindex[\s>]")
_ENTRY = re.compile(r"<(?:[\w.-]{1,20}:)?(?:url|sitemap)>")
_LOC = re.compile(r"<(?:[\w.-]{1,20}:)?loc>\s{0,99}(?:<!\[CDATA\[)?([^<>\]]{1,2100}+)(?=[<\]])")
_NEWS_TITLE = re.compile(r"<news:title>\s{0,99}(?:<!\[CDATA\[)?([^<>\]]{1,500})")
_ANCHOR = re.compile(
    r"""<a\s[^<>]{0,2000}?\bhref\s{0,9}=\s{0,9}(?:"([^"<>]{1,2048})"|'([^'<>]{1,2048})'|([^\s"'<>]{1,2048}))"""
    r"""[^<>]{0,2000}>([^<>]{0,300})""",
    re.I,
)
_BASE = re.compile(r"""<base\s[^<>]{0,500}?\bhref\s{0,9}=\s{0,9}["']?([^"'\s<>]{1,2048})""", re.I)
_LISTED = re.compile(r"\[([^\[\]\n]{1,300})\]\(([^()\s]{1,2048})\)(?::[ \t]{0,9}([^\n]{1,400}))?")


@dataclass(frozen=True, slots=True)
class PageLink:
    """A page of a site: its address, and its title and description as far as they are known."""

    url: str
    title: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Sitemap:
    """One file: pages, or further sitemaps if it is an index."""

    pages: tuple[PageLink, ...] = ()
    sitemaps: tuple[str, ...] = field(default=())


def unpack(data: bytes) -> str:
    """The text of a file, which may be gzipped; as much of it as the limit allows. Damaged bytes are left out."""
    if data.startswith(_GZIP):
        try:
            data = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16).decompress(data, MAX_BYTES)
        except zlib.error:
            return ""
    return data[:MAX_BYTES].decode("utf-8", "replace")


def find_sitemaps(text: str) -> tuple[str, ...]:
    """The sitemaps that a robots.txt names."""
    return tuple(dict.fromkeys(_SITEMAP_LINE.findall(text)))


def read_sitemap(text: str, base: str, most: int) -> Sitemap:
    """The first entries of a sitemap or an index, as XML or as plain text with a line for each."""
    if "<" not in text:
        lines = islice(text.splitlines(), _MOST_LINES)
        return Sitemap(tuple(islice(_distinct(PageLink(line.strip()) for line in lines if "://" in line), most)))
    links = _distinct(_entries(text, base))
    if _INDEX.search(text[:2000]):
        return Sitemap(sitemaps=tuple(link.url for link in islice(links, most)))
    return Sitemap(tuple(islice(links, most)))


def read_anchors(markup: str, base: str) -> Iterator[PageLink]:
    """The links of a page, each with the text at the beginning of its anchor."""
    own = _BASE.search(markup[:20_000])
    start = urls.link(own[1], base) if own else base
    for found in _ANCHOR.finditer(markup):
        address = urls.link(html.unescape(next(filter(None, found.group(1, 2, 3)), "")), start or base)
        if address:
            yield PageLink(address.partition("#")[0], _clean(found[4], _TITLE_CHARS))


def read_llms_txt(text: str, base: str) -> Iterator[PageLink]:
    """The links of an llms.txt with their titles and descriptions; none of a web page in its place."""
    if text.lstrip().startswith("<"):
        return
    for found in _LISTED.finditer(text):
        if address := urls.link(found[2], base):
            yield PageLink(address, _clean(found[1], _TITLE_CHARS), _clean(found[3] or "", _DESCRIPTION_CHARS))


def _entries(text: str, base: str) -> Iterator[PageLink]:
    for entry in _ENTRY.split(text)[1:] or [text]:
        loc = _LOC.search(entry)
        address = urls.link(html.unescape(loc[1].strip()), base) if loc else ""
        if address:
            title = _NEWS_TITLE.search(entry)
            yield PageLink(address, _clean(title[1], _TITLE_CHARS) if title else "")


def _distinct(links: Iterable[PageLink]) -> Iterator[PageLink]:
    seen = set[str]()
    for link in links:
        if link.url not in seen and len(link.url) <= _URL_CHARS:
            seen.add(link.url)
            yield link


def _clean(text: str, limit: int) -> str:
    return without_markup(one_line(html.unescape(text)), limit)
