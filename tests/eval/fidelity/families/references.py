"""Generated references: what rustdoc, Javadoc, Doxygen and others make of comments in code."""

from __future__ import annotations

from collections.abc import Iterator

from tests.eval.fidelity import codeblocks
from tests.eval.fidelity.generator import Generator
from tests.eval.fidelity.highlight import PYGMENTS, spans
from tests.eval.fidelity.page import Page, Site, text


class Rustdoc(Generator):
    def code(self, text: str, language: str) -> str:
        return (
            '<div class="example-wrap"><pre class="rust rust-example-rendered">'
            f"<code>{spans(text, {'keyword': 'kw', 'string': 'string', 'comment': 'comment', 'number': 'number'})}"
            '</code></pre><a class="test-arrow" target="_blank" title="Run code"'
            ' href="https://play.example.org/?code=x">'
            "</a></div>"
        )

    def heading_start(self, level: int, slug: str, text: str) -> str:
        return "<h1>" if level == 1 else f'<h{level} id="{slug}"><a class="doc-anchor" href="#{slug}">§</a>'


class Javadoc(Generator):
    names_languages = False

    def code(self, text: str, language: str) -> str:
        return (
            '<div class="snippet-container"><button class="copy snippet-copy" aria-label="Copy snippet">'
            "<span>Copy</span>"
            f'</button><pre class="snippet"><code>{codeblocks.escaped(text)}</code></pre></div>'
        )

    def heading_start(self, level: int, slug: str, text: str) -> str:
        return f'<h1 title="{text}" class="title">' if level == 1 else f'<h{level} id="{slug}-heading">'


class Doxygen(Generator):
    names_languages = False

    def code(self, text: str, language: str) -> str:
        rows = "".join(
            f'<div class="line"><span class="lineno">{number:5}'
            f"</span>{spans(line, {'keyword': 'keyword', 'string': 'stringliteral', 'comment': 'comment'})}</div>\n"
            for number, line in enumerate(codeblocks.lines_of(text), 1)
        )
        return f'<div class="fragment">{rows}</div><!-- fragment -->'

    def heading_start(self, level: int, slug: str, text: str) -> str:
        return f'<h{level} class="groupheader"><a class="anchor" id="{slug}"></a>\n'

    def table_open(self, *_: object) -> str:
        return '<table class="markdownTable">\n'


class GoDoc(Generator):
    names_languages = False

    def code(self, text: str, language: str) -> str:
        return f"<pre>{codeblocks.escaped(text)}</pre>"

    def heading_start(self, level: int, slug: str, text: str) -> str:
        return f'<h{level} tabindex="-1" id="hdr-{slug}">'

    def heading_end(self, level: int, slug: str, text: str) -> str:
        return f' <a class="Documentation-idLink" href="#hdr-{slug}" aria-label="Go to {text}">¶</a></h{level}>\n'


class Mdn(Generator):
    def code(self, text: str, language: str) -> str:
        return (
            f'<div class="code-example"><div class="example-header"><span class="language-name">{language}</span>'
            '<button type="button" class="icon copy-icon"><span class="visually-hidden">Copy to Clipboard</span>'
            "</button>"
            f'</div><pre class="brush: {language} notranslate">'
            f"<code>{spans(text, {'keyword': 'token keyword', 'string': 'token string'})}</code></pre></div>"
        )

    def heading_start(self, level: int, slug: str, text: str) -> str:
        return "<header><h1>" if level == 1 else f'<h{level} id="{slug}"><a href="#{slug}">'

    def heading_end(self, level: int, slug: str, text: str) -> str:
        return "</h1></header>\n" if level == 1 else f"</a></h{level}>\n"

    def table_open(self, *_: object) -> str:
        return '<figure class="table-container"><table class="standard-table">\n'

    def table_close(self, *_: object) -> str:
        return "</table></figure>\n"


class Pdoc(Generator):
    names_languages = False

    def code(self, text: str, language: str) -> str:
        return (
            f'<div class="pdoc-code codehilite">\n<pre><span></span><code>{spans(text, PYGMENTS)}</code></pre>\n</div>'
        )


class Yard(Generator):
    def code(self, text: str, language: str) -> str:
        marks = {"keyword": "kw", "string": "tstring", "name": "id identifier", "comment": "comment val"}
        return f'<pre class="code {language}"><code class="{language}">{spans(text, marks)}</code></pre>'

    def link_start(self, target: str) -> str:
        return f'<span class="object_link"><a href="{target}" title="{target}">'

    def link_close(self, *_: object) -> str:
        return "</a></span>"


class Redoc(Generator):
    def code(self, text: str, language: str) -> str:
        return (
            f'<div class="sc-fznKkj"><div class="sc-bdVaJa"><button><div class="sc-copy">Copy</div></button></div>'
            f'<div class="sc-htpNat"><pre><code class="language-{language}">{codeblocks.escaped(text)}</code>'
            "</pre></div></div>"
        )

    def heading_start(self, level: int, slug: str, text: str) -> str:
        return (
            f'<h{level} class="sc-EHOje sc-bZQynM"><a class="sc-bxivhb kZpNVg" href="#{slug}" aria-label="{slug}"></a>'
        )


class Mandoc(Generator):
    names_languages = False

    def code(self, text: str, language: str) -> str:
        return f'<div class="Bd Pp Bd-indent Li"><pre>{codeblocks.escaped(text)}</pre></div>'

    def heading_start(self, level: int, slug: str, text: str) -> str:
        return f'<section class="Sh"><h{level} class="Sh" id="{slug}"><a class="permalink" href="#{slug}">'

    def heading_end(self, level: int, slug: str, text: str) -> str:
        return f"</a></h{level}>\n"

    def inline_code(self, text: str) -> str:
        return f'<code class="Nm">{text}</code>'


def pages() -> Iterator[Page]:
    """A text of each, some with what only that generator writes."""
    rust = Site("rustdoc", "https://docs.nimble.example/conf/latest/conf/index.html", Rustdoc)
    yield rust.page("rust-parser", rust.part(text("rust-parser")))
    yield rust.page("items", rust.part("# Crate conf\n\n" + _opening("rust-parser")), rust.raw("rustdoc-items"))
    java = Site("javadoc", "https://pool.example.org/2.4/api/org/pool/ObjectPool.html", Javadoc)
    yield java.page("java-pool", java.part(text("java-pool")))
    yield java.page("details", java.part("# Class ObjectPool\n\n" + _opening("java-pool")), java.raw("javadoc-details"))
    doxygen = Site("doxygen", "https://ring.example.org/api/group__ring.html", Doxygen)
    yield doxygen.page("c-ring", doxygen.part(text("c-ring")))
    yield doxygen.page("member", doxygen.part(text("c-ring")), doxygen.raw("doxygen-member"))
    go = Site("godoc", "https://pkg.example.dev/example.org/cache", GoDoc)
    yield go.page("go-cache", go.part(text("go-cache")))
    yield go.page("declaration", go.part("# cache\n\n" + _opening("go-cache")), go.raw("godoc-declaration"))
    mdn = Site("mdn", "https://developer.example.org/en-US/docs/Web/CSS/grid", Mdn)
    yield mdn.page("css-grid", mdn.part(text("css-grid")))
    yield mdn.page("values", mdn.part(text("js-events")), mdn.raw("mdn-values"))
    yield from Site("pdoc", "https://patience.example.io/patience.html", Pdoc).pages("retry", "typing-tips")
    yard = Site("yard", "https://rubydoc.example.info/gems/postbox/Postbox.html", Yard)
    yield yard.page("ruby-mail", yard.part(text("ruby-mail")))
    yield yard.page("source", yard.part(text("ruby-mail")), yard.raw("yard-source"))
    redoc = Site("redoc", "https://api.shop.example.com/redoc.html", Redoc)
    yield from redoc.pages("json-api")
    swagger = Site("swagger", "https://api.shop.example.com/docs/orders.html", Redoc)
    yield swagger.page("operation", swagger.part(text("json-api")), swagger.raw("swagger-operation"))
    man = Site("man", "https://man.example.org/ringctl.8.html", Mandoc)
    yield man.page("ringctl", man.part(text("kernel-man")), man.raw("man-options"))


def _opening(name: str) -> str:
    """The paragraphs of a text before its second heading."""
    return text(name).split("\n## ")[0].split("\n", 1)[1].strip() + "\n"
