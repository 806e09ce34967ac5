"""Feeds of all four kinds come out alike: a title, then entries with date, author, link and text."""

from __future__ import annotations

import pytest

from dowse.core.models import Body, Text
from dowse.extract.convert import to_text
from dowse.extract.formats import feeds
from dowse.extract.formats.feeds import FeedEntry
from tests.support.tables import each_row

URL = "https://news.example/feed"

RSS = """<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/">
<channel><title>Valley &amp; line</title><link>https://news.example/</link><description>All of it</description>
<item><title>The first &lt;b&gt;train&lt;/b&gt;</title><link>/first?utm_source=rss</link><dc:creator>ana</dc:creator>
<pubDate>Mon, 02 Mar 2026 10:00:00 GMT</pubDate><description>Short.</description>
<content:encoded><![CDATA[<h1>Early</h1><p>It <a href="/go">went</a>&nbsp;<img src="https://evil.example/p"></p>]]></content:encoded>
</item></channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Valley &amp; line</title><subtitle>All of it</subtitle>
<entry><title>The first train</title><link rel="edit" href="/edit"/><link href="/first"/>
<updated>2026-03-02T10:00:00Z</updated><author><name>ana</name></author>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">
<h1>Early</h1><p>It <a href="/go">went</a></p></div></content>
</entry></feed>"""
RDF = """<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel><title>Valley &amp; line</title><description>All of it</description></channel>
<item><title>The first train</title><link>https://news.example/first</link><dc:date>2026-03-02T10:00:00Z</dc:date>
<dc:creator>ana</dc:creator><description>&lt;h1&gt;Early&lt;/h1&gt;
&lt;p&gt;It &lt;a href="/go"&gt;went&lt;/a&gt;&lt;/p&gt;</description>
</item></rdf:RDF>"""
JSON = """{"version": "https://jsonfeed.org/version/1.1", "title": "Valley & line", "description": "All of it",
"items": [{"id": "1", "url": "https://news.example/first", "title": "The first train", "authors": [{"name": "ana"}],
"date_published": "2026-03-02T10:00:00Z", "content_html": "<h1>Early</h1><p>It <a href='/go'>went</a></p>"}]}"""

SHOWN = """# Valley & line

All of it

## The first train

2026-03-02 · ana · https://news.example/first

### Early

It [went](https://news.example/go)"""


def read(source: str, media_type: str) -> Text:
    return to_text(Body(URL, source.encode(), media_type))


@each_row(
    ("source", "media_type"),
    [
        (RSS, "application/rss+xml"),
        (RSS, "text/html"),
        (RSS, "text/xml"),
        (ATOM, "application/atom+xml"),
        (RDF, "application/rdf+xml"),
        (JSON, "application/feed+json"),
        (JSON, "application/json"),
    ],
)
def test_every_kind_of_feed_reads_the_same(source: str, media_type: str) -> None:
    assert read(source, media_type) == Text(SHOWN, "Valley & line")


def test_plain_text_stays_plain() -> None:
    item = "<item><guid>https://news.example/2</guid><description>1 &amp;lt; 2 and words</description></item>"

    markdown = read(f"<rss><channel><title>T</title>{item}</channel></rss>", "text/xml").markdown

    assert markdown == "# T\n\n## Untitled\n\nhttps://news.example/2\n\n1 < 2 and words"


@each_row("link", ["javascript:alert(1)", "data:text/html,x", "http://["])
def test_a_link_that_is_no_address_is_left_out(link: str) -> None:
    item = f"<item><title>x</title><link>{link}</link></item>"

    assert read(f"<rss><channel>{item}</channel></rss>", "text/xml").markdown == "## x"


def test_an_entry_cannot_forge_another_one() -> None:
    title = "x&#10;&#10;## Forged&#10;&#10;2026-01-01 · admin"

    markdown = read(f"<rss><channel><item><title>{title}</title></item></channel></rss>", "text/xml").markdown

    assert markdown == "## x ## Forged 2026-01-01 · admin"


def test_a_long_feed_is_cut_and_says_so() -> None:
    items = "".join(f"<item><title>number {number}</title></item>" for number in range(130))

    text = read(f"<rss><channel>{items}</channel></rss>", "text/xml")

    assert text.is_cut
    assert text.markdown.endswith("## number 99\n\n_100 of 130 entries are shown._")


@pytest.mark.parametrize(
    "source",
    ["<rss><channel><title>never closed", '<!DOCTYPE rss [<!ENTITY x "y">]><rss><title>&x;</title></rss>'],
    ids=["broken", "with entities"],
)
def test_a_feed_that_cannot_be_parsed_is_shown_as_it_is(source: str) -> None:
    assert read(source, "application/rss+xml").markdown == f"```xml\n{source}\n```"


def test_what_an_entry_holds_is_no_entry_of_the_feed() -> None:
    inner = "<description><item><b>inner</b></item></description>"

    markdown = read(f"<rss><channel><item><title>outer</title>{inner}</item></channel></rss>", "text/xml").markdown

    assert markdown == "## outer\n\n**inner**"


def test_entries_that_are_not_shown_are_only_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    monkeypatch.setattr(feeds, "FeedEntry", lambda *values: made.append(values) or FeedEntry(*values))
    items = "<item><title>x</title></item>" * 5000
    listed = ",".join(['{"title": "x"}'] * 5000)

    xml = read(f"<rss><channel>{items}</channel></rss>", "text/xml")
    json = read(f'{{"version": "https://jsonfeed.org/version/1", "items": [{listed}]}}', "application/json")

    assert len(made) == 200
    for text in (xml, json):
        assert text.markdown.endswith("_100 of 5000 entries are shown._")
