"""What a page is called: its own headline, without the name of the site."""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterable, Sequence

from dowse.core.text import inert, one_line

_MOST_CHARS = 300
# Words that a heading and the declared title have in common, as a share of the shorter one.
_AGREEMENT = 0.5
_SEPARATOR = re.compile(r"\s{1,9}(?:::|[-|–—·•»«⋅:/\\<>›‹])\s{1,9}|\s{0,9}[|»«›]\s{0,9}|(?<=\w):\s{1,9}")
# Behind these comes a site, or a part of one; a dash and a colon are also in titles.
_STRONG = re.compile(r"[|»«•·⋅›‹]|::")
_WORD = re.compile(r"[^\W_]+")
_ANCHOR = re.compile(r"\s{0,9}[¶§🔗]\s{0,9}\Z|\s{1,9}#\s{0,9}\Z")


def line(text: str) -> str:
    """A title on one line. Tags in it are what the page is about, so they stay, as far as they load nothing."""
    text = html.unescape(text[: 20 * _MOST_CHARS]) if "&" in text else text
    return _ANCHOR.sub("", one_line(inert(one_line(text, _MOST_CHARS))))


def compact(text: str) -> str:
    """The letters and digits of a text, for comparison."""
    return "".join(_WORD.findall(text.casefold()))


def chosen(declared: Sequence[str], headings: Iterable[str], sites: Collection[str]) -> str:
    """The title of a page, among those that it declares (best ones first) and its headings of the first level.

    A heading that says what is declared is how the page wants to be read. One that does not is a slogan or the name
    of the site, and then the declared title counts.
    """
    cut = [without_site(each, sites) for each in declared]
    names = {compact(site) for site in sites} | {""}
    own = [each for each in headings if compact(each) not in names]
    whole = {compact(each) for each in (*declared, *cut)}
    pieces = {compact(piece) for each in declared[:1] for piece in _SEPARATOR.split(each)}
    same = [each for each in own if compact(each) in whole]
    parts = sorted((each for each in own if compact(each) in pieces), key=len, reverse=True)
    similar = (each for each in own if any(_agree(each, title) for title in cut))
    return next((each for group in (same, parts, similar, cut, own, declared) for each in group if each), "")


def without_site(title: str, sites: Collection[str]) -> str:
    """The title without the name of the site before or behind it."""
    names = {compact(site) for site in sites} - {""}
    marks = list(_SEPARATOR.finditer(title))
    while marks and ":" not in marks[-1][0] and _is_site(title[marks[-1].end() :], names):
        title = title[: marks.pop().start()]
    if marks and _is_site(title[: marks[0].start()], names):
        return title[marks[0].end() :]
    strong = next((mark for mark in marks if _STRONG.search(mark[0])), None)
    if strong is not None and len(_WORD.findall(title[: strong.start()])) > 1:
        return title[: strong.start()]
    return title


def _is_site(piece: str, names: Collection[str]) -> bool:
    """Whether a piece of a title is the name of the site, or that and a word or two: `Example Forum`."""
    letters = compact(piece)
    return any(
        letters == name or (len(name) > 3 and name in letters and len(letters) < 2 * len(name) + 10) for name in names
    )


def _agree(heading: str, title: str) -> bool:
    one, other = ({*_WORD.findall(each.casefold())} for each in (heading, title))
    common = len(one & other)
    return common > 1 and common >= _AGREEMENT * min(len(one), len(other))
