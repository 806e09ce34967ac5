"""A listing on its way from a worker. Nothing here touches the page itself."""

from __future__ import annotations

import json
from dataclasses import asdict

from dowse.core.listings import Listing


def encoded(listing: Listing) -> str:
    return json.dumps(asdict(listing), ensure_ascii=False)


def decoded(text: str) -> Listing:
    """What was encoded; raises `ValueError` for anything of another shape."""
    from pydantic import TypeAdapter  # Workers do without it.

    return TypeAdapter(Listing).validate_json(text, strict=True)
