"""60 article pages in the manner of many sites, with comments, other stories and boxes, and what belongs to them.

`shells` has the sites, `texts` the articles, `words` what stands around them. Titles are neither wanted nor wrong.
"""

from __future__ import annotations

import functools
import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from zlib import crc32

from tests.eval.articles.story import Story, marked_up, story
from tests.eval.articles.words import words_of
from tools.extractor.metrics import Score, shingle_score, words

_SHELLS = Path(__file__).parent / "shells"
_HEAD = re.compile(r"<!-- body: (\w+)(?: \| class: ([\w -]+?))? \| first: (\d+) -->\n")
_EACH = re.compile(r"<!--each (headlines|comments) (\d+)-->(.*?)<!--end-->", re.S)
_INSIDE = re.compile(r"<!--inside (\d+)-->(.*?)<!--end inside-->\n?", re.S)
_VALUE = re.compile(r"@(?:t:)?([a-z_]+2?)@")
_OWN_VALUE = re.compile(r"@([a-z]+2?)@")
_LONGEST_TITLE_LINE = 6

TEXTS_OF_SHELLS = {
    "blogspot": "otter-en kiln-en ponte-pt",
    "broadcaster": "rent-en nachtzug-de tramwaj-pl",
    "broadsheet": "ferry-en freibad-de marche-fr",
    "elements": "battery-en olivo-es chess-en",
    "forumlike": "chess-en moor-de archivio-it",
    "letters": "bakery-en relojes-es molen-nl",
    "lifestyle": "heat-en phare-fr bakery-en",
    "live": "storm-live-en",
    "localpaper": "otter-en freibad-de tramwaj-pl",
    "magazine": "kiln-en phare-fr battery-en archivio-it",
    "newsletter": "bakery-en heat-en sad-ru",
    "paywall": "rent-en nachtzug-de olivo-es",
    "portal": "sento-ja ferry-en sad-ru",
    "regwall": "otter-en marche-fr battery-en",
    "science": "battery-en moor-de otter-en",
    "tablelayout": "ferry-en relojes-es molen-nl",
    "tabloid": "chess-en heat-en nachtzug-de storm-live-en",
    "thread": "rent-en moor-de ponte-pt",
    "weekly": "freibad-de kiln-en moor-de",
    "wpblog": "heat-en marche-fr archivio-it",
}


@dataclass(frozen=True, slots=True)
class ArticlePage:
    """A whole page, and the text that should be extracted."""

    name: str
    url: str
    html: str
    title: str
    content: str


@functools.cache
def pages() -> tuple[ArticlePage, ...]:
    """All pages, by shell."""
    return tuple(_page(shell, name) for shell, names in TEXTS_OF_SHELLS.items() for name in names.split())


def score(page: ArticlePage, found: str) -> Score:
    """The agreement of an extracted text, without Markdown, with what should be extracted, in four words in a row."""
    return shingle_score(words(_without_title(found, page.title)), words(page.content))


def _without_title(text: str, title: str) -> str:
    """A text without the title at its beginning."""
    lines = text.strip().split("\n")
    asked = words(title)
    first = [line for line in lines[:_LONGEST_TITLE_LINE] if words(line) != asked]
    return "\n".join([*first, *lines[_LONGEST_TITLE_LINE:]])


def shell_around(shell: str, name: str, body: Sequence[str]) -> str:
    """A page of a site with the facts of an article, and blocks of markup as its body."""
    text = (_SHELLS / f"{shell}.html").read_text(encoding="utf-8")
    markup = text[_head(text).end() :]
    boxes = {int(place): box for place, box in _INSIDE.findall(markup)}
    written = [f"{block}\n{boxes.get(number, '')}" for number, block in enumerate(body, 1)]
    writer = _Writer(story(name), crc32(f"{shell}-{name}".encode()))
    return writer.fill(_INSIDE.sub("", markup).replace("@BODY@", "\n".join(written)))


def _page(shell: str, name: str) -> ArticlePage:
    head = _head((_SHELLS / f"{shell}.html").read_text(encoding="utf-8"))
    told = story(name)
    first = int(head[3]) or len(told.blocks)
    markup = shell_around(shell, name, marked_up(told.blocks[:first], head[1], head[2] or ""))
    url = f"https://www.{shell}.example/{name}.html"
    return ArticlePage(f"{shell}-{name}", url, markup, told.facts["title"], told.content(first))


def _head(text: str) -> re.Match[str]:
    found = _HEAD.match(text)
    assert found is not None
    return found


class _Writer:
    """Fills the places of a shell; `seed` says where in the lists of teasers and comments a page begins."""

    def __init__(self, told: Story, seed: int) -> None:
        self._told, self._words = told, words_of(told.language)
        self._teasers = _from(self._words.teasers, seed)
        self._comments = _from(self._words.comments, seed >> 8)
        self._number = seed % 900 + 100

    def fill(self, markup: str) -> str:
        """The page without any open place."""
        return _VALUE.sub(self._common, _EACH.sub(self._repeated, markup))

    def _repeated(self, found: re.Match[str]) -> str:
        make = self._teaser if found[1] == "headlines" else self._comment
        return "".join([_filled(found[3], make()) for _ in range(int(found[2]))])

    def _teaser(self) -> dict[str, str]:
        headline, teaser = next(self._teasers)
        return {"headline": headline, "teaser": teaser, "n": self._next()}

    def _comment(self) -> dict[str, str]:
        (name, comment), (other, reply) = next(self._comments), next(self._comments)
        return {"name": name, "comment": comment, "name2": other, "reply": reply, "n": self._next()}

    def _next(self) -> str:
        self._number += 1
        return str(self._number)

    def _common(self, found: re.Match[str]) -> str:
        if found[0].startswith("@t:"):
            return html.escape(self._words.labels[found[1]])
        if found[1] == "quote":
            return html.escape(max(self._told.blocks[1].split(". "), key=len))
        return html.escape(self._told.facts.get(found[1]) or self._words.labels[found[1]])


def _from(pairs: Sequence[tuple[str, str]], start: int) -> Iterator[tuple[str, str]]:
    return islice(cycle(pairs), start % len(pairs), None)


def _filled(markup: str, values: dict[str, str]) -> str:
    return _OWN_VALUE.sub(lambda each: html.escape(values.get(each[1], each[0])), markup)
