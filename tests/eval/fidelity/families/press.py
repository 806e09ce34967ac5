"""Blogs, newsletters and newspapers."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence

from markdown_it.token import Token

from tests.eval.fidelity import codeblocks
from tests.eval.fidelity.generator import Generator
from tests.eval.fidelity.page import Page, Site, text


class WordPress(Generator):
    def code(self, text: str, language: str) -> str:
        return codeblocks.syntax_highlighter(text, language)

    def heading_start(self, level: int, slug: str, text: str) -> str:
        return f'<h{level} class="entry-title">' if level == 1 else f"<h{level}>"


class Gutenberg(Generator):
    def code(self, text: str, language: str) -> str:
        return (
            f'<pre class="wp-block-code"><code lang="{language}" class="language-{language}">'
            f"{codeblocks.escaped(text)}</code></pre>"
        )

    def heading_start(self, level: int, slug: str, text: str) -> str:
        return '<h1 class="wp-block-post-title">' if level == 1 else f'<h{level} class="wp-block-heading">'

    def bullet_list_open(self, *_: object) -> str:
        return '<ul class="wp-block-list">\n'

    def blockquote_open(self, *_: object) -> str:
        return '<blockquote class="wp-block-quote is-layout-flow">\n'

    def table_open(self, *_: object) -> str:
        return '<figure class="wp-block-table is-style-stripes"><table class="has-fixed-layout">\n'

    def table_close(self, *_: object) -> str:
        return "</table></figure>\n"


class NumberedGutenberg(Gutenberg):
    def code(self, text: str, language: str) -> str:
        return codeblocks.prism_numbers(text, language)


class Medium(Generator):
    names_languages = False

    def code(self, text: str, language: str) -> str:
        shown = "<br>".join(html.escape(line, quote=False) for line in codeblocks.lines_of(text))
        return f'<pre class="nb nc nd ne nf ng nh"><span id="a1f3" class="ni nj gt ng b bf nk nl">{shown}</span></pre>'

    def heading_start(self, level: int, slug: str, text: str) -> str:
        return f'<h{level} id="7e1a" class="nm nn gt be no np nq" data-selectable-paragraph="">'

    def paragraph_open(self, tokens: Sequence[Token], idx: int, *_: object) -> str:
        return "" if tokens[idx].hidden else '<p id="0d1f" class="pw-post-body-paragraph ms mt gt mu b">'

    def link_start(self, target: str) -> str:
        return f'<a class="af oa" href="{target}" rel="noopener ugc nofollow" target="_blank">'


class Substack(Generator):
    names_languages = False

    def heading_start(self, level: int, slug: str, text: str) -> str:
        return '<h1 class="post-title published">' if level == 1 else f'<h{level} class="header-anchor-post">'

    def heading_end(self, level: int, slug: str, text: str) -> str:
        if level == 1:
            return "</h1>\n"
        return (
            '<div class="pencraft pc-display-flex header-anchor-parent"><div class="pencraft header-anchor'
            ' offset-top" id="x">'
            f'</div><button aria-label="Link" class="pencraft iconButton"></button></div></h{level}>\n'
        )

    def list_item_open(self, *_: object) -> str:
        return "<li><p>"

    def list_item_close(self, *_: object) -> str:
        return "</p></li>\n"


class Ghost(Generator):
    def code(self, text: str, language: str) -> str:
        return codeblocks.hljs_numbers(text, language)

    def heading_start(self, level: int, slug: str, text: str) -> str:
        return '<h1 class="gh-article-title is-title">' if level == 1 else f'<h{level} id="{slug}">'


class Blogger(Generator):
    """Old posts: breaks for paragraphs, code with `br` and no-break spaces."""

    names_languages = False

    def code(self, text: str, language: str) -> str:
        return codeblocks.broken_lines(text, language)

    def paragraph_open(self, *_: object) -> str:
        return ""

    def paragraph_close(self, tokens: Sequence[Token], idx: int, *_: object) -> str:
        return "" if tokens[idx].hidden else "<br />\n<br />\n"

    def level(self, level: int) -> int:
        return 3 if level == 1 else level

    def heading_start(self, level: int, slug: str, text: str) -> str:
        return "<h3 class='post-title entry-title' itemprop='name'>" if level == 1 else f"<h{level}>"

    def heading_end(self, level: int, slug: str, text: str) -> str:
        return "</h3>\n<div class='post-body entry-content'>\n" if level == 1 else f"</h{level}>\n"


class Prettified(Blogger):
    names_languages = True

    def code(self, text: str, language: str) -> str:
        return codeblocks.prettify(text, language)


class Newspaper(Generator):
    """A CMS that counts on tracked links and puts advertisements between paragraphs."""

    def __init__(self) -> None:
        super().__init__()
        self._paragraphs = 0

    def paragraph_open(self, tokens: Sequence[Token], idx: int, *_: object) -> str:
        if tokens[idx].level:
            return "<p>"
        self._paragraphs += 1
        notice = '<div class="ad-slot ad-slot--inline" data-ad="mid" aria-label="Advertisement"></div>\n'
        return ("" if self._paragraphs % 3 else notice) + '<p class="article__paragraph">'

    def link_start(self, target: str) -> str:
        mark = "&amp;" if "?" in target else "?"
        return f'<a data-track="body-link" href="{target}{mark}utm_source=site&amp;utm_medium=article" class="link">'

    def heading_start(self, level: int, slug: str, text: str) -> str:
        return '<h1 class="headline" itemprop="headline">' if level == 1 else f'<h{level} class="subhead">'


def pages() -> Iterator[Page]:
    """Articles of each."""
    classic = Site("wordpress", "https://notes.example.com/2011/04/11/events/", WordPress)
    yield from classic.pages("js-events", "garden-it")
    gutenberg = Site("gutenberg", "https://blog.example.com/bees-in-winter/", Gutenberg)
    yield gutenberg.page("bees", gutenberg.part(text("bees")), gutenberg.raw("gutenberg-blocks"))
    yield from gutenberg.pages("recipe-fr", "keyboards", "tea-fa")
    yield from Site("gutenberg", "https://dev.example.com/merging/", NumberedGutenberg).pages("diff-notes", "git-ru")
    medium = Site("medium", "https://medium.example/@ana/parsing-without-copying-7e1a", Medium)
    yield from medium.pages("rust-parser", "bees")
    substack = Site("substack", "https://ana.substack.example/p/three-days", Substack)
    yield from substack.pages("hike", "keyboards")
    yield substack.page("notes", substack.part(text("bees")), substack.raw("substack-notes"))
    ghost = Site("ghost", "https://ghost.example.io/retrying/", Ghost)
    yield from ghost.pages("retry", "hike")
    yield ghost.page("cards", ghost.part(text("cli")), ghost.raw("ghost-cards"))
    yield from Site("blogger", "https://making.blogspot.example/2009/11/make.html", Blogger).pages("compose-de")
    yield from Site("blogger", "https://making.blogspot.example/2010/02/ring.html", Prettified).pages("java-pool")
    paper = Site("news", "https://www.harbourtimes.example/news/2024/night-ferry", Newspaper)
    yield from paper.pages("harbour", "bridge-pt")
    yield paper.page("figures", paper.part(text("harbour")), paper.raw("news-figures"))
