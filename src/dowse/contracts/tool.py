"""A tool as any surface can serve it: what it is called, what it takes, what it answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from dowse.contracts.arguments import Param, input_schema
from dowse.core.errors import AllProvidersFailed, DowseError, LimitReached, Overloaded
from dowse.core.protocols import Progress

Structured = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool returns: text for the model, the typed object, who answered, and whether it failed.

    `further` are text blocks after the first. `meta` goes beside the answer, for programs.
    """

    text: str
    structured: Structured | None = None
    is_error: bool = False
    engine: str = ""
    further: tuple[str, ...] = ()
    meta: Structured = field(default_factory=dict)

    def remarked(self, remark: str) -> Answer:
        """The same answer with a word on how it came about: where its contract has warnings, and for programs."""
        meta = {**self.meta, "warnings": [remark]}
        known = self.structured.get("warnings") if self.structured else None
        if self.structured is None or not isinstance(known, list) or remark in known:
            return replace(self, meta=meta)
        warned = {**self.structured, "warnings": [*known, remark]}
        return replace(self, text=f"{self.text}\n\nNote: {remark}", structured=warned, meta=meta)


def failed(error: DowseError, _given: Mapping[str, object]) -> Answer:
    """A failure as most contracts tell it: the sentence, and when to come back where that is known."""
    meta: dict[str, object] = {}
    if isinstance(error, LimitReached | Overloaded | AllProvidersFailed) and error.retry_after_s is not None:
        meta["retry_after"] = error.retry_after_s
    return Answer(str(error), is_error=True, meta=meta)


Call = Callable[[Mapping[str, object], Progress], Awaitable[Answer]]
Failed = Callable[[DowseError, Mapping[str, object]], Answer]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `call` raises `DowseError`; `failed` gives that the shape which the contract promises."""

    name: str
    title: str
    description: str
    params: Sequence[Param]
    call: Call
    output_schema: Structured | None = None
    failed: Failed = failed

    def input_schema(self) -> dict[str, object]:
        return input_schema(self.params)


@dataclass(frozen=True, slots=True)
class Contract:
    """A named set of tools in a fixed order, so that clients can cache the list."""

    name: str
    instructions: str
    tools: tuple[Tool, ...]

    def tool(self, name: str) -> Tool | None:
        return next((tool for tool in self.tools if tool.name == name), None)
