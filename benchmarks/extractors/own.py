"""dowse as one of the extractors, and its renderer for those that give HTML."""

from __future__ import annotations

from pathlib import Path

from benchmarks.extractors.extractor import Extractor, Found, Page
from dowse.core.errors import PageUnreadable
from dowse.document.clean import clean
from dowse.extract import html
from dowse.extract.html import metadata
from dowse.extract.html.content.model import Model
from dowse.extract.html.render import render
from dowse.extract.html.tree.build import build
from dowse.extract.html.tree.guard import cap_markup
from tools.extractor.data import FOLDS
from tools.extractor.metadata_scores import Facts

NAME = "dowse"
_FOLDS = Path(__file__).parents[2] / "tests" / "eval" / "folds"


def dowse(*, is_seen: bool) -> Extractor:
    """dowse with the model that it comes with, or else with the one that has not seen the page's host."""
    models = {} if is_seen else {fold: _model(fold) for fold in range(FOLDS)}

    def read(page: Page) -> Found:
        return _read(page, None if page.fold is None else models.get(page.fold))

    return Extractor(NAME, read, lambda page: read(page).text)


def rendered(markup: str, base: str) -> str:
    """All of a piece of HTML as Markdown."""
    return clean(render(build(cap_markup(markup)), None, base))


def facts(page: Page) -> Facts:
    """What dowse says about a page."""
    found = metadata.read(build(cap_markup(page.markup)), page.url)
    return Facts(found.title, found.author, found.published)


def _model(fold: int) -> Model:
    return Model.load(*((_FOLDS / f"{name}-{fold}.npz").read_bytes() for name in ("fold", "articles")))


def _read(page: Page, model: Model | None) -> Found:
    try:
        text = html.to_text(page.markup, page.url, model=model)
    except PageUnreadable:
        # All pages of the collection have content: one that is refused is one of which nothing was found.
        return Found("")
    return Found(text.markdown, text.facts.kind)
