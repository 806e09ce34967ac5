"""HTML as browsers tokenize it: the grammar of tags, the categories of elements, a linear tag scanner.

Also the parts of style sheets that need no rules: escapes, arguments, variables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

# Linear time: runs of characters are possessive and everything behind them is optional, so at most one alternative is
# read twice. Groups are not possessive, because before 3.11.4 Python looks ahead wrongly inside of such. A quote opens
# a value only behind `=`, and `=` may begin a name. The first alternative is a fast path for most attributes.
_BLANK = r"[ \t\n\f\r]"
ATTRIBUTES = (
    rf"""(?: [a-z-]++="[^"]*+"|{_BLANK}++|/(?!>)|[^ \t\n\f\r/>][^ \t\n\f\r/>=]*+"""
    rf"""(?:{_BLANK}*+={_BLANK}*+(?:"[^"]*+"?+|'[^']*+'?+|[^ \t\n\f\r>]*+))?+)*"""
)
_RAW = "style|textarea|title|xmp|iframe|noembed|noframes"
# In a comment of a script the tags of another script are text, its end tag too.
_END = r"[ \t\n\f\r/>]"
_INNER_SCRIPT = rf"<(?i:script){_END}(?:[^<-]++|-(?!->)|<(?!/(?i:script){_END}))*(?:</(?i:script)(?={_END}))?+"
_SCRIPT_COMMENT = rf"<!--(?:-?>|(?:[^<-]++|-(?!->)|{_INNER_SCRIPT}|<(?!/(?i:script){_END}))*(?:-->)?+)"
TOKEN = re.compile(
    rf"<(?:(?:(?=[sStTxXiInN])((?i:(script)|{_RAW}))(?={_END})|(/?[a-zA-Z][^ \t\n\f\r/>]*+))({ATTRIBUTES})(/?)>?"
    rf"(?(1)((?:[^<]++|(?(2){_SCRIPT_COMMENT}|(?!))|<(?!/(?i:\1){_END}))*))"
    r"|!--(?:-?>|(?:[^-]++|-(?!-!?>))*(?:--!?>)?+)|[!?/][^>]*+>?)"
)
"""A tag; groups: the name of a raw-text element, again for a script, the name of any other element, attributes, a
slash at the end, raw text. Comments have neither name."""
ATTRIBUTE = re.compile(
    rf"""([^ \t\n\f\r/>][^ \t\n\f\r/>=]*+)(?:{_BLANK}*+={_BLANK}*+(?:"[^"]*+"?+|'[^']*+'?+|[^ \t\n\f\r>]*+))?+"""
)
"""An attribute; the group is its name."""
VOID = frozenset(
    "area base basefont bgsound br col embed frame hr image img input keygen link meta param source track wbr".split()
)
RAW = frozenset(("script", *_RAW.split("|")))
ROOTS = frozenset(("html", "head", "body"))
TABLE_PARTS = frozenset("caption colgroup tbody td tfoot th thead tr".split())
FOREIGN = frozenset(("svg", "math"))
FORMATTING = frozenset("b big code em font i nobr s small strike strong tt u".split())
"""Formatting elements: an unclosed one is opened again in every block that follows."""
NO_DEPTH = (
    VOID | RAW | ROOTS | TABLE_PARTS | frozenset("a dd dt form li option optgroup p plaintext rb rp rt rtc".split())
)
"""Elements that are never directly inside of their own kind, end tag or not."""
MARKERS = FOREIGN | frozenset("applet button marquee object select table template".split())
"""Scope markers: no end tag reaches through them."""
BLOCKS = frozenset(
    "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer header hgroup"
    " listing main menu nav ol pre search section summary ul".split()
)
"""Their end tags close all elements that are open inside of them."""
NEVER_SHOWN = frozenset(
    "script style template svg canvas iframe object embed video audio map area link meta base title head param track"
    " button input select textarea datalist progress meter frameset noembed noframes optgroup option portal rp".split()
)
"""Elements without text to read, but for mathematics in a `script`; `noscript` is handled apart."""
MATHEMATICS = frozenset(
    "math mi mn mo ms mrow msup msub msubsup mmultiscripts mprescripts none mfrac msqrt mroot mtable mtr mtd mlabeledtr"
    " mover munder munderover mtext mspace mstyle mpadded mphantom menclose merror mfenced maction semantics annotation"
    " annotation-xml".split()
)
INLINE = MATHEMATICS | frozenset(
    "a abbr acronym b bdi bdo big br cite code data del dfn em font i img image ins kbd label mark nobr picture q"
    " rb rt rtc ruby s samp script small span strike strong sub sup time tt u var wbr".split()
)
"""Inline elements; elements in neither list are blocks."""
_TAG = re.compile(
    rf"<(?:(?P<slash>/?)(?P<name>[a-zA-Z][^ \t\n\f\r/>]*+)(?P<attributes>{ATTRIBUTES})/?>?"
    r"|(?P<comment>!--)|!\[CDATA\[|[!?/][^>]*+>?)"
)
_COMMENT_END = re.compile("--!?>")
_ESCAPE = re.compile(r"\\(?:([0-9a-f]{1,6})[ \t\n\f\r]?|([^\n]))")
# Parts of a selector that its key does not depend on, the innermost first.
_ESCAPED = re.compile(r"\\[^0-9a-f\n]")
_ATTRIBUTE = re.compile(r"""\[(?:[^\]"'\[]|"[^"]*+"|'[^']*+')*+\]""")
_ARGUMENT = re.compile(r"\([^()]*+\)")
_MAX_ARGUMENTS = 4
_BLANK = "\x00"
_VARIABLE = re.compile(r"var\(\s*+(--[^\s,()]++)\s*+(?:,((?:[^()]|\((?:[^()]|\([^()]*+\))*+\))*+))?\)")
# Substitutions in one value, and the length of the result: variables may refer to each other without end.
_MAX_SUBSTITUTIONS = 10
_MAX_VALUE_CHARS = 500
NTH = re.compile(r"\s*+(?:(odd|even)|([+-]?\d{0,6})n\s*+(?:([+-])\s*+(\d{1,6}))?|([+-]?\d{1,6}))\s*+")
# Raw text ends only with its own end tag, even where it looks like tags.
_RAW_ENDS = {name: re.compile(rf"</{name}(?=[ \t\n\f\r/>])", re.I) for name in RAW}


def scan_tags(markup: str) -> Iterator[tuple[str, re.Match[str]]]:
    """Scan tags in linear time, without a parser: lower-case name, and a match with `slash` and `attributes`.

    The name of a comment is empty, and its match ends before its text; use `position_after` to step over it.
    """
    position: int | None = 0
    while position is not None:
        start, position = position, None
        for found in _TAG.finditer(markup, start):
            name = (found["name"] or "").lower()
            yield name, found
            if name in _RAW_ENDS or (not name and found["comment"]):
                # The next tag begins behind the raw text or comment.
                position = _after_text(name, found)
                break


def position_after(found: re.Match[str]) -> int:
    """Position of the text behind a tag; an unclosed comment takes the rest, as in a browser."""
    if not found["comment"]:
        return found.end()
    # `<!-->` and `<!--->` are whole comments.
    end = _COMMENT_END.search(found.string, found.end() - 2)
    return end.end() if end else len(found.string)


def _after_text(name: str, found: re.Match[str]) -> int:
    if name not in _RAW_ENDS or found["slash"]:
        return position_after(found)
    end = _RAW_ENDS[name].search(found.string, found.end())
    return end.start() if end else len(found.string)


def unescape(name: str) -> str:
    """A name without its escapes."""
    return _ESCAPE.sub(_character, name) if "\\" in name else name


def _character(found: re.Match[str]) -> str:
    if found[2]:
        return found[2]
    point = int(found[1], 16)
    # A control character makes a keyword another one, and is no blank.
    return chr(point).lower() if 0x20 < point < 0x110000 else "\ufffd"


def blank_arguments(selectors: str) -> str:
    """Selectors as long as before, without the content of brackets and parentheses."""
    if "\\" in selectors:
        selectors = _ESCAPED.sub("__", selectors)
    if "[" in selectors:
        selectors = _ATTRIBUTE.sub(_fill, selectors)
    for _ in range(_MAX_ARGUMENTS):
        if "(" not in selectors:
            break
        selectors = _ARGUMENT.sub(_fill, selectors)
    return selectors


def _fill(found: re.Match[str]) -> str:
    return _BLANK * len(found[0])


def substitute(value: str, variables: Mapping[str, str]) -> str | None:
    """A value with its variables replaced; `None` if one of them is unknown."""
    for _ in range(_MAX_SUBSTITUTIONS):
        found = _VARIABLE.search(value)
        if found is None:
            return value.strip() if "var(" not in value else None
        known = variables.get(found[1], found[2])
        if known is None or len(value) + len(known) > _MAX_VALUE_CHARS:
            return None
        value = f"{value[: found.start()]}{known}{value[found.end() :]}"
    return value.strip() if "var(" not in value else None


def read_steps(found: re.Match[str]) -> tuple[int, int]:
    if found[1]:
        return 2, 1 if found[1] == "odd" else 0
    if found[5]:
        return 0, int(found[5])
    step = int(found[2] + "1") if found[2] in ("", "+", "-") else int(found[2])
    return step, int(f"{found[3]}{found[4]}") if found[4] else 0


def is_in_steps(place: int, step: int, offset: int) -> bool:
    """Whether a place is `offset`, or some steps behind it."""
    return place == offset if step == 0 else (place - offset) % step == 0 and (place - offset) // step >= 0


def with_value(variables: Mapping[str, str | None]) -> dict[str, str]:
    """The variables that have a value; `initial` is none."""
    return {name: value for name, value in variables.items() if value is not None and value != "initial"}


def resolve_variables(declared: Mapping[str, str], variables: Mapping[str, str]) -> dict[str, str]:
    """Declarations without variables; a reference to an unknown variable has no effect."""
    result = dict(declared)
    for name, value in declared.items():
        if "var(" in value:
            known = substitute(value, variables)
            if known is None:
                del result[name]
            else:
                result[name] = known
    return result
