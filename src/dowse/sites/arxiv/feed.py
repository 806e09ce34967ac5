"""arXiv's Atom feed, read with suspicion: what it says of papers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

from dowse.core.text import one_line

_ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV = "{http://arxiv.org/schemas/atom}"
_FIELD_CHARS = 20_000
_MOST_AUTHORS = 10_000
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


class NotAFeed(ValueError):
    """The answer is not what arXiv's API sends."""


@dataclass(frozen=True, slots=True)
class Paper:
    """One entry of the feed; `address` ends with the number of the paper and its version."""

    address: str
    title: str
    abstract: str
    authors: Sequence[str]
    submitted: str
    updated: str
    categories: Sequence[str]
    comment: str
    journal: str
    doi: str
    pdf: str


def first_paper(body: bytes) -> Paper | None:
    """The first entry of a feed; `None` where there is none, or where it tells of an error. Raises `NotAFeed`."""
    entry = _parse(body).find(f"{_ATOM}entry")
    return None if entry is None else _paper(entry)


def papers(body: bytes) -> list[Paper]:
    """All papers of a feed, in its order. Raises `NotAFeed`."""
    entries = _parse(body).findall(f"{_ATOM}entry")
    return [paper for entry in entries if (paper := _paper(entry))]


def _paper(entry: ElementTree.Element) -> Paper | None:
    """What an entry says; `None` for one that tells of an error."""
    address, title = _text(entry, f"{_ATOM}id"), one_line(_text(entry, f"{_ATOM}title"))
    if not title or "/api/errors" in address:
        return None
    return Paper(
        address=address,
        title=title,
        abstract=_text(entry, f"{_ATOM}summary"),
        authors=_names(entry),
        submitted=_day(entry, f"{_ATOM}published"),
        updated=_day(entry, f"{_ATOM}updated"),
        categories=_categories(entry),
        comment=one_line(_text(entry, f"{_ARXIV}comment")),
        journal=one_line(_text(entry, f"{_ARXIV}journal_ref")),
        doi=one_line(_text(entry, f"{_ARXIV}doi")),
        pdf=_pdf(entry),
    )


def _parse(body: bytes) -> ElementTree.Element:
    try:
        # As text: a parser that is given bytes believes them about their encoding, and a DTD could hide in another.
        text = body.decode("utf-8")
        if "<!DOCTYPE" in text:
            raise NotAFeed("it has a document type, which may define entities")
        root = ElementTree.fromstring(text)
    except (UnicodeDecodeError, ElementTree.ParseError) as error:
        raise NotAFeed("it is not XML") from error
    if root.tag != f"{_ATOM}feed":
        raise NotAFeed("it is not a feed")
    return root


def _text(parent: ElementTree.Element, name: str) -> str:
    return (parent.findtext(name) or "").strip()[:_FIELD_CHARS]


def _day(entry: ElementTree.Element, name: str) -> str:
    found = _DAY.match(_text(entry, name))
    return found[0] if found else ""


def _names(entry: ElementTree.Element) -> list[str]:
    authors = entry.findall(f"{_ATOM}author")[:_MOST_AUTHORS]
    return [name for author in authors if (name := one_line(_text(author, f"{_ATOM}name"), 100))]


def _categories(entry: ElementTree.Element) -> list[str]:
    """The one under which the paper was filed comes first."""
    primary = entry.find(f"{_ARXIV}primary_category")
    terms = [node.get("term", "") for node in [primary, *entry.findall(f"{_ATOM}category")] if node is not None]
    return list(dict.fromkeys(one_line(term, 60) for term in terms if term))


def _pdf(entry: ElementTree.Element) -> str:
    links = entry.findall(f"{_ATOM}link")
    return next((link.get("href", "") for link in links if link.get("title") == "pdf"), "")
