"""Features of a block's text and of its links."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain

import numpy as np

from dowse.extract.html.content import vocabulary
from dowse.extract.html.content.blocks import TextBlock
from dowse.extract.html.content.dom_columns import Numbers
from dowse.language import stopwords
from dowse.language.scripts import MODEL_WIDE

COLUMNS = (
    *("words", "chars", "linked", "links", "strong", "commas", "stops", "digits", "capitals", "common", "long_words"),
    *("ends_sentence", "starts_lower", "is_date", "is_price", "has_mark", "has_mail", "said_again", "in_title"),
    *("is_colon", "is_question", "chars_per_word", "is_numbered"),
)
# Columns about the block; all others are about its text.
_LINKED, _LINKS, _STRONG = map(COLUMNS.index, ("linked", "links", "strong"))
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_COMMA = re.compile(r"[,،、，;；]")
# A pattern that begins with certain characters is found much faster than one with a choice or a position there.
_STOP = re.compile(r"[.!?。！？…](?:[\s\"”’)]|$|(?<=[。！？]))")
_DIGIT = re.compile(r"\d")
# At the start of a word.
_CAPITAL = re.compile(r"[A-Z](?<!\w[A-Z])")
# Most texts are ASCII, and their bytes are counted faster than matches. In words: capitals as A, digits as 0, all other
# signs as a blank. At ends: a sentence end as a stop, quotes and brackets behind it as a blank, a semicolon as a comma.
_IN_WORDS = re.sub(rb"\W", b" ", re.sub(rb"\d", b"0", re.sub(rb"[A-Z]", b"A", bytes(range(256)))))
_AT_ENDS = bytes.maketrans(b'!?)";', b"..  ,")
_DATE = re.compile(
    r"\b(?:19|20)\d\d\b|\b\d{1,2}[:/.]\d{1,2}\b|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.? \d"
    r"|\bago\b|\byesterday\b|年\d",
    re.I,
)
_PRICE = re.compile(r"[$€£¥₹]\s?\d|\d\s?(?:€|EUR|USD|kr)\b|\b\d{1,2}%")
_MARK = re.compile(r"[|›»«•·→←▸▼×✕…]|^[^\w]+$")
_WORD = re.compile(r"\w")
_MAIL = re.compile(r"@\w|https?://|www\.")
_ENDS = (".", "!", "?", "…", "。", "！", "？", '."', ".”", "”", ".)")
_WIDE = re.compile(f"[{MODEL_WIDE}]")
_LOOKED_AT = 400
_LOOKED_AT_WORDS = 80
_SHORT = 120
_LONG_WORD = 7
# The only letter that becomes two in lower case.
_LONGER_IN_LOWER = "İ"
LINK_COLUMNS = ("link_away", "link_here", "link_tag", "link_social", "link_depth", "link_none", "link_near")
# All choices begin with a mark, which is found at once.
_TAG = re.compile(
    r"/(?:tags?|categor(?:y|ies)|topics?|authors?|users?|u|profile|members?|people|search)(?:[/?.-]|$)|\?s=|&s="
)
_DOMAIN = re.compile(r"\.(?:com|me|net|app)/")
_NETWORKS = (
    *("facebook", "twitter", "x", "linkedin", "pinterest", "instagram", "youtube", "reddit", "tiktok", "t", "wa"),
    *("threads", "bsky"),
)
_APPLICATIONS = ("mailto:", "tel:", "whatsapp:", "sms:")
_LONGEST_HREF = 500
_NO_LINK = (0.0,) * len(LINK_COLUMNS)
_NOWHERE = (0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)


def measure_texts(blocks: Sequence[TextBlock], title: str) -> Numbers:
    """One row for each block, with the numbers of `COLUMNS`."""
    again = Counter([block.text for block in blocks])
    in_title = frozenset(title.lower().split())
    # Repeated texts, such as the buttons below each post, are measured once.
    rows = chain.from_iterable([_row(text, count, in_title) for text, count in again.items()])
    distinct = np.fromiter(rows, np.float32, len(again) * len(COLUMNS)).reshape(len(again), -1)
    numbers = dict(zip(again, range(len(again)), strict=True))
    found = distinct[[numbers[block.text] for block in blocks]]
    sizes = found[:, COLUMNS.index("chars")].astype(np.float64)
    found[:, _LINKED] = np.minimum([block.linked for block in blocks] / sizes, 1)
    found[:, _LINKS] = [block.links for block in blocks]
    found[:, _STRONG] = np.minimum([block.strong for block in blocks] / sizes, 1)
    return found


def text_groups(blocks: Sequence[TextBlock]) -> Numbers:
    """Masks of `vocabulary.TEXT_GROUPS` for each block; 0 for a longer text."""
    return np.array(
        [vocabulary.of_text(block.text[:40]) if len(block.text) < _SHORT else 0 for block in blocks], np.int64
    )


def heading_level(block: TextBlock) -> int:
    """The level of the heading around a block; 0 for others."""
    container = block.container
    level = _HEADINGS.get(container.tag, 0)
    if not level and container.parent is not None and len(container.parent.children) < 4:
        level = _HEADINGS.get(container.parent.tag, 0)
    return level


def _row(text: str, again: int, in_title: frozenset[str]) -> tuple[float, ...]:
    """The columns of a text, with zeros for those of its block."""
    size, is_ascii = len(text), text.isascii()
    looked_at = text if size <= _LOOKED_AT else text[:_LOOKED_AT]
    words = text.lower().split()
    first = words[:_LOOKED_AT_WORDS]
    as_written = first if _LONGER_IN_LOWER not in text else text.split()[:_LOOKED_AT_WORDS]
    count = len(first)
    begin, end = text[0], text[-1]
    digits, capitals, commas, stops = _counts(text, looked_at) if is_ascii else _matches(text, looked_at)
    return (
        len(words) if is_ascii else max(len(words), _wide_words(text)),
        size,
        0.0,
        0.0,
        0.0,
        commas,
        stops,
        digits / len(looked_at),
        capitals / count,
        sum(map(stopwords.MODEL.__contains__, first)) / count,
        len([word for word in as_written if len(word) > _LONG_WORD]) / count,
        text.endswith(_ENDS),
        begin.islower(),
        *(_short_signs(text, digits, is_ascii=is_ascii) if size < _SHORT else (False, False, False)),
        _has_address(text, looked_at),
        again,
        sum(map(in_title.__contains__, first)) / count,
        end == ":",
        end == "?",
        min(size / len(words), 50.0),
        begin.isdigit(),
    )


def _short_signs(text: str, digits: int, *, is_ascii: bool) -> tuple[bool, bool, bool]:
    """Whether a short text has a date, a price, and a mark such as » or |."""
    has_mark = _has_mark(text, is_ascii=is_ascii)
    if not digits:
        return False, False, has_mark
    return _DATE.search(text) is not None, _PRICE.search(text) is not None, has_mark


def _has_address(text: str, looked_at: str) -> bool:
    return ("@" in text or "://" in text or "www." in text) and _MAIL.search(looked_at) is not None


def _matches(text: str, looked_at: str) -> tuple[int, int, int, int]:
    """Number of digits, capitalised words, commas and sentence ends."""
    return (
        len(_DIGIT.findall(looked_at)),
        len(_CAPITAL.findall(looked_at)),
        len(_COMMA.findall(text)),
        len(_STOP.findall(text)),
    )


def _counts(text: str, looked_at: str) -> tuple[int, int, int, int]:
    """`_matches` for ASCII."""
    words = f" {looked_at}".encode().translate(_IN_WORDS)
    ends = f"{text} ".encode().translate(_AT_ENDS)
    return words.count(b"0"), words.count(b" A"), ends.count(b","), ends.count(b". ")


def _has_mark(text: str, *, is_ascii: bool) -> bool:
    if not is_ascii:
        return _MARK.search(text) is not None
    return "|" in text or not (text[0].isalnum() or _WORD.search(text))


def _wide_words(text: str) -> int:
    """Estimated number of words in scripts without blanks between words."""
    return len(_WIDE.findall(text)) // 2


def measure_links(blocks: Sequence[TextBlock], url: str) -> Numbers:
    """One row for each block, with the numbers of `LINK_COLUMNS`."""
    here = _host_and_path(url)
    about = {href: _about(href[:_LONGEST_HREF], *here) for href in {block.href for block in blocks} if href}
    rows = [about[block.href] if block.href else _NOWHERE if block.links else _NO_LINK for block in blocks]
    return np.fromiter(chain.from_iterable(rows), np.float32, len(rows) * len(LINK_COLUMNS)).reshape(len(rows), -1)


def _about(href: str, host: str, path: str) -> tuple[float, ...]:
    if href.startswith(("#", "javascript:")):
        return (0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    other_host, other_path = _host_and_path(href)
    lower, within = href.lower(), other_path.strip("/")
    return (
        bool(other_host) and other_host != host,
        "#" in href and (not other_path or other_path == path),
        _TAG.search(lower) is not None,
        _is_social(lower),
        within.count("/") + bool(within),
        0.0,
        len(path) > 1 and other_path.startswith(path.rpartition("/")[0] + "/"),
    )


def _is_social(href: str) -> bool:
    if "share" in href or href.startswith(_APPLICATIONS):
        return True
    return any(href.endswith(_NETWORKS, 0, domain.start()) for domain in _DOMAIN.finditer(href))


def _host_and_path(url: str) -> tuple[str, str]:
    """A rough split: it is done for every link, and nothing is fetched."""
    scheme, slashes, rest = url.partition("//")
    if not slashes or len(scheme) > len("https:"):
        return "", url.partition("#")[0].partition("?")[0]
    host, slash, path = rest.partition("/")
    return host.lower().removeprefix("www."), slash + path.partition("#")[0].partition("?")[0]
