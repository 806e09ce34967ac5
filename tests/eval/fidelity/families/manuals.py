"""Generators of manuals and guides: Sphinx, MkDocs, Docusaurus and their kin."""

from __future__ import annotations

from collections.abc import Iterator

from tests.eval.fidelity import codeblocks
from tests.eval.fidelity.generator import Generator
from tests.eval.fidelity.page import Page, Site


class Sphinx(Generator):
    def code(self, text: str, language: str) -> str:
        return codeblocks.pygments(text, language)

    def heading_start(self, level: int, slug: str, text: str) -> str:
        return f'<section id="{slug}"><span id="index-{level}"></span><h{level}>' if level == 1 else f"<h{level}>"

    def heading_end(self, level: int, slug: str, text: str) -> str:
        return f'<a class="headerlink" href="#{slug}" title="Link to this heading">¶</a></h{level}>\n'

    def link_start(self, target: str) -> str:
        return f'<a class="reference external" href="{target}">'

    def inline_code(self, text: str) -> str:
        words = " ".join(f'<span class="pre">{word}</span>' for word in text.split(" "))
        return f'<code class="docutils literal notranslate">{words}</code>'

    def table_open(self, *_: object) -> str:
        return '<div class="wy-table-responsive"><table class="docutils align-default">\n'

    def table_close(self, *_: object) -> str:
        return "</table></div>\n"


class NumberedSphinx(Sphinx):
    def code(self, text: str, language: str) -> str:
        return codeblocks.pygments_table(text, language)

    def heading_end(self, level: int, slug: str, text: str) -> str:
        return f'<a class="headerlink" href="#{slug}" title="Permalink to this headline"></a></h{level}>\n'


class Furo(Sphinx):
    def code(self, text: str, language: str) -> str:
        return codeblocks.pygments_inline_numbers(text, language)

    def heading_end(self, level: int, slug: str, text: str) -> str:
        return f'<a class="headerlink" href="#{slug}" title="Link to this heading">#</a></h{level}>\n'


class Material(Generator):
    def code(self, text: str, language: str) -> str:
        return codeblocks.material(text, language)

    def heading_end(self, level: int, slug: str, text: str) -> str:
        return f'<a class="headerlink" href="#{slug}" title="Permanent link">&para;</a></h{level}>\n'

    def box(self, *, is_done: bool) -> str:
        checked = " checked" if is_done else ""
        return (
            f'<label class="task-list-control"><input type="checkbox" disabled{checked}>'
            '<span class="task-list-indicator"></span></label> '
        )


class MkDocs(Generator):
    """The theme that looks like Read the Docs."""

    def code(self, text: str, language: str) -> str:
        return codeblocks.hljs(text, language)


class Docusaurus(Generator):
    def code(self, text: str, language: str) -> str:
        return codeblocks.docusaurus(text, language)

    def heading_start(self, level: int, slug: str, text: str) -> str:
        return "<header><h1>" if level == 1 else f'<h{level} class="anchor anchorWithStickyNavbar_LWe7" id="{slug}">'

    def heading_end(self, level: int, slug: str, text: str) -> str:
        if level == 1:
            return "</h1></header>\n"
        label = f"Direct link to {text}"
        return f'<a href="#{slug}" class="hash-link" aria-label="{label}" title="{label}">\u200b</a></h{level}>\n'


class NumberedDocusaurus(Docusaurus):
    def code(self, text: str, language: str) -> str:
        return codeblocks.docusaurus_numbers(text, language)


class VitePress(Generator):
    def code(self, text: str, language: str) -> str:
        return codeblocks.shiki(text, language)

    def heading_start(self, level: int, slug: str, text: str) -> str:
        return f'<h{level} id="{slug}" tabindex="-1">'

    def heading_end(self, level: int, slug: str, text: str) -> str:
        label = f"Permalink to &quot;{text}&quot;"
        return f' <a class="header-anchor" href="#{slug}" aria-label="{label}">\u200b</a></h{level}>\n'

    def table_open(self, *_: object) -> str:
        return '<table tabindex="0">\n'


class NumberedVitePress(VitePress):
    def code(self, text: str, language: str) -> str:
        return codeblocks.shiki_numbers(text, language)


class GitBook(Generator):
    names_languages = False

    def code(self, text: str, language: str) -> str:
        rows = "".join(
            f'<span class="highlight-line"><span class="highlight-line-content">{codeblocks.colours(line)}\n'
            "</span></span>"
            for line in codeblocks.lines_of(text)
        )
        return (
            '<div class="group/codeblock grid grid-flow-col"><div class="flex items-center"><button>Copy</button></div>'
            f'<pre class="overflow-auto"><code class="min-w-full inline-grid">{rows}</code></pre></div>'
        )

    def heading_start(self, level: int, slug: str, text: str) -> str:
        if level == 1:
            return '<h1 class="text-4xl font-bold flex items-center gap-4">'
        return (
            f'<h{level} id="{slug}" class="flex scroll-m-12"><div class="hash grid"><a href="#{slug}"'
            ' aria-label="Direct link to'
            f' heading"><svg></svg></a></div><div class="flex-1 z-[1] break-words">'
        )

    def heading_end(self, level: int, slug: str, text: str) -> str:
        return "</h1>\n" if level == 1 else f"</div></h{level}>\n"

    def list_item_open(self, *_: object) -> str:
        return '<li class="leading-normal"><div class="min-h-lh"><div class="bullet"></div></div><div class="flex-col">'

    def list_item_close(self, *_: object) -> str:
        return "</div></li>\n"


class Hugo(Generator):
    def code(self, text: str, language: str) -> str:
        return codeblocks.chroma(text, language)

    def heading_end(self, level: int, slug: str, text: str) -> str:
        return f'<a class="td-heading-self-link" href="#{slug}" aria-label="Heading self-link"></a></h{level}>\n'


class NumberedHugo(Hugo):
    def code(self, text: str, language: str) -> str:
        return codeblocks.chroma_table(text, language)


class Jekyll(Generator):
    alignment = "style"

    def code(self, text: str, language: str) -> str:
        return codeblocks.rouge(text, language)

    def inline_code(self, text: str) -> str:
        return f'<code class="language-plaintext highlighter-rouge">{text}</code>'

    def heading_start(self, level: int, slug: str, text: str) -> str:
        anchor = (
            f'<a href="#{slug}" class="anchor-heading" aria-labelledby="{slug}"><svg aria-hidden="true"></svg></a> '
        )
        return f'<h{level} id="{slug}">{anchor}'


class NumberedJekyll(Jekyll):
    def code(self, text: str, language: str) -> str:
        return codeblocks.rouge_table(text, language)


class MdBook(Generator):
    def code(self, text: str, language: str) -> str:
        return codeblocks.mdbook(text, language)

    def heading_start(self, level: int, slug: str, text: str) -> str:
        return f'<h{level} id="{slug}"><a class="header" href="#{slug}">'

    def heading_end(self, level: int, slug: str, text: str) -> str:
        return f"</a></h{level}>\n"

    def table_open(self, *_: object) -> str:
        return '<div class="table-wrapper"><table>\n'

    def table_close(self, *_: object) -> str:
        return "</table></div>\n"


class Antora(Generator):
    alignment = "class"

    def code(self, text: str, language: str) -> str:
        return codeblocks.asciidoctor(text, language)

    def heading_start(self, level: int, slug: str, text: str) -> str:
        return '<h1 class="page">' if level == 1 else f'<h{level} id="_{slug}"><a class="anchor" href="#_{slug}"></a>'

    def paragraph_open(self, *_: object) -> str:
        return '<div class="paragraph"><p>'

    def paragraph_close(self, *_: object) -> str:
        return "</p></div>\n"

    def list_item_open(self, *_: object) -> str:
        return "<li><p>"

    def table_open(self, *_: object) -> str:
        return '<table class="tableblock frame-all grid-all stretch">\n'

    def td_open(self, *_: object) -> str:
        return '<td class="tableblock halign-left valign-top"><p class="tableblock">'

    def td_close(self, *_: object) -> str:
        return "</p></td>\n"

    def bullet_list_open(self, *_: object) -> str:
        return '<div class="ulist"><ul>\n'

    def bullet_list_close(self, *_: object) -> str:
        return "</ul></div>\n"

    def ordered_list_open(self, *_: object) -> str:
        return '<div class="olist arabic"><ol class="arabic">\n'

    def ordered_list_close(self, *_: object) -> str:
        return "</ol></div>\n"


class Nextra(Generator):
    def code(self, text: str, language: str) -> str:
        return codeblocks.nextra(text, language)

    def heading_end(self, level: int, slug: str, text: str) -> str:
        if level == 1:
            return "</h1>\n"
        return f'<a href="#{slug}" class="subheading-anchor" aria-label="Permalink for this section"></a></h{level}>\n'


class Starlight(Generator):
    def code(self, text: str, language: str) -> str:
        return codeblocks.expressive(text, language)

    def heading_start(self, level: int, slug: str, text: str) -> str:
        return f'<div class="sl-heading-wrapper level-h{level}"><h{level} id="{slug}">'

    def heading_end(self, level: int, slug: str, text: str) -> str:
        return (
            f'</h{level}><a class="sl-anchor-link" href="#{slug}"><span aria-hidden="true"'
            ' class="sl-anchor-icon"><svg></svg>'
            f'</span><span class="sr-only">Section titled “{text}”</span></a></div>\n'
        )


def pages() -> Iterator[Page]:
    """Two or three texts of each."""
    sphinx = Site("sphinx", "https://docs.patience.example/en/latest/guide/retrying.html", Sphinx)
    yield from sphinx.pages("retry", "sql", "makefile")
    yield from Site("sphinx-furo", "https://queue.example.io/manual/configuration.html", Furo).pages("queue", "c-ring")
    yield from Site("readthedocs", "https://sift.readthedocs.example/en/stable/tour.html", NumberedSphinx).pages(
        "cli", "go-cache"
    )
    yield from Site("mkdocs-material", "https://docs.shop.example.com/api/orders/", Material).pages(
        "json-api", "js-events", "compose-de"
    )
    yield from Site("mkdocs", "https://faro.example.es/es/instalacion/", MkDocs).pages("install-es", "queue")
    yield from Site("docusaurus", "https://docs.events.example.dev/docs/guides/cleanup", Docusaurus).pages(
        "js-events", "retry"
    )
    yield from Site("docusaurus", "https://docs.sift.example.dev/docs/tour", NumberedDocusaurus).pages(
        "cli", "css-grid"
    )
    yield from Site("vitepress", "https://vite.orders.example/guide/api.html", VitePress).pages(
        "json-api", "rust-parser"
    )
    yield from Site("vitepress", "https://vite.shops.example/guide/windows.html", NumberedVitePress).pages(
        "sql", "install-es"
    )
    yield from Site("gitbook", "https://handbook.example.app/operations/queue", GitBook).pages("queue", "compose-de")
    yield from Site("hugo", "https://hugo.example.net/docs/tasks/services/", Hugo).pages("compose-de", "makefile")
    yield from Site("hugo", "https://hugo.example.net/docs/reference/cache/", NumberedHugo).pages(
        "go-cache", "css-grid"
    )
    yield from Site("jekyll", "https://jekyll.example.org/2024/04/02/windows.html", Jekyll).pages("sql", "js-events")
    yield from Site("jekyll", "https://jekyll.example.org/2024/05/09/retrying.html", NumberedJekyll).pages(
        "retry", "c-ring"
    )
    yield from Site("mdbook", "https://book.nimble.example/ch05-02-parsing.html", MdBook).pages("rust-parser", "cli")
    yield from Site("antora", "https://antora.example.com/shop/2.0/orders/create.html", Antora).pages(
        "json-api", "java-pool"
    )
    yield from Site("nextra", "https://nextra.example.sh/docs/queue", Nextra).pages("queue", "go-cache")
    yield from Site("starlight", "https://starlight.example.build/guides/grid/", Starlight).pages(
        "css-grid", "retry", "guide-ko"
    )
