"""RSS, Atom, RDF and JSON feeds: a title, then each entry with its date, author, link and text."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from xml.etree import ElementTree

from dowse.core import text as texts
from dowse.core import urls
from dowse.core.models import Text
from dowse.document.clean import TITLE_CHARS, clean
from dowse.extract.html.render import to_markdown

_FACT_LIMIT = 200
_MOST_ENTRIES = 100
# Entities of HTML that XML does not know.
_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)([A-Za-z][A-Za-z0-9]{1,31});")
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
# The entries' own headings go below ours.
_HEADING = re.compile(r"<(/?)h([1-6])(?=[\s>])", re.I)
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d(?=[T ])")
_MARKUP = re.compile(r"<[a-zA-Z!/]|&[#a-zA-Z]")


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One article of a feed; `body` is HTML."""

    title: str = ""
    link: str = ""
    date: str = ""
    author: str = ""
    body: str = ""


def from_feed(markup: str, url: str) -> Text | None:
    """The feed as Markdown; `None` for XML that is broken, or declares entities of its own."""
    if "<!ENTITY" in markup:
        return None
    try:
        root = ElementTree.fromstring(_repair(markup))
    except ElementTree.ParseError:
        return None
    channel = _child(root, "channel")
    about = root if channel is None else channel
    # In RDF items stand beside the channel, everywhere else inside of it.
    items = [item for parent in dict.fromkeys((about, root)) for item in parent if _local(item) in ("item", "entry")]
    entries = list(map(_read_entry, items[:_MOST_ENTRIES]))
    description = _text(about, "description", "subtitle")
    return _compose(_text(about, "title"), description, entries, len(items), url)


def from_json_feed(feed: object, url: str) -> Text | None:
    """The feed as Markdown; `None` for any other JSON."""
    if not isinstance(feed, dict) or "jsonfeed.org/version" not in str(feed.get("version")):
        return None
    listed = feed.get("items")
    items = [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
    entries = list(map(_read_json_entry, items[:_MOST_ENTRIES]))
    return _compose(_string(feed, "title"), _string(feed, "description"), entries, len(items), url)


def _compose(title: str, description: str, entries: Sequence[FeedEntry], count: int, url: str) -> Text:
    """Render a feed with the first entries of so many."""
    title = texts.without_markup(html.unescape(title), TITLE_CHARS)
    parts = [
        texts.enclose("# ", title),
        _markdown(description, url),
        *(_render_entry(entry, url) for entry in entries),
    ]
    is_cut = len(entries) < count
    if is_cut:
        parts.append(f"_{len(entries)} of {count} entries are shown._")
    return Text(clean("\n\n".join(filter(None, parts))), title, is_cut=is_cut)


def _render_entry(entry: FeedEntry, url: str) -> str:
    title = texts.without_markup(html.unescape(entry.title), TITLE_CHARS)
    link = entry.link.strip()
    address = urls.without_tracking(urls.link(link, url)) if link else ""
    facts = [texts.without_markup(fact, _FACT_LIMIT) for fact in (_day(entry.date.strip()), entry.author)]
    heading = f"## {title or 'Untitled'}"
    return "\n\n".join(filter(None, [heading, " · ".join(filter(None, [*facts, address])), _markdown(entry.body, url)]))


def _markdown(body: str, url: str) -> str:
    if not _MARKUP.search(body):
        return texts.visible(body).strip()
    return to_markdown(_HEADING.sub(lambda tag: f"<{tag[1]}h{min(6, int(tag[2]) + 2)}", body), url)


def _read_entry(item: ElementTree.Element) -> FeedEntry:
    author = _child(item, "author")
    name = _text(author, "name") if author is not None else ""
    return FeedEntry(
        _text(item, "title"),
        _link(item),
        _text(item, "pubDate", "published", "updated", "date"),
        name or _text(item, "creator", "author"),
        # A whole article where the feed has one, else its summary.
        _text(item, "encoded", "content", "description", "summary"),
    )


def _link(item: ElementTree.Element) -> str:
    """Of several links of an Atom entry, the one to the article."""
    links = [child for child in item if _local(child) == "link"]
    if not links:
        return _permalink(item)
    by_rel = {link.get("rel", "alternate"): _target(link) for link in reversed(links)}
    return by_rel.get("alternate") or next(iter(by_rel.values()))


def _target(link: ElementTree.Element) -> str:
    return link.get("href") or link.text or ""


def _permalink(item: ElementTree.Element) -> str:
    guid = _child(item, "guid")
    return guid.text or "" if guid is not None and guid.get("isPermaLink") != "false" else ""


def _text(element: ElementTree.Element, *names: str) -> str:
    """The content of the first of these children that has any, as HTML."""
    for name in names:
        for child in element:
            if _local(child) == name and (content := _content(child)):
                return content
    return ""


def _content(element: ElementTree.Element) -> str:
    if len(element):
        # XHTML that stands in the feed as it is; its namespace would hide it from the renderer.
        for inner in element.iter():
            inner.tag = _local(inner)
        return "".join(ElementTree.tostring(child, encoding="unicode", method="html") for child in element)
    content = (element.text or "").strip()
    return html.escape(content) if element.get("type") == "text" else content


def _read_json_entry(item: dict[str, object]) -> FeedEntry:
    authors = item.get("authors")
    first = authors[0] if isinstance(authors, list) and authors else item.get("author")
    return FeedEntry(
        _string(item, "title"),
        _string(item, "url", "external_url"),
        _string(item, "date_published", "date_modified"),
        _string(first, "name"),
        _string(item, "content_html") or html.escape(_string(item, "content_text", "summary")),
    )


def _string(values: object, *names: str) -> str:
    """The first of these fields with a text; empty where the values are no object."""
    fields = map(values.get, names) if isinstance(values, dict) else ()
    return next((text for text in fields if isinstance(text, str) and text), "")


def _day(date: str) -> str:
    """The day of a date as in Atom or RSS; any other text stays as it is."""
    if _ISO_DATE.match(date):
        return date[:10]
    try:
        return parsedate_to_datetime(date).date().isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return date


def _child(element: ElementTree.Element, name: str) -> ElementTree.Element | None:
    return next((child for child in element if _local(child) == name), None)


def _local(element: ElementTree.Element) -> str:
    # Comments and processing instructions have a function for a tag.
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _repair(markup: str) -> str:
    """Without common mistakes of feeds that a strict parser refuses."""
    known = _ENTITY.sub(lambda entity: html.escape(html.unescape(entity[0])), markup.lstrip("\ufeff \t\r\n"))
    return _FORBIDDEN.sub("", known)
