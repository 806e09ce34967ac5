"""Markdown on a terminal. Heavy to import, so only done to show a page."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich import box
from rich import markdown as rich_markdown
from rich.console import Console, ConsoleOptions, RenderResult
from rich.padding import Padding
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

from dowse.core.text import visible

_THEME = Theme(
    {
        **{f"markdown.h{level}": "bold" for level in range(1, 7)},
        "markdown.h1": "bold underline",
        "markdown.code": "cyan",
        "markdown.code_block": "none",
        "markdown.block_quote": "dim",
        "markdown.item.number": "bold",
        "markdown.link": "none",
        "markdown.link_url": "blue",
        "markdown.table.border": "dim",
        "markdown.table.header": "bold",
    }
)
# Highlighting runs the regular expressions of a library: for common languages and short pieces only.
_LANGUAGES = frozenset(
    [
        *("bash", "c", "console", "cpp", "css", "diff", "go", "html", "java", "javascript", "js", "json", "jsx"),
        *("kotlin", "py", "python", "ruby", "rust", "scala", "sh", "shell", "sql", "swift", "toml", "ts", "tsx"),
        *("typescript", "xml", "yaml", "yml"),
    ]
)
_COLOURED_CHARS = 5000
_TRAILING_BLANKS = re.compile(r" +(?=(?:\x1b\[0m)?$)", re.MULTILINE)


def render(markdown: str, width: int, *, colour: bool, keeps_lines: bool = False) -> str:
    """The text laid out for a terminal of this width; no escape sequence but colour, and none without.

    `keeps_lines` breaks lines where the Markdown does, for texts that were not written as Markdown.
    """
    console = Console(
        file=io.StringIO(),
        width=width,
        force_terminal=True,
        color_system="standard" if colour else None,
        theme=_THEME,
        highlight=False,
        legacy_windows=False,
        _environ={},
    )
    with console.capture() as capture:
        console.print(_Document(markdown, keeps_lines=keeps_lines))
    return _TRAILING_BLANKS.sub("", capture.get()).strip("\n")


class _Heading(rich_markdown.Heading):
    """With its marks: it is a heading without colour too."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text.assemble((f"{'#' * int(self.tag[1])} ", "dim"), self.text)


class _CodeBlock(rich_markdown.CodeBlock):
    """Indented, in the terminal's own colours."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = str(self.text).rstrip()
        is_known = self.lexer_name.lower() in _LANGUAGES and len(code) <= _COLOURED_CHARS
        lexer = self.lexer_name if is_known else "text"
        syntax = Syntax(code, lexer, theme="ansi_dark", background_color="default", word_wrap=True)
        yield Padding(syntax, (0, 0, 0, 4), expand=False)


class _Table(rich_markdown.TableElement):
    """Its cells are wrapped, never cut."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        table = Table(
            box=box.SIMPLE_HEAD,
            show_edge=False,
            pad_edge=False,
            collapse_padding=True,
            border_style="markdown.table.border",
        )
        for cell in self.header.row.cells if self.header and self.header.row else ():
            table.add_column(cell.content, header_style="markdown.table.header", overflow="fold")
        for row in self.body.rows if self.body else ():
            table.add_row(*(cell.content for cell in row.cells))
        yield table


class _Document(rich_markdown.Markdown):
    """A page: no HTML and no images, for there is nothing to show them with; links have their address behind them."""

    elements = rich_markdown.Markdown.elements | {
        "heading_open": _Heading,
        "fence": _CodeBlock,
        "code_block": _CodeBlock,
        "table_open": _Table,
    }

    def __init__(self, markup: str, *, keeps_lines: bool) -> None:
        super().__init__("", hyperlinks=False)
        parser = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"]).disable("image")
        self.parsed = _clean_tokens(parser.parse(markup), "hardbreak" if keeps_lines else "softbreak")


def _clean_tokens(tokens: Iterable[Token], line_break: str) -> list[Token]:
    """The tokens without invisible characters: character references become characters only when they are parsed."""
    tidy: list[Token] = []
    for token in tokens:
        _clean_token(token, line_break)
        tidy.append(token)
        if token.type == "link_close" and _says_its_address(tidy[-3:]):
            tidy[-3:] = tidy[-2:-1]
    return tidy


def _clean_token(token: Token, line_break: str) -> None:
    token.type = line_break if token.type == "softbreak" else token.type
    token.content = visible(token.content)
    token.attrs = {name: visible(value) if isinstance(value, str) else value for name, value in token.attrs.items()}
    token.children = _clean_tokens(token.children, line_break) if token.children else None


def _says_its_address(link: Sequence[Token]) -> bool:
    """Whether the text of a link is its address, which is then shown once."""
    return len(link) == 3 and link[0].type == "link_open" and link[0].attrs.get("href") == link[1].content
