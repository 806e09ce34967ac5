"""How the tags of HTML are written, exactly as a browser reads them, and how its elements nest."""

from __future__ import annotations

import re

# Runs of characters are possessive, and what follows may be nothing: at most an alternative is read twice, and the next
# search starts where this one ended. Groups are not possessive, because before 3.11.4 Python looks ahead wrongly inside
# of such. A quote opens a value only behind `=`, and `=` may begin a name. The first alternative is how most attributes
# are written: the others read these too, but slower.
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
"""A tag: its name if its content is no markup, that again for a script, or else its name; attributes, a slash at its
end, and content that is no markup. A comment, or what counts as one, has neither name."""

ATTRIBUTE = re.compile(
    rf"""([^ \t\n\f\r/>][^ \t\n\f\r/>=]*+)(?:{_BLANK}*+={_BLANK}*+(?:"[^"]*+"?+|'[^']*+'?+|[^ \t\n\f\r>]*+))?+"""
)
"""An attribute as it is written, its name as a group."""

VOID = frozenset(
    "area base basefont bgsound br col embed frame hr image img input keygen link meta param source track wbr".split()
)
RAW = frozenset(("script", *_RAW.split("|")))
ROOTS = frozenset(("html", "head", "body"))
TABLE_PARTS = frozenset("caption colgroup tbody td tfoot th thead tr".split())
FOREIGN = frozenset(("svg", "math"))
FORMATTING = frozenset("b big code em font i nobr s small strike strong tt u".split())
"""If they are not closed, a browser opens them again in every block that follows."""

NO_DEPTH = (
    VOID | RAW | ROOTS | TABLE_PARTS | frozenset("a dd dt form li option optgroup p plaintext rb rp rt rtc".split())
)
"""They cannot be inside of each other without another element between them, end tag or not."""

MARKERS = FOREIGN | frozenset("applet button marquee object select table template".split())
"""No end tag reaches through them."""

BLOCKS = frozenset(
    "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer header hgroup"
    " listing main menu nav ol pre search section summary ul".split()
)
"""Their end tags close whatever else is open inside of them."""
