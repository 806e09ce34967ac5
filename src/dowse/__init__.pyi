"""Types of the public names of dowse, which are imported on first use."""

from dowse.surfaces.python.client import AsyncClient as AsyncClient
from dowse.surfaces.python.client import Client as Client
from dowse.surfaces.python.results import AnswerResult as AnswerResult
from dowse.surfaces.python.results import ExtractResult as ExtractResult
from dowse.surfaces.python.results import PageResult as PageResult
from dowse.surfaces.python.results import PageResults as PageResults
from dowse.surfaces.python.results import Passage as Passage
from dowse.surfaces.python.results import RerankResult as RerankResult
from dowse.surfaces.python.results import RerankResults as RerankResults
from dowse.surfaces.python.results import SearchResult as SearchResult
from dowse.surfaces.python.results import SearchResults as SearchResults

__version__: str
EXTRACTION: int
PROJECT_URL: str
__all__ = [
    "AnswerResult",
    "AsyncClient",
    "Client",
    "ExtractResult",
    "PageResult",
    "PageResults",
    "Passage",
    "RerankResult",
    "RerankResults",
    "SearchResult",
    "SearchResults",
    "__version__",
]
