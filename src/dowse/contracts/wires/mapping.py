"""The map of a site for a wire."""

from __future__ import annotations

from dataclasses import replace

from dowse.contracts.dispatch import Services
from dowse.contracts.get_content import complete_address
from dowse.contracts.wires.searching import patience_s
from dowse.core.runtime import CallContext, calling
from dowse.flows.map_site import MapRequest, SiteMap


async def map_site(
    services: Services, context: CallContext, request: MapRequest, timeout_s: float | None = None
) -> SiteMap:
    """Map a site; raises `DowseError`."""
    deadline = services.deadline(context, patience_s(timeout_s))
    with calling(context.caller):
        return await services.sites().map(replace(request, url=complete_address(request.url)), deadline)
