"""A tool as any surface can serve it: what it is called, what it takes, what it answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from dowse.contracts.arguments import Param, input_schema
from dowse.interfaces import Progress

Structured = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool returns: text for the model, the typed object, and whether it failed."""

    text: str
    structured: Structured | None = None
    is_error: bool = False


Call = Callable[[Mapping[str, object], Progress], Awaitable[Answer]]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `call` raises `DowseError`; the surface turns it into its own kind of error."""

    name: str
    title: str
    description: str
    params: Sequence[Param]
    call: Call
    output_schema: Structured | None = None

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
