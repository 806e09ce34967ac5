"""Before markup is parsed: nothing in it that would keep the parser busy for seconds, or from the rest of a page."""

from __future__ import annotations

import re

from dowse.extract.html.tree import nesting, rewrite
from dowse.extract.html.tree.grammar import ATTRIBUTE, TOKEN

# Measured with lexbor: 20,000 attributes on one tag, options in one `select` or attributes that `body` tags add to the
# first one take about a second, and twice as many four times as long.
_MAX_OPTIONS = 3_000
_MAX_ROOTS = 20
_MAX_TAG_NAMES = 2_000
_MAX_ATTRIBUTE_NAMES = 50_000
# Attributes that are shorter cannot be more than a tag may have, or all together have more names than there may be.
_SHORT = 2 * rewrite.MAX_ATTRIBUTES
_LITTLE = 5 * _MAX_ATTRIBUTE_NAMES
_SURROGATES = re.compile("[\ud800-\udfff]")
# A frame ends with its end tag only, so one without it is all the rest of the page. Browsers do not read a `noscript`.
_FRAME = "<iframe"
_OPEN_FRAME = re.compile(rf"{_FRAME}\b[^<>]*>(?=\s*</noscript)")


def capped(markup: str) -> str:
    """The markup, or one with all of its text whose tags are no more than a parser gets through."""
    if not _is_encodable(markup):
        markup = _SURROGATES.sub("\ufffd", markup)
    if _FRAME in markup:
        markup = _OPEN_FRAME.sub("", markup)
    return markup if _is_tame(markup) else rewrite.rewritten(markup)


def _is_encodable(markup: str) -> bool:
    if markup.isascii():
        return True
    try:
        markup.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_tame(markup: str) -> bool:
    tokens = TOKEN.findall(markup)
    labels = nesting.labels(tokens)
    return (
        len(set(labels)) <= _MAX_TAG_NAMES
        and labels.count("option") <= _MAX_OPTIONS
        and labels.count("body") + labels.count("html") <= _MAX_ROOTS
        and _has_few_attributes([attributes for _, _, _, attributes, _, _ in tokens])
        and nesting.is_sane(labels)
    )


def _has_few_attributes(written: list[str]) -> bool:
    # Many tags have the same ones.
    long = {each for each in written if len(each) > _SHORT}
    if any(len(ATTRIBUTE.findall(each)) > rewrite.MAX_ATTRIBUTES for each in long):
        return False
    if len("".join(written)) <= _LITTLE:
        return True
    names = {name for attributes in set(written) for name in ATTRIBUTE.findall(attributes)}
    return len(names) <= _MAX_ATTRIBUTE_NAMES
