"""Articles with headings and lists, on the sites of `tests/eval/articles`: with comments, other stories and boxes."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from tests.eval.articles.pages import shell_around
from tests.eval.articles.words import words_of
from tests.eval.fidelity.page import Page, Part, Site, text

_BLOCKS = re.compile(r"\n{2,}(?=\S)")
_CHROME = tuple(words_of("en").labels[name] for name in ("newsletter_text", "rules", "rights"))
_STORIES = {"de": "moor-de", "fr": "phare-fr", "it": "archivio-it", "es": "olivo-es", "pt": "ponte-pt"}
_TEXTS = (
    "hike",
    "bees",
    "lighthouse",
    "chess",
    "keyboards",
    "recipe-fr",
    "garden-it",
    "moor-de",
    "bridge-pt",
    "harbour",
)
# Without the sites of previews and live blogs, which have no place for such a text.
_SITES = tuple(
    "blogspot broadcaster broadsheet elements forumlike letters lifestyle localpaper magazine newsletter portal science"
    " tablelayout tabloid thread weekly wpblog".split()
)


def pages() -> Iterator[Page]:
    """Two articles on each site."""
    for number, shell in enumerate(_SITES):
        for name in (_TEXTS[number % len(_TEXTS)], _TEXTS[(number + 3) % len(_TEXTS)]):
            site = Site(shell, f"https://www.{shell}.example/{name}.html", family="papers")
            # The site has a headline of its own.
            blocks = [block for block in _BLOCKS.split(text(name).strip()) if not block.startswith("# ")]
            parts = [site.part(block) for block in blocks]
            told = _STORIES.get(name.rpartition("-")[2], "ferry-en")
            markup = shell_around(shell, told, [part.html for part in parts])
            truth = functools.reduce(Part.__add__, parts).truth
            yield Page(f"paper-{shell}-{name}", "papers", site.url, markup, truth, _CHROME)
