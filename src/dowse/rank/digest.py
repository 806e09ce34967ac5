"""Digests of the pages of a search: passages within the token budget, near-duplicates, summaries, key points, quality.

The job runs in a worker for all pages of a search together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import islice

from dowse.core.digests import CodeBlock, Digest, KeyPoint, Source
from dowse.core.text import cut_at_word, inert, one_line
from dowse.core.tokens import divide_budget, estimate_tokens
from dowse.document.cut import GAP
from dowse.document.markdown import Block, BlockKind, Document
from dowse.language.detection import detect_query_tag, detect_tag_by_script, detect_tag_by_words
from dowse.rank.near_duplicates import find_near_duplicates
from dowse.rank.passages import Passages
from dowse.rank.quality import find_quality_issues
from dowse.rank.summary import strip_item_mark, strip_syntax, summarize

# Granted to each page before the rest of the budget is divided by relevance; all that an off-topic page gets.
_FLOOR_TOKENS = 120
# Far less relevant than the best page: more than this of it would be context without an answer.
_WEAK_SHARE, _WEAK_TOKENS = 0.6, 600
# Below this relevance a page has hardly a word of the question: 73 % of the wrong pages and 0 to 2 % of the right ones
# on excerpts of SQuAD and on WCXB pages with their titles as queries; 83 and 1 % in 17 sets in other languages.
_OFF_TOPIC = 0.25
# A text of that many characters tells its language.
_LANGUAGE_CHARS = 4000
# Fewer tokens are a heading and the beginning of a sentence.
_MIN_TOKENS = 50
_ONE_SENTENCE = 30
# The weight of a page without any word of the question, beside 1.1 of one that has all of them.
_MIN_WEIGHT = 0.1
_KEY_POINTS = 5
_BEST_LINES = 3
MAX_CODE_BLOCKS = 20
_POINT_CHARS = 240
_LINE_CHARS = 120
# In bytes of UTF-8, because a character of Chinese says as much as three letters.
_MIN_POINT_BYTES = 20
_NO_WORD = re.compile(r"[\W_]+")
# Comments and imports, which do not tell the purpose of code.
_UNTELLING = re.compile(r"(?:#|//|/\*|\*|--|<!--|\"\"\"|''')|[\W_]*$|(?:import|from|use|using|package|include)\b|<\?")


def digest(question: str, sources: Sequence[Source], max_tokens: int, *, share: float = 1.0) -> list[Digest]:
    """Digest each page, in at most `max_tokens` tokens together, or a share of them; 0 to cut nothing.

    Of near-duplicates only the first is shown; the others take nothing of the budget. Of an off-topic page only the
    best lines are shown, so that the others have more of it.
    """
    originals = find_near_duplicates([source.text for source in sources])
    pages = {
        number: Passages(Document(source.text), question or source.title)
        for number, (source, original) in enumerate(zip(sources, originals, strict=True))
        if original is None
    }
    off_topic = _find_off_topic(question, sources, pages)
    granted = _grant_tokens(pages, max_tokens, off_topic, share)
    digests = [Digest("", duplicate_of=original) for original in originals]
    for number, page in pages.items():
        digests[number] = _digest_page(question, sources[number], page, granted.get(number))
    for number in off_topic:
        digests[number] = _mark_off_topic(digests[number], granted.get(number, digests[number].tokens))
    return digests


def find_key_points(passages: Passages, count: int = 5) -> tuple[KeyPoint, ...]:
    """At most `count` of the best sentences in the order of the page, as plain text, without repetitions."""
    points: tuple[KeyPoint, ...] = ()
    # For each sentence that does not stand alone the next best one is tried.
    for tried in range(count, 3 * count):
        points = _choose_points(passages.best(tried))
        if len(points) >= count:
            break
    return points


def list_code_blocks(document: Document) -> tuple[CodeBlock, ...]:
    """The first code blocks of a page, each with its first telling line."""
    code = (block for block in document.blocks if block.kind is BlockKind.CODE)
    return tuple(islice((_describe_code(document, block) for block in code), MAX_CODE_BLOCKS))


def _digest_page(question: str, source: Source, page: Passages, tokens: int | None) -> Digest:
    whole = Digest(
        source.text,
        blocks=page.blocks,
        relevance=round(page.relevance, 3),
        summary=summarize(source, page.document, question),
        key_points=find_key_points(page, _KEY_POINTS),
        code_blocks=list_code_blocks(page.document),
        quality_issues=find_quality_issues(source),
    )
    if tokens is None:
        return whole
    whole = replace(whole, tokens=page.tokens)
    if page.tokens <= tokens:
        return whole
    if not tokens:
        return replace(whole, text="")
    shown = page.within(tokens)
    return replace(whole, text=shown.text, anchors=shown.anchors)


def _mark_off_topic(found: Digest, tokens: int) -> Digest:
    """The digest of an off-topic page: its best sentences, which stand alone, without headings and code."""
    points = _best_lines(found, tokens)
    if found.tokens > tokens and points:
        found = replace(found, text=_join_lines(points), anchors=tuple(point.anchor for point in points))
    return replace(found, is_off_topic=True)


def _best_lines(found: Digest, tokens: int) -> tuple[KeyPoint, ...]:
    """As many of the best sentences as fit."""
    code = {block.anchor for block in found.code_blocks}
    points = tuple(point for point in found.key_points if point.anchor not in code)[:_BEST_LINES]
    while points and _cost_of_lines(points) > tokens:
        points = points[:-1]
    return points


def _cost_of_lines(points: Sequence[KeyPoint]) -> int:
    return estimate_tokens(_join_lines(points))


def _join_lines(points: Sequence[KeyPoint]) -> str:
    return f" {GAP} ".join(point.text for point in points)


def _find_off_topic(question: str, sources: Sequence[Source], pages: dict[int, Passages]) -> frozenset[int]:
    """The numbers of the off-topic pages; none without a question."""
    return frozenset(number for number, page in pages.items() if _is_off_topic(question, sources[number], page))


def _is_off_topic(question: str, source: Source, page: Passages) -> bool:
    """Whether neither the text nor the title of a page is about the question; never told across languages."""
    if not question or page.relevance >= _OFF_TOPIC or not _shares_language(question, source.text[:_LANGUAGE_CHARS]):
        return False
    return Passages(Document(source.title), question).relevance < _OFF_TOPIC


def _shares_language(question: str, text: str) -> bool:
    """Whether words of a question can be expected in a text; those of a few words in Latin script may be English."""
    asked, written = detect_query_tag(question), detect_tag_by_script(text)
    if asked or written:
        return asked == written
    language = detect_tag_by_words(text)
    return language in ("", "en", detect_tag_by_words(question))


def _grant_tokens(
    pages: dict[int, Passages], max_tokens: int, off_topic: AbstractSet[int], share: float
) -> dict[int, int]:
    """The tokens of each page; of a budget that is too small for all pages, only the most relevant ones get some."""
    if not max_tokens:
        return {}
    by_relevance = sorted(pages, key=lambda number: -pages[number].relevance)
    shown = sorted(by_relevance[: max(1, max_tokens // _MIN_TOKENS)])
    wanted = _wanted_tokens({number: pages[number] for number in shown}, max_tokens, off_topic)
    granted = _share_tokens([(wanted[number], pages[number].relevance) for number in shown], max_tokens)
    if share < 1:
        granted = [min(tokens, max(_ONE_SENTENCE, int(tokens * share))) for tokens in granted]
    return dict.fromkeys(pages, 0) | dict(zip(shown, granted, strict=True))


def _wanted_tokens(pages: dict[int, Passages], max_tokens: int, off_topic: AbstractSet[int]) -> dict[int, int]:
    """The tokens that each page could use: less for weak pages, and for off-topic ones only for their best lines."""
    best = max((page.relevance for page in pages.values()), default=0.0)
    wanted = {number: _useful_tokens(page, best) for number, page in pages.items()}
    left = max_tokens - sum(tokens for number, tokens in wanted.items() if number not in off_topic)
    lines = _FLOOR_TOKENS if left >= _FLOOR_TOKENS * len(off_topic) else _MIN_TOKENS
    return wanted | {number: _tokens_of_lines(pages[number], lines) for number in off_topic & pages.keys()}


def _useful_tokens(page: Passages, best: float) -> int:
    return min(page.tokens, _WEAK_TOKENS) if page.relevance < _WEAK_SHARE * best else page.tokens


def _tokens_of_lines(page: Passages, most: int) -> int:
    """The tokens for the best lines: never for all of a page, unless that is a line or two."""
    return min(page.tokens, max(_MIN_TOKENS, min(most, page.tokens // 2)))


def _share_tokens(pages: Sequence[tuple[int, float]], max_tokens: int) -> list[int]:
    """A floor for each page, and the rest by relevance; the pages by their wanted tokens and their relevance."""
    floor = min(_FLOOR_TOKENS, max_tokens // max(1, len(pages)))
    granted = [min(floor, wanted) for wanted, _ in pages]
    missing = [wanted - tokens for (wanted, _), tokens in zip(pages, granted, strict=True)]
    more = divide_budget(missing, max_tokens - sum(granted), [_MIN_WEIGHT + relevance for _, relevance in pages])
    return [first + rest for first, rest in zip(granted, more, strict=True)]


def _choose_points(points: Iterable[KeyPoint]) -> tuple[KeyPoint, ...]:
    found: dict[str, KeyPoint] = {}
    for point in points:
        text = strip_item_mark(strip_syntax(point.text))
        key = _NO_WORD.sub(" ", text.casefold())
        is_new = not any(key in other or other in key for other in found)
        if is_new and _stands_alone(point.text, text):
            found[key] = KeyPoint(_shorten_point(text), point.anchor)
    return tuple(found.values())


def _stands_alone(markdown: str, text: str) -> bool:
    """Whether it is neither the row of a table, nor a word or two, nor the announcement of the next sentence."""
    return not markdown.startswith("|") and len(text.encode()) >= _MIN_POINT_BYTES and not text.endswith((":", "："))


def _shorten_point(text: str) -> str:
    return text if len(text) <= _POINT_CHARS else cut_at_word(text, _POINT_CHARS - 1) + "…"


def _describe_code(document: Document, block: Block) -> CodeBlock:
    lines = document.code_lines(block)
    said = [line.strip() for line in lines if line.strip()] or [""]
    beginning = next((line for line in said if not _UNTELLING.match(line)), said[0])
    return CodeBlock(
        anchor=block.anchor,
        language=document.code_language(block).lower(),
        lines=len(lines),
        beginning=one_line(inert(beginning), _LINE_CHARS),
    )
