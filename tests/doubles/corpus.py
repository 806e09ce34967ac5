"""What the doubles find: a dozen documents, all of them pages of this web."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tests.doubles.listings import Listing


@dataclass(frozen=True, slots=True)
class Document:
    """A page as a search engine knows it."""

    title: str
    path: str
    description: str
    keywords: str
    published: str = ""

    def listing(self, origin: str) -> Listing:
        return Listing(self.title, origin + self.path, self.description, self.published, self.keywords)


# The first ones are what a query without any match gets: ordinary, readable pages.
DOCUMENTS = (
    Document(
        "Python 3.15: what changes for your code",
        "/articles/python-315",
        "Lazy imports, UTF-8 by default and a profiling package: the parts of Python 3.15 you will notice.",
        "python release new features lazy import utf-8 encoding profiler upgrade version",
        "2026-10-02",
    ),
    Document(
        "Retrying requests - Lantern client guide",
        "/docs/retrying",
        "How the Lantern client retries: which failures, how long it waits, and how to switch it off.",
        "documentation retry backoff jitter http client timeout api python code example",
        "2026-06-18",
    ),
    Document(
        "How do I cancel an asyncio task and wait for its cleanup?",
        "/questions/asyncio-cancel",
        "Call cancel() and then await the task: the accepted answer explains why both are needed.",
        "question answer asyncio cancel task await python cancellederror coroutine",
        "2026-03-11",
    ),
    Document(
        "Sourdough collapses after the second rise - Crumb forum",
        "/forum/thread-4471",
        "Twelve degrees in the kitchen and a dough that falls flat: six replies and a solution.",
        "forum thread bread sourdough baking dough proofing fermentation help",
        "2026-01-24",
    ),
    Document(
        "Harbour bridge reopens three weeks early",
        "/news/harbour-bridge",
        "The lift bridge at Nordhaven carries trams again after repairs to its counterweight.",
        "news harbour bridge tram repair city traffic nordhaven reopening",
        "2026-09-14",
    ),
    Document(
        "Fjell 1.2 l gooseneck kettle",
        "/products/kettle",
        "Pour-over kettle with a counterbalanced handle, variable temperature and a five year warranty.",
        "product buy price kettle coffee gooseneck temperature shop",
    ),
    Document(
        "Field guide to rock pools",
        "/files/field-guide.md",
        "Zones of the shore, what lives in them and how to look without harm.",
        "nature shore tide rock pool limpet anemone guide markdown",
        "2025-05-03",
    ),
    Document(
        "Tide table, Nordhaven, first week of October",
        "/files/tides.csv",
        "High and low water with heights in metres.",
        "tide table data csv high water low water october",
        "2026-09-30",
    ),
    Document(
        "Minutes of the allotment society",
        "/files/notes.txt",
        "Water butts, the broken gate and the date of the seed swap.",
        "minutes meeting notes allotment garden society plain text",
        "2026-02-08",
    ),
    Document(
        "Brot backen ohne Hefe: eine Anleitung für Anfänger",
        "/de/brot",
        "Wie ein Sauerteig angesetzt, gefüttert und gebacken wird, mit Mengen und Zeiten.",
        "brot backen sauerteig mehl ofen anleitung bread german",
        "2025-11-20",
    ),
    Document(
        "梅雨の歩き方",
        "/ja/tsuyu",
        "雨の季節に歩く路地と、傘の選び方について。",
        "梅雨 雨 傘 散歩 japan rainy season walking",
        "2026-06-07",
    ),
    Document(
        "Annals of the valley line",
        "/long",
        "Two hundred years of weather, lanterns and late trains, station by station.",
        "history railway valley weather lantern long annals station",
        "2024-12-01",
    ),
    Document(
        "A recipe with something to hide",
        "/hidden",
        "Leek soup for four, and a page that holds more than meets the eye.",
        "recipe soup leek hidden text invisible",
    ),
    Document(
        "Ten tips for faster spreadsheets",
        "/injection",
        "Tips one to ten, some of which are not meant for people.",
        "spreadsheet tips tricks prompt injection formula",
    ),
)
_BY_PATH = {document.path: document for document in DOCUMENTS}


def document(path: str) -> Document | None:
    return _BY_PATH.get(path)


def listings(origin: str) -> list[Listing]:
    """The whole corpus with absolute addresses."""
    return [document.listing(origin) for document in DOCUMENTS]


def listing(item: Listing | Mapping[str, str] | str, origin: str) -> Listing:
    """What a test wrote as a result: a listing, its fields, a URL, or the path of a page."""
    if isinstance(item, Listing):
        return item
    if not isinstance(item, str):
        return Listing(**item)
    if item in _BY_PATH:
        return _BY_PATH[item].listing(origin)
    return Listing(title=item, url=origin + item if item.startswith("/") else item)
