"""The pages of a search, compared with its question and with each other: what is shown of each within the budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dowse.core.digests import Digest, Source
from dowse.core.tokens import divide_budget
from dowse.document.markdown import Document
from dowse.rank import semantic
from dowse.rank.near_duplicates import twins
from dowse.rank.passages import Passages
from dowse.rank.points import code_blocks, key_points
from dowse.rank.quality import flaws
from dowse.rank.summary import summarize

# Less than this says little: a page that fits the question badly is still worth a look.
_FLOOR_TOKENS = 120
# Less than this is a heading and the beginning of a sentence.
_LEAST_TOKENS = 50
# Of a page without any word of the question, beside one that has all of them.
_LEAST_WEIGHT = 0.1
_KEY_POINTS = 5


def digest(question: str, sources: Sequence[Source], max_tokens: int, *, is_semantic: bool = False) -> list[Digest]:
    """What each page has to say, in at most `max_tokens` tokens of all together; 0 to cut nothing.

    Of pages that say the same only the first is shown, and the others cost nothing.
    """
    blend = semantic.scores if is_semantic and semantic.available() else None
    same_as = twins([source.text for source in sources])
    digests: list[Digest | None] = [None] * len(sources)
    pages = {}
    for number, (source, twin) in enumerate(zip(sources, same_as, strict=True)):
        if twin is None:
            pages[number] = Passages(Document(source.text), question or source.title, blend=blend)
        else:
            digests[number] = Digest("", twin=twin)
    granted = _granted(list(pages.values()), max_tokens) if max_tokens else [None] * len(pages)
    for (number, page), tokens in zip(pages.items(), granted, strict=True):
        digests[number] = _digested(question, sources[number], page, tokens)
    return [each for each in digests if each is not None]


def _digested(question: str, source: Source, page: Passages, tokens: int | None) -> Digest:
    whole = Digest(
        source.text,
        blocks=page.blocks,
        merit=round(page.merit, 3),
        summary=summarize(source, page.document, question),
        key_points=key_points(page, _KEY_POINTS),
        code_blocks=code_blocks(page.document),
        flaws=flaws(source),
    )
    if tokens is None or page.tokens <= tokens:
        return whole
    if not tokens:
        return replace(whole, text="")
    shown = page.within(tokens)
    return replace(whole, text=shown.text, anchors=shown.anchors)


def _granted(pages: Sequence[Passages], max_tokens: int) -> Sequence[int | None]:
    """How much of the budget each page gets; where it is too small for all of them, those that fit best get some."""
    by_merit = sorted(range(len(pages)), key=lambda number: -pages[number].merit)
    shown = sorted(by_merit[: max(1, max_tokens // _LEAST_TOKENS)])
    granted = dict(zip(shown, _shared([pages[number] for number in shown], max_tokens), strict=True))
    return [granted.get(number, 0) for number in range(len(pages))]


def _shared(pages: Sequence[Passages], max_tokens: int) -> list[int]:
    """A little for each page in any case, and of the rest the more the better it fits."""
    floor = min(_FLOOR_TOKENS, max_tokens // max(1, len(pages)))
    granted = [min(floor, page.tokens) for page in pages]
    missing = [page.tokens - tokens for page, tokens in zip(pages, granted, strict=True)]
    more = divide_budget(missing, max_tokens - sum(granted), [_LEAST_WEIGHT + page.merit for page in pages])
    return [first + rest for first, rest in zip(granted, more, strict=True)]
