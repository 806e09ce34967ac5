"""Lists within lists, numbers that start anywhere, terms with what they mean."""

from __future__ import annotations

import pytest

from tests.support.tables import each_row
from tests.unit.extract.html.render.rendering import markdown


@each_row(
    ("page", "expected"),
    [
        pytest.param("<ul><li>a<li>b<ol><li>c<li>d</ol></ul>e", "- a\n- b\n  1. c\n  2. d\n\ne", id="mixed"),
        pytest.param("<ol start=9><li>a<li>b<p>c</p></ol>", "9. a\n10. b\n\n    c", id="start"),
        pytest.param("<ol reversed><li>a<li>b</ol>", "2. a\n1. b", id="reversed"),
        pytest.param("<ol><li>a<li value=7>b<li>c</ol>", "1. a\n7. b\n8. c", id="value"),
        pytest.param("<ul><li>a<ol start=3><li>b</ol></ul>", "- a\n\n  3. b", id="a number that interrupts nothing"),
        pytest.param("<ul><li><p>a</p><p>b</p><li>c</ul>", "- a\n\n  b\n- c", id="paragraphs"),
        pytest.param("<ol><li>a<pre>b\n c</pre><li>d</ol>", "1. a\n\n   ```\n   b\n    c\n   ```\n2. d", id="code"),
        pytest.param("<ul><li>a</li><ul><li>b</li></ul><li>c</ul>", "- a\n  - b\n- c", id="between items"),
        pytest.param("<ul><li><ul><li>a</ul><li>b</ul>", "- - a\n- b", id="nothing but a list"),
        pytest.param("<ul><li>a</ul><ul><li>b</ul>", "- a\n\n* b", id="one behind the other"),
        pytest.param("<ol><li>a</ol><ol><li>b</ol>", "1. a\n\n1) b", id="one behind the other, numbered"),
        pytest.param("<ul><li><li> <li>a</ul>", "- a", id="empty items"),
        pytest.param("<ul><li>• a<li><span>•</span> <p>b</p></ul>", "- a\n- b", id="bullets of its own"),
        pytest.param("<menu><li>a</menu><li>b", "- a\n\n- b", id="menu, and an item of nothing"),
        pytest.param("<ul><li><h3>a</h3><p>b</p><li><h3>c</h3></ul>", "### a\n\nb\n\n### c", id="cards"),
        pytest.param("<ul><li><p>a<p>b<p>c</ul>", "a\n\nb\n\nc", id="one item that is a text"),
        pytest.param(
            "<ul><li><input type=checkbox disabled checked> a<li><p><input type=checkbox disabled> b</ul>",
            "- [x] a\n- [ ] b",
            id="tasks",
        ),
        pytest.param(
            "<ul><li data-checked=true>a<li data-checked=false>b</ul>", "- [x] a\n- [ ] b", id="tasks by name"
        ),
        pytest.param("<ul><li><blockquote>a</blockquote>b</ul>", "- > a\n\n  b", id="quotation"),
        pytest.param("<ul><li>a<hr>b</ul>", "- a\n\n  b", id="no rule in an item"),
    ],
)
def test_lists_keep_their_items_and_levels(page: str, expected: str) -> None:
    assert markdown(page) == expected


@each_row(
    ("page", "expected"),
    [
        ("<dl><dt>a<dd>b<dd>c<dt>d<dd>e</dl>f", "**a**\n- b\n- c\n\n**d**\n- e\n\nf"),
        ("<dl><dt>a<dt>b<dd><p>c</p><pre>d</pre></dl>", "**a**\n\n**b**\n- c\n\n  ```\n  d\n  ```"),
        ("<dl><div><dt><code>a</code></dt><dd>b</dd></div></dl>", "**`a`**\n- b"),
        (
            "<dl><dt class='sig'>get(<em>url</em>, <em>**kw</em>)"
            "<a href=/s><span class=viewcode-link>[source]</span></a>"
            "<dd>b</dl>",
            "`get(url, **kw)`\n- b",
        ),
        ("<dl><dd>a</dl>", "a"),
        ("<dl><dt>a<dd><h3>b</h3><p>c</dl>", "**a**\n\n### b\n\nc"),
        ("<dl><dt>a<dd>b<dl><dt>c<dd>d</dl></dl>", "**a**\n- b\n\n  **c**\n  - d"),
    ],
)
def test_terms_stand_above_what_they_mean(page: str, expected: str) -> None:
    assert markdown(page) == expected


def test_a_bold_term_is_bold_once() -> None:
    assert markdown("<dl><dt><strong>seth</strong></dt><dd>Member</dd></dl>") == "**seth**\n- Member"
