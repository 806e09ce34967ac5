"""Whatever a page says, a reader of Markdown finds the same blocks with the same words in them."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence

from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from dowse.extract.html.render import render
from dowse.extract.html.tree.build import build

_READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
# All that means something in Markdown, and a little that does not.
_SIGNS = "ab1 é漢#*-_`[]()<>&|~!.+=\\:;\"'/^{}"

Block = tuple[str, str, object]
"""What it is, its HTML, and what has to be found for it."""

words = st.text(_SIGNS, min_size=1, max_size=24).map(lambda text: " ".join(text.split())).filter(bool)
# Formulas are kept as they are, for whoever reads formulas; images and forged links are tested elsewhere.
prose = words.filter(lambda text: not any(mark in text for mark in ("\\(", "\\[", "![", "!<")))
source = st.text(_SIGNS + "\n\t", min_size=1, max_size=60).filter(lambda text: text.strip())


def paragraph() -> st.SearchStrategy[Block]:
    return prose.map(lambda text: ("p", f"<p>{html.escape(text)}</p>", text))


def heading() -> st.SearchStrategy[Block]:
    levels = st.integers(1, 6)
    return st.tuples(levels, prose.filter(lambda text: text.strip("¶§ "))).map(
        lambda pair: (f"h{pair[0]}", f"<h{pair[0]}>{html.escape(pair[1])}</h{pair[0]}>", pair[1])
    )


def code() -> st.SearchStrategy[Block]:
    return source.map(lambda text: ("pre", f"<pre>\n{html.escape(text)}</pre>", _without_empty_edges(text)))


def table() -> st.SearchStrategy[Block]:
    rows = st.integers(2, 3).flatmap(
        lambda width: st.lists(st.lists(prose, min_size=width, max_size=width), min_size=2, max_size=3)
    )
    return rows.map(lambda rows: ("table", _table(rows), rows))


def blocks(depth: int) -> st.SearchStrategy[list[Block]]:
    kinds = [paragraph(), heading(), code(), table()]
    if depth:
        kinds += [items(depth - 1), quote(depth - 1)]
    return st.lists(st.one_of(kinds), min_size=1, max_size=3)


def items(depth: int) -> st.SearchStrategy[Block]:
    first = st.tuples(paragraph(), st.lists(st.one_of(paragraph(), code(), *([items(depth - 1)] if depth else []))))
    listed = st.lists(first.map(lambda pair: [pair[0], *pair[1][:2]]), min_size=2, max_size=3)
    return st.tuples(st.sampled_from(["ul", "ol"]), listed).map(lambda pair: (pair[0], _list(*pair), pair[1]))


def quote(depth: int) -> st.SearchStrategy[Block]:
    return blocks(depth).map(lambda inner: ("blockquote", f"<blockquote>{_html(inner)}</blockquote>", inner))


@given(blocks(2))
def test_markdown_reads_back_as_what_the_page_holds(page: list[Block]) -> None:
    made = render(build(_html(page)), None, "https://docs.example/")

    assert list(_found(_READER.parse(made))) == list(_expected(page)), made


@example([("a", "]:")])
@example([("b", "_")])
@given(st.lists(st.tuples(st.sampled_from(["b", "i", "a", "code", "del", "span", "br"]), prose), max_size=6))
def test_the_words_of_a_line_survive_whatever_is_emphasised(parts: list[tuple[str, str]]) -> None:
    inner = "".join(
        "<br>"
        if tag == "br"
        else f"{' ' * (len(text) % 2)}<{tag}{' href=/x' * (tag == 'a')}>{html.escape(text)}</{tag}>"
        for tag, text in parts
    )
    tree = build(f"<p>{inner}</p>")

    made = render(tree, None, "https://docs.example/")

    shown = "".join(_text(token.children or []) for token in _READER.parse(made) if token.type == "inline")
    said = "".join(text for tag, text in parts if tag != "br")
    assert "".join(shown.split()) == "".join(said.split()), made


def _html(page: Sequence[Block]) -> str:
    return "".join(block[1] for block in page)


def _list(tag: str, listed: list[list[Block]]) -> str:
    return f"<{tag}>{''.join(f'<li>{_html(inner)}</li>' for inner in listed)}</{tag}>"


def _table(rows: list[list[str]]) -> str:
    first, *others = rows
    head = "".join(f"<th>{html.escape(cell)}</th>" for cell in first)
    body = "".join(f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>" for row in others)
    return f"<table><tr>{head}</tr>{body}</table>"


def _without_empty_edges(text: str) -> str:
    lines = text.split("\n")
    while not lines[0].strip():
        del lines[0]
    while not lines[-1].strip():
        del lines[-1]
    return "\n".join(lines)


def _expected(page: Sequence[Block]) -> Iterator[tuple[str, object]]:
    """Blocks in order, with what is nested between its beginning and its end. No heading is said twice in a row."""
    before: Block | None = None
    for block in page:
        kind, _, inner = block
        is_repeated = before is not None and kind[0] == before[0][0] == "h" and inner == before[2]
        if is_repeated:
            continue
        before = block
        if kind in ("ul", "ol"):
            yield kind, "begin"
            for item in inner:  # type: ignore[attr-defined]
                yield "li", ""
                yield from _expected(item)
            yield kind, "end"
        elif kind == "blockquote":
            yield kind, "begin"
            yield from _expected(inner)  # type: ignore[arg-type]
            yield kind, "end"
        elif kind == "table":
            for row in inner:  # type: ignore[attr-defined]
                yield "tr", ""
                yield from (("td", cell) for cell in row)
        else:
            yield kind, inner


def _found(tokens: Sequence[Token]) -> Iterator[tuple[str, object]]:
    around = ""
    for token in tokens:
        if token.tag in ("ul", "ol", "blockquote"):
            yield token.tag, "begin" if token.nesting == 1 else "end"
        elif token.type in ("list_item_open", "tr_open"):
            yield token.tag, ""
        elif token.type == "inline":
            yield around, _text(token.children or [])
        elif token.type == "fence":
            yield "pre", token.content.removesuffix("\n")
        elif token.nesting == 1:
            around = "td" if token.tag == "th" else token.tag
        elif token.nesting == 0:
            yield token.type, token.content


def _text(tokens: Sequence[Token]) -> str:
    return "".join("\n" if token.type == "softbreak" else token.content for token in tokens)
