"""Typed outputs of the tools, and the JSON objects and JSON schemas that derive from them."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from enum import Enum, EnumType
from functools import cache
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, TypeGuard, TypeVar, cast, get_args, get_origin, get_type_hints

from dowse.core.answers import ErrorCode
from dowse.core.digests import CodeBlock, KeyPoint, OutlineEntry
from dowse.core.models import Attempt, CacheState, Stats, Status
from dowse.core.text import Sentence, escape_invisible

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")

MAX_TOKENS = 24_000
"""The most that a caller may ask for."""
MAX_URLS = 20
"""The most pages of one call."""
CEILING = 24_950
"""The most that is sent: the usual clients cut a tool's answer at 25k tokens."""

_JSON_TYPES: Mapping[object, str] = {
    **{str: "string", int: "integer", float: "number", bool: "boolean"},
    Mapping: "object",
}


_OPTIONAL = {"optional": True}


def _optional(default: T) -> T:
    """A field that is left out of the JSON object while it has its default."""
    return field(default=default, metadata=_OPTIONAL)


def _internal(default: T) -> T:
    """A field for the command line, which is not in the JSON object."""
    return field(default=default, metadata={"internal": True})


def _rename(name: str) -> Any:  # stands for the value of a field of any type, as `field` does
    """A field with another name in JSON."""
    return field(metadata={"name": name})


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultOutput:
    """One result of `web_search`. `total_tokens` are those of the whole page, `failure` says why it was not read.

    `blocks` ("3 of 41") and `anchors` are the blocks shown of a page that is cut. `published_from` is `provider`,
    `page` or `url`; `modified` is told where it places the page `in_period`.
    """

    title: str
    link: str
    snippet: str
    page_content: str
    status: Status
    engine: str
    score: float
    published: str
    word_count: int
    fetch_time_ms: int
    summary: str
    cache: CacheState
    cache_age_s: int
    published_from: str = _optional("")
    published_confidence: str = _optional("")
    modified: str = _optional("")
    in_period: str = _optional("")
    image_url: str = _optional("")
    thumbnail: str = _optional("")
    duration: str = _optional("")
    kind: str = _optional("")
    warnings: tuple[str, ...] = _optional(())
    found_by: tuple[str, ...] = _optional(())
    duplicates: tuple[str, ...] = _optional(())
    total_tokens: int = _optional(0)
    blocks: str = _optional("")
    anchors: tuple[str, ...] = _optional(())
    failure: str = _internal("")
    key_points: tuple[KeyPoint, ...] = _optional(())
    code_blocks: tuple[CodeBlock, ...] = _optional(())


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSearchOutput:
    """`web_search`; `providers` and `agreement` only when several providers answered, `period` if one was asked for."""

    query: str
    engine: str
    results: tuple[ResultOutput, ...]
    attempts: tuple[Attempt, ...]
    warnings: tuple[str, ...]
    answers: tuple[str, ...] = _optional(())
    suggestions: tuple[str, ...] = _optional(())
    providers: tuple[str, ...] = _optional(())
    agreement: int | None = _optional(None)
    period: str = _optional("")
    stats: Stats
    cache: CacheState
    cache_age_s: int
    untrusted: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class GetContentOutput:
    """`get_content`; the facts about a page are left out where they are unknown. `failure` says why it was not read."""

    url: str
    final_url: str
    title: str
    page_content: str
    status: Status
    engine: str
    attempts: tuple[Attempt, ...]
    warnings: tuple[str, ...]
    total_tokens: int
    next_cursor: str
    cache: CacheState
    cache_age_s: int
    untrusted: bool = True
    outline: tuple[OutlineEntry, ...] = _optional(())
    blocks: str = _optional("")
    anchors: tuple[str, ...] = _optional(())
    kind: str = _optional("")
    author: str = _optional("")
    published: str = _optional("")
    published_confidence: str = _optional("")
    modified: str = _optional("")
    modified_confidence: str = _optional("")
    language: str = _optional("")
    site: str = _optional("")
    canonical_url: str = _optional("")
    failure: str = _internal("")


@dataclass(frozen=True, slots=True, kw_only=True)
class PagesOutput:
    """`get_content` of several pages, in the order of their URLs."""

    results: tuple[GetContentOutput, ...]
    warnings: tuple[str, ...]
    untrusted: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedOutput:
    """One document of `rerank`, by its place among the given ones."""

    index: int
    relevance_score: float
    document: str = _optional("")


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankOutput:
    """`rerank`, most relevant first; the documents themselves only if they are wanted back."""

    query: str
    results: tuple[RankedOutput, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractOutput:
    """`extract`; the facts about a page are left out where they are unknown."""

    url: str
    title: str
    page_content: str
    status: Status
    warnings: tuple[str, ...]
    word_count: int
    total_tokens: int
    untrusted: bool = True
    kind: str = _optional("")
    author: str = _optional("")
    published: str = _optional("")
    modified: str = _optional("")
    language: str = _optional("")
    site: str = _optional("")
    canonical_url: str = _optional("")
    failure: str = _internal("")


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationOutput:
    """A source of a part of an answer's text; the indexes count code points."""

    url: str
    title: str
    text_snippet: str = _rename("textSnippet")
    start_index: int = _rename("startIndex")
    end_index: int = _rename("endIndex")
    rank: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageOutput:
    """Tokens that a model has read and written."""

    prompt_tokens: int = _rename("promptTokens")
    response_tokens: int = _rename("responseTokens")


@dataclass(frozen=True, slots=True, kw_only=True)
class _CitedOutput:
    text: str
    citations: tuple[CitationOutput, ...]
    provider: str
    responded_at: str = _rename("respondedAt")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersOutput(_CitedOutput):
    """`search_web` of the contract `answers`, which promises no more."""

    usage: UsageOutput | None = field(default=None, metadata=_OPTIONAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerQuestionOutput(_CitedOutput):
    """`answer_question`."""

    attempts: tuple[Attempt, ...]
    warnings: tuple[str, ...]
    cache: CacheState
    cache_age_s: int
    untrusted: bool = True
    usage: UsageOutput | None = field(default=None, metadata=_OPTIONAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorOutput:
    """The error of an answer that failed."""

    code: ErrorCode
    message: str
    retry_after: int | None = _optional(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureOutput:
    """An answer that failed."""

    error: ErrorOutput


@cache
def schema_of(output: type, other: type | None = None) -> dict[str, object]:
    """The JSON schema of an output, or of another in its place, such as an error: some clients validate these too."""
    properties, required = _properties(output), _list_required(output)
    if other is None:
        return {"type": "object", "properties": properties, "required": required}
    return {
        "type": "object",
        "properties": {**properties, **_properties(other)},
        "anyOf": [{"required": required}, {"required": _list_required(other)}],
    }


def to_json(output: DataclassInstance) -> dict[str, object]:
    """The JSON object of an output."""
    found: dict[str, object] = {}
    # A loop, and not two comprehensions: it runs for every result of every answer.
    for attribute, name, default in _json_fields(type(output)):
        value = getattr(output, attribute)
        if value != default:
            found[name] = value if type(value) in _JSON_TYPES else _to_json_value(value)
    return found


def to_json_text(value: object, indent: int | None = None) -> str:
    """A value as JSON, with letters of all scripts as they are, and control, bidi and invisible characters escaped."""
    return escape_invisible(json.dumps(value, indent=indent, ensure_ascii=False))


def map_texts(value: T, change: Callable[[str], str], *, kept: Collection[str] = ()) -> T:
    """The same output with every text in it changed, such as masked, except in the fields of these names."""
    changed: object = value
    if isinstance(value, Sentence):
        changed = value.change(change)
    elif isinstance(value, str):
        changed = value if isinstance(value, Enum) else change(value)
    elif isinstance(value, tuple):
        changed = tuple([map_texts(each, change, kept=kept) for each in value])
    elif _is_instance(value):
        changed = _map_fields(value, change, kept)
    return cast("T", changed)


def _map_fields(output: DataclassInstance, change: Callable[[str], str], kept: Collection[str]) -> object:
    """An output with the texts of its fields changed: half of them are empty, and most of the others stay the same."""
    changes: dict[str, object] = {}
    for name in _text_fields(type(output)):
        before = getattr(output, name)
        if before and name not in kept:
            after = change(before) if type(before) is str else map_texts(before, change, kept=kept)
            if after != before:
                changes[name] = after
    return replace(output, **changes) if changes else output


@cache
def _text_fields(output: type[DataclassInstance]) -> tuple[str, ...]:
    """The fields that may hold text."""
    kinds = get_type_hints(output).items()
    return tuple(name for name, kind in kinds if kind not in (int, float, bool) and not isinstance(kind, EnumType))


@cache
def _json_fields(output: type[DataclassInstance]) -> tuple[tuple[str, str, object], ...]:
    """Attribute, name in JSON, and the value at which it is left out; without internal fields."""
    return tuple(
        (each.name, each.metadata.get("name", each.name), each.default if each.metadata.get("optional") else MISSING)
        for each in fields(output)
        if not each.metadata.get("internal")
    )


def _to_json_value(value: object) -> object:
    if type(value) in _JSON_TYPES or value is None:
        return value
    if isinstance(value, tuple):
        return list(map(_to_json_value, value))
    if isinstance(value, Enum):
        return value.value
    return to_json(value) if _is_instance(value) else value


def _list_required(output: type[DataclassInstance]) -> list[str]:
    return [name for _, name, default in _json_fields(output) if default is MISSING]


def _properties(output: type[DataclassInstance]) -> dict[str, object]:
    types = get_type_hints(output)
    return {name: _schema_of_type(types[attribute]) for attribute, name, _ in _json_fields(output)}


def _schema_of_type(kind: object) -> dict[str, object]:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is tuple:
        item = arguments[0]
        return {"type": "array", "items": schema_of(item) if _is_output(item) else _schema_of_type(item)}
    if origin is Literal:
        return {"type": "string", "enum": list(arguments)}
    if origin is UnionType:
        return _schema_of_type(next(each for each in arguments if each is not NoneType))
    if _is_output(kind):
        return {"type": "object", "properties": _properties(kind)}
    if isinstance(kind, EnumType):
        return {"type": "string", "enum": [each.value for each in cast("type[Enum]", kind)]}
    return {"type": _name_type(kind)}


def _is_output(kind: object) -> TypeGuard[type[DataclassInstance]]:
    return is_dataclass(kind)


def _is_instance(value: object) -> TypeGuard[DataclassInstance]:
    return is_dataclass(value) and not isinstance(value, type)


def _name_type(kind: object) -> str:
    return _JSON_TYPES[get_origin(kind) or kind]
