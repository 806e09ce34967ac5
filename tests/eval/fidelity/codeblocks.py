"""Blocks of code as highlighters and templates mark them up; each takes a text that ends with a line break."""

from __future__ import annotations

import html

from tests.eval.fidelity.highlight import CHROMA, GITHUB, HLJS, PRISM, PYGMENTS, colours, spans


def escaped(code: str) -> str:
    return html.escape(code, quote=False)


def lines_of(code: str) -> list[str]:
    return code.removesuffix("\n").split("\n")


def pygments(code: str, language: str) -> str:
    """Sphinx, with the button of its copy extension."""
    button = '<button class="copybtn o-tooltip--left" data-tooltip="Copy">Copy</button>'
    return (
        f'<div class="highlight-{language or "default"} notranslate"><div class="highlight"><pre><span></span>'
        f"{spans(code, PYGMENTS)}</pre>{button}</div></div>"
    )


def pygments_table(code: str, language: str) -> str:
    """Sphinx and Python-Markdown with line numbers in a table of their own."""
    count = len(lines_of(code))
    numbers = "\n".join(f'<span class="normal">{number:2}</span>' for number in range(1, count + 1))
    return (
        f'<div class="highlight-{language} notranslate"><table class="highlighttable"><tr><td class="linenos">'
        f'<div class="linenodiv"><pre>{numbers}</pre></div></td><td class="code"><div class="highlight"><pre>'
        f"<span></span>{spans(code, PYGMENTS)}</pre></div></td></tr></table></div>"
    )


def pygments_inline_numbers(code: str, language: str) -> str:
    """Line numbers in front of each line, in the same block."""
    numbered = "".join(
        f'<span class="linenos">{number:>2} </span>{spans(line, PYGMENTS)}\n'
        for number, line in enumerate(lines_of(code), 1)
    )
    block = f'<div class="highlight"><pre><span></span>{numbered}</pre></div>'
    return f'<div class="highlight-{language} notranslate">{block}</div>'


def material(code: str, language: str) -> str:
    """MkDocs with the Material theme: every line is an anchor and a span."""
    rows = "".join(
        f'<span id="__span-0-{number}"><a id="__codelineno-0-{number}" name="__codelineno-0-{number}"'
        f' href="#__codelineno-0-{number}"></a>{spans(line, PYGMENTS)}\n</span>'
        for number, line in enumerate(lines_of(code), 1)
    )
    button = '<nav class="md-code__nav"><button class="md-code__button" title="Copy to clipboard"></button></nav>'
    return f'<div class="language-{language} highlight"><pre><span></span>{button}<code>{rows}</code></pre></div>'


def docusaurus(code: str, language: str) -> str:
    """Prism through React: a line is a span with a `br`, and buttons stand beside the code."""
    rows = "".join(
        f'<span class="token-line" style="color:#393A34">{spans(line, PRISM) or ""}<br></span>'
        for line in lines_of(code)
    )
    return (
        f'<div class="language-{language} codeBlockContainer_Ckt0 theme-code-block"><div class="codeBlockContent_biex">'
        f'<pre tabindex="0" class="prism-code language-{language} codeBlock_bY9V thin-scrollbar">'
        f'<code class="codeBlockLines_e6Vv">{rows}</code></pre><div class="buttonGroup__atx">'
        '<button type="button" aria-label="Copy code to clipboard" title="Copy" class="clean-btn">Copy</button>'
        "</div></div></div>"
    )


def docusaurus_numbers(code: str, language: str) -> str:
    """The same with line numbers, which a style sheet writes."""
    rows = "".join(
        f'<span class="token-line codeLine_lJS_" style="color:#393A34"><span class="codeLineNumber_Tfdd"></span>'
        f'<span class="codeLineContent_feaV">{spans(line, PRISM)}</span><br></span>'
        for line in lines_of(code)
    )
    return (
        f'<div class="language-{language} codeBlockContainer_Ckt0 theme-code-block"><div class="codeBlockContent_biex">'
        f'<pre tabindex="0" class="prism-code language-{language} codeBlock_bY9V thin-scrollbar">'
        f'<code class="codeBlockLines_e6Vv codeBlockLinesWithNumbering_o6Pm">{rows}</code></pre></div></div>'
    )


def shiki(code: str, language: str) -> str:
    """VitePress: a label for the language, a button, and coloured lines."""
    rows = "\n".join(f'<span class="line">{colours(line)}</span>' for line in lines_of(code))
    return (
        f'<div class="language-{language} vp-adaptive-theme"><button title="Copy Code" class="copy"></button>'
        f'<span class="lang">{language}</span><pre class="shiki shiki-themes github-light vp-code" tabindex="0">'
        f"<code>{rows}</code></pre></div>"
    )


def shiki_numbers(code: str, language: str) -> str:
    """VitePress with a column of line numbers beside the block."""
    count = len(lines_of(code))
    numbers = "".join(f'<span class="line-number">{number}</span><br>' for number in range(1, count + 1))
    column = f'<div class="line-numbers-wrapper" aria-hidden="true">{numbers}</div>'
    return shiki(code, language).removesuffix("</div>") + column + "</div>"


def expressive(code: str, language: str) -> str:
    """Starlight: a figure, and a division for each line."""
    rows = "".join(
        f'<div class="ec-line"><div class="code">{colours(line) or chr(10)}</div></div>' for line in lines_of(code)
    )
    return (
        '<div class="expressive-code"><figure class="frame"><figcaption class="header"></figcaption>'
        f'<pre data-language="{language}"><code>{rows}</code></pre>'
        '<div class="copy"><button title="Copy to clipboard" data-copied="Copied!"><div></div></button></div>'
        "</figure></div>"
    )


def nextra(code: str, language: str) -> str:
    """Nextra: `data-language` on the code, a span for each line."""
    rows = "\n".join(f"<span>{colours(line)}</span>" for line in lines_of(code))
    return (
        '<div class="nextra-code"><pre class="x:group" tabindex="0">'
        f'<code class="nextra-code" dir="ltr" data-language="{language}" data-theme="default">{rows}</code></pre>'
        '<div class="x:absolute"><button title="Copy code" type="button"></button></div></div>'
    )


def hljs(code: str, language: str) -> str:
    return f'<pre><code class="hljs language-{language}">{spans(code, HLJS)}</code></pre>'


def hljs_numbers(code: str, language: str) -> str:
    """highlight.js with the plug-in for line numbers: a table in the block."""
    rows = "".join(
        f'<tr><td class="hljs-ln-line hljs-ln-numbers" data-line-number="{number}"><div class="hljs-ln-n"'
        f' data-line-number="{number}"></div></td><td class="hljs-ln-line hljs-ln-code" data-line-number="{number}">'
        f"{spans(line, HLJS) or ' '}</td></tr>"
        for number, line in enumerate(lines_of(code), 1)
    )
    return (
        f'<pre><code class="hljs language-{language}"><table class="hljs-ln"><tbody>{rows}</tbody></table></code></pre>'
    )


def chroma(code: str, language: str) -> str:
    """Hugo."""
    rows = "".join(
        f'<span class="line"><span class="cl">{spans(line, CHROMA)}\n</span></span>' for line in lines_of(code)
    )
    return (
        f'<div class="highlight"><pre tabindex="0" class="chroma"><code class="language-{language}"'
        f' data-lang="{language}">{rows}</code></pre></div>'
    )


def chroma_table(code: str, language: str) -> str:
    """Hugo with line numbers in a table."""
    count = len(lines_of(code))
    numbers = "\n".join(f'<span class="lnt">{number:2}</span>' for number in range(1, count + 1))
    inner = chroma(code, language).removeprefix('<div class="highlight">').removesuffix("</div>")
    return (
        '<div class="highlight"><div class="chroma"><table class="lntable"><tr><td class="lntd">'
        f'<pre tabindex="0" class="chroma"><code>{numbers}\n</code></pre></td><td class="lntd">{inner}</td></tr>'
        "</table>"
        "</div></div>"
    )


def rouge(code: str, language: str) -> str:
    """Jekyll."""
    return (
        f'<div class="language-{language} highlighter-rouge"><div class="highlight"><pre class="highlight"><code>'
        f"{spans(code, PYGMENTS)}</code></pre></div></div>"
    )


def rouge_table(code: str, language: str) -> str:
    """Jekyll's `highlight` tag with `linenos`."""
    count = len(lines_of(code))
    numbers = "".join(f"{number}\n" for number in range(1, count + 1))
    return (
        f'<figure class="highlight"><pre><code class="language-{language}" data-lang="{language}">'
        '<table class="rouge-table"><tbody><tr><td class="gutter gl"><pre class="lineno">'
        f'{numbers}</pre></td><td class="code"><pre>{spans(code, PYGMENTS)}</pre></td></tr></tbody></table>'
        "</code></pre></figure>"
    )


def mdbook(code: str, language: str) -> str:
    return (
        '<pre><div class="buttons"><button class="fa fa-copy clip-button" title="Copy to clipboard"></button></div>'
        f'<code class="language-{language} hljs">{spans(code, HLJS)}</code></pre>'
    )


def asciidoctor(code: str, language: str) -> str:
    return (
        f'<div class="listingblock"><div class="content"><pre class="highlightjs highlight">'
        f'<code class="language-{language} hljs" data-lang="{language}">{spans(code, HLJS)}</code>'
        f'<div class="source-toolbox"><span class="source-lang">{language}</span>'
        '<button class="copy-button" title="Copy to clipboard"><span class="copy-toast">Copied!</span></button></div>'
        "</pre></div></div>"
    )


def github(code: str, language: str) -> str:
    """A rendered README."""
    return (
        f'<div class="highlight highlight-source-{language} notranslate position-relative overflow-auto" dir="auto">'
        f'<pre>{spans(code.removesuffix(chr(10)), GITHUB)}</pre><div class="zeroclipboard-container">'
        '<clipboard-copy aria-label="Copy" class="ClipboardButton btn"><svg></svg></clipboard-copy></div></div>'
    )


def broken_lines(code: str, language: str) -> str:
    """Old blogs: one line, `br` and no-break spaces."""
    rows = "<br>".join(escaped(line).replace("  ", "&nbsp; ") for line in lines_of(code))
    return f"<pre>{rows}</pre>"


def prettify(code: str, language: str) -> str:
    """google-code-prettify with line numbers: a list in the block."""
    rows = "".join(
        f'<li class="L{number % 10}"><code class="language-{language}">{spans(line, HLJS)}</code></li>'
        for number, line in enumerate(lines_of(code))
    )
    return f'<pre class="prettyprint linenums lang-{language} prettyprinted"><ol class="linenums">{rows}</ol></pre>'


def syntax_highlighter(code: str, language: str) -> str:
    """SyntaxHighlighter of many blogs: a table without `pre`, blanks as no-break spaces."""
    numbers = "".join(
        f'<div class="line number{number} index{number - 1} alt{1 + number % 2}">{number}</div>'
        for number in range(1, len(lines_of(code)) + 1)
    )
    rows = "".join(
        f'<div class="line number{number} index{number - 1} alt{1 + number % 2}">{_plain_line(line)}</div>'
        for number, line in enumerate(lines_of(code), 1)
    )
    return (
        f'<div><div id="highlighter_4711" class="syntaxhighlighter {language}"><div class="toolbar"><span>'
        '<a href="#" class="toolbar_item command_help help">?</a></span></div><table border="0" cellpadding="0"'
        f' cellspacing="0"><tbody><tr><td class="gutter">{numbers}</td><td class="code"><div'
        f' class="container">{rows}</div>'
        "</td></tr></tbody></table></div></div>"
    )


def _plain_line(line: str) -> str:
    indent = len(line) - len(line.lstrip(" "))
    start = f'<code class="plain spaces">{"&nbsp;" * indent}</code>' if indent else ""
    rest = f'<code class="plain">{escaped(line.lstrip(" "))}</code>' if line.strip() else "&nbsp;"
    return start + rest


def prism_numbers(code: str, language: str) -> str:
    """Prism's plug-ins: a tool bar, and numbers as empty spans at the end of the code."""
    marks = "<span></span>" * len(lines_of(code))
    return (
        f'<div class="code-toolbar"><pre class="line-numbers language-{language}"><code class="language-{language}">'
        f'{spans(code, PRISM)}<span aria-hidden="true" class="line-numbers-rows">{marks}</span></code></pre>'
        '<div class="toolbar"><div class="toolbar-item"><button>Copy</button></div></div></div>'
    )


def sourcehut(code: str, language: str) -> str:
    """A link for each line number in one cell, the lines in the next."""
    numbers = "\n".join(
        f'<a href="#L{number}" id="L{number}">{number}</a>' for number in range(1, len(lines_of(code)) + 1)
    )
    return (
        f'<table class="code-view"><tr><td class="lines"><pre>{numbers}</pre></td><td><div class="highlight">'
        f"<pre>{spans(code, PYGMENTS)}</pre></div></td></tr></table>"
    )


def pandoc(code: str, language: str) -> str:
    rows = "\n".join(
        f'<span id="cb1-{number}"><a href="#cb1-{number}" aria-hidden="true" tabindex="-1"></a>'
        f"{spans(line, {'keyword': 'kw', 'string': 'st', 'comment': 'co', 'number': 'dv'})}</span>"
        for number, line in enumerate(lines_of(code), 1)
    )
    return (
        f'<div class="sourceCode" id="cb1"><pre class="sourceCode {language}"><code class="sourceCode {language}">'
        f"{rows}</code></pre></div>"
    )
