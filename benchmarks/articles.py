"""How well dowse and trafilatura tell an article from the comments, other stories and boxes around it.

The 60 pages are those of `tests/eval/articles`, which no model was trained on. Prints the agreement of four words in a
row (shingle F1) for each site, and exits 1 when dowse is not far enough above trafilatura. `make bench` installs what
it needs.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

# As a script it would find only what lies beside it.
sys.path.append(str(Path(__file__).parents[1]))

from dowse.core.errors import PageUnreadable
from dowse.extract import html
from tests.eval.articles.pages import ArticlePage, pages, score
from tools.extractor.metrics import Score, without_syntax

_AHEAD = 0.02
_Read = Callable[[ArticlePage], str]


def dowse(page: ArticlePage) -> str:
    """The text that dowse extracts, without Markdown; nothing where the page is refused."""
    try:
        return without_syntax(html.to_text(page.html, page.url).markdown)
    except PageUnreadable:
        return ""


def trafilatura(page: ArticlePage) -> str:
    """The text that trafilatura extracts."""
    from trafilatura import extract

    return extract(page.html, url=page.url) or ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", action="store_true", help="print each page as well")
    parser.add_argument("--show", metavar="NAME", help="print what is missing and what is too much on this page")
    asked = parser.parse_args()
    logging.disable()
    if asked.show:
        return _show(asked.show)
    scores = {read.__name__: {page.name: score(page, read(page)) for page in pages()} for read in (dowse, trafilatura)}
    if asked.pages:
        for page in pages():
            print(_line(page.name, [[scores[name][page.name]] for name in scores]))
    sites: defaultdict[str, list[str]] = defaultdict(list)
    for page in pages():
        sites[page.name.partition("-")[0]].append(page.name)
    for site, names in sites.items():
        print(_line(site, [[scores[name][page] for page in names] for name in scores]))
    print(_line("all", [list(scores[name].values()) for name in scores]))
    ahead = _mean(list(scores["dowse"].values())) - _mean(list(scores["trafilatura"].values()))
    print(f"dowse is {ahead:+.3f} ahead of trafilatura (>= {_AHEAD})")
    return 0 if ahead >= _AHEAD else 1


def _line(name: str, columns: list[list[Score]]) -> str:
    shown = (
        f"{_mean(each):.3f} (P {fmean(s.precision for s in each):.3f}, R {fmean(s.recall for s in each):.3f})"
        for each in columns
    )
    return f"{name:24}" + "   ".join(shown)


def _mean(scores: list[Score]) -> float:
    return fmean(each.f1 for each in scores)


def _show(name: str) -> int:
    page = next(page for page in pages() if page.name == name)
    for read in (dowse, trafilatura):
        print(f"=== {read.__name__}")
        wanted, found = page.content.split("\n"), read(page).split("\n")
        squeezed = {_squeeze(line) for line in found}
        print(*(f"- {line}" for line in wanted if line and _squeeze(line) not in squeezed), sep="\n")
        squeezed = {_squeeze(line) for line in wanted}
        print(*(f"+ {line}" for line in found if line and _squeeze(line) not in squeezed), sep="\n")
    return 0


def _squeeze(text: str) -> str:
    return "".join(filter(str.isalnum, text))


if __name__ == "__main__":
    raise SystemExit(main())
