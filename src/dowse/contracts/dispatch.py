"""One tool call, from whichever surface: admitted, watched, given its contract's shape, and masked."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from dowse.contracts.token import Stranger
from dowse.contracts.tool import Answer, Tool
from dowse.core.caller import on_behalf_of
from dowse.core.errors import DowseError, InternalError, LimitReached, Overloaded
from dowse.core.models import LOCAL, OK, Clock, Principal
from dowse.core.protocols import Limiter, Observer, Progress, ToolCall
from dowse.secrets.redact import Redactor
from dowse.settings import Settings
from dowse.telemetry.log import LOGGER, event
from dowse.telemetry.traces import span

_SOON_S = 1.0
# A caller who could not say who they are.
_NOBODY = Principal("unknown")


class Dispatcher:
    """The way every server surface calls a tool; nothing that a tool raises gets past it but cancellation."""

    def __init__(
        self, settings: Settings, *, clock: Clock, limiter: Limiter, observer: Observer, redactor: Redactor
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._limiter = limiter
        self._observer = observer
        self._redactor = redactor
        self._in_hand = 0

    async def call(
        self, tool: Tool, given: Mapping[str, object], progress: Progress, caller: Principal | Stranger = LOCAL
    ) -> Answer:
        """The tool's answer, or its failure as an answer; no secret is in either."""
        started = self._clock.now()
        with span(f"call {tool.name}", tool=tool.name) as current:
            answer, outcome, known = await self._answered(tool, given, progress, caller, started)
            engine = "" if answer.is_error else answer.engine
            current.finished(outcome, engine=engine)
        seconds = self._clock.now() - started
        self._observer.tool_called(ToolCall(tool.name, engine, outcome, seconds, known.name))
        return self._masked(answer)

    async def _answered(
        self, tool: Tool, given: Mapping[str, object], progress: Progress, caller: Principal | Stranger, started: float
    ) -> tuple[Answer, str, Principal]:
        """What to answer, how that is counted, and who asked."""
        known = caller if isinstance(caller, Principal) else _NOBODY
        try:
            if isinstance(caller, Stranger):
                known = await caller.introduced()
            remark = await self._admit(tool.name, known)
            with on_behalf_of(known, started), self._in_hand_here():
                answer = await tool.call(given, progress)
            return answer.remarked(remark) if remark else answer, OK, known
        except DowseError as error:
            event(logging.WARNING, "tool call failed", tool=tool.name, caller=known.name, error=type(error).__name__)
            return tool.failed(error, given), type(error).__name__, known
        except Exception:
            # The boundary: a bug must not end the server, and its text must not reach the model.
            LOGGER.exception("tool call crashed")
            return tool.failed(InternalError(tool.name), given), InternalError.__name__, known

    @contextmanager
    def _in_hand_here(self) -> Iterator[None]:
        """Around the work of a call; raises `Overloaded` where there is too much of it. HTTP has a finer door."""
        if self._in_hand >= self._settings.max_calls:
            raise Overloaded(_SOON_S)
        self._in_hand += 1
        try:
            yield
        finally:
            self._in_hand -= 1

    async def _admit(self, tool: str, caller: Principal) -> str:
        """Count the call; what its caller should know about the count, or nothing."""
        rate = caller.limits.get(tool) or self._settings.limit(tool)
        if rate is None:
            return ""
        admission = await self._limiter.admit(f"{caller.name}:{tool}", rate)
        if admission.wait_s > 0:
            raise LimitReached(tool, rate, admission.wait_s, admission.remark)
        return admission.remark

    def _masked(self, answer: Answer) -> Answer:
        redactor = self._redactor
        text, data = (redactor.message, redactor.fields) if answer.is_error else (redactor.text, redactor.data)
        structured = data(answer.structured) if self._settings.structured else None
        return replace(
            answer,
            text=text(answer.text),
            further=tuple(map(text, answer.further)),
            structured=structured if isinstance(structured, dict) else None,
        )
