"""One list out of the answers of several APIs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dowse.core import urls
from dowse.core.models import Hit
from dowse.providers.relevance import is_relevant
from dowse.sites.words import keywords

_PIECE = re.compile(r"[^\W_]{1,40}")
# In these scripts nothing stands between words.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_ENDING = re.compile(r"(?<=[a-z]{4})(?:ing|ed|es|s)$")


def fused(query: str, answers: Sequence[Sequence[Hit]], most: int) -> list[Hit]:
    """The hits that share most words with the query first, then the best of every answer before its second.

    A hit that has nothing to do with the query is left out, and of two for one page the first stays.
    """
    asked = _terms(keywords(query, max_chars=500, most=60))
    ranked = [(-_shared(asked, hit), rank, hit) for hits in answers for rank, hit in enumerate(hits)]
    pages: dict[str, Hit] = {}
    for _, _, hit in sorted(ranked, key=lambda entry: entry[:2]):
        if len(pages) == most:
            break
        if is_relevant(query, [hit]):
            pages.setdefault(urls.identity(hit.url), hit)
    return list(pages.values())


def _shared(asked: set[str], hit: Hit) -> int:
    return len(asked & _terms(f"{hit.title} {hit.snippet} {hit.url}"))


def _terms(text: str) -> set[str]:
    """Words without their endings, and pairs of characters where words are not told apart."""
    terms: set[str] = set()
    for piece in _PIECE.findall(text.lower()):
        if _UNSPACED.search(piece):
            terms.update(piece[at : at + 2] for at in range(max(1, len(piece) - 1)))
        else:
            terms.add(_ENDING.sub("", piece))
    return terms
