"""Tools and contracts as any surface serves them, and the dispatcher that admits, runs and masks one tool call."""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, is_dataclass, replace
from typing import TYPE_CHECKING, Generic, TypeVar

from dowse.contracts.arguments import Param, input_schema
from dowse.contracts.guardrails import Guardrails
from dowse.contracts.output import schema_of, to_json
from dowse.core.errors import AllProvidersFailed, DowseError, InternalError, LimitReached, Overloaded, Unauthorized
from dowse.core.models import LOCAL, OK, Category, Clock, Deadline, Principal, Query
from dowse.core.protocols import Authenticator, Door, Limiter, Observer, Progress, ToolCall
from dowse.core.runtime import CallContext, FairSemaphore, calling, share_key
from dowse.flows.answer import AnswerFlow
from dowse.flows.extract import ExtractFlow
from dowse.flows.page_view import PageViewFlow
from dowse.flows.read import ReadFlow
from dowse.flows.rerank import RerankFlow
from dowse.flows.search import SearchFlow
from dowse.secrets.redact import Redactor
from dowse.settings import Settings
from dowse.telemetry.log import LOGGER, event, identify_call, span

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from dowse.contracts.endpoint import Emit, Event, HttpEndpoint, HttpReply, HttpRequest
    from dowse.flows.batch import BatchFlow
    from dowse.flows.map_site import MapFlow

JsonObject = Mapping[str, object]
R = TypeVar("R")

TOKEN = "token"
_TOKEN_PARAM = Param(TOKEN, "string", "Your token for this server; without a good one the call is refused.")
# As HTTP takes it behind `Bearer`: visible ASCII without a comma.
_TOKEN_FORM = re.compile(r"[!-+\--~]{1,4096}", re.ASCII)
_TOKEN_NEEDED = f"A good token is needed: pass the one that the owner of this server gave you as {TOKEN}."
_RETRY_AFTER_S = 1.0
_NO_ERROR = DowseError()
# A caller that has not been authenticated.
_UNKNOWN = Principal("unknown")


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a tool: text for the model, structured output, the provider behind it, and whether it failed.

    `further` are text blocks after the first. `meta` goes beside the answer, for programs.
    """

    text: str
    output: DataclassInstance | JsonObject | None = None
    is_error: bool = False
    engine: str = ""
    further: tuple[str, ...] = ()
    meta: JsonObject = field(default_factory=dict)

    @property
    def structured(self) -> JsonObject | None:
        """The output as a JSON object."""
        return to_json(self.output) if is_dataclass(self.output) else self.output

    def with_remark(self, remark: str) -> Answer:
        """The same answer with a remark on how it came about, in its warnings if the contract has them."""
        meta = {**self.meta, "warnings": [remark]}
        warnings = getattr(self.output, "warnings", None)
        if warnings is None or remark in warnings:
            return replace(self, meta=meta)
        assert is_dataclass(self.output)
        output = replace(self.output, warnings=(*warnings, remark))
        return replace(self, text=f"{self.text}\n\nNote: {remark}", output=output, meta=meta)


def render_failure(error: DowseError, _given: JsonObject) -> Answer:
    """An error as most contracts show it: its sentence, and when to retry if that is known."""
    meta: dict[str, object] = {}
    if isinstance(error, LimitReached | Overloaded | AllProvidersFailed) and error.retry_after_s is not None:
        meta["retry_after"] = error.retry_after_s
    return Answer(str(error), is_error=True, meta=meta)


Call = Callable[[JsonObject, CallContext], Awaitable[Answer]]
RenderFailure = Callable[[DowseError, JsonObject], Answer]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `call` raises `DowseError`; `failed` gives the error the shape that the contract promises.

    `output` is the type of structured output, and `other_output` one in its place, such as that of an error.
    `aliases` are earlier names, understood in a call and not listed.
    """

    name: str
    title: str
    description: str
    params: Sequence[Param]
    call: Call
    failed: RenderFailure = render_failure
    output: type | None = None
    other_output: type | None = None
    aliases: tuple[str, ...] = ()

    def input_schema(self) -> dict[str, object]:
        return input_schema(self.params)

    def output_schema(self) -> dict[str, object] | None:
        return schema_of(self.output, self.other_output) if self.output else None

    def with_token(self) -> Tool:
        """The tool with the token among its arguments."""
        return replace(self, params=(*self.params, _TOKEN_PARAM))


@dataclass(frozen=True, slots=True)
class Contract:
    """A named set of tools in a fixed order, so that clients can cache the list.

    `server_name` is the name that MCP clients see. With `takes_token`, a client sends its token with each call where
    the transport does not authenticate.
    """

    name: str
    instructions: str
    tools: tuple[Tool, ...]
    server_name: str = ""
    takes_token: bool = False

    def tool(self, name: str) -> Tool | None:
        return next((tool for tool in self.tools if name in (tool.name, *tool.aliases)), None)


@dataclass(frozen=True, slots=True)
class Services:
    """The flows that tools call, and the settings with the defaults of their arguments.

    `sites` and `batches` make flows that few processes need, on first use.
    """

    search: SearchFlow
    read: ReadFlow
    pages: PageViewFlow
    answer: AnswerFlow
    rerank: RerankFlow
    extract: ExtractFlow
    clock: Clock
    settings: Settings
    guardrails: Guardrails
    redactor: Redactor
    sites: Callable[[], MapFlow]
    batches: Callable[[], BatchFlow]

    def deadline(self, context: CallContext, timeout_s: float | None = None) -> Deadline:
        """The end of a call, counted from its arrival; the caller may shorten the configured limit, not lengthen it."""
        began = self.clock.now() if context.started_at is None else context.started_at
        return Deadline(self.clock, began + min(timeout_s or self.settings.deadline_s, self.settings.deadline_s))

    def query(self, text: str, num_results: int) -> Query:
        """A query with the configured defaults, for contracts that offer no filters."""
        return Query(
            text,
            num_results,
            category=Category(self.settings.default_category),
            language=self.settings.default_language,
            safe_search=self.settings.safe_search,
        )


@dataclass(frozen=True, slots=True)
class ContractSpec:
    """Declaration of a contract: its tools are built once the services exist."""

    name: str
    instructions: str
    tools: tuple[Callable[[Services], Tool], ...]
    server_name: str = ""
    takes_token: bool = False

    def build(self, services: Services) -> Contract:
        tools = tuple(make(services) for make in self.tools)
        return Contract(self.name, self.instructions, tools, self.server_name or self.name, self.takes_token)


class TokenCaller:
    """A caller that is authenticated by the `token` argument, where the transport does not authenticate."""

    def __init__(self, given: JsonObject, authenticator: Authenticator, contract: str) -> None:
        self._sent = given.get(TOKEN)
        self._authenticator = authenticator
        self._contract = contract

    async def authenticate(self) -> Principal:
        """Raises `Unauthorized` for a token that is missing, wrong, or good for other contracts only."""
        sent = self._sent.strip() if isinstance(self._sent, str) else ""
        principal = await self._authenticator.authenticate(sent) if _TOKEN_FORM.fullmatch(sent) else None
        if principal is None or not (
            (principal.contracts is None or self._contract in principal.contracts)
            and (principal.scopes is None or "tools" in principal.scopes)
        ):
            raise Unauthorized(_TOKEN_NEEDED)
        return principal


@dataclass(frozen=True, slots=True)
class _Outcome(Generic[R]):
    """The end of a call: its value, or its error; `remark` is the limiter's."""

    caller: Principal
    error: DowseError = _NO_ERROR
    value: R | None = None
    remark: str = ""

    @property
    def code(self) -> str:
        """The outcome for metrics."""
        return type(self.error).__name__ if self.value is None else OK


class Dispatcher:
    """Calls a tool for a server surface; errors become answers, only cancellation passes through."""

    def __init__(
        self, settings: Settings, *, clock: Clock, limiter: Limiter, observer: Observer, redactor: Redactor
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._limiter = limiter
        self._observer = observer
        self._redactor = redactor
        self._slots = FairSemaphore(settings.max_calls)

    async def call(
        self,
        tool: Tool,
        given: JsonObject,
        progress: Progress,
        caller: Principal | TokenCaller = LOCAL,
        *,
        door: Door = Door.STDIO,
    ) -> Answer:
        """The tool's answer, or its failure as an answer; neither holds a secret."""
        started = self._clock.now()

        async def work(known: Principal) -> Answer:
            return await tool.call(given, CallContext(known, started, progress))

        with identify_call():
            with span(f"call {tool.name}", tool=tool.name) as current:
                outcome = await self._attempt(tool.name, caller, work)
                if outcome.value is None:
                    answer = tool.failed(outcome.error, given)
                else:
                    answer = outcome.value.with_remark(outcome.remark) if outcome.remark else outcome.value
                engine = "" if answer.is_error else answer.engine
                current.finish(outcome.code, engine=engine)
            seconds = self._clock.now() - started
            self._observer.tool_called(ToolCall(tool.name, engine, outcome.code, seconds, outcome.caller.name, door))
        return self._mask(answer)

    async def serve(
        self,
        endpoint: HttpEndpoint,
        request: HttpRequest,
        caller: Principal = LOCAL,
        door: Door = Door.REST,
        emit: Emit | None = None,
    ) -> HttpReply:
        """The endpoint's reply, or its failure as a reply, within the limits of a tool; neither holds a secret.

        `emit` takes the events of an endpoint that streams.
        """
        started = self._clock.now()
        if endpoint.is_monitor:
            return await self._monitor(endpoint, request, CallContext(caller, started), emit)

        async def work(known: Principal) -> HttpReply:
            context = CallContext(known, started)
            return await self._run(endpoint, request, context, emit)

        with identify_call() as call_id:
            with span(f"call {endpoint.name}", tool=endpoint.name) as current:
                outcome = await self._attempt(endpoint.name, caller, work)
                reply = _with_headers(outcome.value or endpoint.fail(outcome.error, request), outcome, call_id)
                engine = reply.engine if outcome.value else ""
                current.finish(outcome.code, engine=engine)
            seconds = self._clock.now() - started
            self._observer.tool_called(ToolCall(endpoint.name, engine, outcome.code, seconds, caller.name, door))
        return self._mask_reply(reply, is_error=outcome.value is None)

    async def _monitor(
        self, endpoint: HttpEndpoint, request: HttpRequest, context: CallContext, emit: Emit | None
    ) -> HttpReply:
        """The reply of a monitor, which is no call: neither limited nor counted, nor refused for the sake of calls."""
        try:
            return self._mask_reply(await self._run(endpoint, request, context, emit), is_error=False)
        except DowseError as error:
            return self._mask_reply(endpoint.fail(error, request), is_error=True)

    async def _run(
        self, endpoint: HttpEndpoint, request: HttpRequest, context: CallContext, emit: Emit | None
    ) -> HttpReply:
        if endpoint.stream and emit:
            return await endpoint.stream(request, context, self._mask_events(emit))
        return await endpoint.call(request, context)

    async def _attempt(
        self, tool: str, caller: Principal | TokenCaller, work: Callable[[Principal], Awaitable[R]]
    ) -> _Outcome[R]:
        """Admit the call of a tool and run it; any failure is an outcome."""
        known = caller if isinstance(caller, Principal) else _UNKNOWN
        try:
            if isinstance(caller, TokenCaller):
                known = await caller.authenticate()
            remark = await self._check_rate(tool, known)
            with self._limit_concurrency(known), calling(known):
                return _Outcome(known, value=await work(known), remark=remark)
        except DowseError as error:
            event(logging.WARNING, "tool call failed", tool=tool, caller=known.name, error=type(error).__name__)
            return _Outcome(known, error)
        except Exception:
            # The boundary: a bug must not end the server, and its text must not reach the model.
            LOGGER.exception("tool call crashed")
            return _Outcome(known, InternalError(tool))

    @contextmanager
    def _limit_concurrency(self, caller: Principal) -> Iterator[None]:
        """Raises `Overloaded` above the concurrency limit. HTTP sheds load before that."""
        share = share_key(caller)
        if not self._slots.try_acquire(share):
            raise Overloaded(_RETRY_AFTER_S)
        try:
            yield
        finally:
            self._slots.release(share)

    async def _check_rate(self, tool: str, caller: Principal) -> str:
        """Count the call against the rate limit; returns the limiter's remark, if any."""
        rate = caller.limits.get(tool) or self._settings.limits.get(tool)
        if rate is None:
            return ""
        admission = await self._limiter.admit(f"{caller.name}:{tool}", rate)
        if admission.wait_s > 0:
            raise LimitReached(tool, rate, admission.wait_s, admission.remark)
        return admission.remark

    def _mask(self, answer: Answer) -> Answer:
        redactor = self._redactor
        text, data = (redactor.message, redactor.fields) if answer.is_error else (redactor.text, redactor.data)
        structured = data(answer.structured) if self._settings.structured else None
        return replace(
            answer,
            text=text(answer.text),
            further=tuple(map(text, answer.further)),
            output=structured if isinstance(structured, dict) else None,
        )

    def _mask_reply(self, reply: HttpReply, *, is_error: bool) -> HttpReply:
        """The reply without secrets; a JSON value is encoded on the way, since it has to be searched as text anyway."""
        from dowse.contracts.endpoint import JSON  # Stdio does without.

        redactor, data, media_type = self._redactor, reply.data, reply.media_type
        if isinstance(data, str):
            data = (redactor.message if is_error else redactor.text)(data)
        elif not isinstance(data, bytes):
            data, media_type = redactor.json(redactor.fields(data) if is_error else data), media_type or JSON
        headers = {name: redactor.message(value) for name, value in reply.headers.items()}
        return replace(reply, data=data, headers=headers, media_type=media_type)

    def _mask_events(self, emit: Emit) -> Emit:
        async def masking(event: Event) -> None:
            await emit(replace(event, data=self._redactor.data(event.data)))

        return masking


def _with_headers(reply: HttpReply, outcome: _Outcome[HttpReply], call_id: str) -> HttpReply:
    """The reply with the id of its call, the remark of the limiter, and when to come back."""
    from dowse.contracts.endpoint import WARNINGS_HEADER, retry_after_s

    headers = {"X-Request-Id": call_id, **reply.headers}
    if outcome.remark:
        headers[WARNINGS_HEADER] = "; ".join(filter(None, (headers.get(WARNINGS_HEADER, ""), outcome.remark)))
    wait_s = retry_after_s(outcome.error)
    if wait_s is not None:
        headers.setdefault("Retry-After", str(wait_s))
    return replace(reply, headers=headers)
