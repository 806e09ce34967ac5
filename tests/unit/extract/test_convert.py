"""Pages in, Markdown out: what must survive, and what must not."""

from __future__ import annotations

import pytest

from dowse.core.errors import PageUnreadable
from dowse.core.models import Body, Text
from dowse.core.reasons import FailureReason
from dowse.document.markdown import scan_lines
from dowse.extract.convert import to_text
from tests.support.tables import each_row

URL = "https://docs.example/guide/start?utm_source=feed"

STATIC_PAGE = """<!doctype html><html><head><title>Retries | Example docs</title></head><body>
<header class="site"><a href="/">Example docs</a></header>
<nav><ul><li><a href="/a">Guide</a></li><li><a href="/b">API</a></li></ul></nav>
<main><h1>Retries</h1>
<p>A request that fails is sent again, <em>twice</em> at most.</p>
<pre><code class="language-python">def retry(call):
    for attempt in range(2):
        if attempt:
            wait()
        <a href="/call">call</a>()
</code></pre>
<ul><li>Network errors<ul><li>refused<ol><li>at once</li></ol></li><li>reset</li></ul></li><li>Timeouts</li></ul>
<table><tr><th>status</th><th>again</th></tr><tr><td>503</td><td>yes</td></tr></table>
<p>Read the <a href="../limits?utm_medium=x&amp;page=2#top">limits</a>.</p></main>
<footer>Copyright Example</footer></body></html>"""


def html(body: str, *, head: str = "") -> Text:
    page = f"<html><head>{head}</head><body>{body}</body></html>"
    return to_text(Body(URL, page.encode(), "text/html", "utf-8"))


@pytest.mark.promise("case-35")
def test_static_page_keeps_its_content_and_loses_what_surrounds_it() -> None:
    """Acceptance case 35: title and paragraphs kept, nav and footer gone, code and list levels preserved."""
    text = to_text(Body(URL, STATIC_PAGE.encode(), "text/html"))

    assert text.title == "Retries"
    assert (
        text.markdown
        == """# Retries

A request that fails is sent again, *twice* at most.

```python
def retry(call):
    for attempt in range(2):
        if attempt:
            wait()
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


@each_row(
    ("head", "title"),
    [
        ('<meta property="og:title" content="A ![pixel](https://evil.example/?q=1)title">', "A pixeltitle"),
        ('<meta name="og:title" content="A <img src=https://evil.example/>">', "A \\<img src=https://evil.example/>"),
        ("<title>A ![pixel][1]title</title>", "A pixeltitle"),
    ],
)
def test_a_title_loads_no_image(head: str, title: str) -> None:
    """It stands in the answer as a heading, where a viewer would fetch the image."""
    assert html("<p>Some words to read.</p>", head=head).title == title


@each_row(
    ("head", "body"),
    [
        ("<title>The &lt;div&gt;\u200b element</title>", ""),
        ('<meta property="og:title" content="The <div> element"><title>Another</title>', ""),
        ("", "<h1>The <code>&lt;div&gt;</code>\nelement</h1>"),
    ],
)
def test_a_title_about_tags_keeps_them(head: str, body: str) -> None:
    assert html(f"{body}<p>Some words to read.</p>", head=head).title == "The <div> element"


@each_row("fence", ["```", "~~~", "  ````"])
@each_row("element", ["p", "div", "blockquote"])
def test_prose_that_looks_like_a_fence_opens_no_code(fence: str, element: str) -> None:
    markdown = html(
        f"<{element}>{fence}\nfirst\n{fence}\n</{element}><p>Rest ![a](https://evil.example/p)</p>"
    ).markdown

    assert all(line.fence is None for line in scan_lines(markdown))
    assert "first" in markdown
    assert markdown.endswith("Rest a")


def test_prose_about_comments_is_kept() -> None:
    markdown = html(
        "<p>Write &lt;!-- so --&gt; or <code>&lt;!-- so --&gt;</code>.</p><pre>&lt;!-- so --&gt;</pre>"
    ).markdown

    assert markdown == "Write \\<!-- so --> or `<!-- so -->`.\n\n```\n<!-- so -->\n```"


@each_row(
    "element",
    [
        "<p hidden>SECRET</p>",
        '<div aria-hidden="true">SECRET</div>',
        '<p style="color:red; display : none">SECRET</p>',
        '<p style="visibility:hidden">SECRET</p>',
        '<p style="opacity:0.0;">SECRET</p>',
        '<span style="font-size:0px">SECRET</span>',
        '<div style="position:absolute;left:-9999px">SECRET</div>',
        '<p style="color:#fff;background:#fff">SECRET</p>',
        '<p style="background-color: WHITE; color: rgb(255, 255, 255) !important">SECRET</p>',
        '<span class="sr-only">SECRET</span>',
        "<!-- SECRET -->",
        "<template><p>SECRET</p></template>",
        "<noscript>SECRET</noscript>",
        "<script>SECRET</script>",
        "<textarea>SECRET</textarea>",
        "<svg><text>SECRET</text></svg>",
        '<a href="/x" title="SECRET">link</a>',
        '<div role="dialog">SECRET</div>',
        '<div class="cookie-banner">SECRET</div>',
        '<ul class="breadcrumbs"><li>SECRET</li></ul>',
        '<div class="share-buttons">SECRET</div>',
        "<aside>SECRET</aside>",
    ],
)
def test_what_a_reader_does_not_see_or_want_is_removed(element: str) -> None:
    text = html(f"<article><h1>Title</h1><p>{'The visible story goes on. ' * 20}</p>{element}</article>")

    assert "SECRET" not in text.markdown
    assert "The visible story" in text.markdown


@each_row(
    "element",
    [
        '<p style="opacity:0.9">KEPT</p>',
        '<p style="font-size:0.8em">KEPT</p>',
        '<p style="opacity: 0.05">KEPT</p>',
        '<p style="color:#fff;background:#000">KEPT</p>',
        '<p style="color:inherit;background:inherit">KEPT</p>',
        '<p style="color:#fff;background:#fff url(dark.png)">KEPT</p>',
        '<aside class="admonition note">KEPT</aside>',
        '<div class="shared-library">KEPT</div>',
        '<div id="S:1" hidden>KEPT</div>',
        "<header><p>KEPT</p></header>",
        '<form action="/x"><p>KEPT</p></form>',
    ],
)
def test_what_only_looks_like_clutter_is_kept(element: str) -> None:
    assert "KEPT" in html(f"<article><p>{'The story goes on. ' * 20}</p>{element}</article>").markdown


@each_row("tag", ['div style="opacity:0"', 'body style="display:none"', 'body aria-hidden="true"'])
def test_a_page_that_a_script_would_show_is_read(tag: str) -> None:
    text = to_text(Body(URL, f"<{tag}><p>All of the page is in here.</p>".encode(), "text/html"))

    assert text.markdown == "All of the page is in here."


@each_row(
    ("source", "markdown"),
    [
        ('<a href="/x?fbclid=1">a</a>', "[a](https://docs.example/x)"),
        ('<a href="https://github.com/o/r?ref=main&utm_source=1">a</a>', "[a](https://github.com/o/r?ref=main)"),
        ('<a href="mailto:me@example.org">a</a>', "[a](mailto:me@example.org)"),
        ('<a href="javascript:alert(1)">a</a>', "a"),
        ('<a href="data:text/html,x">a</a>', "a"),
        ('<a href="#part">a</a>', "a"),
        ('<img src="https://evil.example/?d=1" alt="a chart">', ""),
        ('<img src="https://evil.example/?d=1">', ""),
        ("![a](https://evil.example/?d=1)", "a"),
        ('&lt;img src="https://evil.example/"&gt;', '\\<img src="https://evil.example/">'),
    ],
)
def test_links_are_clean_and_nothing_loads_from_afar(source: str, markdown: str) -> None:
    assert html(f"<p>see {source}</p>").markdown == f"see {markdown}".strip()


def test_relative_links_follow_the_base_element() -> None:
    text = html('<p>see <a href="b">this</a></p>', head='<base href="https://other.example/a/">')

    assert text.markdown == "see [this](https://other.example/a/b)"


@each_row(
    ("source", "language"),
    [
        ('<pre class="lang-js">a\n  b</pre>', "js"),
        ('<div class="highlight highlight-source-rust"><pre>a\n  b</pre></div>', "rust"),
        ('<pre class="brush: sql">a\n  b</pre>', "sql"),
        ('<pre><code class="hljs language-c++">a\n  b</code></pre>', "c++"),
        ("<pre>a<br>  b</pre>", ""),
        ("<pre><div>a</div><div>&nbsp;&nbsp;b</div></pre>", ""),
        ('<pre><span class="lineno">1</span>a\n<span class="lineno">2</span>  b\n</pre>', ""),
        (
            '<table class="highlighttable"><tr><td class="linenos"><pre>1\n2</pre></td>'
            '<td class="code"><pre class="language-go">a\n  b</pre></td></tr></table>',
            "go",
        ),
    ],
)
def test_code_keeps_its_lines_indentation_and_language(source: str, language: str) -> None:
    assert html(f"<p>Run:</p>{source}").markdown == f"Run:\n\n```{language}\na\n  b\n```"


def test_code_that_holds_a_fence_gets_a_longer_one() -> None:
    assert html("<pre>```\nx\n```\n\n\n\n![a](b)</pre>").markdown == "````\n```\nx\n```\n\n\n\n![a](b)\n````"


@each_row(
    ("page", "kept", "gone"),
    [
        pytest.param("<main><p>{long}</p></main><div>other</div>", "story", "other", id="main"),
        pytest.param('<div role="main"><p>{long}</p></div><div>other</div>', "story", "other", id="role"),
        pytest.param("<article><p>{long}</p></article><div>other</div>", "story", "other", id="article"),
        pytest.param(
            "<div class=menu><a href=/a>other</a></div><div>{paragraphs}</div><div class=footer>other</div>",
            "story",
            "other",
            id="neither",
        ),
        pytest.param(
            "<div>other</div><section><article>one {long}</article><article>two {long}</article></section>",
            "two",
            "other",
            id="several articles",
        ),
        pytest.param("<main></main><div><p>{long}</p></div>", "story", "nothing", id="empty main"),
        pytest.param("<nav><p>{long}</p></nav><p>x</p>", "story", "nothing", id="all of it looks like clutter"),
        pytest.param("<noscript><p>{long}</p></noscript><div></div>", "story", "nothing", id="noscript only"),
    ],
)
def test_the_main_part_of_a_page_is_found(page: str, kept: str, gone: str) -> None:
    long = "A long story about something. " * 30
    text = html(page.format(long=long, paragraphs=f"<p>{long}</p>" * 8))

    assert kept in text.markdown
    assert gone not in text.markdown


def test_a_page_that_only_asks_for_javascript_has_no_content() -> None:
    with pytest.raises(PageUnreadable, match=FailureReason.NO_READABLE_CONTENT):
        html('<noscript>Please enable JavaScript.</noscript><div id="root"></div>')


@each_row(
    ("head", "body", "title"),
    [
        ('<meta property="og:title" content="Shared"><title>Tab</title>', "<h1>Heading</h1>", "Shared"),
        ("<title>The heading | Site</title>", "<h1>The <b>heading</b></h1>", "The heading"),
        ("<title>Tab</title>", "<h1>A slogan</h1>", "Tab"),
        ("<title> Tab\n </title>", "", "Tab"),
        ("", "", ""),
    ],
)
def test_the_title_is_what_the_page_calls_itself(head: str, body: str, title: str) -> None:
    assert html(f"{body}<p>text</p>", head=head).title == title


def test_a_title_printed_twice_is_kept_once() -> None:
    page = "<div><h1>My story</h1><p>By me</p><h2>My story</h2><p>Once upon a time.</p></div>"

    assert html(page).markdown == "# My story\n\nBy me\n\nOnce upon a time."


def test_layout_tables_become_text_and_claimed_columns_do_not_count() -> None:
    data = "<table><tr><th>a</th><th>b</th></tr><tr><td colspan=1000000000>1</td><td rowspan=9>2</td></tr></table>"

    text = html(f"<p>above</p><table><tr><td><p>left</p>{data}</td></tr></table><p>below</p>")

    assert text.markdown == "above\n\nleft\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\nbelow"


@each_row(
    ("media_type", "data", "markdown"),
    [
        ("text/plain; charset=utf-8", b"a\r\n\x1b[31m  b  \n\n\n\nc\n", "a\n[31m  b\n\nc"),
        ("text/markdown", b"# T\n\n```md\n![x](y)\n\n\n\nz\n```\n![x](y)\n", "# T\n\n```md\n![x](y)\n\n\n\nz\n```\nx"),
        ("text/markdown", b"- a\n  ```\n![x](https://evil)", "- a\n  ```\nx"),
        ("text/markdown", b"[x](javascript:alert(1)) ![a][b]", "[x](unsafe:alert(1)) a"),
        ("text/csv", b"a,b\n1,2\n", "| a | b |\n| --- | --- |\n| 1 | 2 |"),
        ("application/json", b'{"b":[1,"\xc3\xa9"]}', '```json\n{\n  "b": [\n    1,\n    "é"\n  ]\n}\n```'),
        ("application/json", b"{broken", "{broken"),
        ("application/ld+json", b"[]", "```json\n[]\n```"),
        ("application/json", b"[" * 5000 + b"]" * 5000, "[" * 5000 + "]" * 5000),
        (
            "application/rss+xml",
            b"<rss><item><title>A</title><description>&lt;p&gt;x &amp;amp; y&lt;/p&gt;</description>"
            b"<content><![CDATA[<b>z</b>]]></content></item></rss>",
            "## A\n\n**z**",
        ),
        ("application/xml", b"<?xml version='1.0'?><html><body><h2>x</h2></body></html>", "## x"),
        ("", b"<!DOCTYPE html><h2>x</h2>", "## x"),
        ("", b"a < b", "a < b"),
    ],
)
def test_other_text_types_are_readable(media_type: str, data: bytes, markdown: str) -> None:
    assert to_text(Body(URL, data, media_type)).markdown == markdown
