"""The reader of result pages without its worker: the same code, in the process of the test."""

from __future__ import annotations

from dowse.core.listings import Listing
from dowse.core.models import Body
from dowse.extract.serp.reading import to_listing


class ListingsHere:
    """Implements `protocols.ListingReader`, and remembers what it was given."""

    def __init__(self) -> None:
        self.bodies: list[Body] = []

    async def listing(self, engine: str, body: Body, query: str, *, timeout_s: float) -> Listing:
        assert timeout_s > 0
        self.bodies.append(body)
        return to_listing(engine, body, query)
