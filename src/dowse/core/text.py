"""Untrusted text: removal of invisible characters, markup, and syntax that loads or runs something."""

from __future__ import annotations

import re
import unicodedata

# Kept: tab and newline, ZWJ between emoji or Indic letters, ZWNJ in Persian and Indic words.
_NEVER_SEEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 and C1 controls, ESC and CR among them
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"
    "\ud800-\udfff"  # lone surrogates do not encode
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_INVISIBLE = re.compile(f"[{_NEVER_SEEN}]")
# With the characters that are visible in some contexts only.
_SUSPECT = re.compile(f"[{_NEVER_SEEN}\u200c\u200d\ufe00-\ufe0f]")
_SEEN_IN_ASCII = b"\t\n" + bytes(range(0x20, 0x7F))
_JOINERS = re.compile("[\u200c\u200d]")
_VARIATION_RUN = re.compile("([\ufe00-\ufe0f])[\ufe00-\ufe0f]+")
# Of ASCII only digits and `#*` have variants, as keycap emoji.
_NO_VARIATION = re.compile(
    "[\ufe00-\ufe0f](?:(?<=[\0-\x7f][\ufe00-\ufe0f])(?<![0-9#*][\ufe00-\ufe0f])|(?<=[0-9#*][\ufe00-\ufe0d]))"
)
_BLANKS = re.compile(r"\s+")
# Elements that APIs highlight with or that pages forge; `Vec<u8>` and `List<String>` are not markup.
_ELEMENTS = (
    "a|abbr|article|b|big|blockquote|body|br|button|cite|code|dd|del|details|div|dl|dt|em|embed|figure|font|form|"
    "h[1-6]|head|hr|html|i|iframe|img|input|ins|kbd|li|link|main|mark|meta|nav|object|ol|p|pre|q|s|script|section|"
    "select|small|span|strike|strong|style|sub|summary|sup|svg|system|table|tbody|td|template|textarea|th|thead|"
    "title|tr|tt|u|ul|var|video"
)
# An attribute or the end must follow a space: `a<b && c>d` is no tag either.
_TAG = re.compile(rf"</?(?:{_ELEMENTS})(?:\s+[^<>=]{{0,300}}=[^<>]{{0,300}}|\s*/?)>", re.IGNORECASE)
# Syntax that makes a Markdown viewer load or run something. Quantifiers are bounded: no input is quadratic.
_IMAGE = re.compile(r"!\[([^\[\]\n]{0,300})\](?:\([^()\n]{0,2000}\)|\[[^\[\]\n]{0,300}\])")
_IMAGE_START = re.compile(r"(?<!!)!+\[")  # all of them: of `!![` one would be left
_LOADING_TAG = re.compile(
    r"(?<!\\)((?:\\\\)*)<(?=(?:img|image|source|video|audio|iframe|embed|object|script|link|input)\b"
    r"[^<>]{1,1000}?(?:src|srcset|href|data|poster)\s{0,9}=)",
    re.I,
)
_UNSAFE_LINK = re.compile(r"(\]\(\s{0,9}<?|\]:\s{1,9}<?)(?:javascript|data|vbscript):", re.I)
_BRACKETS = re.compile("[<>]")
# A text is examined up to this multiple of its limit: invisible characters make it longer than it looks.
_LOOKED_AT = 20
# The most combining marks of one letter in any writing.
_MOST_MARKS = 8


def visible(text: str) -> str:
    """Remove control, bidi, tag and other invisible code points; line breaks stay."""
    if _is_plain(text):
        return text
    text = _JOINERS.sub(_keep_between_letters, _INVISIBLE.sub("", _with_plain_line_ends(text)))
    return _NO_VARIATION.sub("", _VARIATION_RUN.sub(r"\1", text))


def one_line(text: str, limit: int = 0) -> str:
    """Visible text on one line; cut at a word with an ellipsis when longer than `limit`."""
    line = _BLANKS.sub(" ", visible(_beginning(text, limit))).strip()
    if not limit or len(line) <= limit:
        return line
    head = line[: limit - 1]
    return (head.rpartition(" ")[0] or head).rstrip() + "…"


def inert(line: str) -> str:
    """Disarm the syntax that would make a viewer of Markdown or HTML load or run something."""
    if "[" in line:
        line = _UNSAFE_LINK.sub(r"\1unsafe:", without_images(line))
    return _LOADING_TAG.sub(r"\1\\<", line) if "<" in line else line


def without_images(line: str) -> str:
    """Replace images by their alternative texts."""
    return _IMAGE_START.sub("[", _IMAGE.sub(r"\1", line)) if "![" in line else line


def without_markup(text: str, limit: int = 0) -> str:
    """Strip markup from a title or snippet: providers highlight with tags, and pages forge them."""
    # Invisible characters go first: they could hide a tag until they are removed.
    line = inert(_TAG.sub("", one_line(_beginning(text, limit))))
    # A tag around a tag or an image is an attack; its rest loses all brackets.
    return one_line(inert(_BRACKETS.sub("", line)) if _TAG.search(line) else line, limit)


def cut_at_word(text: str, limit: int) -> str:
    """At most `limit` characters, cut at a word if possible, and never within a letter."""
    if len(text) <= limit:
        return text
    whole_words = text[: limit + 1].rpartition(" ")[0]
    # A last word longer than the rest is no word: Chinese and Japanese have no spaces.
    if 2 * len(whole_words) > limit:
        return whole_words[:limit].rstrip()
    end = limit
    while end > max(0, limit - _MOST_MARKS) and unicodedata.category(text[end]).startswith("M"):
        end -= 1
    return text[:end].rstrip()


def _beginning(text: str, limit: int) -> str:
    return text[: _LOOKED_AT * limit] if limit else text


def _is_plain(text: str) -> bool:
    """Whether a text has no invisible characters, as most; printable ASCII on one line is the fast path."""
    if text.isascii() and text.isprintable():
        return True
    # Most texts are mostly ASCII, and removing that is much faster than searching it.
    rest = text.encode("utf-8", "surrogatepass").translate(None, _SEEN_IN_ASCII)
    return not rest or _SUSPECT.search(rest.decode("utf-8", "surrogatepass")) is None


def _with_plain_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n")


def _keep_between_letters(match: re.Match[str]) -> str:
    """Keep a joiner between two letters, which it shapes; elsewhere it only hides something."""
    text, start, end = match.string, match.start(), match.end()
    before = text[max(0, start - 2) : start]
    if "\ufe00" <= before[-1:] <= "\ufe0f":
        before = before[:-1]
    is_between = before and end < len(text) and _takes_joiner(before[-1]) and _takes_joiner(text[end])
    return match[0] if is_between else ""


def _takes_joiner(character: str) -> bool:
    return ord(character) > 0x2FF and unicodedata.category(character)[0] in "LMS"
