"""Extractive summary of a page: its own description, or the sentences that fit its title and a question best."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from math import log
from typing import NamedTuple

from dowse.core.digests import Source
from dowse.core.text import cut_at_word, without_markup
from dowse.document.clean import to_plain_text
from dowse.document.markdown import BlockKind, Document, Heading
from dowse.language.detection import detect_language
from dowse.language.stopwords import STOP_WORDS
from dowse.language.words import choose_splitter, load_stemmer
from dowse.rank.sentences import split_block

MAX_CHARS = 500
_MIN_CHARS = 80
# The topic of a page is near its beginning.
_EXAMINED_CHARS = 40_000
# With a smaller share of its words on the page, a description is the same on all pages of the site.
_OWN_SHARE = 0.4
_GAP = " … "
_WIDE_ENDS = ("。", "！", "？", "」", "』")
_CLOSING = r"[\"'”’»)\]」』]{0,3}"
_END = re.compile(rf"(?<!\.\.)[.!?。！？｡।؟۔။។]{_CLOSING}$")
_WHOLE_SENTENCES = re.compile(rf".{{1,{MAX_CHARS}}}(?:(?<!\.\.)[.!?؟۔](?={_CLOSING}\s)|[。！？｡।။។]){_CLOSING}")
_LAST_WORD = re.compile(r"\w{1,40}$")
# Sizes are in bytes of UTF-8, because a character of Chinese says as much as three letters.
_SENTENCE_BYTES = 30
_LINE_BYTES = 150
_SHORT_LINE_BYTES = 60
_ITEM_MARK = re.compile(r"\s{0,9}(?:[-*+•]|\d{1,3}[.)])\s{1,9}")
_FOOTNOTE_MARK = re.compile(r"\[\^\w{1,20}\]:?")
# Notices that many pages have before their subject.
_NOT_ABOUT_IT = re.compile(
    r"\b(?:(?:use|accept) (?:\w{1,20} )?cookies|enable javascript|affiliate (?:links?|commissions?)"
    r"|earn (?:an? (?:\w{1,20} )?commission|from qualifying)|(?:subscribe|sign up) (?:to|for) (?:our|the|my)"
    r"|all rights reserved)\b",
    re.IGNORECASE,
)
_K1, _B = 1.2, 0.6
# The bonus of the first sentence beside the score of the best one, and the number of sentences that halves it.
# Less agrees less with pages' own descriptions (`tools/summary_scores.py`); more leaves no room for the question.
_LEAD_WEIGHT = 1.0
_LEAD_SENTENCES = 5
# A sentence that shares more of the shorter one is a repetition.
_SAME_SHARE = 0.6
# Sentences that fit into less are mostly calls to read on.
_WORTH_FILLING = 100


class _Sentence(NamedTuple):
    """A sentence or a line; `is_own` if it is neither a list item nor a quote.

    Sentences with consecutive `place` are adjacent, without code or a table between them.
    """

    text: str
    place: int
    is_own: bool


class _Vocabulary:
    """Splits texts into stems in the language of a page, without its stop words."""

    def __init__(self, text: str) -> None:
        self._split = choose_splitter(text)
        language = detect_language(self._split(text))
        self._stem = load_stemmer(language)
        self._stop_words = STOP_WORDS.get(language, frozenset())

    def stems(self, text: str) -> list[str]:
        return self._stem([word for word in self._split(text) if word not in self._stop_words])


def summarize(source: Source, document: Document, question: str) -> str:
    """At most 500 characters of plain text on one line, with marks for gaps; empty for a page without prose."""
    if len(document.text) > _EXAMINED_CHARS:
        document = Document(document.text[:_EXAMINED_CHARS])
    text = document.text
    vocabulary = _Vocabulary(f"{source.title}\n{text}")
    said = _trim_description(without_markup(to_plain_text(source.description)), text)
    if len(said) >= _MIN_CHARS and _is_about(said, f"{source.title}\n{text}", vocabulary):
        return said
    return _extract(_choose_candidates(list(_sentences(document))), f"{source.title}\n{question}", vocabulary)


def strip_syntax(markdown: str) -> str:
    """Remove the syntax of Markdown and the marks of footnotes."""
    return _FOOTNOTE_MARK.sub("", to_plain_text(markdown))


def strip_item_mark(sentence: str) -> str:
    """A sentence on one line, without the mark of a list item."""
    mark = _ITEM_MARK.match(sentence)
    return without_markup(sentence[mark.end() :] if mark else sentence)


def _trim_description(description: str, text: str) -> str:
    """A description without its truncated last sentence; empty if nothing else is left."""
    if len(description) <= MAX_CHARS and _END.search(description):
        return description
    if (whole := _WHOLE_SENTENCES.match(description)) and len(whole[0]) >= _MIN_CHARS:
        return whole[0]
    # Some end without a full stop; a truncated one ends within a word or with an ellipsis.
    last = _LAST_WORD.search(description)
    is_word = last is not None and re.search(rf"\b{last[0]}\b", text, re.IGNORECASE) is not None
    return description if is_word and len(description) <= MAX_CHARS else ""


def _is_about(description: str, text: str, vocabulary: _Vocabulary) -> bool:
    said = {*vocabulary.stems(description)}
    return len(said & {*vocabulary.stems(text)}) >= _OWN_SHARE * len(said)


def _sentences(document: Document) -> Iterator[_Sentence]:
    place = 0
    headings: tuple[Heading, ...] = ()
    for block in document.blocks:
        has_sentences = block.kind not in (BlockKind.TABLE, BlockKind.CODE)
        is_prose = has_sentences and block.end - block.start >= _SENTENCE_BYTES // 3
        place += block.headings != headings or not is_prose or block.is_apart
        headings = block.headings
        if not is_prose:
            continue
        is_own = block.kind.is_prose and not document.text.startswith((">", "|"), block.start)
        # A link or strong text may span several sentences, so the syntax goes before the text is split.
        words = strip_syntax(document.text[block.start : block.end])
        for start, end in split_block(words, replace(block, start=0, end=len(words))):
            place += 1
            yield _Sentence(strip_item_mark(words[start:end]), place, is_own)


def _choose_candidates(sentences: Sequence[_Sentence]) -> list[_Sentence]:
    """The sentences to choose from: the page's own, else its longer lines, else quotes and list items."""
    own = [each for each in sentences if each.is_own]
    others = [each for each in sentences if not each.is_own]
    return (
        _filter(own, lambda text: _is_sentence(text) and not _NOT_ABOUT_IT.search(text))
        or _filter(own, lambda text: len(text.encode()) >= _SHORT_LINE_BYTES)
        or _filter(others, _is_sentence)
    )


def _filter(sentences: Sequence[_Sentence], accepts: Callable[[str], bool]) -> list[_Sentence]:
    return [each for each in sentences if accepts(each.text)]


def _is_sentence(text: str) -> bool:
    """Whether a text ends like a sentence, or is too long for anything else: Thai has no full stops."""
    size = len(text.encode())
    return size >= _LINE_BYTES or (size >= _SENTENCE_BYTES and _END.search(text) is not None)


def _extract(sentences: Sequence[_Sentence], about: str, vocabulary: _Vocabulary) -> str:
    """As many of the best sentences as fit, in their order."""
    if not sentences:
        return ""
    stems = [vocabulary.stems(each.text) for each in sentences]
    chosen = _choose(sentences, stems, _score(stems, {*vocabulary.stems(about)}))
    if not chosen:
        return cut_at_word(sentences[0].text, MAX_CHARS - 1) + "…"
    return _join([sentences[index] for index in sorted(chosen)])


def _choose(sentences: Sequence[_Sentence], stems: Sequence[Sequence[str]], scores: Sequence[float]) -> list[int]:
    """The best sentences that fit, without repetitions."""
    chosen: dict[int, set[str]] = {}
    left = MAX_CHARS
    for index in sorted(range(len(sentences)), key=lambda index: -scores[index]):
        cost = len(sentences[index].text) + (len(_GAP) if chosen else 0)
        said = {*stems[index]}
        if cost <= left and not any(_is_same(said, other) for other in chosen.values()):
            chosen[index] = said
            left -= cost
        if left < _WORTH_FILLING:
            break
    return list(chosen)


def _score(sentences: Sequence[Sequence[str]], wanted: Collection[str]) -> list[float]:
    """BM25 of each sentence relative to the best one, plus a bonus for early sentences."""
    found = [Counter(filter(wanted.__contains__, words)) for words in sentences]
    frequency = Counter(chain.from_iterable(found))
    weights = {word: log(1 + (len(sentences) - n + 0.5) / (n + 0.5)) for word, n in frequency.items()}
    average = sum(map(len, sentences)) / len(sentences) or 1.0
    fits = [_bm25(counts, weights, len(words) / average) for words, counts in zip(sentences, found, strict=True)]
    best = max(fits) or 1.0
    return [fit / best + _LEAD_WEIGHT / (1 + index / _LEAD_SENTENCES) for index, fit in enumerate(fits)]


def _bm25(counts: Mapping[str, int], weights: Mapping[str, float], length: float) -> float:
    return sum(weights[word] * n * (_K1 + 1) / (n + _K1 * (1 - _B + _B * length)) for word, n in counts.items())


def _is_same(words: set[str], other: set[str]) -> bool:
    return len(words & other) > _SAME_SHARE * min(len(words), len(other))


def _join(sentences: Sequence[_Sentence]) -> str:
    text = sentences[0].text
    for before, sentence in pairwise(sentences):
        # Chinese and Japanese have no spaces between sentences.
        beside = "" if text.endswith(_WIDE_ENDS) else " "
        text += (beside if sentence.place == before.place + 1 else _GAP) + sentence.text
    return text
