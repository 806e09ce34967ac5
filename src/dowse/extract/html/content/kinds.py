"""What a page may be."""

from __future__ import annotations

KINDS = ("article", "collection", "documentation", "forum", "listing", "product", "service")
FORUM = KINDS.index("forum")
