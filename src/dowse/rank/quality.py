"""Quality issues of a page. The rules are strict: a good page sorted down is worse than a bad one shown.

Code and tables are ignored: their lines rightly resemble each other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from dowse.core.digests import Source
from dowse.document.markdown import scan_lines
from dowse.language.scripts import separate_characters

_LOOKED_AT = 50_000
_FEW_WORDS = 20
# With fewer words a share of them says nothing.
_ENOUGH_WORDS = 80
# A page that announces its own sale says little else.
_PARKED_WORDS = 200
# Shorter lines are list entries, which rightly resemble each other.
_PROSE_WORDS = 12
_SENTENCE_CHARS = 20

_WORD = re.compile(r"[^\W\d_]{1,40}")
_LINK = re.compile(r"!?\[([^\[\]\n]{0,500})\]\((?:[^()\s]|\([^()\s]{0,300}\)){0,2000}(?: \"[^\"\n]{0,300}\")?\)")
_SENTENCE_END = re.compile(r"[.!?]\s|[。！？\n]")
_LONGEST_WORD = 50
_LETTERS, _VOWELS = b"abcdefghijklmnopqrstuvwxyz", b"aeiouyw"
_PARKED = re.compile(
    r"\b(?:this|the) (?:web )?domain(?: name)?(?: [\w.-]{1,80})? (?:is|may be|might be|could be) "
    r"(?:now )?(?:for sale|parked|available for (?:sale|purchase))"
    r"|\bbuy this domain\b|\binquire about this domain\b|\bparked free,? courtesy of\b"
    r"|\bdiese domain (?:steht zum verkauf|ist zu verkaufen|kaufen)|\bce (?:nom de )?domaine est (?:à vendre|en vente)"
    r"|\beste dominio está (?:en|a la) venta"
)
_ALTERNATIVES = re.compile(r"\w \{[a-z' ]{1,40}(?:\|[a-z' ]{1,40}){1,9}\}")


@dataclass(frozen=True)
class _Page:
    """The text that the rules examine: lines outside of code and tables."""

    lines: Sequence[str]
    has_code_or_table: bool

    @classmethod
    def of(cls, markdown: str) -> _Page:
        read = list(scan_lines(markdown[:_LOOKED_AT]))
        lines = [line.text for line in read if not line.fence and not line.is_indented_code]
        lines = [line for line in lines if not line.lstrip().startswith("|")]
        return cls(lines, len(lines) < len(read))

    @cached_property
    def links(self) -> list[str]:
        """The words of each link."""
        return [match[1] for line in self.lines for match in _LINK.finditer(line)]

    @cached_property
    def text(self) -> str:
        return separate_characters(_LINK.sub(r"\1", "\n".join(self.lines)).lower())

    @cached_property
    def words(self) -> list[list[str]]:
        """The words of each line."""
        return list(map(_WORD.findall, self.text.split("\n")))

    @cached_property
    def word_count(self) -> int:
        return sum(map(len, self.words))

    @cached_property
    def prose(self) -> list[list[str]]:
        """The words of each line that is long enough to be a paragraph; empty for a page with hardly any."""
        prose = [words for words in self.words if len(words) >= _PROSE_WORDS]
        return prose if sum(map(len, prose)) >= _ENOUGH_WORDS else []


def find_quality_issues(source: Source) -> tuple[str, ...]:
    """The quality issues of a page, each as a phrase; empty for most pages."""
    page = _Page.of(source.text)
    return tuple(phrase for phrase, has in _RULES.items() if has(page))


def _is_parked(page: _Page) -> bool:
    """A parked domain: the notice of a registrar or dealer."""
    return page.word_count < _PARKED_WORDS and _PARKED.search(page.text) is not None


def _is_nearly_empty(page: _Page) -> bool:
    """A heading and a line or two; a page of code is exempt."""
    return page.word_count < _FEW_WORDS and not page.has_code_or_table


def _is_links(page: _Page) -> bool:
    """Hardly a word outside of links: a directory, or a page that only leads elsewhere."""
    words = sum(len(_WORD.findall(link)) for link in page.links)
    return len(page.links) >= 30 and words >= 0.98 * page.word_count


def _is_stuffed(page: _Page) -> bool:
    """Keyword stuffing: one phrase, and one of its words, are a large part of the prose."""
    total = sum(map(len, page.prose))
    if not total:
        return False
    phrase, times = Counter(_triples(page.prose)).most_common(1)[0]
    telling = [word for word in phrase if len(word) > 3 or not word.isascii()]
    word_times = max((sum(words.count(word) for words in page.prose) for word in telling), default=0)
    return 3 * times >= 0.15 * total and word_times >= 0.08 * total


def _repeats_itself(page: _Page) -> bool:
    """Most of the text are sentences that occur five times or more."""
    sentences = [each for each in _SENTENCE_END.split(page.text) if len(each) >= _SENTENCE_CHARS]
    repeated = (len(each) * times for each, times in Counter(sentences).items() if times >= 5)
    return page.word_count >= _ENOUGH_WORDS and sum(repeated) >= 0.6 * len(page.text)


def _is_spun(page: _Page) -> bool:
    """Unresolved alternatives of article spinning: `a {great|good|fine} offer`."""
    return page.text.count("{") >= 5 and len(_ALTERNATIVES.findall(page.text)) >= 5


def _is_cut_off(page: _Page) -> bool:
    """Nearly all paragraphs end with an ellipsis, as in scraped search results."""
    lines = zip(page.text.split("\n"), page.words, strict=True)
    paragraphs = [line.rstrip(" )]*_") for line, words in lines if len(words) >= _PROSE_WORDS]
    cut = sum(line.endswith(("...", "…")) for line in paragraphs)
    return cut >= 10 and cut >= 0.9 * len(paragraphs)


def _is_no_language(page: _Page) -> bool:
    """Data, random letters, or bytes decoded as the wrong characters."""
    text = page.text
    if len(text) < 200:
        return False
    unbroken = sum(len(word) for word in text.split() if len(word) >= _LONGEST_WORD and _is_no_word(word))
    return _is_random(text) or unbroken >= 0.3 * len(text) or text.count("\ufffd") >= 0.02 * len(text)


def _is_random(text: str) -> bool:
    """Whether letters lack vowels; not for languages with other letters, or with marks on most vowels."""
    plain = text.encode("ascii", "ignore")
    letters, vowels = (len(plain) - len(plain.translate(None, some)) for some in (_LETTERS, _VOWELS))
    return letters >= 200 and len(text) - len(plain) <= 0.03 * letters and vowels < 0.2 * letters


def _is_no_word(text: str) -> bool:
    """Whether a long run is neither a URL nor a sentence in a script without spaces."""
    return text.isascii() and "/" not in text


def _triples(prose: Sequence[Sequence[str]]) -> Iterator[tuple[str, str, str]]:
    for words in prose:
        yield from zip(words, words[1:], words[2:], strict=False)


_RULES: dict[str, Callable[[_Page], bool]] = {
    "a domain for sale": _is_parked,
    "nearly no text": _is_nearly_empty,
    "hardly anything but links": _is_links,
    "the same phrase over and over": _is_stuffed,
    "the same sentences again and again": _repeats_itself,
    "text that a program left unfinished": _is_spun,
    "a list of cut-off sentences": _is_cut_off,
    "text in no language": _is_no_language,
}
