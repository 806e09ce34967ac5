"""Measures the verdict on pages of languages, and of templates, that its model has not seen."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from types import ModuleType
from typing import Any

from dowse.core.errors import PageUnreadable
from dowse.extract import html, verdict
from dowse.extract.verdict import model
from dowse.extract.verdict.model import VerdictModel
from tools.verdict.data import Example, ShortText
from tools.verdict.training import fit_texts, group_evenly, train

FOLDS = 6
Result = Mapping[str, Any]


FIGURES = Path(__file__).resolve().parents[2] / "tests" / "eval" / "verdict_folds.json"
GROUPS: Mapping[str, Callable[[Example], str]] = {
    "language": lambda page: page.language,
    "template": lambda page: page.template,
}


def report(folder: Path, pages: Sequence[Example], texts: Sequence[ShortText], names: Sequence[str]) -> None:
    """Measure with the named groups held out; the figures go to `FIGURES`, beside the digest of the shipped model."""
    for name in names:
        results, real = measure_folds(folder, pages, texts, GROUPS[name])
        figures = {**summarize(results), "wcxb_refused": len(real)}
        print(f"folds by {name}: {json.dumps(figures)}; pages of wcxb-dev refused: {real}", flush=True)
        for result in results:
            if not result["safe"]:
                print(f"  {result['file']} {result['lang']} {result['kind']}: {result['outcome']} {result['reason']}")
        _write_down(name, figures)


def _write_down(name: str, figures: Mapping[str, float]) -> None:
    written = json.loads(FIGURES.read_text(encoding="utf-8")) if FIGURES.exists() else {}
    shipped_model = resources.files(model.__package__ or "").joinpath("model.bin").read_bytes()
    kept = {key: figure for key, figure in figures.items() if "warned" not in key}
    written |= {"model": hashlib.sha256(shipped_model).hexdigest(), name: kept}
    FIGURES.write_text(json.dumps(written, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def summarize(results: Sequence[Result]) -> dict[str, float]:
    """Shares of pages that are safe and right, and the numbers of refused real pages and previews."""
    refused = [each for each in results if each["outcome"] not in ("content", "partial")]
    return {
        "safe": round(sum(each["safe"] for each in results) / len(results), 4),
        "right": round(sum(each["right"] for each in results) / len(results), 4),
        "real_refused": sum(each["class"] == "ok" for each in refused),
        "previews_refused": sum(each["kind"] == "preview" for each in refused),
        "notices_warned": sum(each["warned"] and not each["safe"] for each in results),
        "real_warned": sum(each["warned"] and each["class"] == "ok" for each in results),
    }


def measure_folds(
    folder: Path, pages: Sequence[Example], texts: Sequence[ShortText], group: Callable[[Example], str]
) -> tuple[list[Result], list[str]]:
    """The results of all pages of `interstitials`, and the names of pages of WCXB that were refused."""
    folds = group_evenly((group(page) for page in pages if not page.is_real), FOLDS)
    results: list[Result] = []
    refused: list[str] = []
    start = fit_texts(texts)
    for fold in range(FOLDS):
        inside = {page.name for page in pages if (page.fold if page.is_real else folds[group(page)]) == fold}
        trained = train([page for page in pages if page.name not in inside], texts, group, start)
        with shipped(VerdictModel.load(trained)):
            results += judge_pages(folder / "interstitials", folder / "interstitials", inside)
            refused += [
                page.name
                for page in pages
                if page.is_real and not page.is_cut and page.name in inside and _is_refused(page)
            ]
    return results, refused


def judge_pages(scorer: Path, folder: Path, names: set[str] | None = None) -> list[Result]:
    """Judge the pages of a folder with `labels.json` by `score.py`, with their HTTP status."""
    score = _load(scorer / "score.py")
    results: list[Result] = []
    for page in json.loads((folder / "labels.json").read_text(encoding="utf-8")):
        if names is None or page["file"] in names:
            outcome, text, reason, warned = _read(score, folder / "pages" / page["file"], page)
            score.__dict__["read"] = lambda _page, found=(outcome, text, reason): found
            results.append({**score.judge(page), "warned": warned})
    return results


def _read(score: ModuleType, path: Path, page: Result) -> tuple[str, str, str, bool]:
    try:
        text = html.to_text(path.read_text(encoding="utf-8"), page["url"], http_status=page["http_status"])
    except PageUnreadable as error:
        return score._refusal(str(error.status), error.detail), "", error.detail, False
    if not text.markdown.strip():
        return "needs_js", "", "no text", False
    return "partial" if text.is_cut else "content", text.markdown, "; ".join(text.warnings), bool(text.warnings)


def _is_refused(page: Example) -> bool:
    try:
        verdict.judge_outline(page.outline, page.context)
    except PageUnreadable:
        return True
    return False


@contextmanager
def shipped(trained: VerdictModel) -> Iterator[None]:
    """Use a model in place of the one that comes with dowse."""
    known = model.load_shipped
    model.load_shipped = lambda: trained  # type: ignore[assignment]  # a cached function without its cache
    try:
        yield
    finally:
        model.load_shipped = known


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("score", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
