"""Rerank given documents by their relevance to a query, in a worker: documents are untrusted content."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dowse.core.errors import InternalError, InvalidRequest, Overloaded, PageUnreadable
from dowse.core.models import Deadline, Status
from dowse.core.protocols import DocumentScorer
from dowse.core.text import ArgumentName, one_line

MAX_DOCUMENTS = 1000
"""The most documents of one call."""
MAX_CHARS = 2_000_000
"""The most characters of all documents of one call."""
MAX_QUERY_CHARS = 2000
# Far more than the largest call takes.
_LONGEST_S = 8.0
_RETRY_AFTER_S = 1.0


@dataclass(frozen=True, slots=True)
class RerankRequest:
    """Documents to rank for a query; without `top_n` all of them are wanted."""

    query: str
    documents: Sequence[str]
    top_n: int | None = None


@dataclass(frozen=True, slots=True)
class RankedDocument:
    """A document by its place among the given ones, and its relevance from 0 to 1."""

    index: int
    relevance: float


class RerankFlow:
    """Ranks documents."""

    def __init__(self, scorer: DocumentScorer) -> None:
        self._scorer = scorer

    async def rerank(self, request: RerankRequest, deadline: Deadline) -> tuple[RankedDocument, ...]:
        """The documents, most relevant first; equally relevant ones in the given order.

        Raises `InvalidRequest` for too many documents or too long ones, and `Overloaded` if no worker is free in time.
        """
        query = _check(request)
        timeout_s = min(_LONGEST_S, deadline.remaining_s())
        try:
            scores = await self._scorer.score(query, request.documents, timeout_s=timeout_s)
        except PageUnreadable as error:
            if error.status is Status.TIMEOUT:
                raise Overloaded(_RETRY_AFTER_S) from None
            raise InternalError("rerank") from error
        ranked = sorted(range(len(scores)), key=lambda index: (-scores[index], index))
        return tuple(RankedDocument(index, scores[index]) for index in ranked[: request.top_n])


def _check(request: RerankRequest) -> str:
    """The clean query; raises `InvalidRequest`."""
    query = one_line(request.query)
    if not query:
        raise InvalidRequest(ArgumentName("query"), " is required.")
    if len(query) > MAX_QUERY_CHARS:
        most = f" must have at most {MAX_QUERY_CHARS} characters; it has {len(query)}."
        raise InvalidRequest(ArgumentName("query"), most)
    count, chars = len(request.documents), sum(map(len, request.documents))
    if not count:
        raise InvalidRequest(ArgumentName("documents"), " must have at least one document.")
    if count > MAX_DOCUMENTS:
        raise InvalidRequest(ArgumentName("documents"), f" takes at most {MAX_DOCUMENTS} documents; it has {count}.")
    if chars > MAX_CHARS:
        most = f" must have at most {MAX_CHARS} characters together; it has {chars}."
        raise InvalidRequest(ArgumentName("documents"), most)
    return query
