"""dowse: one search call that finds the pages, reads them and hands over the part that answers."""

__version__ = "0.1.0"
PROJECT_URL = "https://github.com/dowse-search/dowse"
