"""A wire as `app` would build it, over scripted parts, asked without HTTP."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dowse.contracts.endpoint import HttpReply, HttpRequest
from dowse.contracts.wires.table import build_wires
from dowse.core.errors import DowseError
from dowse.core.models import Query
from dowse.core.protocols import Extractor
from dowse.core.runtime import CallContext
from dowse.flows.batch import BatchFlow
from tests.fakes.bench import ContractBench
from tests.fakes.memory import remembering
from tests.fakes.scripted import hits
from tests.fakes.sites import Cartographer

PAGE = "https://example.org/page"
NO_FIELDS: Mapping[str, str] = {}


class WireBench:
    """One result, one page, and a site to map."""

    def __init__(
        self,
        name: str,
        *,
        text: str | Exception = "# Page\n\nThe text of the page.",
        extractor: Extractor | None = None,
        site: Cartographer | None = None,
        is_remembering: bool = False,
        most_results: int = 50,
    ) -> None:
        self.pages: dict[str, str | Exception] = {PAGE: text}
        self.bench = ContractBench(
            found=hits(PAGE),
            pages=self.pages,
            extractor=extractor,
            reads_with=extractor,
            is_remembering=is_remembering,
            DOWSE_MAX_RESULTS_COUNT=str(most_results),
        )
        services = self.bench.services
        self.batches = BatchFlow(
            services.read, remembering(self.bench.clock).entries, self.bench.clock, services.settings
        )
        services = replace(services, batches=lambda: self.batches)
        if site is not None:
            services = replace(services, sites=site.flow)
        (self.wire,) = build_wires([name], services)

    async def ask(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] = NO_FIELDS,
        headers: Mapping[str, str] = NO_FIELDS,
        query: Mapping[str, str] = NO_FIELDS,
        body: Mapping[str, object] | None = None,
        data: bytes = b"",
    ) -> HttpReply:
        """The reply of the endpoint that is declared with this path; `params` are those in it."""
        endpoint = next(each for each in self.wire.endpoints if each.path == path and method in each.methods)
        sent = data if body is None else json.dumps(body).encode()
        request = HttpRequest(method, params, {name: (value,) for name, value in query.items()}, headers, sent)
        try:
            return await endpoint.call(request, CallContext())
        except DowseError as error:
            return endpoint.fail(error, request)

    async def post(self, path: str, **body: object) -> Any:
        """The data of the reply to a body."""
        return (await self.ask("POST", path, body=body)).data

    async def searched(self, method: str, path: str, **sent: Any) -> Query:
        """What the provider was asked by this request."""
        reply = await self.ask(method, path, **sent)
        assert reply.status == 200, reply.data
        return self.bench.provider.asked[-1]

    @property
    def read(self) -> list[str]:
        """The addresses that were fetched."""
        return self.bench.fetcher.asked
