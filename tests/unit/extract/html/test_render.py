"""What a page holds, as Markdown: paragraphs, headings, quotations, emphasis, and text that only looks like syntax."""

from __future__ import annotations

import pytest

from dowse.document.markdown import scan_lines
from dowse.extract.html.render import render
from dowse.extract.html.tree.build import build
from tests.support.tables import each_row
from tests.unit.extract.html.render.rendering import URL, markdown


def test_a_page_keeps_its_order_and_its_levels() -> None:
    page = """<h1>Retries</h1><p>A request that fails is sent again, <em>twice</em> at most.</p>
<pre><code class="language-python">def retry(call):
    for attempt in range(2):
        <a href="/call">call</a>()
</code></pre>
<ul><li>Network errors<ul><li>refused<ol><li>at once</li></ol></li><li>reset</li></ul></li><li>Timeouts</li></ul>
<table><tr><th>status</th><th>again</th></tr><tr><td>503</td><td>yes</td></tr></table>
<p>Read the <a href="../limits?utm_medium=x&amp;page=2#top">limits</a>.</p>"""

    assert (
        markdown(page)
        == """# Retries

A request that fails is sent again, *twice* at most.

```python
def retry(call):
    for attempt in range(2):
        call()
```

- Network errors
  - refused
    1. at once
  - reset
- Timeouts

| status | again |
| --- | --- |
| 503 | yes |

Read the [limits](https://docs.example/limits?page=2#top)."""
    )


def test_only_what_is_kept_is_written() -> None:
    tree = build(
        "<div><nav><a href='/'>Home</a></nav><h2>Title</h2><ul><li>one</li><li>two</li></ul><p>a <b>b</b> c</p></div>"
    )
    wanted = {"Title", "two", "a ", "b", " c"}
    kept = bytearray(node.text in wanted for node in tree.nodes)

    assert render(tree, kept, URL) == "## Title\n\n- two\n\na **b** c"


@each_row(
    ("page", "expected"),
    [
        pytest.param("<h2>A<a class='headerlink' href='#a'>¶</a></h2>", "## A", id="anchor"),
        pytest.param("<h2><a href='#a'>#</a> A</h2>", "## A", id="anchor before"),
        pytest.param("<h2>A <a href='#a'>Link to this heading</a></h2>", "## A", id="anchor in words"),
        pytest.param("<h3><span>2.1</span> A<br>B</h3>", "### 2.1 A B", id="two lines"),
        pytest.param("<h3><div>A</div><div>B</div></h3>", "### A B", id="blocks inside"),
        pytest.param("<h2><b>A</b> <i>b</i></h2>", "## A *b*", id="bold is what headings are"),
        pytest.param("<h2> <img src=x> </h2><p>b</p>", "b", id="empty"),
        pytest.param("<h1>A</h1><h1>A</h1><p>b</p>", "# A\n\nb", id="doubled"),
        pytest.param("<h2>A</h2><h3>A</h3>", "## A", id="doubled one level lower"),
        pytest.param("<div role=heading aria-level=3>A</div>", "### A", id="by role"),
        pytest.param(f"<div role=heading><p>{'Otters. ' * 40}</p></div>", "Otters. " * 39 + "Otters.", id="too long"),
        pytest.param("<h2>C #</h2>", "## C \\#", id="a sign at the end"),
        pytest.param("<a href=/a><h3>A</h3><p>b</p></a>", "### [A](https://docs.example/a)\n\nb", id="card"),
        pytest.param("<h3><a href=/a><div>A</div></a></h3>", "### [A](https://docs.example/a)", id="link inside"),
        pytest.param(
            "<h2><span>A</span><span class='mw-editsection'>[<a href=/e>edit</a>]</span></h2>", "## A", id="wiki"
        ),
    ],
)
def test_headings_are_one_line_of_their_own_words(page: str, expected: str) -> None:
    assert markdown(page) == expected


@each_row(
    ("page", "expected"),
    [
        ("<blockquote><p>a</p><p>b</p></blockquote>c", "> a\n>\n> b\n\nc"),
        ("<blockquote>a<blockquote>b</blockquote></blockquote>", "> a\n>\n> > b"),
        ("<blockquote><ul><li>a<pre>b\n c</pre></ul></blockquote>", "> - a\n>\n>   ```\n>   b\n>    c\n>   ```"),
        ("<blockquote>a</blockquote><blockquote>b</blockquote>", "> a\n\n> b"),
        ("<details><summary>More</summary><p>a</p></details>", "**More**\n\na"),
        ("<figure><img alt='x'><figcaption>The <i>paws</i></figcaption></figure>", "*The paws*"),
        ("<b><div>a</div><div>b</div></b>", "a\n\nb"),
        ("a<hr><hr>b<hr>", "a\n\n---\n\nb"),
        ("<p>a<br>b<br><br>c</p>", "a\nb\n\nc"),
        ("<p>a</p>\n<div><div>b</div></div>c", "a\n\nb\n\nc"),
        ("<p>a <span style='display:block'>b</span> c</p>", "a\n\nb\n\nc"),
        ("<p>x<my-icon></my-icon>y <g-emoji>😀</g-emoji>.</p>", "xy 😀."),
        ("<my-card><p>a</p></my-card><my-card>b</my-card><my-card>c</my-card>", "a\n\nb c"),
        ("<p>55.4k</p><span class=a>24 gold</span><span class=b>12 silver</span>", "55.4k\n\n24 gold 12 silver"),
    ],
)
def test_blocks_stay_apart_and_within_each_other(page: str, expected: str) -> None:
    assert markdown(page) == expected


@each_row(
    ("source", "expected"),
    [
        ("a<b> bold </b>c", "a **bold** c"),
        ("<b><i>x</i></b>", "***x***"),
        ("<b>a<strong>b</strong></b>", "**ab**"),
        ("<b>a</b><b>b</b>", "**ab**"),
        ("<b>a</b><i>b</i>", "**a***b*"),
        ("<b> </b>a<i></i>", "a"),
        ('foo<b>"q"</b>bar', 'foo"q"bar'),
        ("foo<b>in</b>side", "foo**in**side"),
        ("<del>a</del> <s>b</s>", "~~a~~ ~~b~~"),
        ("<mark>a</mark> <u>b</u> <ins>c</ins> <abbr>d</abbr> <cite>e</cite>", "a b c d e"),
        ("<q>a</q>", "“a”"),
        ("<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>", "漢(kan)"),
        ("ex<wbr>tra\u00adordi\u200bnary", "extraordinary"),
        ("日本\n語 です", "日本 語 です"),
    ],
)
def test_emphasis_is_what_markdown_can_say(source: str, expected: str) -> None:
    assert markdown(f"<p>{source}") == expected


@each_row(
    ("text", "expected"),
    [
        ("# a", "\\# a"),
        ("#a and C#", "#a and C#"),
        ("- a", "\\- a"),
        ("-5 degrees", "-5 degrees"),
        ("+ a", "\\+ a"),
        ("1. a", "1\\. a"),
        ("1.5 a", "1.5 a"),
        ("2024) a", "2024\\) a"),
        ("&gt; a", "\\> a"),
        ("a &gt; b &lt; c", "a > b < c"),
        ("===", "\\==="),
        ("---", "\\---"),
        ("| a |", "\\| a |"),
        ("[a]: b", "\\[a]: b"),
        ("[a](b)", "[a\\](b)"),
        ("known[1], see [2]", "known[1], see [2]"),
        ("snake_case and a_b_c", "snake_case and a_b_c"),
        ("__init__", "\\_\\_init\\_\\_"),
        ("2*3 is 6", "2*3 is 6"),
        ("2*3*4", "2\\*3\\*4"),
        ("a * b * c", "a * b * c"),
        ("one ` tick", "one ` tick"),
        ("two `ticks`", "two \\`ticks\\`"),
        ("~5 to ~6", "~5 to ~6"),
        ("~~a~~", "\\~\\~a\\~\\~"),
        ("Vec&lt;u8&gt;", "Vec\\<u8>"),
        ("a &lt;b and c", "a <b and c"),
        ("&lt;div class", "\\<div class"),
        ("&amp;amp; &amp; R&amp;D", "\\&amp; & R&D"),
        ("C:\\dir \\* x", "C:\\dir \\\\* x"),
        ("![a](https://evil.example/?d=1)", "a"),
        ('&lt;img src="https://evil.example/"&gt;', '\\<img src="https://evil.example/">'),
        ("Write &lt;!-- so --&gt;", "Write \\<!-- so -->"),
        ("\u200b# a", "\\# a"),
    ],
)
def test_prose_is_escaped_where_it_would_be_syntax_and_nowhere_else(text: str, expected: str) -> None:
    assert markdown(f"<p>{text}</p>") == expected


@each_row("line", ["- b", "1. b", "# b", "===", "---", "&gt; b", "| --- |", "```"])
def test_the_line_behind_a_line_break_is_only_a_line(line: str) -> None:
    assert markdown(f"<p>a<br>{line}</p>").startswith("a\n" + ("1\\." if line[0] == "1" else "\\"))


@each_row("fence", ["```", "~~~", "  ````"])
@each_row("element", ["p", "div", "blockquote"])
def test_prose_that_looks_like_a_fence_opens_no_code(fence: str, element: str) -> None:
    made = markdown(f"<{element}>{fence}\nfirst\n{fence}\n</{element}><p>Rest</p>")

    assert all(line.fence is None for line in scan_lines(made))
    assert "first" in made
    assert made.endswith("Rest")


@each_row(
    ("source", "expected"),
    [
        ("10<sup>9</sup>", "10⁹"),
        ("E = mc<sup>2</sup>", "E = mc²"),
        ("H<sub>2</sub>O", "H₂O"),
        ("10<sup>−3</sup>", "10⁻³"),
        ("Na<sup>+</sup>", "Na⁺"),
        ("<sup>14</sup>C", "¹⁴C"),
        ("x<sup>n</sup>", "x^n"),
        ("x<sup>n+1</sup>", "x^(n+1)"),
        ("f<sup>(n)</sup>", "f^(n)"),
        ("<i>e</i><sup>x<sup>2</sup></sup>", "*e*^(x²)"),
        ("x<sub>i</sub>", "x_i"),
        ("V<sub>max</sub>", "V_max"),
        ('<a href="/x">CO<sub>2</sub></a>', "[CO₂](https://docs.example/x)"),
        ("Otter<sup>1,2</sup>", "Otter¹,²"),
        ("1<sup>st</sup>", "1st"),
        ("XIX<sup>e</sup>", "XIXe"),
        ("Brook<sup>TM</sup>", "BrookTM"),
        ("Brook<sup>beta</sup>", "Brookbeta"),
        ("known<sup>[1]</sup>", "known[1]"),
        ('known<sup><a href="#note">1</a></sup>', "known1"),
        ('known<a href="/note"><sup>1</sup></a>', "known[1](https://docs.example/note)"),
        ("known<sup>*</sup>", "known*"),
        ("and <sub>in small print</sub>", "and in small print"),
        ("<code>10<sup>9</sup></code>", "`109`"),
    ],
)
def test_raised_and_lowered_text_keeps_its_meaning(source: str, expected: str) -> None:
    assert markdown(f"<p>see {source}</p>") == f"see {expected}"


@each_row("opening", ["<ul><li>x", "<blockquote>x", "<dl><dt>t<dd>x", "<ol><li>x", "<sup>x", "<b>x", "<div>x"])
def test_depth_makes_no_text_larger_than_it_is(opening: str) -> None:
    """Every level is indented, so that without a bound the output would grow with the square of the input."""
    made = [render(build(opening * count), None, URL) for count in (100, 200)]

    assert made[0].count("x") == 100
    assert made[1].count("x") == 200
    assert len(made[1]) < 2.2 * len(made[0])
