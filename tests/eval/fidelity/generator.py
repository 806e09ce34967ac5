"""Markdown to HTML the way a site does it: a generator overrides what its markup has of its own."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from tests.eval.fidelity.structure import Code, is_math

_TASK = re.compile(r"\[([ x])\] ")
_PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


class Generator(RendererHTML):
    """Plain HTML. Sites override the methods with short signatures, and any rule of the renderer."""

    names_languages = True
    """Whether the markup tells the language of code at all."""
    alignment = "style"
    """How cells say that they are aligned: `style`, `align` or `class`."""

    def write(self, markdown: str) -> str:
        """The markup of a text."""
        tokens = _PARSER.parse(markdown)
        for place, token in enumerate(tokens):
            if token.type == "inline" and token.children:
                self._set_task(tokens, place)
            elif token.type in ("th_open", "td_open"):
                self._set_alignment(token)
        return str(self.render(tokens, _PARSER.options, {}))

    def code(self, text: str, language: str) -> str:
        """A block of code; its text ends with a line break."""
        name = f' class="language-{language}"' if language else ""
        return f"<pre><code{name}>{html.escape(text, quote=False)}</code></pre>"

    def shown(self, block: Code) -> Code:
        """What a reader of the page can know of a block of code."""
        return block if self.names_languages else Code(block.text, "")

    def level(self, level: int) -> int:
        """The level that a heading really has; some templates keep the first for themselves."""
        return level

    def math(self, tex: str, *, is_display: bool) -> str:
        """A formula."""
        left, right = (r"\[", r"\]") if is_display else (r"\(", r"\)")
        return f"{left}{html.escape(tex, quote=False)}{right}"

    def heading_start(self, level: int, slug: str, text: str) -> str:
        return f'<h{level} id="{slug}">'

    def heading_end(self, level: int, slug: str, text: str) -> str:
        return f"</h{level}>\n"

    def link_start(self, target: str) -> str:
        return f'<a href="{html.escape(target)}">'

    def box(self, *, is_done: bool) -> str:
        """The box of a task."""
        return f'<input class="task-list-item-checkbox" disabled type="checkbox"{" checked" if is_done else ""}> '

    # The rules of the renderer, by the names of tokens.

    def heading_open(self, tokens: Sequence[Token], idx: int, options: object, env: object) -> str:
        text = tokens[idx + 1].content
        return self.heading_start(int(tokens[idx].tag[1]), _slug(text), text)

    def heading_close(self, tokens: Sequence[Token], idx: int, options: object, env: object) -> str:
        text = tokens[idx - 1].content
        return self.heading_end(int(tokens[idx].tag[1]), _slug(text), text)

    def link_open(self, tokens: Sequence[Token], idx: int, options: object, env: object) -> str:
        return self.link_start(str(tokens[idx].attrs["href"]))

    def fence(self, tokens: Sequence[Token], idx: int, options: object, env: object) -> str:
        token = tokens[idx]
        if token.info == "math":
            return f"<p>{self.math(token.content.strip(), is_display=True)}</p>\n"
        return self.code(token.content, token.info.strip()) + "\n"

    def code_inline(self, tokens: Sequence[Token], idx: int, options: object, env: object) -> str:
        text = tokens[idx].content
        if is_math(text):
            return self.math(text.strip("$"), is_display=False)
        return self.inline_code(html.escape(text, quote=False))

    def inline_code(self, text: str) -> str:
        return f"<code>{text}</code>"

    def _set_task(self, tokens: Sequence[Token], place: int) -> None:
        """Turn `[x]` at the start of an item into a box."""
        first = (tokens[place].children or [])[0]
        task = _TASK.match(first.content)
        if task and tokens[place - 2].type == "list_item_open":
            tokens[place - 2].attrSet("class", "task-list-item")
            first.content = first.content[task.end() :]
            box = Token("html_inline", "", 0, content=self.box(is_done=task[1] == "x"))
            tokens[place].children = [box, *(tokens[place].children or [])]

    def _set_alignment(self, token: Token) -> None:
        style = str(token.attrs.pop("style", ""))
        side = style.removeprefix("text-align:")
        if side and self.alignment == "style":
            token.attrs["style"] = f"text-align: {side};"
        elif side:
            name = side if self.alignment == "align" else f"text-{side}"
            token.attrs[self.alignment] = name


def _slug(text: str) -> str:
    return "-".join(re.findall(r"\w+", text.lower())) or "section"
