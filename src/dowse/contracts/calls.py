"""Calls as a model can copy them: the exact one that gets what was left out."""

from __future__ import annotations

import json

# A longer address is not written twice.
_MOST_CHARS = 400


def get_content_call(url: str, **arguments: str) -> str:
    """Such as `get_content(url="https://example.org/", section="b7")`."""
    address = json.dumps(url, ensure_ascii=False) if len(url) <= _MOST_CHARS else "<the url above>"
    told = [f"url={address}", *(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())]
    return f"get_content({', '.join(told)})"
