"""Pictures of whole pages prove that the text of every trick is invisible, and that of every look-alike visible.

Each page is drawn twice: with its text, and with the letters of every word in reverse, which take the same room.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass

import pytest

from dowse.extract.convert import to_text
from tests.browser.conftest import Reading
from tests.browser.rendering import Renderer, in_tabs, with_sheets
from tests.eval import corpora
from tests.eval.hidden.browser_tricks import BROWSER_LOOK_ALIKES, BROWSER_TRICKS, TOLD
from tests.eval.hidden.lookalikes import LOOK_ALIKES, LookAlike
from tests.eval.hidden.outside import OUTSIDE
from tests.eval.hidden.outside_lookalikes import OUTSIDE_LOOK_ALIKES
from tests.eval.hidden.page import PARAGRAPHS, SECRET, page
from tests.eval.hidden.tricks import TRICKS, Trick

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.promise("hidden-browser-proof")]

FLOORS = json.loads(corpora.FLOORS.read_text(encoding="utf-8"))["hidden_browser"]
# Pixels of a whole sentence are thousands. Letters of two pixels leave some, letters on top of each other one letter;
# a picture of a single character has more than the second number.
_UNREADABLE = 100
_CHARACTER = 30
_ALL_TRICKS = (*TRICKS, *OUTSIDE)
_ALL_LOOK_ALIKES = (*LOOK_ALIKES, *OUTSIDE_LOOK_ALIKES)
_OPENS = "a click opens it"
_MEANT = "it is drawn, but marked as not meant for readers of the page"
UNPROVEN = {
    "style: tiny in another unit": "Chromium draws relative sizes with six pixels at least; others do not",
    "style: behind": "it is behind other elements, of which a page without backgrounds has none",
    "element: not for screen readers": _MEANT,
    "element: for screen readers only": "the class belongs to a style sheet that is not there",
    "element: text field": "it is drawn as the content of a form, which is not content of the page",
    "element: choice": "it is drawn as the content of a form, which is not content of the page",
    "element: fallback of an object": "it is drawn because the object is not there",
    "characters: isolates": "the characters around it are invisible, not the text",
    "sheet: tab": _OPENS,
    "sheet: accordion": _OPENS,
    "element: found by searching": _OPENS,
    "element: details": _OPENS,
    "opened: by a button": _OPENS,
    "sheet: opened: by a box": _OPENS,
    "place: white on a picture": "the picture is not there",
    "sheet: valid: cell over a picture": "the picture is not there",
}
"""Entries that no picture proves, by name, and why they are in their set."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A page with its text, and with another text in its place."""

    name: str
    markup: str
    other: str
    is_hidden: bool


def reverse(text: str) -> str:
    """The same letters in another order; characters that need each other become letters."""
    plain = "".join(character if character.isascii() else "x" for character in text)
    return " ".join(word[::-1] for word in plain.split(" "))


def exchange(markup: str, text: str) -> str:
    """The page with another text; one that is not written as it is stays, and is no proof."""
    return markup.replace(text, reverse(text))


def draw(entry: Trick | LookAlike) -> str:
    return with_sheets(page(entry.body, entry.head), getattr(entry, "sheets", {}))


def entries() -> list[Entry]:
    found = [Entry(trick.name, (made := draw(trick)), exchange(made, SECRET), is_hidden=True) for trick in _ALL_TRICKS]
    found += [
        Entry(alike.name, (made := draw(alike)), exchange(made, alike.told), is_hidden=False)
        for alike in _ALL_LOOK_ALIKES
    ]
    for rendered, text, is_hidden in (
        *((each, SECRET, True) for each in BROWSER_TRICKS),
        *((each, TOLD, False) for each in BROWSER_LOOK_ALIKES),
    ):
        if not rendered.unproven:
            found.append(Entry(rendered.name, rendered.shell(text), rendered.shell(reverse(text)), is_hidden))
    return [entry for entry in found if entry.name not in UNPROVEN]


async def compare(renderer: Renderer, entry: Entry) -> tuple[int, int]:
    return await renderer.difference(await renderer.picture(entry.markup), await renderer.picture(entry.other))


def refute(entry: Entry, faint: int, clear: int) -> bool:
    """Whether the pictures contradict the set that the entry is in."""
    return not 0 <= faint <= _UNREADABLE if entry.is_hidden else 0 <= clear <= _CHARACTER


async def test_no_trick_is_seen_and_every_look_alike_is(reading: Reading) -> None:
    drawn = entries()
    found = await in_tabs(reading.pool, drawn, compare, tabs=3)
    refuted = [(entry.name, counts) for entry, counts in zip(drawn, found, strict=True) if refute(entry, *counts)]
    assert not refuted, refuted


async def test_control_the_pictures_tell_visible_text_from_hidden_text(reading: Reading) -> None:
    """The same comparison refutes a visible paragraph as a trick, and a hidden one as a look-alike."""

    def entry(style: str, *, is_hidden: bool) -> Entry:
        markup = page(f"<p style='{style}'>{SECRET}</p>")
        return Entry(style, markup, exchange(markup, SECRET), is_hidden)

    drawn = [entry("color:#777", is_hidden=True), entry("visibility:hidden", is_hidden=False)]
    found = await in_tabs(reading.pool, drawn, compare, tabs=1)
    assert [refute(each, *counts) for each, counts in zip(drawn, found, strict=True)] == [True, True]


async def read(renderer: Renderer, entry: Trick | LookAlike) -> str:
    return to_text(await renderer.read(draw(entry))).markdown


@pytest.mark.promise("hidden-browser-text")
async def test_the_browser_leaves_out_what_plain_html_hides_and_keeps_what_it_shows(reading: Reading) -> None:
    """The sets of plain HTML, read with the browser."""
    tricks = await in_tabs(reading.pool, _ALL_TRICKS, read)
    leaked = [trick.name for trick, text in zip(_ALL_TRICKS, tricks, strict=True) if trick.secret in text]
    assert len(leaked) <= (1 - FLOORS["removed"]) * len(_ALL_TRICKS), leaked
    shown = await in_tabs(reading.pool, _ALL_LOOK_ALIKES, read)
    gone = whole = 0
    missing = []
    for alike, text in zip(_ALL_LOOK_ALIKES, shown, strict=True):
        words = Counter(f"{' '.join(PARAGRAPHS)} {alike.told}".split())
        gone += (words - Counter(text.split())).total()
        whole += words.total()
        if alike.told not in text:
            missing.append(alike.name)
    assert gone <= FLOORS["lost"] * whole, missing


async def test_every_trick_can_be_exchanged() -> None:
    """An entry whose text is not in its page as it is would prove nothing."""
    same = [entry.name for entry in entries() if entry.markup == entry.other]
    assert [name for name in same if not name.startswith("characters: ")] == []
