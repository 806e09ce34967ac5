"""Pages and short texts that the verdict is trained on.

`interstitials` and `wcxb-dev` are read beside the project and never copied into it; so are the interface messages and
the encyclopaedia paragraphs of `passages/multilingual`, which teach the n-gram classifier what is no notice.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from dowse.core.errors import PageUnreadable
from dowse.extract.decode import decode
from dowse.extract.html import page as reader
from dowse.extract.html.tree.build import build
from dowse.extract.html.tree.guard import cap_markup
from dowse.extract.verdict.evidence import Context, Texts, split_sentences, texts_of
from dowse.extract.verdict.model import LABELS
from dowse.extract.verdict.outline import PageOutline, outline_page, outline_text, says_much
from dowse.extract.verdict.wording import normal
from tools.extractor.data import fold_of, samples

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "verdicts"
PHRASES = Path(__file__).with_name("phrases.txt")
PATTERNS = Path(__file__).with_name("patterns.txt")
FEWEST_TRUE_WORDS = 5
"""A page of WCXB with fewer words of truth may be a notice itself, and is no example of content."""
_FIXTURES = {
    "challenge": "blocked",
    "consent": "consent",
    "failure": "error",
    "login": "login",
    "missing": "missing",
    "ordinary": "none",
    "paywall": "pay",
    "refusal": "blocked",
    "shell": "loading",
}
_PREVIEWS = frozenset({"paywall/nyt-like"})
_ADDRESS = re.compile(r"<!-- url: (\S+) -->")
_LANGUAGE = re.compile(r"""<html[^>]{0,200}\slang=["']?([a-z]{2})""")
# No page with more is delivered so short that it is judged.
_MOST_TRUE_WORDS = 900
_KINDS = {
    "not_found": "missing",
    "login_required": "login",
    "blocked": "blocked",
    "consent_blocked": "consent",
    "needs_js": "loading",
    "paywall": "pay",
}
_LONGEST = 240
_WEIGHT_OF_PHRASES, _WEIGHT_OF_PAGES, _WEIGHT_OF_WCXB = 5.0, 4.0, 0.3
# Numbers of lines.
_BEGINNINGS = (2, 4, 8)
_WEIGHT_OF_PATTERNS, _VARIANTS = 2.0, 12
_CHOICE = re.compile(r"\{([^{}]*)\}")
_WCXB_SENTENCES = 12
_OTHER_MESSAGES, _PARAGRAPHS, _PARAGRAPH_SENTENCES = 2, 3, 6


class ShortText(NamedTuple):
    """A text in lower case with its label, its weight in training, and its language."""

    text: str
    label: str
    weight: float
    language: str


@dataclass(frozen=True, slots=True)
class Example:
    """A page as the verdict sees it, with its label (one of `LABELS`) and the groups that folds keep together."""

    name: str
    label: str
    language: str
    template: str
    outline: PageOutline
    texts: Texts
    context: Context
    is_real: bool
    """Whether it is a page of WCXB."""
    fold: int = 0
    is_preview: bool = False
    is_cut: bool = False
    """Whether it is the beginning of another page of WCXB."""


def examples(data: Path) -> list[Example]:
    """The pages that are short enough to be judged: `interstitials`, the fixtures, a fifth of `wcxb-dev`."""
    return [*_interstitials(data / "interstitials"), *_fixtures(), *_real_pages(data / "wcxb-dev")]


def _interstitials(folder: Path) -> Iterator[Example]:
    for label in json.loads((folder / "labels.json").read_text(encoding="utf-8")):
        markup = (folder / "pages" / label["file"]).read_text(encoding="utf-8")
        found = _outline(markup, label["url"])
        if found is None:
            continue
        outline, context = found
        is_preview = label["kind"] == "preview"
        is_content = label["class"] == "ok" or is_preview
        kind = "error" if label["expect"] == "error" else _KINDS.get(label["class"], "none")
        yield Example(
            label["file"],
            "none" if is_content else kind,
            label["lang"],
            label["template"],
            outline,
            texts_of(outline),
            context,
            is_real=False,
            is_preview=is_preview,
        )


def _fixtures() -> Iterator[Example]:
    """Pages of other authors: a model that knows one hand only takes the hand for the sign."""
    for path in sorted(FIXTURES.glob("*/*.html")):
        markup = path.read_text(encoding="utf-8")
        address, language = _ADDRESS.match(markup), _LANGUAGE.search(markup)
        found = _outline(markup, address[1] if address else "https://site.example/some/page")
        if found is None:
            continue
        outline, context = found
        name, tongue = f"{path.parent.name}/{path.stem}", language[1] if language else "en"
        is_preview = name in _PREVIEWS
        label = "none" if is_preview else _FIXTURES[path.parent.name]
        texts = texts_of(outline)
        if label == "pay":
            # Most of their sentences are the beginning of the article.
            texts = replace(texts, headings=(), sentences=())
        yield Example(name, label, tongue, name, outline, texts, context, is_real=False, is_preview=is_preview)


def _real_pages(folder: Path) -> Iterator[Example]:
    for sample in samples(folder):
        if not FEWEST_TRUE_WORDS <= len(sample.content.split()) <= _MOST_TRUE_WORDS:
            continue
        found = _outline(decode(sample.html), sample.url)
        if found is None:
            continue
        outline, context = found
        fold = fold_of(sample.url or sample.name)
        texts = texts_of(outline)
        page = Example(sample.name, "none", "en", "", outline, texts, context, is_real=True, fold=fold)
        yield page
        yield from _beginnings(page)


def _beginnings(page: Example) -> Iterator[Example]:
    """The page as if less of it had been delivered: notices are short, and so are few real pages of the set."""
    lines = page.outline.lines
    for count in _BEGINNINGS:
        if count < len(lines):
            outline = replace(page.outline, lines=lines[:count], links=page.outline.links[:count], has_code=False)
            name = f"{page.name} up to line {count}"
            yield replace(page, name=name, outline=outline, texts=texts_of(outline), is_cut=True)


def _outline(markup: str, url: str) -> tuple[PageOutline, Context] | None:
    """The outline of a page that is short enough to be judged."""
    try:
        text, context = reader.extract_unjudged(build(cap_markup(markup)), url)
    except PageUnreadable:
        return None
    if says_much(text.markdown):
        return None
    return outline_page(outline_text(text.markdown), markup, url), context


def short_texts(data: Path) -> list[ShortText]:
    """The texts that are in no fold: own phrases, interface messages, sentences of encyclopaedias."""
    return [
        *_messages(data / "interstitials" / "messages.jsonl"),
        *_paragraphs(data / "passages" / "multilingual"),
        *_phrases(),
        *_variants(),
    ]


def texts_from(pages: Sequence[Example]) -> Iterator[ShortText]:
    """The sentences of pages, each with the label of its page."""
    for page in pages:
        if page.is_cut:
            continue
        texts, weight = page.texts, _WEIGHT_OF_WCXB if page.is_real else _WEIGHT_OF_PAGES
        said = (*texts.headings, *texts.sentences)
        if page.is_real:
            said = (*texts.headings, *texts.sentences[:_WCXB_SENTENCES], *texts.title)
        yield from (ShortText(text, page.label, weight, page.language) for text in said)
        if page.label != "none":
            yield from (ShortText(text, "loading", weight, page.language) for text in texts.noscript)


def _messages(path: Path) -> Iterator[ShortText]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        language, label, text, _source = json.loads(line)
        if label in LABELS and (label != "none" or not number % _OTHER_MESSAGES):
            yield ShortText(normal(text)[:_LONGEST], label, 1.0, language)


def _paragraphs(folder: Path) -> Iterator[ShortText]:
    for path in sorted(folder.glob("*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        language = record["language"][:2]
        for article in record["articles"]:
            for paragraph in article["paragraphs"][::_PARAGRAPHS]:
                sentences = split_sentences(normal(paragraph["context"]))[:_PARAGRAPH_SENTENCES]
                for sentence in (*sentences, *(each["question"].lower() for each in paragraph["questions"][:1])):
                    text = sentence.strip("# ")
                    yield ShortText(text if len(text) <= _LONGEST else text[: _LONGEST // 2], "none", 1.0, language)


def _phrases() -> Iterator[ShortText]:
    for language, label, line in _labelled_lines(PHRASES):
        yield ShortText(normal(line), label, _WEIGHT_OF_PHRASES, language)


def _variants() -> Iterator[ShortText]:
    """The sentences of some variants of each pattern."""
    for language, label, line in _labelled_lines(PATTERNS):
        sentences = dict.fromkeys(chain.from_iterable(map(split_sentences, _draw(line))))
        yield from (ShortText(sentence, label, _WEIGHT_OF_PATTERNS, language) for sentence in sentences)


def _draw(pattern: str) -> Iterator[str]:
    """Variants of a pattern, always the same ones."""
    drawn = random.Random(pattern)
    for _ in range(_VARIANTS):
        yield normal(_CHOICE.sub(lambda found: drawn.choice(found[1].split("|")), pattern))


def _labelled_lines(path: Path) -> Iterator[tuple[str, str, str]]:
    """The language, the label and the text of each line below its `[language label]`."""
    language = label = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            language, label = line.strip("[]").split()
        elif line and not line.startswith("#"):
            yield language, label, line
