"""Which elements are code in lines although they are no `pre`."""

from __future__ import annotations

import time

import pytest

from dowse.extract.html.render import to_markdown
from dowse.extract.html.tree.build import build
from dowse.extract.html.tree.listings import find_listings, show_shadow_code

URL = "https://pages.example/code"
CODE = "```\nif a:\n    b()\n```"
INDENT = "&nbsp;" * 4


@pytest.mark.parametrize(
    "markup",
    [
        f'<div class="geshi"><ol><li><div>if a:</div></li><li><div>{INDENT}b()</div></li></ol></div>',
        f'<div class="dp-highlighter"><ol><li><span>if a:</span></li><li><span>{INDENT}b()</span></li></ol></div>',
        f'<div class="cm-editor"><div class="cm-content"><div>if a:</div><div>{INDENT}b()</div></div></div>',
        f'<div class="monaco-editor"><div class="view-lines"><div>if a:</div><div>{INDENT}b()</div></div></div>',
        f'<div class="code"><code>if a:</code><br><code>{INDENT}b()</code></div>',
        f'<p class="code"><code>if a:<br>{INDENT}b()</code></p>',
        f'<code-block><code-line><span class="k">if</span> <span class="n">a</span>:</code-line>'
        f'<code-line>{INDENT}<span class="n">b</span>()</code-line></code-block>',
        f'<table class="code" data-lang="text"><tr><td class="line-num">1</td><td>if a:</td></tr>'
        f'<tr><td class="line-num">2</td><td>{INDENT}b()</td></tr></table>',
        '<x-code><template shadowrootmode="open"><pre>if a:\n    b()</pre></template></x-code>',
    ],
)
def test_code_in_lines_becomes_one_block_without_line_numbers(markup: str) -> None:
    assert to_markdown(f"<p>Before.</p>{markup}<p>After.</p>", URL) == f"Before.\n\n{CODE}\n\nAfter."


@pytest.mark.parametrize(
    "markup",
    [
        '<div class="code-of-conduct"><ol><li>Be kind.</li><li>Be brief.</li></ol></div>',
        '<div class="promo-code"><div>Save ten percent</div><div>with <b>OTTER</b></div></div>',
        '<ul class="code-links"><li><a href="/a" class="k">The source</a></li><li><a href="/b">The tests</a></li></ul>',
        '<div class="highlight"><h2>News</h2><div>One</div><div>Two</div></div>',
        '<div class="code-sample"><p>Write it like this:</p><pre>x = 1</pre></div>',
        '<p class="code">Use <code>x</code> here.</p>',
        "<p>Use <my-code><code>x</code></my-code> here.</p>",
    ],
)
def test_text_in_elements_named_after_code_stays_text(markup: str) -> None:
    assert find_listings(build(f"<body>{markup}</body>")) == frozenset()


def test_code_in_a_shadow_root_stays_out_where_its_sheet_may_hide_it() -> None:
    start = '<template shadowrootmode="open"><style>{}</style><pre>secret()</pre></template>'
    assert "secret" in to_markdown(start.format("pre{margin:0}"), URL)
    for sheet in ("pre{display:none}", "pre{color:#fff}", "pre{opacity:0}", "@import 'a.css'"):
        assert "secret" not in to_markdown(start.format(sheet), URL)


def test_shadow_roots_without_an_end_take_linear_time() -> None:
    started = time.process_time()
    for inside in ("<pre>", " ", "<pre>x"):
        part = f"<template shadowrootmode=open>{inside}"
        assert show_shadow_code(part * 20_000)
    assert time.process_time() - started < 2
