"""Answers and failures in responses of OpenAI: text with the sources of each part and the positions of citations."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, islice

from dowse.core import urls
from dowse.core.answers import Citation, CitedAnswer, Question, TokenUsage
from dowse.core.errors import BadAnswer, BadRequest, ProviderError, QuotaSpent, RateLimited, Unavailable
from dowse.core.models import Hit
from dowse.document.clean import MappedText
from dowse.net.clients import Reply
from dowse.net.json_fields import Json, as_mapping, hit, items, mapping, objects, parse_json, string, whole

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
_LAST_OF_ONE_UNIT = "\uffff"
# Above it are scripts without blanks between words.
_LAST_WITH_BLANKS = "\u2e7f"
_WITNESSES = 50
_LINK_CHARS = 2000

Count = Callable[[int], int]
"""Maps an index to a position in the text."""
_LINE_END = re.compile("\r\n?|[\u2028\u2029]")
# References to search results that newer models leave in the text: private-use characters around `cite`.
_REFERENCE = re.compile(" ?\ue200[^\ue200\ue201]{0,300}\ue201|[\ue200-\ue202]")
_ADDRESS = re.compile(r"https?://(?:[^\s<>()\[\]\"]|\([^\s<>()\[\]\"]{0,200}\)){1,2000}")
_PUNCTUATION = ".,;:!?*_"


def quota_failure(reply: Reply, clean_message: CleanMessage) -> ProviderError | None:
    """Recognise a spent quota, which has the status of a rate limit, although waiting does not help."""
    if reply.status != 429:
        return None
    error = _error(_parse(reply.body))
    if "insufficient_quota" not in (string(error, "code"), string(error, "type")):
        return None
    words = clean_message(string(error, "message"))
    return QuotaSpent(NAME, f"HTTP {reply.status}", said=words, http_status=reply.status)


def answer_failure(body: Json, messages: Iterable[Json], clean_message: CleanMessage) -> ProviderError | None:
    """Why a successful response is no answer; `None` if it is one."""
    status = string(body, "status")
    if status == "failed" or body.get("error"):
        error = _error(body)
        kind = _FAILED.get(string(error, "code"), Unavailable)
        return kind(NAME, "the response failed", said=clean_message(string(error, "message")))
    if status == "incomplete" or any(string(message, "status") == "incomplete" for message in messages):
        return BadAnswer(NAME, _incomplete_detail(string(mapping(body, "incomplete_details"), "reason")))
    return None if status in _DONE else BadAnswer(NAME, "the response is not completed")


def _incomplete_detail(reason: str) -> str:
    if reason == "max_output_tokens":
        return "the answer is incomplete for want of tokens; raise OPENAI_MAX_OUTPUT_TOKENS"
    return "the answer is incomplete" + (": its content was filtered" if reason == "content_filter" else "")


def _error(body: object) -> Json:
    return mapping(as_mapping(body), "error")


def _parse(body: bytes) -> object:
    try:
        return parse_json(body)
    except ValueError:
        return None


def read_answer(body: Json, question: Question, model: str, clean_message: CleanMessage) -> CitedAnswer:
    """Read the answer to a question. Raises `ProviderError` for a failure, or an answer without a search."""
    messages = [item for item in objects(body.get("output")) if item.get("type") == "message"]
    if failure := answer_failure(body, messages, clean_message):
        raise failure
    searches = list(filter(_is_search, items(NAME, body, "output")))
    if not searches:
        raise BadAnswer(NAME, "the model answered without a search")
    answer = _Answer(question.max_results)
    answer.add_parts(_parts(messages, clean_message))
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


def _parts(messages: list[Json], clean_message: CleanMessage) -> Iterator[Json]:
    """The texts of the answer, without the model's commentary."""
    final = [message for message in messages if message.get("phase") != "commentary"]
    for message in final or messages:
        for part in objects(message.get("content")):
            if part.get("type") == "refusal":
                raise BadAnswer(NAME, "the model refused to answer", said=clean_message(string(part, "refusal")))
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
        sources = objects(mapping(search, "action").get("sources"))
        yield from (string(source, "url") for source in sources)


def _page(url: str, title: str) -> Hit | None:
    # A title of markup alone counts as missing.
    return hit(title, url, "") or hit(urls.host_of(url), url, "")


def _url_citations(part: Json) -> Iterator[Json]:
    return (item for item in objects(part.get("annotations")) if item.get("type") == "url_citation")


def _usage(body: Json) -> TokenUsage | None:
    usage = body.get("usage")
    if not isinstance(usage, dict):
        return None
    prompt, response = (min(max(0, whole(usage, name)), _MOST_TOKENS) for name in ("input_tokens", "output_tokens"))
    return TokenUsage(prompt, response)


class Places:
    """Positions of annotations in one text.

    OpenAI counts characters without saying whether an emoji is one or two. Indices are read as code points, as Python
    counts; as UTF-16 units, as JavaScript counts, only where the links and words of a text begin and end properly with
    these alone. The end is exclusive, although the reference says otherwise: links in real answers have that length.
    """

    def __init__(self, text: str, annotations: Sequence[Json]) -> None:
        self._text = text
        self._place = _count_of(text, annotations[:_WITNESSES])

    def of(self, annotation: Json) -> tuple[int, int]:
        """Start and end of an annotation; the whole text for invalid indices."""
        return _span(self._text, annotation, self._place) or (0, len(self._text))


def _span(text: str, annotation: Json, place: Count) -> tuple[int, int] | None:
    indices = _indices(annotation)
    if indices is None or indices[1] < 0 or place(indices[0]) >= len(text):
        return None
    return place(indices[0]), place(indices[1])


def _indices(annotation: Json) -> tuple[int, int] | None:
    start, end = (_index(annotation.get(name)) for name in ("start_index", "end_index"))
    return None if start is None or end is None else (min(start, end), max(start, end))


def _index(value: object) -> int | None:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if type(value) is int else None


def _count_of(text: str, annotations: Sequence[Json]) -> Count:
    size = len(text)

    def points(index: int) -> int:
        return min(max(index, 0), size)

    if max(text, default="") <= _LAST_OF_ONE_UNIT:
        return points
    starts = list(accumulate((1 + (character > _LAST_OF_ONE_UNIT) for character in text), initial=0))

    def units(index: int) -> int:
        return max(bisect_right(starts, index) - 1, 0)

    return units if _credit(text, annotations, units) > _credit(text, annotations, points) else points


def _credit(text: str, annotations: Sequence[Json], place: Count) -> int:
    """Score of a way of counting."""
    return sum(_looks_right(text, annotation, place) for annotation in annotations)


def _looks_right(text: str, annotation: Json, place: Count) -> int:
    indices, span = _indices(annotation), _span(text, annotation, place)
    if indices is None or span is None:
        return 0
    start, end = span
    is_link = text.startswith(("[", "(["), start) and text.startswith(")", end - 1)
    part = text[start : min(end, start + _LINK_CHARS)]
    names = map(annotation.get, ("url", "title"))
    is_named = any(isinstance(name, str) and name and name in part for name in names)
    is_past_the_end = place(indices[1] - 1) == len(text)
    return 3 * is_link + is_named - is_past_the_end - _is_in_a_word(text, start) - _is_in_a_word(text, end)


def _is_in_a_word(text: str, place: int) -> bool:
    around = text[max(0, place - 1) : place + 1]
    return 0 < place < len(text) and around.isalnum() and max(around) <= _LAST_WITH_BLANKS


class Wording(MappedText):
    """The text of a part without foreign line ends, references and tracking, cleaned."""

    def __init__(self, original: str) -> None:
        super().__init__(original)
        self.replace(_LINE_END, lambda _: "\n")
        self.replace(_REFERENCE, lambda _: "")
        self.replace(_ADDRESS, _clean_address)
        self.clean()


def _clean_address(found: re.Match[str]) -> str:
    """Remove tracking parameters and a user name from an address; one without any keeps its spelling."""
    address = found[0].rstrip(_PUNCTUATION)
    parsed = urls.parse(address) if "?" in address or "@" in address else None
    if parsed is None:
        return found[0]
    plain = urls.without_userinfo(parsed.href) if parsed.has_userinfo else parsed.href
    shorter = urls.without_tracking(plain)
    return found[0] if shorter == parsed.href else shorter + found[0][len(address) :]
