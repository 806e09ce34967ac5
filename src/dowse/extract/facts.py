"""What a page says about itself, as it leaves the worker."""

from __future__ import annotations

from dowse.core.models import Facts
from dowse.extract.metadata.model import Metadata


def facts_of(metadata: Metadata) -> Facts:
    """The facts of a page's metadata; what is found out about its parts is added by whoever found it out."""
    return Facts(
        author=metadata.author,
        published=metadata.published,
        published_confidence=str(metadata.published_confidence or ""),
        modified=metadata.modified,
        modified_confidence=str(metadata.modified_confidence or ""),
        language=metadata.language,
        site=metadata.site,
        canonical_url=metadata.canonical_url,
        description=metadata.description,
    )
