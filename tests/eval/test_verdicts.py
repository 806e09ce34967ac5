"""How well the shipped verdict judges 60 pages that its model was never trained on.

30 notices and 30 real pages that resemble one, in 20 languages. The figures may only rise: `floors.json` says what they
have reached. `tools/train_verdict.py --folds` measures languages and templates that a model has not seen.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

from dowse.core.errors import PageUnreadable
from dowse.extract import html, verdict
from dowse.extract.verdict import model

FOLDER = Path(__file__).with_name("verdicts")
FLOORS = json.loads(Path(__file__).with_name("floors.json").read_text(encoding="utf-8"))["verdicts"]
PAGES = json.loads((FOLDER / "labels.json").read_text(encoding="utf-8"))
MODEL_BYTES = 400_000


def read(name: str, url: str) -> str | None:
    """The delivered text, or nothing of a page that was refused."""
    try:
        return html.to_text((FOLDER / "pages" / name).read_text(encoding="utf-8"), url).markdown
    except PageUnreadable:
        return None


def is_safe(page: dict[str, str], text: str | None) -> bool:
    """Whether a notice was refused, or a real page delivered with its phrases; an empty text ends as a shell."""
    if page["class"] != "ok":
        return not text
    plain = re.sub(r"\s+", " ", (text or "").replace("\\", ""))
    return all(phrase in plain for phrase in page["must"])


@pytest.mark.promise("verdict-trained")
def test_unseen_pages_are_judged_as_well_as_before() -> None:
    texts = {page["file"]: read(page["file"], page["url"]) for page in PAGES}
    real = [page for page in PAGES if page["class"] == "ok"]

    assert len(PAGES) == 60 and len(real) == 30
    assert sum(is_safe(page, texts[page["file"]]) for page in PAGES) >= FLOORS["safe"]
    assert sum(texts[page["file"]] is None for page in real) <= FLOORS["real_refused_at_most"]


@pytest.mark.promise("verdict-signs")
def test_a_refused_page_names_at_most_three_signs() -> None:
    page = (FOLDER / "pages" / "bos-kategori.html").read_text(encoding="utf-8")
    with pytest.raises(PageUnreadable) as caught:
        html.to_text(page, "https://www.kitapkose.example/kategori/denizcilik")
    reason, _, signs = caught.value.detail.partition(" (")
    assert reason == caught.value.reason
    assert 1 <= len(signs.rstrip(")").split(", ")) <= 3


@pytest.mark.promise("verdict-preview")
def test_the_readable_beginning_of_a_sold_article_is_content_and_marked() -> None:
    fixture = Path(__file__).parents[1] / "fixtures" / "verdicts" / "paywall" / "nyt-like.html"
    text = html.to_text(fixture.read_text(encoding="utf-8"), "https://site.example/some/page")
    assert "Some have bought boats" in text.markdown
    assert (text.is_cut, text.warnings) == (True, (verdict.REST_IS_SOLD,))


def test_the_model_is_small_and_says_the_same_for_the_same_text() -> None:
    shipped = Path(model.__file__).with_name("model.bin")
    assert shipped.stat().st_size <= MODEL_BYTES
    classifier = model.load_shipped().classifier
    assert classifier.probabilities("page not found") == classifier.probabilities("page not found")
    assert sum(classifier.probabilities("")) == pytest.approx(1)


STORY = (
    "<title>The last ferry</title><h1>The last ferry</h1>"
    "<p>The boat leaves the stone quay at seven in the morning. Nobody waves. The captain knows each rock by name.</p>"
    "<p>Last winter the council cut the money for the evening trip. Since then the islanders sleep in town.</p>"
)


@pytest.mark.promise("verdict-preview")
@pytest.mark.parametrize(
    ("end", "is_part"), [("Jetzt abonnieren und alle Artikel lesen.", True), ("The boat sails on Sunday too.", False)]
)
def test_text_that_breaks_off_with_an_offer_is_a_part_without_structured_data(end: str, is_part: bool) -> None:
    text = html.to_text(f"{STORY}<p>{end}</p>", "https://paper.example/ferry")
    assert (text.is_cut, verdict.REST_IS_SOLD in text.warnings) == (is_part, is_part)


@pytest.mark.promise("verdict-trained")
def test_a_notice_of_few_characters_is_refused_where_they_say_much() -> None:
    page = "<title>記事がありません</title><h1>記事がありません</h1><p>この記事は削除されました。</p>"
    with pytest.raises(PageUnreadable):
        html.to_text(page, "https://site.example/a/b")


@pytest.mark.promise("verdict-trained")
def test_only_a_page_about_error_pages_has_the_error_in_its_address_too() -> None:
    page = (
        "<title>Page not found</title><h1>Page not found</h1><p>The page you requested could not be found.</p>"
        "<p>So says the server, and so begins this chapter of our handbook, which explains in two steps what to do "
        "with an old address. Send a redirect where the text has moved, and a plain answer where it is gone.</p>"
    )
    assert html.to_text(page, "https://docs.example/guides/page-not-found").markdown


def test_figures_of_folds_are_those_of_the_shipped_model_and_hold() -> None:
    """`tools/train_verdict.py --folds` writes them: languages and templates that a model has not seen."""
    figures = json.loads(Path(__file__).with_name("verdict_folds.json").read_text(encoding="utf-8"))
    shipped = Path(model.__file__).with_name("model.bin").read_bytes()

    assert figures["model"] == hashlib.sha256(shipped).hexdigest()
    for name in ("language", "template"):
        assert figures[name]["safe"] >= FLOORS["folds"][name]
        assert figures[name]["real_refused"] <= FLOORS["folds"]["real_refused_at_most"]
        assert figures[name]["previews_refused"] == 0
