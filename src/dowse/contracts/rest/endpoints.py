"""Endpoints of the REST API."""

from __future__ import annotations

from dowse.contracts.dispatch import Services
from dowse.contracts.endpoint import Wire
from dowse.core.protocols import Door

MOUNT = "/api/v1"


def build_rest(services: Services) -> Wire:
    """The REST API as a wire of its own."""
    del services
    return Wire("rest", Door.REST, (MOUNT,), (), scope="tools")
