"""Wikis: MediaWiki and its relatives, Confluence, DokuWiki, MoinMoin, pages out of Notion."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence

from markdown_it.token import Token

from tests.eval.fidelity import codeblocks
from tests.eval.fidelity.generator import Generator
from tests.eval.fidelity.highlight import PYGMENTS, spans
from tests.eval.fidelity.page import Page, Part, Site, text


class MediaWiki(Generator):
    def code(self, text: str, language: str) -> str:
        return (
            f'<div class="mw-highlight mw-highlight-lang-{language} mw-content-ltr" dir="ltr"><pre><span></span>'
            f"{spans(text, PYGMENTS)}</pre></div>"
        )

    def heading_start(self, level: int, slug: str, text: str) -> str:
        if level == 1:
            return '<h1 id="firstHeading" class="firstHeading mw-first-heading"><span class="mw-page-title-main">'
        return f'<div class="mw-heading mw-heading{level}"><h{level} id="{slug}">'

    def heading_end(self, level: int, slug: str, text: str) -> str:
        if level == 1:
            return "</span></h1>\n"
        return (
            f'</h{level}><span class="mw-editsection"><span class="mw-editsection-bracket">[</span><a'
            ' href="/w/index.php?'
            f'title=X&amp;action=edit&amp;section={level}" title="Edit section: {text}"><span>edit</span></a>'
            '<span class="mw-editsection-bracket">]</span></span></div>\n'
        )

    def table_open(self, *_: object) -> str:
        return '<table class="wikitable sortable">\n'

    def math(self, tex: str, *, is_display: bool) -> str:
        mode = "block" if is_display else "inline"
        shown = html.escape(tex)
        return (
            f'<span class="mwe-math-element mwe-math-element-{mode}"><span class="mwe-math-mathml-{mode}'
            ' mwe-math-mathml-a11y"'
            ' style="display: none;"><math xmlns="http://www.w3.org/1998/Math/MathML"'
            f' alttext="{{\\displaystyle {shown}}}">'
            f'<semantics><mrow><mi>x</mi></mrow><annotation encoding="application/x-tex">{{\\displaystyle {shown}}}'
            '</annotation></semantics></math></span><img src="https://wikimedia.example/math/render/svg/0a"'
            ' class="mwe-math-'
            f'fallback-image-{mode} mw-invert" aria-hidden="true" alt="{{\\displaystyle {shown}}}"></span>'
        )


class OldMediaWiki(MediaWiki):
    """Before 2024, and most other wikis of its kind: the link to edit is in the heading."""

    def heading_start(self, level: int, slug: str, text: str) -> str:
        if level == 1:
            return '<h1 id="firstHeading" class="firstHeading">'
        return f'<h{level}><span class="mw-headline" id="{slug}">'

    def heading_end(self, level: int, slug: str, text: str) -> str:
        if level == 1:
            return "</h1>\n"
        return (
            '</span><span class="mw-editsection"><span class="mw-editsection-bracket">[</span><a'
            ' href="/edit">Bearbeiten</a>'
            '<span class="mw-editsection-divider"> | </span><a href="/source">Quelltext bearbeiten</a>'
            f'<span class="mw-editsection-bracket">]</span></span></h{level}>\n'
        )


class Confluence(Generator):
    names_languages = False

    def code(self, text: str, language: str) -> str:
        return (
            '<div class="code panel pdl" style="border-width: 1px;"><div class="codeContent panelContent pdl">'
            f'<pre class="syntaxhighlighter-pre" data-syntaxhighlighter-params="brush: {language}; gutter: false;'
            " theme:"
            f' Confluence" data-theme="Confluence">{codeblocks.escaped(text)}</pre></div></div>'
        )

    def table_open(self, *_: object) -> str:
        return '<div class="table-wrap"><table class="confluenceTable">\n'

    def table_close(self, *_: object) -> str:
        return "</table></div>\n"

    def td_open(self, *_: object) -> str:
        return '<td class="confluenceTd"><p>'

    def td_close(self, *_: object) -> str:
        return "</p></td>\n"

    def th_open(self, *_: object) -> str:
        return '<th class="confluenceTh"><p><strong>'

    def th_close(self, *_: object) -> str:
        return "</strong></p></th>\n"


class DokuWiki(Generator):
    def code(self, text: str, language: str) -> str:
        return (
            f'<pre class="code {language}">{spans(text, {"keyword": "kw1", "string": "st0", "comment": "co1"})}</pre>'
        )

    def heading_start(self, level: int, slug: str, text: str) -> str:
        return f'<h{level} class="sectionedit{level}" id="{slug}">'

    def heading_end(self, level: int, slug: str, text: str) -> str:
        return f'</h{level}>\n<div class="level{level}">\n</div>'

    def list_item_open(self, tokens: Sequence[Token], idx: int, options: object, env: object) -> str:
        return '<li class="level1"><div class="li">'

    def list_item_close(self, *_: object) -> str:
        return "</div></li>\n"

    def table_open(self, *_: object) -> str:
        return '<div class="table sectionedit4"><table class="inline">\n'

    def table_close(self, *_: object) -> str:
        return "</table></div>\n"


class MoinMoin(Generator):
    names_languages = False

    def code(self, text: str, language: str) -> str:
        rows = "\n".join(
            f'<span class="line"><span class="LineNumber">{number:4} </span>'
            f"{spans(line, {'keyword': 'ResWord', 'string': 'String', 'comment': 'Comment', 'name': 'ID'})}</span>"
            for number, line in enumerate(codeblocks.lines_of(text), 1)
        )
        return (
            f'<div class="highlight {language}"><div class="codearea" dir="ltr" lang="en"><a href="#"'
            ' class="codenumbers"'
            ' onClick="return togglenumber();">Toggle line numbers</a><pre dir="ltr" id="CA-1"'
            f' lang="en">{rows}\n</pre>'
            "</div></div>"
        )

    def paragraph_open(self, tokens: Sequence[Token], idx: int, options: object, env: object) -> str:
        return "" if tokens[idx].hidden else '<p class="line867">'

    def paragraph_close(self, tokens: Sequence[Token], idx: int, options: object, env: object) -> str:
        return "" if tokens[idx].hidden else '<span class="anchor" id="line-4"></span></p>\n'

    def td_open(self, *_: object) -> str:
        return '<td><p class="line862">'

    def td_close(self, *_: object) -> str:
        return "</p></td>\n"


class Notion(Generator):
    def code(self, text: str, language: str) -> str:
        rows = spans(text, {"keyword": "token keyword", "string": "token string"})
        return (
            f'<pre class="code"><code class="language-{language.title()}" style="white-space:pre">{rows}</code></pre>'
        )

    def heading_start(self, level: int, slug: str, text: str) -> str:
        return '<h1 class="page-title">' if level == 1 else f'<h{level} id="5f" class="">'

    def bullet_list_open(self, *_: object) -> str:
        return '<ul id="0c" class="bulleted-list">'

    def list_item_open(self, tokens: Sequence[Token], idx: int, options: object, env: object) -> str:
        return '<li style="list-style-type:disc">'

    def table_open(self, *_: object) -> str:
        return '<table id="3a" class="simple-table">\n'


def _split(site: Site, name: str, extra: str) -> list[Part]:
    """A text with a part of the site's own behind its opening."""
    opening, rest = text(name).split("\n## ", 1)
    return [site.part(opening), site.raw(extra), site.part("## " + rest)]


def pages() -> Iterator[Page]:
    """Articles and handbooks."""
    wiki = Site("mediawiki", "https://en.wiki.example.org/wiki/Ternholm_Light", MediaWiki)
    yield wiki.page("infobox", *_split(wiki, "lighthouse", "mediawiki-infobox"))
    yield wiki.page("references", wiki.part(text("chess")), wiki.raw("mediawiki-references"))
    yield wiki.page("spans", *_split(wiki, "chess", "mediawiki-spans"))
    yield from wiki.pages("math-series", "sql")
    old = Site("mediawiki-old", "https://de.wiki.example.org/wiki/Hochmoor", OldMediaWiki, "mediawiki")
    yield from old.pages("moor-de")
    yield old.page("definitions", old.part(text("moor-de")), old.raw("mediawiki-definitions"))
    fandom = Site("fandom", "https://lantern.fandom.example/wiki/Lantern_of_the_Deep", OldMediaWiki)
    yield fandom.page("infobox", *_split(fandom, "game-items", "fandom-infobox"))
    yield fandom.page("tabber", fandom.part(text("game-items")), fandom.raw("fandom-tabber"))
    confluence = Site("confluence", "https://wiki.example.com/display/OPS/Queue", Confluence)
    yield confluence.page("panels", confluence.part(text("queue")), confluence.raw("confluence-panels"))
    yield from confluence.pages("json-api", "compose-de")
    doku = Site("dokuwiki", "https://doku.example.org/doku.php?id=tools:make", DokuWiki)
    yield from doku.pages("makefile", "git-ru")
    yield doku.page("rows", doku.part(text("hike")), doku.raw("dokuwiki-rows"))
    yield from Site("moinmoin", "https://moin.example.org/RetryHowto", MoinMoin).pages("retry", "cli")
    notion = Site("notion", "https://notes.example.site/keyboards-7d", Notion)
    yield notion.page("toggles", notion.part(text("keyboards")), notion.raw("notion-toggles"))
    yield from notion.pages("decorators-ja")
