"""What a text of Markdown consists of: the same reading for what a page was made from and for what was made of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import urljoin

from markdown_it import MarkdownIt
from markdown_it.token import Token

ANYTHING = "…"
"""A cell of which the truth says nothing, such as those that a wider one covers."""
BLOCK_END = "⏎"
"""Between the blocks of a cell, which one line can divide in several ways."""

_READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
_MATHEMATICS = re.compile(r"\$[^$]{1,500}\$")


class Code(NamedTuple):
    """A block of code, without empty lines around it and blanks at the ends of lines."""

    text: str
    language: str


class Heading(NamedTuple):
    level: int
    text: str


class Item(NamedTuple):
    """An item of a list by its first line; the outermost list has depth 1."""

    text: str
    depth: int
    is_ordered: bool


class Link(NamedTuple):
    text: str
    target: str


@dataclass(slots=True)
class Structure:
    """Everything in the order of the text. `texts` are paragraphs, cells and items without their syntax."""

    code: list[Code] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    math: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    def __add__(self, other: Structure) -> Structure:
        return Structure(
            self.code + other.code,
            self.rows + other.rows,
            self.headings + other.headings,
            self.items + other.items,
            self.links + other.links,
            self.math + other.math,
            self.texts + other.texts,
        )


def read(markdown: str, url: str) -> Structure:
    """The structure of a text whose relative links start at a URL."""
    found = Structure()
    lists: list[bool] = []
    item_starts = False
    tokens = _READER.parse(markdown)
    for place, token in enumerate(tokens):
        match token.type:
            case "fence" | "code_block":
                _take_code(found, token)
            case "bullet_list_open" | "ordered_list_open":
                lists.append(token.type == "ordered_list_open")
            case "bullet_list_close" | "ordered_list_close":
                lists.pop()
            case "list_item_open":
                item_starts = True
            case "tr_open":
                found.rows.append([])
            case "inline":
                opening = tokens[place - 1]
                _take_line(found, token, opening, url)
                if item_starts and opening.type == "paragraph_open":
                    found.items.append(Item(text_of(token.children or []), len(lists), lists[-1]))
        if token.type not in ("list_item_open", "paragraph_open"):
            item_starts = False
    return found


def text_of(tokens: Sequence[Token]) -> str:
    """The words of a line without its syntax."""
    pieces = []
    for token in tokens:
        if token.type in ("softbreak", "hardbreak"):
            pieces.append(" ")
        else:
            pieces.append(token.content)
    return one_line("".join(pieces))


def one_line(text: str) -> str:
    return " ".join(text.split())


def _take_code(found: Structure, token: Token) -> None:
    if token.info == "math":
        found.math.append(token.content)
        return
    language = token.info.split()[0].lower() if token.info.strip() else ""
    found.code.append(Code(verbatim(token.content), language))


def verbatim(code: str) -> str:
    """Code as it has to come back: only what nobody can see is left out."""
    return "\n".join(line.rstrip() for line in code.split("\n")).strip("\n")


def _take_line(found: Structure, token: Token, opening: Token, url: str) -> None:
    children = token.children or []
    text = text_of(children)
    found.links.extend(_links(children, url))
    found.math.extend(
        child.content.strip("$") for child in children if child.type == "code_inline" and is_math(child.content)
    )
    if opening.type == "heading_open":
        found.headings.append(Heading(int(opening.tag[1]), text))
    elif opening.type in ("th_open", "td_open"):
        found.rows[-1].append(text)
    # What stands between formulas is text; whoever reads formulas compares them as such.
    found.texts.extend(piece for piece in _MATHEMATICS.split(text.replace(BLOCK_END, " ")) if piece.strip())


def is_math(code: str) -> bool:
    """Whether inline code stands for a formula."""
    return len(code) > 2 and code.startswith("$") and code.endswith("$")


def _links(tokens: Sequence[Token], url: str) -> Iterator[Link]:
    target, start = None, 0
    for place, token in enumerate(tokens):
        if token.type == "link_open":
            target, start = urljoin(url, str(token.attrs["href"])), place
        elif token.type == "link_close" and target is not None:
            text = text_of(tokens[start:place])
            if text:
                yield Link(text, target)
            target = None
