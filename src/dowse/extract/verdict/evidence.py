"""Evidence for the verdict: numbers about a page, and its short texts for the n-gram classifier.

Features of the frame (navigation, class names, metadata, length of the path) are left out: they tell templates apart,
not notices. No parser and no numpy: the server judges text too.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Protocol
from urllib.parse import unquote

from dowse.extract.verdict.model import LABELS, NONE, Scores
from dowse.extract.verdict.outline import MarkupSigns, PageOutline
from dowse.extract.verdict.wording import names
from dowse.language.scripts import count_words

# Notices are short; of a longer text its beginning is read.
_MOST_SENTENCES = 30
_MOST_CONTROLS = 12
_MOST_NAMES = 4
_LONGEST, _LONGEST_CONTROL, _BEGINNING = 240, 80, 400
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？।؟])\s?")
_CODE = re.compile(r"(?<![\d.,/:-])(?:40[0134589]|410|429|451|50[0234]|52\d)(?![\d.,/:-])")
_NUMBER = re.compile(r"\d+")
_PRICE = re.compile(r"[$€£¥₹₽₩]\s?\d|\d\s?(?:[$€£¥₹₽₩]|kč|zł|kr\b|tl\b|eur\b|usd\b)")
_CLOCK = re.compile(r"\b\d{1,2}[:.]\d{2}\b")
_PHONE = re.compile(r"\d[\d ()/-]{6,}\d")
_WORD = re.compile(r"[^\W\d_]{2,}")
_TYPE = re.compile(r"""\btype\s{0,9}=\s{0,9}["']?([a-z]{1,12})""")
_BLANK_TYPES = ("hidden", "submit", "button", "image", "reset")
_SLUG_END = re.compile(r"\.[a-z]{2,5}$")
_SLUG_WORDS = re.compile(r"[^\W\d_]{3,}")
_TARGETS = {
    "home": re.compile(r"^/?(?:[a-z]{2}/?)?$"),
    "login": re.compile(r"/(?:log-?in|sign-?in|sign-?up|register|account|auth|enter|join)\b"),
    "offer": re.compile(r"/(?:subscri|abo|plan|pricing|offer|premium|plus|member|suscri|assin|abbon)"),
}
_SPAN_TAGS = ("form", "iframe", "img", "select", "textarea", "pre", "table", "time", "video", "canvas")
_TAG = re.compile(r"^<([a-z][a-z0-9]{0,15})", re.MULTILINE)


class Classifier(Protocol):
    """Classifier of short texts: the `TextClassifier` of the model, or a cached one in training."""

    def probabilities(self, text: str) -> Scores: ...


@dataclass(frozen=True, slots=True)
class Context:
    """Result of the extraction as evidence: score of the best block, empty frame, whole page kept."""

    best_score: float = 0.5
    is_empty_frame: bool = False
    is_whole: bool = False


@dataclass(frozen=True, slots=True)
class Texts:
    """The short texts of a page by their place."""

    title: tuple[str, ...]
    headings: tuple[str, ...]
    sentences: tuple[str, ...]
    controls: tuple[str, ...]
    noscript: tuple[str, ...]


def texts_of(page: PageOutline) -> Texts:
    """Title, headings, first sentences, and labels of links and buttons."""
    headings = tuple(dict.fromkeys(page.headings))[:_MOST_NAMES]
    below = (line for line in page.lines if line not in headings)
    sentences = list(chain.from_iterable(map(split_sentences, below)))
    controls = dict.fromkeys(text for text in (*page.markup.buttons, *page.links) if len(text) <= _LONGEST_CONTROL)
    return Texts(
        tuple(dict.fromkeys(name[:_LONGEST] for name in (page.title, *names(page.title)) if name))[:_MOST_NAMES],
        tuple(heading[:_LONGEST] for heading in headings),
        tuple(sentence[:_LONGEST] for sentence in sentences[:_MOST_SENTENCES]),
        tuple(controls)[:_MOST_CONTROLS],
        tuple(sentence[:_LONGEST] for sentence in split_sentences(page.markup.noscript)[:3]),
    )


def split_sentences(line: str) -> list[str]:
    """The sentences of a line that have letters."""
    return [part for part in _SENTENCE_END.split(line) if part and _WORD.search(part)]


def measure(page: PageOutline, context: Context, classifier: Classifier) -> dict[str, float]:
    """The numbers that the trees see, by name."""
    texts = texts_of(page)
    wording = _measure_wording(texts, classifier)
    # That title and heading say the same speaks for content only if neither is a notice.
    is_name = 1 - max(0.0, wording["title: notice"], wording["heading: notice"])
    return {
        "unknown words": math.log1p(page.other_words),
        **_measure_text(page, texts),
        **_measure_markup(page, context),
        **{name: share * is_name for name, share in _measure_agreement(page, texts).items()},
        **wording,
    }


def _measure_text(page: PageOutline, texts: Texts) -> dict[str, float]:
    lengths = [_length(sentence) for sentence in texts.sentences]
    words = _WORD.findall(page.text)
    first = " ".join((page.title, *texts.headings, *texts.sentences[:2]))
    prices = len(_PRICE.findall(page.text))
    return {
        "words": math.log1p(_length(page.text)),
        "sentences": float(len(lengths)),
        "lines": float(min(len(page.lines), 40)),
        "longest sentence": float(max(lengths, default=0)),
        "mean sentence": sum(lengths) / max(1, len(lengths)),
        "headings": float(len(texts.headings)),
        "distinct words": len(set(words)) / max(1, len(words)),
        "numbers": float(min(len(_NUMBER.findall(page.text)), 20)),
        "prices": float(min(prices, 5)),
        "times and phones": float(min(len(_CLOCK.findall(page.text)) + len(_PHONE.findall(page.text)), 5)),
        "status code": float(bool(_CODE.search(first))),
        "questions": float(page.text.count("?") + page.text.count("？") + page.text.count("؟")),
        "code block": float(page.has_code),
        **_measure_links(page),
    }


def _measure_links(page: PageOutline) -> dict[str, float]:
    return {
        "links": float(min(len(page.links), 30)),
        "linked words": sum(map(count_words, page.links)) / max(1, page.words),
        **{f"link to {name}": float(_links_to(page, pattern)) for name, pattern in _TARGETS.items()},
    }


def _length(text: str) -> float:
    """The approximate number of words, also of a script without spaces."""
    return max(count_words(text), len(text) / 9)


def _links_to(page: PageOutline, pattern: re.Pattern[str]) -> bool:
    return any(map(pattern.search, page.targets))


def _measure_markup(page: PageOutline, context: Context) -> dict[str, float]:
    markup = page.markup
    tags = set(_TAG.findall(markup.tags))
    shown = max(1, markup.text_chars)
    return {
        **_measure_fields(markup),
        "buttons": float(min(len(markup.buttons), 10)),
        **{f"<{tag}>": float(tag in tags) for tag in _SPAN_TAGS},
        "scripts": float(min(len(markup.scripts), 12)),
        "unlisted": float(page.is_unlisted),
        "refresh": float(any("refresh" in meta for meta in markup.metas)),
        "noscript words": math.log1p(count_words(markup.noscript)),
        "visible characters": math.log1p(markup.text_chars),
        "delivered share": min(1.0, len(page.text) / shown),
        **_measure_context(context),
    }


def _measure_context(context: Context) -> dict[str, float]:
    return {
        "best block": context.best_score,
        "empty frame": float(context.is_empty_frame),
        "all kept": float(context.is_whole),
    }


def _measure_fields(markup: MarkupSigns) -> dict[str, float]:
    kinds = [found[1] if (found := _TYPE.search(each)) else "text" for each in markup.inputs]
    return {
        "password field": float("password" in kinds),
        "checkbox": float("checkbox" in kinds or "radio" in kinds),
        "fields": float(min(sum(kind not in (*_BLANK_TYPES, "search") for kind in kinds), 6)),
    }


def _measure_agreement(page: PageOutline, texts: Texts) -> dict[str, float]:
    """How far title, headings and address speak of the same thing as the text."""
    body = set(_WORD.findall(" ".join(texts.sentences)))
    title = set(_WORD.findall(page.title))
    heading = set(_WORD.findall(" ".join(texts.headings)))
    slug = _words_of_slug(page.path)
    said = body | title | heading
    return {
        "title in text": _share(title, body),
        "title in headings": _share(title, heading),
        "heading in text": _share(heading, body),
        "address in text": float(len(slug & said)),
    }


def _words_of_slug(path: str) -> set[str]:
    """The words of the last segment of an address."""
    return set(_SLUG_WORDS.findall(_SLUG_END.sub("", unquote(path.rstrip("/").rpartition("/")[2]))))


def _share(some: set[str], others: set[str]) -> float:
    return len(some & others) / len(some) if some else 0.0


def _measure_wording(texts: Texts, classifier: Classifier) -> dict[str, float]:
    """Probabilities of the labels for the texts in each place, and for the beginning as a whole."""
    places = {
        "title": texts.title,
        "heading": texts.headings,
        "first sentence": texts.sentences[:1],
        "sentence": texts.sentences,
        "control": texts.controls,
        "noscript": texts.noscript,
    }
    known = {text: classifier.probabilities(text) for text in dict.fromkeys(chain.from_iterable(places.values()))}
    scores = {place: [known[text] for text in found] for place, found in places.items()}
    beginning = classifier.probabilities(" ".join((*texts.headings, *texts.sentences[:4]))[:_BEGINNING])
    return {
        **_find_highest(scores),
        **{f"{place}: notice": 1 - min((each[NONE] for each in found), default=1.1) for place, found in scores.items()},
        "statement: notice": _margin([*scores["heading"][:1], *scores["sentence"][:2]]),
        "all text: notice": _margin([*scores["heading"], *scores["sentence"]]),
        **{f"beginning: {label}": each for label, each in zip(LABELS, beginning, strict=True)},
        **_sum_up(texts.sentences, scores["sentence"]),
    }


def _find_highest(scores: Mapping[str, Sequence[Scores]]) -> dict[str, float]:
    """The highest probability of each label in each place."""
    return {
        f"{place}: {label}": max((each[number] for each in found), default=-0.1)
        for place, found in scores.items()
        for number, label in enumerate(LABELS)
        if place != "first sentence" or label in ("none", "missing")
    }


def _margin(scores: Sequence[Scores]) -> float:
    """The mean log odds of texts to belong to a notice."""
    odds = [math.log((1.01 - each[NONE]) / (each[NONE] + 0.01)) for each in scores]
    return sum(odds) / max(1, len(odds))


def _sum_up(sentences: Sequence[str], scores: Sequence[Scores]) -> dict[str, float]:
    """The share of each label in the words of the sentences, and the number of words about something else."""
    lengths = [_length(sentence) for sentence in sentences]
    total = max(1, sum(lengths))
    shares = {
        f"text: {label}": sum(each[number] * length for each, length in zip(scores, lengths, strict=True)) / total
        for number, label in enumerate(LABELS)
    }
    other = sum(each[NONE] * length for each, length in zip(scores, lengths, strict=True))
    return shares | {"other words": math.log1p(other)}
