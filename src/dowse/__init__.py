"""dowse: one search call that finds the pages, reads them and hands over the part that answers."""

__version__ = "0.1.0"
EXTRACTION = 10
"""Raised whenever the same bytes give another text, so that no text of an earlier extraction is served."""

PROJECT_URL = "https://github.com/dowse-search/dowse"
