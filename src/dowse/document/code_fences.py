"""Blocks of code as a single line shows them: a reader in the middle of a page does not know what is around it."""

from __future__ import annotations

import re
from typing import NamedTuple

# Nobody writes longer marks around code; repeating those of a hostile page would leave no room for its text.
_LONGEST_MARK = 10
_LONGEST_INDENT = 40
_LONGEST_END = 1_000
_MOST_QUOTES = 3
LONGEST_CLOSING = "\n" + "   >" * _MOST_QUOTES + " " + "`" * _LONGEST_MARK + "\n"
"""No code takes more to be closed."""
_MARK = re.compile(r"((?: {0,20}(?:>|[-*+](?= )|\d{1,9}[.)](?= ))){0,8}[ \t]{0,40})(`{3,11}|~{3,11})")
_QUOTE = re.compile(r"[ \t]{0,20}> ?")
_ITEM_MARK = re.compile("[^ >]")


class Code(NamedTuple):
    """A block of code that is open: where it begins, what its lines begin with, and the mark that closes it."""

    at: int
    indent: str
    mark: str

    @property
    def closing(self) -> str:
        """The line that ends it, in the list or the quotation that it is in."""
        return f"{self.indent}{self.mark}\n"


def opened(text: str, at: int, end: int) -> Code | None:
    """The code that a line of a text opens, which goes from a place to another."""
    found = _MARK.match(text, at, end)
    # With a backtick behind it, it is inline code.
    if not found or (found[2][0] == "`" and text.find("`", found.end(), end) >= 0):
        return None
    indent = _ITEM_MARK.sub(" ", found[1].expandtabs(4))
    if len(found[2]) > _LONGEST_MARK or len(indent) > _LONGEST_INDENT or indent.count(">") > _MOST_QUOTES:
        return None
    return Code(at, indent, found[2])


def code_after(text: str, at: int, end: int, code: Code | None) -> Code | None:
    """The code that is open behind a line, which goes from a place to another."""
    if code is None:
        return opened(text, at, end)
    is_whole_line = not at or text[at - 1] == "\n"
    for _ in range(code.indent.count(">") if is_whole_line else 0):
        quote = _QUOTE.match(text, at, end)
        if quote is None:
            # Code ends with the quotation that it is in.
            return opened(text, at, end)
        at = quote.end()
    is_end = end - at < _LONGEST_END and _is_end(text[at:end], code)
    return None if is_end else code


def _is_end(line: str, code: Code) -> bool:
    rest = line.strip()
    if len(rest) < len(code.mark) or rest.strip(code.mark[0]):
        return False
    shown = line.expandtabs(4)
    return len(shown) - len(shown.lstrip()) < len(code.indent.rpartition(">")[2]) + 4
