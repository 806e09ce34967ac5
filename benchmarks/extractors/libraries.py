"""The extractors of other makers that dowse is compared with. `make bench` installs them; nothing else needs them."""

from __future__ import annotations

import importlib.util

from benchmarks.extractors.extractor import Extractor, Found, Page
from benchmarks.extractors.own import rendered
from tools.extractor.metadata_scores import Facts

TRAFILATURA = "trafilatura"
MODULES = ("trafilatura", "readability", "resiliparse")


def missing() -> list[str]:
    """The modules that are not installed."""
    return [name for name in MODULES if importlib.util.find_spec(name) is None]


def others() -> tuple[Extractor, ...]:
    """Each as its documentation says that one gets the main content."""
    return (
        Extractor(TRAFILATURA, _trafilatura, _trafilatura_markdown, reads_markdown=False),
        Extractor("readability-lxml", _readability, _readability_markdown),
        Extractor("resiliparse", _resiliparse, _resiliparse_markdown, reads_markdown=False),
    )


def _trafilatura(page: Page) -> Found:
    import trafilatura

    return Found(trafilatura.extract(page.markup, url=page.url) or "")


def _trafilatura_markdown(page: Page) -> str:
    import trafilatura

    return trafilatura.extract(page.markup, url=page.url, output_format="markdown", include_links=True) or ""


def trafilatura_facts(page: Page) -> Facts:
    """What trafilatura says about a page."""
    import trafilatura

    facts = trafilatura.extract_metadata(page.markup, default_url=page.url)
    return Facts(facts.title or "", facts.author or "", facts.date or "")


def _readability(page: Page) -> Found:
    return Found(_readability_markdown(page))


def _readability_markdown(page: Page) -> str:
    """It gives HTML; dowse's renderer makes text of it."""
    from readability import Document

    return rendered(Document(page.markup, url=page.url).summary(), page.url)


def _resiliparse(page: Page) -> Found:
    from resiliparse.extract.html2text import extract_plain_text

    return Found(extract_plain_text(page.markup, main_content=True, links=False))


def _resiliparse_markdown(page: Page) -> str:
    from resiliparse.extract.html2text import extract_plain_text

    html = extract_plain_text(page.markup, preserve_formatting="minimal_html", main_content=True, links=True)
    return rendered(html, page.url)
