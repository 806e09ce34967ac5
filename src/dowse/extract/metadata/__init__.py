"""Title, author, dates, language, site and address of a page."""

from dowse.extract.metadata.model import Confidence, Metadata
from dowse.extract.metadata.reading import read

__all__ = ["Confidence", "Metadata", "read"]
