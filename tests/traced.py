"""The server as a host with OpenTelemetry's SDK starts it: every finished span becomes a line of JSON in a file.

A process of its own: the tracer provider can be set only once, and other tests should not run traced.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests import forked

FILE = "TRACED_TO"
TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
TRACEPARENT = f"00-{TRACE}-{PARENT}-01"


@dataclass(frozen=True)
class Seen:
    """A finished span."""

    name: str
    id: str
    parent: str
    trace: str
    status: str
    attributes: Mapping[str, str]


@dataclass(frozen=True)
class Trace:
    """All spans of one process, and all they hold as one text."""

    spans: Sequence[Seen]
    text: str

    @classmethod
    def read(cls, file: Path) -> Trace:
        text = file.read_text(encoding="utf-8")
        return cls([_seen(json.loads(line)) for line in text.splitlines()], text)

    def named(self, name: str) -> list[Seen]:
        return [span for span in self.spans if span.name == name]

    def above(self, span: Seen) -> list[str]:
        """The names of a span's ancestors in the process, then the id of the one outside."""
        known = {other.id: other for other in self.spans}
        names = []
        while span.parent in known:
            span = known[span.parent]
            names.append(span.name)
        return [*names, span.parent]


def command(*arguments: str) -> tuple[str, ...]:
    """The command that runs `dowse` with these arguments under OpenTelemetry's SDK, in a process that was forked."""
    return forked.script(Path(__file__), *arguments)


def settings(file: Path) -> dict[str, str]:
    """What the process needs besides the settings of dowse."""
    return {FILE: str(file), "PYTHONPATH": str(Path(__file__).parent.parent)}


def _seen(span: dict[str, dict[str, str]]) -> Seen:
    status, context = span["status"], span["context"]
    described = " ".join(filter(None, [status["status_code"], status.get("description")]))
    ids = [str(number).removeprefix("0x") for number in (context["span_id"], span["parent_id"], context["trace_id"])]
    return Seen(str(span["name"]), *ids, described, span["attributes"])


def main() -> int:
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor

    from dowse.surfaces.cli.main import main as dowse

    with Path(os.environ[FILE]).open("w", encoding="utf-8") as file:
        exporter = ConsoleSpanExporter(out=file, formatter=lambda span: f"{span.to_json(indent=None)}\n")
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        trace.set_tracer_provider(provider)
        return dowse()


if __name__ == "__main__":
    sys.exit(main())
