"""Code coloured as the highlighters of the web colour it: one small scanner, and the marks of each."""

from __future__ import annotations

import html
import re

_TOKEN = re.compile(
    r"(?P<comment>(?:#|//|--)[ !][^\n]*)|(?P<string>\"[^\"\n]*\"|'[^'\n]*')|(?P<number>\b\d+(?:\.\d+)?\b)"
    r"|(?P<word>[^\W\d]\w*)|(?P<operator>[(){}\[\];:=<>+*/,.&|!?@$%^~-]+)|(?P<rest>\s+|.)"
)
_KEYWORDS = frozenset(
    ("and", "as", "await", "class", "const", "def", "else", "export", "fn", "for", "from", "func", "function", "if",
     "impl", "import", "in", "let", "match", "new", "not", "package", "pub", "public", "return", "struct", "with")
)  # fmt: skip

PYGMENTS = {"comment": "c1", "string": "s2", "number": "mi", "keyword": "k", "name": "n", "operator": "p"}
CHROMA = {"comment": "c1", "string": "s", "number": "mi", "keyword": "kd", "name": "nx", "operator": "p"}
HLJS = {"comment": "hljs-comment", "string": "hljs-string", "number": "hljs-number", "keyword": "hljs-keyword"}
PRISM = {
    "comment": "token comment", "string": "token string", "number": "token number", "keyword": "token keyword",
    "operator": "token punctuation",
}  # fmt: skip
GITHUB = {"comment": "pl-c", "string": "pl-s", "number": "pl-c1", "keyword": "pl-k", "name": "pl-s1"}
COLOURS = {"comment": "#6A737D", "string": "#032F62", "number": "#005CC5", "keyword": "#D73A49", "name": "#24292E"}


def spans(code: str, marks: dict[str, str], attribute: str = "class") -> str:
    """Code as HTML, with an element around each token that has a mark."""
    return "".join(_span(found, marks, attribute) for found in _TOKEN.finditer(code))


def colours(code: str) -> str:
    """Code with a colour for each token, and no names."""
    return spans(code, {kind: f"color:{colour}" for kind, colour in COLOURS.items()}, "style")


def _span(found: re.Match[str], marks: dict[str, str], attribute: str) -> str:
    kind = found.lastgroup or ""
    if kind == "word":
        kind = "keyword" if found[0] in _KEYWORDS else "name"
    text = html.escape(found[0], quote=False)
    return f'<span {attribute}="{marks[kind]}">{text}</span>' if kind in marks else text
