"""dowse: one search call that finds the pages, reads them and hands over the part that answers.

`from dowse import Client, AsyncClient` is the Python API; `docs/python.md` describes it.
"""

__version__ = "0.1.0"
EXTRACTION = 11
"""Raised whenever the same bytes give another text, so that no text of an earlier extraction is served."""

PROJECT_URL = "https://github.com/dowse-search/dowse"

# The public names by their modules, which are imported on first use. `__init__.pyi` has their types.
_EXPORTS = {
    "Client": "client",
    "AsyncClient": "client",
    "SearchResults": "results",
    "SearchResult": "results",
    "PageResults": "results",
    "PageResult": "results",
    "AnswerResult": "results",
    "ExtractResult": "results",
    "RerankResults": "results",
    "RerankResult": "results",
    "Passage": "results",
}
__all__ = [*_EXPORTS, "__version__"]


def __getattr__(name: str) -> object:
    if name not in _EXPORTS:
        raise AttributeError(f"module 'dowse' has no attribute {name!r}")
    from importlib import import_module

    found: object = vars(import_module(f"dowse.surfaces.python.{_EXPORTS[name]}"))[name]
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
