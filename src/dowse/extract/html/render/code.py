"""Code: fenced blocks with their language, inline code, without line numbers and copy buttons."""

from __future__ import annotations

import re
from itertools import islice

from dowse.core.text import visible
from dowse.document.clean import to_code_block
from dowse.extract.html.render.dom_index import DomIndex
from dowse.extract.html.render.walk import RenderWalk
from dowse.extract.html.tree.node import Node

# From the surest to the vaguest.
_LANGUAGES = tuple(
    re.compile(rf"(?:^|\s){before}([\w+#.-]{{1,30}})", re.I)
    for before in (
        "(?:language-|lang-|mw-highlight-lang-|ltx_lst_language_|highlight-source-|highlight-text-)",
        r"(?:sourceCode|syntaxhighlighter|hljs)\s{1,9}",
        r"brush:\s{0,9}",
        "highlight-",
    )
)
_LANGUAGE_ATTRIBUTES = ("language", "data-lang", "data-language", "data-enlighter-language", "data-tagsearch-lang")
_NAME = re.compile(r"[\w+#.-]{1,30}")
_NO_LANGUAGE = frozenset({
    "none", "plain", "plaintext", "plain-text", "text", "txt", "nohighlight", "default", "undefined", "unknown",
    "auto",
})  # fmt: skip
_BY_NAME = frozenset({
    "bash", "c", "c++", "clojure", "console", "cpp", "cs", "csharp", "css", "dart", "diff", "dockerfile", "elixir",
    "elm", "erlang", "fsharp", "go", "golang", "graphql", "groovy", "haskell", "hcl", "html", "http", "ini",
    "java", "javascript", "js", "json", "jsx", "julia", "kotlin", "latex", "less", "lisp", "lua", "makefile",
    "matlab", "nginx", "nix", "objectivec", "ocaml", "perl", "php", "powershell", "protobuf", "py", "python", "r",
    "rb", "ruby", "rust", "sass", "scala", "scheme", "scss", "sh", "shell", "sql", "swift", "terraform", "tex",
    "toml", "ts", "tsx", "typescript", "vb", "vim", "xml", "yaml", "yml", "zig", "zsh",
})  # fmt: skip
_NO_NAME = frozenset({"notranslate", "copyable", "collapsed", "wrapper", "container", "code", "block", "nogutter"})
_ANCESTORS_ASKED = 8
_TICKS = re.compile("`+")
_NUMBERS = frozenset({
    "gutter", "lineno", "linenos", "linenodiv", "linenumber", "linenumbers", "line-number", "line-numbers",
    "line-numbers-rows", "lnt", "ln", "rouge-gutter", "blob-num", "lines-num", "hljs-ln-numbers", "hljs-ln-n",
    "react-syntax-highlighter-line-number", "crayon-nums", "crayon-num", "code-line-number", "line_number",
    "line-numbers-wrapper", "diff-line-num", "line-num", "line_numbers", "cm-gutters", "ace_gutter",
    "codemirror-linenumber", "codemirror-gutter-wrapper", "crayon-nums-content",
})  # fmt: skip
_TOOLS = frozenset({
    "copy", "copy-button", "copybutton", "copybtn", "copy-btn", "clipboard-copy", "code-copy", "btn-clipboard",
    "toolbar", "code-toolbar-item", "source-toolbox", "source-lang", "buttons", "code-header", "code-lang",
    "ltx_listing_data", "tools", "bar",
})  # fmt: skip
_LONGEST_TOOL = 60
_LETTER = re.compile(r"[^\W\d_]")
_LINES = frozenset({"div", "p", "li", "tr", "ol", "ul", "table", "tbody"})
# Other empty elements often wrap a part that is not shown.
_COUNTED_WHEN_EMPTY = frozenset({"li", "tr"})


def write_block(walk: RenderWalk, node: Node) -> bool:
    """Write a fenced block, or inline code where all is on one line."""
    source = source_of(walk.dom, node)
    if walk.is_flat:
        _write_inline(walk, source)
        return False
    walk.end_paragraph()
    if source:
        walk.writer.block(to_code_block(source, language_of(walk.dom, node)).split("\n"))
    return False


def _write_inline(walk: RenderWalk, source: str) -> None:
    walk.line.text(" ")
    if source:
        walk.line.literal(quote_code(" ".join(source.split())))
    walk.line.text(" ")


def language_of(dom: DomIndex, node: Node) -> str:
    """The language by the class of the `code` inside, else of the block itself or its ancestors."""
    inner = (each for each in dom.nodes[node.index + 1 : min(node.end, node.index + 6)] if each.tag == "code")
    for each in (*islice(inner, 1), node, *islice(node.ancestors(), _ANCESTORS_ASKED)):
        name = _language(each) if each.attributes else ""
        if name:
            return "" if name in _NO_LANGUAGE else name
    return ""


def quote_code(source: str) -> str:
    """Inline code in backticks of a length that does not occur in it."""
    if "`" not in source:
        return f"`{source}`"
    lengths = set(map(len, _TICKS.findall(source)))
    ticks = "`" * next(length for length in range(1, len(lengths) + 2) if length not in lengths)
    blank = " " if source[0] == "`" or source[-1] == "`" else ""
    return f"{ticks}{blank}{source}{blank}{ticks}"


def inline_source(dom: DomIndex, node: Node) -> str:
    """The source of inline code, with its blanks."""
    inside = dom.nodes[node.index : node.end]
    return visible("".join([" " if each.tag == "br" else each.text for each in inside]))


def only_link(dom: DomIndex, node: Node) -> Node | None:
    """The link that spans all of an inline code element."""
    found = next((each for each in dom.nodes[node.index : min(node.end, node.index + 4)] if each.tag == "a"), None)
    return found if found is not None and dom.characters(found) == dom.characters(node) else None


def has_lines(dom: DomIndex, node: Node) -> bool:
    """Whether a `code` element outside of a `pre` has several lines."""
    if node.tag != "code" or node.end == node.index + 1:
        return False
    inside = dom.nodes[node.index : node.end]
    if any(each.tag == "br" for each in inside):
        return True
    if not any("\n" in each.text for each in inside):
        return False
    return "white-space:pre" in node.get("style").replace(" ", "") or _is_alone_and_indented(dom, node)


def _is_alone_and_indented(dom: DomIndex, node: Node) -> bool:
    parent = node.parent
    if parent is None or dom.characters(parent) > dom.characters(node) + 4 * len(parent.children):
        return False
    lines = "".join([each.text for each in dom.nodes[node.index : node.end]]).strip("\n").split("\n")
    return len(lines) > 2 and any(line.startswith(("  ", "\t")) for line in lines[1:]) and not lines[0][:1].isspace()


def _language(node: Node) -> str:
    names = node.get("class")
    language = _language_of_classes(names, may_be_bare=node.tag in ("pre", "code")) if names else ""
    if language:
        return language
    values = (node.get(attribute).lower() for attribute in _LANGUAGE_ATTRIBUTES)
    return next(filter(_NAME.fullmatch, values), "")


def _language_of_classes(names: str, *, may_be_bare: bool) -> str:
    for pattern in _LANGUAGES:
        found = pattern.search(names)
        if found and found[1].lower() not in _NO_NAME:
            return found[1].lower().rstrip(";")
    return next((name for name in names.lower().split() if name in _BY_NAME), "") if may_be_bare else ""


def source_of(dom: DomIndex, node: Node) -> str:
    """The code in an element: all of its nodes, kept or not, as half of a program is useless."""
    lines = _Lines()
    at = node.index + 1
    while at < node.end:
        each = dom.nodes[at]
        lines.close_before(at)
        if not each.tag:
            lines.add(each.text)
        elif each.tag == "br":
            lines.add("\n")
        elif is_beside_code(dom, each):
            at = each.end
            continue
        elif _is_line(each):
            lines.open(each)
        at += 1
    return _without_empty_edges(visible(lines.text()).replace("\xa0", " "))


def is_beside_code(dom: DomIndex, node: Node) -> bool:
    """Whether an element holds line numbers, or a button or a label beside the code."""
    names = node.attributes.get("class") if node.attributes else None
    if not names:
        return False
    classes = names.lower().split()
    if not _NUMBERS.isdisjoint(classes):
        return not any(_LETTER.search(each.text) for each in dom.nodes[node.index : node.end])
    return not _TOOLS.isdisjoint(classes) and dom.characters(node) <= _LONGEST_TOOL


class _Lines:
    """Collects code. Between elements that are lines a line break is due, if the text has none there."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        # The end of each open line element, and the length of the text before it.
        self._open: list[tuple[int, int]] = []
        self._is_due = False

    def text(self) -> str:
        return "".join(self._pieces)

    def add(self, text: str) -> None:
        if text:
            if self._is_due and text[0] != "\n":
                self._pieces.append("\n")
            self._is_due = False
            self._pieces.append(text)

    def open(self, line: Node) -> None:
        if self._is_due or not self._is_at_start():
            self._pieces.append("\n")
        self._is_due = False
        counts = line.end == line.index + 1 or line.tag in _COUNTED_WHEN_EMPTY or _has_line_class(line)
        self._open.append((line.end, len(self._pieces) if counts else -1))

    def close_before(self, at: int) -> None:
        """Close the line elements that end before a position."""
        while self._open and self._open[-1][0] <= at:
            _, length = self._open.pop()
            self._is_due = self._is_due or len(self._pieces) == length or not self._is_at_start()

    def _is_at_start(self) -> bool:
        return not self._pieces or self._pieces[-1].endswith("\n")


def _is_line(node: Node) -> bool:
    if node.tag in _LINES:
        return True
    if "-" in node.tag:
        return "line" in node.tag
    if node.tag not in ("span", "code") or not node.attributes:
        return False
    return _has_line_class(node) or "display:block" in node.get("style").replace(" ", "")


def _has_line_class(node: Node) -> bool:
    names = (node.attributes.get("class") or "").lower()
    return "line" in names and any(name == "line" or name.endswith("-line") for name in names.split())


def _without_empty_edges(source: str) -> str:
    lines = source.split("\n")
    first, last = 0, len(lines)
    while first < last and not lines[first].strip():
        first += 1
    while last > first and not lines[last - 1].strip():
        last -= 1
    return "\n".join(lines[first:last])
