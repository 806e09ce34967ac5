"""Code comes out as its author typed it, whatever a page wraps around its lines."""

from __future__ import annotations

import pytest

from tests.support.tables import each_row
from tests.unit.extract.html.render.rendering import markdown


@each_row(
    ("source", "language"),
    [
        ('<pre class="lang-js">a\n  b</pre>', "js"),
        ('<div class="highlight highlight-source-rust"><pre>a\n  b</pre></div>', "rust"),
        ('<div class="highlight-go notranslate"><div class="highlight"><pre>a\n  b</pre></div></div>', "go"),
        ('<div class="highlight-default notranslate"><pre>a\n  b</pre></div>', ""),
        ('<pre class="brush: sql; gutter: false">a\n  b</pre>', "sql"),
        ('<pre><code class="hljs language-c++">a\n  b</code></pre>', "c++"),
        ('<pre><code class="hljs python">a\n  b</code></pre>', "python"),
        ('<div class="sourceCode"><pre class="sourceCode haskell"><code>a\n  b</code></pre></div>', "haskell"),
        ('<pre data-language="ts"><code>a\n  b</code></pre>', "ts"),
        ('<pre class="code ruby">a\n  b</pre>', "ruby"),
        ('<div class="mw-highlight mw-highlight-lang-lua"><pre>a\n  b</pre></div>', "lua"),
        ('<pre><code class="language-plaintext">a\n  b</code></pre>', ""),
        ('<div class="ltx_listing ltx_lst_language_python ltx_lstlisting"><div>a</div><div>  b</div></div>', "python"),
    ],
)
def test_a_block_names_its_language(source: str, language: str) -> None:
    assert markdown(f"<p>Run:</p>{source}") == f"Run:\n\n```{language}\na\n  b\n```"


@each_row(
    "source",
    [
        pytest.param("<pre>\na\n\n  b\n</pre>", id="as it is"),
        pytest.param("<pre>a<br><br>  b</pre>", id="br"),
        pytest.param("<pre>a\n\n&nbsp;&nbsp;b</pre>", id="no-break spaces"),
        pytest.param("<pre><div>a</div><div><br></div><div>  b</div></pre>", id="div with br"),
        pytest.param("<pre><div>a</div><div></div><div>  b</div></pre>", id="empty div"),
        pytest.param("<pre><code>a</code>\n<code></code>\n<code>  b</code></pre>", id="code for each line"),
        pytest.param("<pre><ol><li>a</li><li></li><li>  b</li></ol></pre>", id="items"),
        pytest.param(
            '<pre><span class="line">a</span>\n<span class="line"></span>\n<span class="line">  b</span></pre>',
            id="Shiki",
        ),
        pytest.param(
            '<pre><code><span class="token-line">a<br></span><span class="token-line"><br></span>'
            '<span class="token-line">  b<br></span></code></pre>',
            id="Docusaurus",
        ),
        pytest.param(
            '<pre><div class="ec-line"><div class="code">a</div></div>'
            '<div class="ec-line"><div class="code">\n</div></div>'
            '<div class="ec-line"><div class="code">  <span>b</span></div></div></pre>',
            id="Expressive Code",
        ),
        pytest.param(
            '<pre><span style="display: block">a</span><span style="display:block">\n</span>'
            '<span style="display:block">  b</span></pre>',
            id="spans that are blocks",
        ),
        pytest.param(
            '<pre><span class="lineno">1</span>a\n<span class="lineno">2</span>\n'
            '<span class="lineno">3</span>  b\n</pre>',
            id="numbers in the lines",
        ),
        pytest.param(
            '<table class="highlighttable"><tr><td class="linenos"><pre>1\n2\n3</pre></td>'
            '<td class="code"><pre>a\n\n  b</pre></td></tr></table>',
            id="numbers beside the lines",
        ),
        pytest.param(
            "<table><tr><td><pre>1\n2\n3</pre></td><td><pre>a\n\n  b</pre></td></tr></table>",
            id="numbers without a name",
        ),
        pytest.param(
            '<pre><code><table class="rouge-table"><tr><td class="gutter"><pre class="lineno">1\n2\n3</pre></td>'
            '<td class="code"><pre>a\n\n  b</pre></td></tr></table></code></pre>',
            id="Rouge",
        ),
        pytest.param(
            '<pre><table class="hljs-ln"><tr><td class="hljs-ln-numbers">1</td><td class="hljs-ln-code">a</td></tr>'
            '<tr><td class="hljs-ln-numbers">2</td><td class="hljs-ln-code"></td></tr>'
            '<tr><td class="hljs-ln-numbers">3</td><td class="hljs-ln-code">  b</td></tr></table></pre>',
            id="highlight.js",
        ),
        pytest.param(
            '<table class="highlight"><tr><td class="blob-num">1</td><td class="blob-code">a</td></tr>'
            '<tr><td class="blob-num">2</td><td class="blob-code">\n</td></tr>'
            '<tr><td class="blob-num">3</td><td class="blob-code">  b</td></tr></table>',
            id="code host",
        ),
        pytest.param(
            '<div class="fragment"><div class="line"><span class="lineno"> 1</span>a</div>\n'
            '<div class="line"><span class="lineno"> 2</span></div>\n<div class="line">  b</div></div>',
            id="Doxygen",
        ),
        pytest.param(
            '<pre><div class="toolbar"><span>text</span></div><code>a\n\n  b</code><button>Copy</button></pre>',
            id="tools",
        ),
        pytest.param('<code style="white-space: pre">a\n\n  b</code>', id="code with lines"),
        pytest.param("<p><code>a<br><br>&nbsp; b</code></p>", id="code with br"),
    ],
)
def test_lines_and_indentation_survive(source: str) -> None:
    assert markdown(source) == "```\na\n\n  b\n```"


def test_tabs_and_links_in_code_are_text() -> None:
    assert markdown('<pre>all:\n\t<a href="/cc">cc</a> <b>*</b> [x](y) &lt;T&gt;</pre>') == (
        "```\nall:\n\tcc * [x](y) <T>\n```"
    )


def test_code_that_holds_a_fence_gets_a_longer_one() -> None:
    assert markdown("<pre>```\nx\n```\n\n\n\n![a](b)</pre>") == "````\n```\nx\n```\n\n\n\n![a](b)\n````"


def test_a_hidden_fence_ends_no_code() -> None:
    assert markdown("<pre>``\u200b`\n# x</pre>") == "````\n```\n# x\n````"


def test_a_class_on_the_block_itself_makes_it_no_gutter() -> None:
    assert markdown('<pre class="line-numbers"><code class="line-numbers">let a</code></pre>') == "```\nlet a\n```"


@each_row(
    ("source", "expected"),
    [
        ("<code>a  b</code>", "`a b`"),
        ("<code>a`b</code>", "``a`b``"),
        ("<code>`a`</code>", "`` `a` ``"),
        ("<code> a </code>b", "`a` b"),
        ("<code>a\nb</code>", "`a b`"),
        ("<code></code>a", "a"),
        ("<code>a</code><code>b</code>", "`a` `b`"),
        ("<kbd>Ctrl</kbd>+<kbd>C</kbd>", "`Ctrl`+`C`"),
        ("<kbd><kbd>Ctrl</kbd>+<kbd>C</kbd></kbd>", "`Ctrl+C`"),
        ("<samp>a</samp> <tt>b</tt>", "`a` `b`"),
        ("<b><code>a</code></b>", "**`a`**"),
        ("<code>fn(<a href=/x>T</a>)</code>", "`fn(T)`"),
        ("<code>&lt;!-- so --&gt;</code>", "`<!-- so -->`"),
    ],
)
def test_code_in_a_line_stays_in_it(source: str, expected: str) -> None:
    assert markdown(f"<p>see {source}") == f"see {expected}"
