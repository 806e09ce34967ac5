"""Code as its author typed it: one `<pre><code class="language-x">` each, without links, gutters or colours."""

from __future__ import annotations

import html
import re

from selectolax.lexbor import LexborNode

# Sites use these names for columns of a page too, so they count only in code and next to it.
_GUTTER_NAMES = (
    "gutter",
    "lineno",
    "linenos",
    "linenodiv",
    "linenumber",
    "linenumbers",
    "line-number",
    "line-numbers-rows",
    "lnt",
    "rouge-gutter",
    "blob-num",
    "hljs-ln-numbers",
    "react-syntax-highlighter-line-number",
    "crayon-nums",
)
_GUTTERS = ", ".join(f"pre .{name}, td.{name}" for name in _GUTTER_NAMES) + ", td.lntd:first-child"
_LANGUAGE = re.compile(
    r"(?:^|\s)(?:language-|lang-|highlight-source-|highlight-text-|sourceCode\s+|brush:\s*)([\w+#.-]{1,30})", re.I
)
_NOT_A_LANGUAGE = frozenset({"none", "plain", "plaintext", "plain-text", "text", "txt", "nohighlight", "default"})
_LINES = frozenset({"div", "p", "li", "tr"})
_ANCESTORS_ASKED = 3


def normalise(body: LexborNode) -> None:
    """Rewrite every `pre` below `body` as plain text with its language."""
    for gutter in body.css(_GUTTERS):
        gutter.decompose()
    for pre in [pre for pre in body.css("pre") if not _is_inside_pre(pre)]:
        code = html.escape(_source(pre), quote=False)
        language = _language(pre)
        pre.inner_html = f'<code class="language-{language}">{code}</code>' if language else f"<code>{code}</code>"
        if "class" in pre.attrs:
            del pre.attrs["class"]


def _source(pre: LexborNode) -> str:
    pieces: list[str] = []
    for node in pre.traverse(include_text=True):
        if node.is_text_node:
            pieces.append(node.text_content or "")
        elif node.tag == "br" or (node.tag in _LINES and pieces and not pieces[-1].endswith("\n")):
            pieces.append("\n")
    # Highlighters indent with no-break spaces; pasted code would not run with them.
    return "".join(pieces).replace("\xa0", " ").strip("\n")


def _language(pre: LexborNode) -> str:
    """From the class of the `code` inside, else of `pre` or what is wrapped around it."""
    asked: list[LexborNode | None] = [pre.css_first("code"), pre]
    for _ in range(_ANCESTORS_ASKED):
        asked.append(asked[-1].parent if asked[-1] is not None else None)
    for node in asked:
        attributes = node.attributes if node is not None else {}
        found = _LANGUAGE.search(attributes.get("class") or "")
        language = found[1].lower() if found else (attributes.get("data-lang") or attributes.get("data-language") or "")
        if language and re.fullmatch(r"[\w+#.-]{1,30}", language):
            return "" if language.lower() in _NOT_A_LANGUAGE else language.lower()
    return ""


def _is_inside_pre(node: LexborNode) -> bool:
    above = node.parent
    while above is not None and above.tag != "pre":
        above = above.parent
    return above is not None
