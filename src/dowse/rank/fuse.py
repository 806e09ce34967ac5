"""Reciprocal rank fusion of the results of several providers: one entry for each document, the best first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from dowse.core import urls
from dowse.core.models import Hit

# The customary constant of reciprocal rank fusion: being found twice counts more than being first once.
_K = 60
# Providers that pass on the index of another one: their agreement is no evidence.
_INDEX_BEHIND = {
    "serper": "google",
    "startpage": "google",
    "duckduckgo": "bing",
    "qwant": "bing",
    "yahoo": "bing",
}


@dataclass(frozen=True, slots=True)
class Fused:
    """A result, the providers that found it, and the independent indexes behind them.

    `score` is the sum of reciprocal ranks over the indexes; it is comparable within one search only.
    """

    hit: Hit
    score: float
    found_by: tuple[str, ...]
    indexes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Finding:
    provider: str
    rank: int
    hit: Hit
    index: str


def fuse(
    answers: Sequence[tuple[str, Sequence[Hit]]], owners: Mapping[str, str] = MappingProxyType({})
) -> tuple[Fused, ...]:
    """Fuse ranked lists into one; the order of a single provider is kept. `owners` of indexes are by provider."""
    documents: dict[str, list[_Finding]] = {}
    for finding in _findings(answers, {**owners, **_INDEX_BEHIND}):
        documents.setdefault(urls.identity(finding.hit.url), []).append(finding)
    # The sort is stable: of equal scores the provider that was asked first wins.
    return tuple(sorted(map(_fuse_document, documents.values()), key=lambda fused: -fused.score))


def _findings(answers: Sequence[tuple[str, Sequence[Hit]]], owners: Mapping[str, str]) -> Iterator[_Finding]:
    for provider, hits in answers:
        for rank, hit in enumerate(hits, 1):
            # A metasearch engine names the index behind a result, such as `google` or `bing news`.
            name = hit.engine.lower().replace(".", " ").partition(" ")[0] or provider
            yield _Finding(provider, rank, hit, owners.get(name, name))


def _fuse_document(findings: Sequence[_Finding]) -> Fused:
    """One document out of all its findings, which are in the order of the providers."""
    if len(findings) == 1:
        # The common case.
        first = findings[0]
        return Fused(first.hit, 1 / (_K + first.rank), (first.provider,), (first.index,))
    ranked = sorted(findings, key=lambda finding: finding.rank)
    return Fused(
        _merge_hits([finding.hit for finding in ranked]),
        _score(ranked),
        tuple(dict.fromkeys(finding.provider for finding in findings)),
        tuple(dict.fromkeys(finding.index for finding in findings)),
    )


def _merge_hits(hits: Sequence[Hit]) -> Hit:
    """The first hit, with the best URL, snippet and date of all."""
    return replace(
        hits[0],
        url=min((hit.url for hit in hits), key=_remoteness),
        snippet=max(hits, key=_snippet_length).snippet,
        published=next((hit.published for hit in hits if hit.published), ""),
    )


def _score(ranked: Sequence[_Finding]) -> float:
    """A provider counts once, however often it lists a document, and so does an index."""
    providers: dict[str, _Finding] = {}
    for finding in ranked:
        providers.setdefault(finding.provider, finding)
    indexes: dict[str, int] = {}
    for finding in providers.values():
        indexes.setdefault(finding.index, finding.rank)
    return sum(1 / (_K + rank) for rank in indexes.values())


def _remoteness(url: str) -> tuple[bool, bool]:
    """Sort key of URLs: canonical before copies, https before http."""
    return urls.is_copy(url), not url.lower().startswith("https:")


def _snippet_length(hit: Hit) -> int:
    """The length of the snippet, 0 if it only repeats the title."""
    snippet, title = (text.strip(" .…").lower() for text in (hit.snippet, hit.title))
    return 0 if snippet == title else len(snippet)
