"""Title, author, dates, language, site and address of a page."""

from dowse.extract.html.metadata.reading import Confidence, Metadata, read

__all__ = ["Confidence", "Metadata", "read"]
