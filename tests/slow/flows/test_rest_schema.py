"""REST against its own OpenAPI document: made-up requests find no crash, and no reply that it does not allow."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import hypothesis
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase
from schemathesis.checks import not_a_server_error
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from tests.conftest import Server
from tests.doubles import PocketWeb

CASES = 2000
pytestmark = pytest.mark.promise("rest-schema")
_CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    unsupported_method,
]


@contextmanager
def served(tmp_path: Path) -> Iterator[tuple[str, Server, PocketWeb]]:
    """A server over the doubles in a loop of its own thread: the client of the library blocks."""
    server = Server(tmp_path)
    address: list[tuple[str, PocketWeb]] = []
    loop, ready, done = asyncio.new_event_loop(), asyncio.Event(), asyncio.Event()

    async def serve() -> None:
        async with PocketWeb() as web:
            settings = {**web.environment("serper", "tavily", "openai"), "DOWSE_STATE": "memory:"}
            async with server.here(settings) as http:
                address.append((http.origin, web))
                ready.set()
                await done.wait()

    async def wait() -> None:
        await ready.wait()

    thread = Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(wait(), loop).result(60)
        origin, web = address[0]
        yield origin, server, web
    finally:
        loop.call_soon_threadsafe(done.set)
        thread.join()
        loop.close()


def test_no_request_breaks_the_promises_of_the_document(tmp_path: Path) -> None:
    with served(tmp_path) as (origin, server, web):
        schema = schemathesis.openapi.from_url(f"{origin}/api/v1/openapi.json")
        operations = [result.ok() for result in schema.get_all_operations()]
        # Those without arguments have few different requests.
        counts = {operation.label: _try(operation, origin, CASES // len(operations) + 50) for operation in operations}
        log = server.log
        for double in (web.serper, web.tavily, web.openai):
            assert double.key not in log
    assert sum(counts.values()) >= CASES, counts
    assert "tool call crashed" not in log
    assert "Traceback" not in log


def _try(operation: APIOperation, origin: str, cases: int) -> int:
    """Make up requests and check the replies; returns how many there were."""
    counted = 0

    @hypothesis.settings(
        max_examples=cases,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @hypothesis.given(case=operation.as_strategy())
    def check(case: schemathesis.Case) -> None:
        nonlocal counted
        counted += 1
        case.call_and_validate(base_url=f"{origin}/api/v1", checks=_CHECKS, timeout=60)

    check()
    return counted
