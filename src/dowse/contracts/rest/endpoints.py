"""Endpoints of the REST API below `/api/v1`."""

from __future__ import annotations

from dowse.contracts.answer_question import answer_question
from dowse.contracts.dispatch import Services
from dowse.contracts.endpoint import Wire
from dowse.contracts.get_content import get_content
from dowse.contracts.rest.operations import Operation
from dowse.contracts.rest.search import build_search
from dowse.core.protocols import Door

MOUNT = "/api/v1"
_READ = """\
Reads one page, or up to 20, as Markdown. The `status` of each says whether it was read; a page that could not be read
has a note in place of its text."""
_ANSWER = "Answers a question from the web, with citations."


def build_rest(services: Services) -> Wire:
    """The REST API, served like a wire but with the scope `tools`."""
    operations = build_operations(services)
    return Wire("rest", Door.REST, (MOUNT,), tuple(each.endpoint() for each in operations), scope="tools")


def build_operations(services: Services) -> tuple[Operation, ...]:
    return (
        build_search(services),
        Operation.of_tool("/read", get_content(services), _READ, {"url": "https://example.org/"}, reads=True),
        Operation.of_tool("/answer", answer_question(services), _ANSWER, {"question": "When was the bridge opened?"}),
    )
