"""Answers and failures in responses of OpenAI: text with the sources of each part."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from dowse.core import urls
from dowse.core.answers import Citation, CitedAnswer, Question, TokenUsage
from dowse.core.errors import BadAnswer, BadRequest, ProviderError, QuotaSpent, RateLimited, Unavailable
from dowse.core.models import Hit
from dowse.net.clients import Reply
from dowse.net.json_api import Json, hit, items, objects, string, whole
from dowse.providers.openai.citations import Places, Wording

NAME = "openai"
_FAILED: dict[str, type[ProviderError]] = {
    "server_error": Unavailable,
    "rate_limit_exceeded": RateLimited,
    "insufficient_quota": QuotaSpent,
    "invalid_prompt": BadRequest,
}
_DONE = ("", "completed")

CleanMessage = Callable[[str], str]
"""Cleans a message of the API for display."""
# Far more than a summary, and cleaned without blocking the event loop for long.
_TEXT_CHARS = 50_000
_MOST_ANNOTATIONS = 10_000
_MOST_ADDRESSES = 1000
_MOST_CITATIONS = 100
# Token counts are added up, and some servers send absurd numbers.
_MOST_TOKENS = 1_000_000_000
_SNIPPET_CHARS = 1000
_BETWEEN_PARTS = "\n\n"
_UNCITED = f"{NAME} named no source for this answer; do not rely on it unchecked."


def quota_failure(reply: Reply, spoken: CleanMessage) -> ProviderError | None:
    """Recognise a spent quota, which has the status of a rate limit, although waiting does not help."""
    if reply.status != 429:
        return None
    error = _error(_parse(reply.body))
    if "insufficient_quota" not in (string(error, "code"), string(error, "type")):
        return None
    words = spoken(string(error, "message"))
    return QuotaSpent(NAME, f"HTTP {reply.status}", said=words, http_status=reply.status)


def answer_failure(body: Json, messages: Iterable[Json], spoken: CleanMessage) -> ProviderError | None:
    """Why a successful response is no answer; `None` if it is one."""
    status = string(body, "status")
    if status == "failed" or body.get("error"):
        error = _error(body)
        kind = _FAILED.get(string(error, "code"), Unavailable)
        return kind(NAME, "the response failed", said=spoken(string(error, "message")))
    if status == "incomplete" or any(string(message, "status") == "incomplete" for message in messages):
        details = body.get("incomplete_details")
        return BadAnswer(NAME, _incomplete_detail(string(details, "reason") if isinstance(details, dict) else ""))
    return None if status in _DONE else BadAnswer(NAME, "the response is not completed")


def _incomplete_detail(reason: str) -> str:
    if reason == "max_output_tokens":
        return "the answer is incomplete for want of tokens; raise OPENAI_MAX_OUTPUT_TOKENS"
    return "the answer is incomplete" + (": its content was filtered" if reason == "content_filter" else "")


def _error(body: object) -> Json:
    error = body.get("error") if isinstance(body, dict) else None
    return error if isinstance(error, dict) else {}


def _parse(body: bytes) -> object:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def read_answer(body: Json, question: Question, model: str, spoken: CleanMessage) -> CitedAnswer:
    """Read the answer to a question. Raises `ProviderError` for a failure, or an answer without a search."""
    messages = [item for item in objects(body.get("output")) if item.get("type") == "message"]
    if failure := answer_failure(body, messages, spoken):
        raise failure
    searches = list(filter(_is_search, items(NAME, body, "output")))
    if not searches:
        raise BadAnswer(NAME, "the model answered without a search")
    answer = _Answer(question.max_results)
    answer.add_parts(_parts(messages, spoken))
    if not answer.text:
        raise BadAnswer(NAME, "the answer is empty")
    if not question.wants_summary:
        answer = _list_sources(answer, searches)
    warnings = () if answer.citations else (_UNCITED,)
    return CitedAnswer(answer.text, tuple(answer.citations), f"{model}-web-search", _usage(body), warnings)


@dataclass(slots=True)
class _Source:
    """A cited page under the first of its spellings."""

    url: str
    title: str
    rank: int


@dataclass(slots=True)
class _Answer:
    """An answer assembled part by part; sources beyond the first `most` are not cited."""

    most: int
    text: str = ""
    citations: list[Citation] = field(default_factory=list)
    sources: dict[str, _Source] = field(default_factory=dict)
    _known: dict[str, _Source | None] = field(default_factory=dict)
    _cited: set[tuple[int, int, int]] = field(default_factory=set)
    _annotations_left: int = _MOST_ANNOTATIONS

    def add_parts(self, parts: Iterable[Json]) -> None:
        for part in parts:
            self._add(part)

    def _add(self, part: Json) -> None:
        original = string(part, "text")[: max(0, _TEXT_CHARS - len(self.text))]
        wording = Wording(original)
        if not wording.text.strip():
            return
        offset = len(self.text) + len(_BETWEEN_PARTS) if self.text else 0
        self.text = _BETWEEN_PARTS.join(filter(None, [self.text, wording.text]))
        annotations = list(islice(_url_citations(part), self._annotations_left))
        self._annotations_left -= len(annotations)
        places = Places(original, annotations)
        for annotation in annotations:
            if source := self.source(string(annotation, "url"), string(annotation, "title")):
                start, end = wording.place(*places.of(annotation))
                self.cite(source, offset + start, offset + end)

    def source(self, url: str, title: str = "") -> _Source | None:
        """The source at an address; `None` for an invalid address, or beyond the limit."""
        if url not in self._known and len(self._known) < _MOST_ADDRESSES:
            self._known[url] = self._source(url, title)
        return self._known.get(url)

    def _source(self, url: str, title: str) -> _Source | None:
        page = _page(url, title)
        if page is None:
            return None
        identity = urls.identity(page.url)
        if identity not in self.sources and len(self.sources) < self.most:
            self.sources[identity] = _Source(page.url, page.title, len(self.sources) + 1)
        return self.sources.get(identity)

    def cite(self, source: _Source, start: int, end: int) -> None:
        """Cite a source for a part of the text, once; of a long part the beginning is quoted."""
        end = min(end, start + _SNIPPET_CHARS)
        place = (source.rank, start, end)
        if place in self._cited or len(self.citations) == _MOST_CITATIONS:
            return
        self._cited.add(place)
        self.citations.append(Citation(source.url, source.title, self.text[start:end], start, end, source.rank))


def _is_search(item: Json) -> bool:
    return item.get("type") == "web_search_call" and item.get("status") != "failed"


def _parts(messages: list[Json], spoken: CleanMessage) -> Iterator[Json]:
    """The texts of the answer, without the model's commentary."""
    final = [message for message in messages if message.get("phase") != "commentary"]
    for message in final or messages:
        for part in objects(message.get("content")):
            if part.get("type") == "refusal":
                raise BadAnswer(NAME, "the model refused to answer", said=spoken(string(part, "refusal")))
            if part.get("type") == "output_text":
                yield part


def _list_sources(answer: _Answer, searches: list[Json]) -> _Answer:
    """The sources as a numbered list, made here, so that it holds no summary. Uncited results come last."""
    for url in _result_addresses(searches):
        answer.source(url)
    if not answer.sources:
        raise BadAnswer(NAME, "the answer names no source")
    listed = _Answer(answer.most)
    for source in answer.sources.values():
        # The same format as in extractive answers.
        line = f"[{source.rank}] {source.title} — {source.url}"
        listed.text = "\n".join(filter(None, [listed.text, line]))
        listed.cite(source, len(listed.text) - len(line), len(listed.text))
    return listed


def _result_addresses(searches: Iterable[Json]) -> Iterator[str]:
    """Addresses of the search results; feeds have a name instead."""
    for search in searches:
        action = search.get("action")
        found = objects(action.get("sources")) if isinstance(action, dict) else []
        yield from (string(source, "url") for source in found)


def _page(url: str, title: str) -> Hit | None:
    parsed = urls.parse(url)
    host = parsed.host if parsed else ""
    # A title of markup alone counts as missing.
    return hit(title, url, "") or hit(host, url, "")


def _url_citations(part: Json) -> Iterator[Json]:
    return (item for item in objects(part.get("annotations")) if item.get("type") == "url_citation")


def _usage(body: Json) -> TokenUsage | None:
    usage = body.get("usage")
    if not isinstance(usage, dict):
        return None
    prompt, response = (min(max(0, whole(usage, name)), _MOST_TOKENS) for name in ("input_tokens", "output_tokens"))
    return TokenUsage(prompt, response)
