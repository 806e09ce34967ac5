"""What a page says about itself."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Confidence(StrEnum):
    """How sure a date is.

    `high`: the page states it for machines. `medium`: it stands where such a date stands, with a label or in the
    address. `low`: a date near the headline without a label, one whose day and month could be the other way round,
    the date of a record in the site's database, or, for the publication, that of the last change.
    """

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@dataclass(frozen=True, slots=True)
class Metadata:
    """Facts about a page; an empty one is not known.

    Dates are ISO 8601, `2024-03-05` or `2024-03-05T09:30:00+01:00`, as exact as the page is. Authors are joined with
    commas. `language` is a tag such as `de` or `en-GB`. `canonical_url` is on the page's own site.
    """

    title: str = ""
    author: str = ""
    published: str = ""
    published_confidence: Confidence | None = None
    modified: str = ""
    modified_confidence: Confidence | None = None
    language: str = ""
    site: str = ""
    canonical_url: str = ""
    description: str = ""
