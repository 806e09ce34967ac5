"""Code as highlighters, editors and blog programs mark it up where there is no plain `pre` with its text."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tests.eval.fidelity.codeblocks import escaped, lines_of
from tests.eval.fidelity.families.press import Gutenberg
from tests.eval.fidelity.highlight import HLJS, PRISM, PYGMENTS, colours, spans
from tests.eval.fidelity.page import Page, Site, text

_URL = "https://code.example.com/posts/one.html"
Highlighter = Callable[[str, str], str]


def line_rows(code: str, language: str) -> str:
    """A table of lines without `pre`, numbers in the first column."""
    rows = "".join(
        f'<tr><td class="line-num" data-line="{number}">{number}</td><td class="line-code">{_kept(line)}</td></tr>'
        for number, line in enumerate(lines_of(code), 1)
    )
    return f'<div class="code-view lang-{language}"><table class="code-table"><tbody>{rows}</tbody></table></div>'


def wp_syntax(code: str, language: str) -> str:
    """WP-Syntax with GeSHi: two cells, each with a `pre`."""
    numbers = "\n".join(str(number) for number in range(1, len(lines_of(code)) + 1))
    return (
        f'<div class="wp_syntax"><table><tr><td class="line_numbers"><pre>{numbers}\n</pre></td><td class="code">'
        f'<pre class="{language}" style="font-family:monospace;">{colours(code)}</pre></td></tr></table></div>'
    )


def geshi_list(code: str, language: str) -> str:
    """GeSHi: an item for each line, and a division in it."""
    rows = "".join(
        f'<li class="li{1 + number % 2}"><div class="de1">{_kept(line)}</div></li>'
        for number, line in enumerate(lines_of(code))
    )
    return f'<div class="{language} geshi"><ol>{rows}</ol></div>'


def dp_highlighter(code: str, language: str) -> str:
    """SyntaxHighlighter 1.5: a list of spans."""
    rows = "".join(
        f'<li class="{"alt" if number % 2 else ""}"><span>{_blanks(line)}&nbsp;&nbsp;</span></li>'
        for number, line in enumerate(lines_of(code))
    )
    return (
        '<div class="dp-highlighter"><div class="bar"><div class="tools"><a href="#">view plain</a></div></div>'
        f'<ol start="1" class="dp-{language[:1]}">{rows}</ol></div>'
    )


def broken_code(code: str, language: str) -> str:
    """`code` outside of `pre`, with `br` and no-break spaces."""
    rows = "<br>".join(_blanks(line) for line in lines_of(code))
    return f'<p class="code-sample"><code class="language-{language}">{rows}</code></p>'


def code_per_line(code: str, language: str) -> str:
    """A `code` for each line, with `br` between them."""
    rows = "<br>".join(f"<code>{_blanks(line)}</code>" for line in lines_of(code))
    return f'<div class="code-lines" data-lang="{language}">{rows}</div>'


def block_spans(code: str, language: str) -> str:
    """Spans that are blocks by their style, without line breaks in the text."""
    rows = "".join(f'<span style="display: block">{colours(line) or "&#8203;"}</span>' for line in lines_of(code))
    return f'<pre class="language-{language}"><code>{rows}</code></pre>'


def react_lines(code: str, language: str) -> str:
    """react-syntax-highlighter with wrapped lines and numbers."""
    rows = "".join(
        f'<span style="display:flex"><span class="linenumber react-syntax-highlighter-line-number">{number}</span>'
        f"<span>{spans(line, PRISM)}\n</span></span>"
        for number, line in enumerate(lines_of(code), 1)
    )
    return f'<pre style="color:black"><code class="language-{language}" style="white-space:pre">{rows}</code></pre>'


def custom_lines(code: str, language: str) -> str:
    """Custom elements for the block and for each line."""
    rows = "".join(f"<code-line>{spans(line, HLJS)}</code-line>" for line in lines_of(code))
    return f'<code-block language="{language}"><code-lines>{rows}</code-lines></code-block>'


def custom_text(code: str, language: str) -> str:
    """A custom element around the plain text."""
    return (
        f'<deckgo-highlight-code language="{language}"><code slot="code">{escaped(code)}</code></deckgo-highlight-code>'
    )


def shadow(code: str, language: str) -> str:
    """A custom element with its text in a declarative shadow root."""
    return (
        f'<code-snippet data-language="{language}"><template shadowrootmode="open"><style>pre{{margin:0}}</style>'
        f"<pre><code>{spans(code, PYGMENTS)}</code></pre></template></code-snippet>"
    )


def codemirror5(code: str, language: str) -> str:
    """CodeMirror 5: a `pre` for each line, and a hidden input."""
    rows = "".join(
        f'<div style="position: relative;"><div class="CodeMirror-gutter-wrapper"><div class="CodeMirror-linenumber'
        f' CodeMirror-gutter-elt">{number}</div></div><pre class=" CodeMirror-line "><span role="presentation">'
        f"{spans(line, HLJS) or '&#8203;'}</span></pre></div>"
        for number, line in enumerate(lines_of(code), 1)
    )
    return (
        f'<div class="CodeMirror cm-s-default" data-lang="{language}"><div class="CodeMirror-scroll">'
        f'<div class="CodeMirror-lines"><div class="CodeMirror-code">{rows}</div></div></div></div>'
    )


def codemirror6(code: str, language: str) -> str:
    """CodeMirror 6: a division for each line."""
    rows = "".join(f'<div class="cm-line">{spans(line, PYGMENTS) or "<br>"}</div>' for line in lines_of(code))
    numbers = "".join(f'<div class="cm-gutterElement">{number}</div>' for number in range(1, len(lines_of(code)) + 1))
    return (
        '<div class="cm-editor"><div class="cm-scroller"><div class="cm-gutters" aria-hidden="true">'
        '<div class="cm-gutter'
        f' cm-lineNumbers">{numbers}</div></div><div class="cm-content" role="textbox" data-language="{language}">'
        f"{rows}"
        "</div></div></div>"
    )


def monaco(code: str, language: str) -> str:
    """Monaco: a division for each line, blanks as no-break spaces."""
    rows = "".join(
        f'<div class="view-line"><span><span class="mtk1">{_blanks(line)}</span></span></div>'
        for line in lines_of(code)
    )
    return f'<div class="monaco-editor" data-language="{language}"><div class="view-lines">{rows}</div></div>'


def crayon(code: str, language: str) -> str:
    """Crayon: a table with a division for each line."""
    numbers = "".join(f'<div class="crayon-num">{number}</div>' for number in range(1, len(lines_of(code)) + 1))
    rows = "".join(
        f'<div class="crayon-line" id="crayon-{n}">{_kept(line) or "&nbsp;"}</div>'
        for n, line in enumerate(lines_of(code))
    )
    return (
        f'<div class="crayon-syntax crayon-theme-classic"><div class="crayon-main"><table class="crayon-table"><tr>'
        f'<td class="crayon-nums"><div class="crayon-nums-content">{numbers}</div></td><td class="crayon-code">'
        f'<div class="crayon-pre" data-lang="{language}">{rows}</div></td></tr></table></div></div>'
    )


def enlighter(code: str, language: str) -> str:
    """EnlighterJS: divisions for lines, and the raw text hidden beside them."""
    rows = "".join(f"<div><div><span>{_kept(line) or '&nbsp;'}</span></div></div>" for line in lines_of(code))
    return (
        f'<div class="enlighter-default enlighter-l-{language} enlighter-hover" data-lang="{language}">'
        f'<div class="enlighter-code"><div class="enlighter">{rows}</div></div></div>'
    )


WAYS: tuple[Highlighter, ...] = (
    *(line_rows, wp_syntax, geshi_list, dp_highlighter, broken_code, code_per_line, block_spans, react_lines),
    *(custom_lines, custom_text, shadow, codemirror5, codemirror6, monaco, crayon, enlighter),
)


def _kept(line: str) -> str:
    """A line whose leading blanks a browser would keep."""
    rest = line.lstrip(" ")
    return "&nbsp;" * (len(line) - len(rest)) + spans(rest, PYGMENTS)


def _blanks(line: str) -> str:
    return escaped(line).replace("  ", "&nbsp;&nbsp;")


def pages() -> Iterator[Page]:
    """Two posts for each way."""
    for way in WAYS:

        class Coloured(Gutenberg):
            names_languages = False
            code = staticmethod(way)  # type: ignore[assignment]

        site = Site("gutenberg", _URL, Coloured, family="highlighters")
        for name in ("retry", "queue"):
            yield site.page(f"{way.__name__}-{name}", site.part(text(name)))
