"""Segmentation of blocks into pieces that are shown whole or not at all: sentences, items, rows, lines of code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dowse.document.markdown import Block, BlockKind

# No real sentence is longer. Rows of tables and lines of code are never divided.
_MAX_CHARS = 1200
# Code and tables up to this size are one piece; longer code is divided between lines, at empty ones if possible.
_CODE_CHARS = 400
_CODE_PIECE = 240
_TABLE_CHARS = 160
# A shorter line ends on purpose; a longer one was wrapped, and its sentence goes on in the next.
_WRAPPED = 50
_ITEM = re.compile(r"[ \t>]{0,40}(?:[-*+•]|\d{1,3}[.)])\s{1,9}")
# Group 1 belongs to the sentence, with the marks of notes behind its end.
_END = re.compile(r"([.!?…؟۔։።。！？｡।॥။།។][.!?…\"'”’»)\]*_」』）]{0,5}(?:\[\w{1,5}\]){0,4})\s{0,9}")
_NEEDS_BLANK = frozenset(".!?…؟۔։።")
_PAUSES = ("..", "…")
_BEFORE_WORD = "([{\"'“‘«*_—–/"
_LETTER = re.compile(r"[^\W\d_]")
_WORD_CHARS = 20
# Abbreviations of one letter, or with a point inside, are recognised by their form.
_ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof st jr sr gen col capt lt sgt rev hon gov sen rep pres mt ft vs etc al cf fig figs no nos vol pp "
    "ed eds approx ca dept est inc ltd co corp bros jan feb mar apr jun jul aug sep sept oct nov dec op cit sec ch art "
    "eq ref refs spp sp var bzw usw nr str bd hr fr ggf vgl evtl inkl sog sra dra ud uds av núm pág mme mlle dott sig "
    "ecc им гг ул см рис др проф".split()
)
# Thai and Lao have a space in place of a comma or full stop; about so many characters are a sentence.
_BLANKS_END = re.compile("[\u0e00-\u0eff]")
_BLANK = re.compile(r"\s{1,9}")
_PHRASE_CHARS = 110

Span = tuple[int, int]


def split_block(markdown: str, block: Block) -> Iterator[Span]:
    """The spans of the pieces of a block, in order; only white space is between them."""
    if block.kind is BlockKind.CODE:
        yield from _code(markdown, block)
    elif block.kind is BlockKind.TABLE:
        yield from _rows(markdown, block.start + len(block.opening) + 1, block.end)
    else:
        for first, last in _runs(markdown, block):
            for start, end in _sentences(markdown, first, last):
                if end - start <= _MAX_CHARS:
                    yield start, end
                else:
                    yield from _chop(markdown, start, end)


def _rows(markdown: str, start: int, end: int) -> Iterator[Span]:
    """The rows of a table behind its header; a short table is one piece."""
    return iter([(start, end)]) if end - start <= _TABLE_CHARS else _lines(markdown, start, end)


def _code(markdown: str, block: Block) -> Iterator[Span]:
    """Groups of the lines between two fences."""
    last = markdown.rfind("\n", block.start, block.end) if block.is_closed else block.end
    start = markdown.find("\n", block.start, last) + 1
    if not start:
        return
    if last - start <= _CODE_CHARS:
        yield start, last
        return
    for line, end in _lines(markdown, start, last):
        is_blank = line == end
        if line > start and (end - start > _CODE_PIECE or (is_blank and 2 * (end - start) > _CODE_PIECE)):
            yield start, line - 1
            start = line
    yield start, last


def _lines(markdown: str, start: int, end: int) -> Iterator[Span]:
    while start <= end:
        stop = markdown.find("\n", start, end)
        stop = end if stop < 0 else stop
        yield start, stop
        start = stop + 1


def _runs(markdown: str, block: Block) -> Iterator[Span]:
    """Groups of lines that a sentence may span."""
    if markdown.find("\n", block.start, block.end) < 0:
        yield block.start, block.end
        return
    first = before = end = block.start
    for line, line_end in _lines(markdown, block.start, block.end):
        if line > first and (end - before < _WRAPPED or _ITEM.match(markdown, line, line_end)):
            yield first, end
            first = line
        before, end = line, line_end
    yield first, end


def _sentences(markdown: str, start: int, end: int) -> Iterator[Span]:
    mark = _ITEM.match(markdown, start, end)
    # The point behind the number of an item ends no sentence.
    for found in _END.finditer(markdown, mark.end() if mark else start, end):
        stop = found.end()
        if stop < end and not _goes_on(markdown, start, found):
            yield start, found.end(1)
            start = stop
    if end - start > 2 * _PHRASE_CHARS and _BLANKS_END.search(markdown, start, end):
        yield from _phrases(markdown, start, end)
    elif start < end:
        yield start, end


def _goes_on(markdown: str, start: int, found: re.Match[str]) -> bool:
    """Whether a full stop does not end the sentence: it ends an abbreviation, an initial, a number or a name."""
    point, stop = found.span()
    if markdown[point] not in _NEEDS_BLANK:
        return False
    if stop == found.end(1):
        return True
    if markdown[stop].islower() and (found[1].startswith(_PAUSES) or not _begins_small(markdown, start)):
        return True
    if markdown[point] != "." or found.end(1) > point + 1:
        return False
    first = max(start, point - _WORD_CHARS)
    return _is_abbreviation(markdown[max(first, markdown.rfind(" ", first, point) + 1) : point].lstrip(_BEFORE_WORD))


def _begins_small(markdown: str, start: int) -> bool:
    """Whether a sentence begins with a small letter, as in a chat or transcript: the next one may, too."""
    letter = _LETTER.search(markdown, start, start + _WORD_CHARS)
    return letter is not None and letter[0].islower()


def _is_abbreviation(word: str) -> bool:
    """Whether the word before a point is an initial, a short number or an abbreviation."""
    if len(word) <= 2 and (word.isdigit() or (len(word) == 1 and word.isupper())):
        return True
    return word.lower() in _ABBREVIATIONS or (word[1:2] == "." and word[0].isalpha())


def _phrases(markdown: str, start: int, end: int) -> Iterator[Span]:
    for found in _BLANK.finditer(markdown, start, end):
        if found.start() - start >= _PHRASE_CHARS and end - found.end() >= _PHRASE_CHARS // 2:
            yield start, found.start()
            start = found.end()
    yield start, end


def _chop(markdown: str, start: int, end: int) -> Iterator[Span]:
    """Parts of an absurdly long sentence, divided between words if there are any."""
    while end - start > _MAX_CHARS:
        blank = markdown.rfind(" ", start + _MAX_CHARS // 2, start + _MAX_CHARS)
        stop = start + _MAX_CHARS if blank < 0 else blank
        yield start, stop
        start = stop if blank < 0 else stop + 1
    if start < end:
        yield start, end
