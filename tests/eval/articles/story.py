"""The made-up articles: facts, and a body in Markdown that sites mark up in their own ways."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

from tests.eval.fidelity.structure import text_of

_FOLDER = Path(__file__).parent / "texts"
TEXTS = tuple(sorted(path.stem for path in _FOLDER.glob("*.md")))
_PARSER = MarkdownIt("commonmark")
_PARAGRAPH = re.compile(r"<p>(.*?)</p>", re.S)
_ENTRY = re.compile(r"<h2>(\d\d:\d\d) (.*?)</h2>", re.S)


@dataclass(frozen=True, slots=True)
class Story:
    """One article. `blocks` are the paragraphs, headings, lists and quotations of its body, in Markdown."""

    facts: dict[str, str]
    blocks: tuple[str, ...]

    @property
    def language(self) -> str:
        return self.facts["lang"]

    def content(self, count: int) -> str:
        """The text that should be extracted: the lead and the first blocks, without title, byline and caption."""
        return "\n\n".join([self.facts["lead"], *map(_plain, self.blocks[:count])])


@functools.cache
def story(name: str) -> Story:
    """An article of `texts`."""
    head, _, body = (_FOLDER / f"{name}.md").read_text(encoding="utf-8").partition("\n---\n")
    facts = dict(line.split(": ", 1) for line in head.splitlines())
    facts["caption"], _, facts["credit"] = facts["caption"].partition(" | ")
    return Story(facts, tuple(re.split(r"\n{2,}", body.strip())))


def _plain(markdown: str) -> str:
    return "\n".join(text_of(token.children or []) for token in _PARSER.parse(markdown) if token.type == "inline")


def marked_up(blocks: Sequence[str], style: str, name: str) -> list[str]:
    """The blocks in the markup of a site."""
    return _STYLES[style]([_PARSER.render(block).strip() for block in blocks], name)


def _as_paragraphs(blocks: Sequence[str], name: str) -> list[str]:
    start = f'<p class="{name}">' if name else "<p>"
    return [block.replace("<p>", start) for block in blocks]


def _as_divisions(blocks: Sequence[str], name: str) -> list[str]:
    return [_PARAGRAPH.sub(rf'<div class="{name}">\1</div>', block) for block in blocks]


def _as_lines(blocks: Sequence[str], _name: str) -> list[str]:
    """Old sites: two breaks between paragraphs, bold lines for headings."""
    found = [_PARAGRAPH.sub(r"\1<br><br>", block) for block in blocks]
    return [block.replace("<h2>", "<b>").replace("</h2>", "</b><br><br>") for block in found]


def _as_components(blocks: Sequence[str], _name: str) -> list[str]:
    kinds = {"<h": "subheadline-block", "<ul": "list-block", "<ol": "list-block"}
    named = [
        (next((kind for tag, kind in kinds.items() if block.startswith(tag)), "text-block"), block) for block in blocks
    ]
    return [
        f'<div data-component="{kind}"><div class="css-7r"><div class="css-8s">{block}</div></div></div>'
        for kind, block in named
    ]


def _as_entries(blocks: Sequence[str], _name: str) -> list[str]:
    """A live blog: an entry begins with each heading."""
    starts = [number for number, block in enumerate(blocks) if block.startswith("<h2>")]
    entries = ["\n".join(blocks[start:end]) for start, end in zip(starts, [*starts[1:], len(blocks)], strict=True)]
    shown = (_ENTRY.sub(r"<header><time>\1</time> <h2>\2</h2></header>", entry) for entry in entries)
    return [f'<article class="entry" id="e{number}">{entry}</article>' for number, entry in enumerate(shown)]


_STYLES: dict[str, Callable[[Sequence[str], str], list[str]]] = {
    "p": _as_paragraphs,
    "div": _as_divisions,
    "br": _as_lines,
    "component": _as_components,
    "live": _as_entries,
}
