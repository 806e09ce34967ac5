"""Operations of the REST API: endpoints with their description for the OpenAPI document, and conditional requests."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from dowse.contracts.arguments import Param, read
from dowse.contracts.dispatch import Answer, Call, JsonObject, Tool
from dowse.contracts.endpoint import MAX_BODY_BYTES, Emit, Event, HttpEndpoint, HttpReply, HttpRequest
from dowse.contracts.rest.problems import describe_problem
from dowse.core.protocols import Progress
from dowse.core.runtime import CallContext
from dowse.core.tokens import estimate_tokens

Streamed = Callable[[JsonObject, CallContext, Emit], Awaitable[Answer]]
_FORM = "application/x-www-form-urlencoded"
_HTML = ("text/html", "application/xhtml+xml")
_CONDITIONAL_HEADERS = {"Cache-Control": "private", "Vary": "Authorization, X-API-Key, X-Subscription-Token, Accept"}
# Times and ages, which differ although the answer is the same.
_VOLATILE = frozenset({"stats", "attempts", "cache", "cache_age_s", "fetch_time_ms", "respondedAt"})
MODEL_TEXT = Param(
    "model_text", "boolean", "Add the text that a model gets by MCP, as `model_text` with its `model_tokens`.", False
)
MODEL_FIELDS: Mapping[str, JsonObject] = {
    "model_text": {"type": "string", "description": "The text that a model gets by MCP, if it was asked for."},
    "model_tokens": {"type": "integer", "description": "Its length in tokens."},
}


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation: it counts as a call of `tool`, `params` are its arguments, `output` the type of its reply.

    With `reads`, GET is served too, with an entity tag. `stream` also emits events. With `takes_html`, a body may be a
    page instead of JSON. A token needs one of the `scopes`; without any, the scope `tools`. With `gives_text`, a caller
    may ask for the text that a model gets.
    """

    path: str
    tool: str
    title: str
    about: str
    call: Call
    output: type
    params: Sequence[Param] = ()
    other_output: type | None = None
    methods: tuple[str, ...] = ("POST",)
    stream: Streamed | None = None
    takes_html: bool = False
    max_body_bytes: int = MAX_BODY_BYTES
    scopes: tuple[str, ...] = ()
    is_monitor: bool = False
    gives_text: bool = False
    example: JsonObject = field(default_factory=dict)

    @classmethod
    def of_tool(cls, path: str, tool: Tool, about: str, example: JsonObject, *, reads: bool = False) -> Operation:
        """A tool of a contract as an operation, with its progress as events."""
        assert tool.output
        return cls(
            path,
            tool.name,
            tool.title,
            about,
            tool.call,
            tool.output,
            tool.params,
            tool.other_output,
            methods=("GET", "POST") if reads else ("POST",),
            stream=_with_progress(tool.call),
            gives_text=True,
            example=example,
        )

    @property
    def streams(self) -> bool:
        return self.stream is not None

    def endpoint(self) -> HttpEndpoint:
        return HttpEndpoint(
            self.methods,
            self.path,
            self.tool,
            self._call,
            describe_problem,
            self._emit if self.stream else None,
            self.max_body_bytes,
            self.scopes,
            self.is_monitor,
        )

    @property
    def all_params(self) -> tuple[Param, ...]:
        return (*self.params, *((MODEL_TEXT,) if self.gives_text and MODEL_TEXT not in self.params else ()))

    async def _call(self, request: HttpRequest, context: CallContext) -> HttpReply:
        given, wants_text = self._split(self._given(request))
        reply = _reply(await self.call(given, context), wants_text=wants_text)
        return revalidate(request, reply) if request.method in ("GET", "HEAD") else reply

    async def _emit(self, request: HttpRequest, context: CallContext, emit: Emit) -> HttpReply:
        assert self.stream
        given, wants_text = self._split(self._given(request))
        return _reply(await self.stream(given, context, emit), wants_text=wants_text)

    def _split(self, given: JsonObject) -> tuple[JsonObject, bool]:
        """The arguments of the tool, and whether the text for a model is wanted."""
        if not self.gives_text or MODEL_TEXT.name not in given:
            return given, False
        wanted = read((MODEL_TEXT,), {MODEL_TEXT.name: given[MODEL_TEXT.name]}).flag(MODEL_TEXT.name)
        if MODEL_TEXT in self.params:
            return given, wanted
        return {name: value for name, value in given.items() if name != MODEL_TEXT.name}, wanted

    def _given(self, request: HttpRequest) -> Mapping[str, object]:
        """The arguments: of the query for GET, else of the body. Raises `InvalidRequest`."""
        if request.method in ("GET", "HEAD"):
            return {**_single(request.query), **request.path}
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if self.takes_html and media_type in _HTML:
            return {**_single(request.query), "html": request.body.decode("utf-8", "replace")}
        return _single(request.form()) if media_type == _FORM else request.json_object()


def report_to(emit: Emit) -> Progress:
    """Progress of a call as events."""

    async def report(step: str) -> None:
        await emit(Event("progress", {"step": step}))

    return report


def _with_progress(call: Call) -> Streamed:
    async def stream(given: JsonObject, context: CallContext, emit: Emit) -> Answer:
        return await call(given, replace(context, progress=report_to(emit)))

    return stream


def _reply(answer: Answer, *, wants_text: bool) -> HttpReply:
    data = answer.structured
    if wants_text and data is not None:
        text = "\n\n".join((answer.text, *answer.further))
        data = {**data, "model_text": text, "model_tokens": estimate_tokens(text)}
    return HttpReply(data, engine="" if answer.is_error else answer.engine)


def _single(fields: Mapping[str, Sequence[str]]) -> dict[str, object]:
    """Fields that were sent once as text, the others as lists."""
    return {name: values[0] if len(values) == 1 else list(values) for name, values in fields.items()}


def revalidate(request: HttpRequest, reply: HttpReply) -> HttpReply:
    """The reply with its entity tag; 304 without a body for a caller that has the same reply already."""
    tag = entity_tag(reply.data)
    headers = {**reply.headers, **_CONDITIONAL_HEADERS, "ETag": tag}
    if _has(request.headers.get("if-none-match", ""), tag):
        return HttpReply(b"", 304, headers, engine=reply.engine)
    return replace(reply, headers=headers)


def entity_tag(data: object) -> str:
    """A weak tag: replies that differ in times and ages alone have the same."""
    stable = json.dumps(_without_volatile(data), sort_keys=True).encode()
    return f'W/"{hashlib.blake2b(stable, digest_size=12).hexdigest()}"'


def _has(sent: str, tag: str) -> bool:
    opaque = tag.removeprefix("W/")
    return sent.strip() == "*" or opaque in (each.strip().removeprefix("W/") for each in sent.split(","))


def _without_volatile(value: object) -> object:
    if isinstance(value, dict):
        return {name: _without_volatile(each) for name, each in value.items() if name not in _VOLATILE}
    return list(map(_without_volatile, value)) if isinstance(value, list) else value
