"""Pages from before style sheets: tables for layout, fonts, and capital letters in tags."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markdown_it.token import Token

from tests.eval.fidelity import codeblocks
from tests.eval.fidelity.generator import Generator
from tests.eval.fidelity.page import Page, Site, text


class Handmade(Generator):
    """Nobody closed a tag that the browser closes by itself."""

    names_languages = False

    def code(self, text: str, language: str) -> str:
        return f"<PRE>\n{codeblocks.escaped(text)}</PRE>"

    def paragraph_open(self, tokens: Sequence[Token], idx: int, *_: object) -> str:
        return "" if tokens[idx].hidden else "<P>"

    def paragraph_close(self, *_: object) -> str:
        return "\n"

    def heading_start(self, level: int, slug: str, text: str) -> str:
        return f'<A NAME="{slug}"></A><H{level}><FONT FACE="Arial" COLOR="#003366">'

    def heading_end(self, level: int, slug: str, text: str) -> str:
        return f"</FONT></H{level}>\n"

    def list_item_open(self, *_: object) -> str:
        return "<LI>"

    def list_item_close(self, *_: object) -> str:
        return "\n"

    def table_open(self, *_: object) -> str:
        return '<TABLE BORDER=1 CELLPADDING=4 CELLSPACING=0 BGCOLOR="#EEEEEE">\n'

    def strong_open(self, *_: object) -> str:
        return "<B>"

    def strong_close(self, *_: object) -> str:
        return "</B>"

    def inline_code(self, text: str) -> str:
        return f"<TT>{text}</TT>"


class Latex2Html(Handmade):
    """Manuals of universities: a navigation panel of pictures, and `DL COMPACT` everywhere."""

    def code(self, text: str, language: str) -> str:
        return f'<BLOCKQUOTE><PRE CLASS="verbatim">{codeblocks.escaped(text)}</PRE></BLOCKQUOTE>'

    def heading_start(self, level: int, slug: str, text: str) -> str:
        return f'<H{level}><A ID="SECTION0001" NAME="SECTION0001">'

    def heading_end(self, level: int, slug: str, text: str) -> str:
        return f"</A>\n</H{level}>\n"


def pages() -> Iterator[Page]:
    """Home pages and manuals of around 1999."""
    homepage = Site("homepage-1999", "http://www.example.edu/~otter/hike.html", Handmade, "veterans")
    yield from homepage.pages("hike", "chess", "makefile", "lighthouse")
    manual = Site("latex2html", "http://www.example.edu/manual/node12.html", Latex2Html, "veterans")
    yield from manual.pages("c-ring", "kernel-man")
    nested = Site("framed-1998", "http://www.example.com/news/1998/ferry.htm", Handmade, "veterans")
    yield from nested.pages("harbour")
    yield nested.page("listing", nested.part(text("bees")), nested.raw("veteran-table"))
