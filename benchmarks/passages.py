"""How often the answer is in what dowse shows of a page, beside its beginning and the best paragraphs by BM25.

An answer counts if every sentence, row or line of code that it touches is whole in what is shown. Budgets are counted
by a real tokenizer. The pages are whole articles of SQuAD, pages of the kinds that the web has, and one page in many
languages; on demand also `multilingual`, questions in fourteen languages, and `long`, documents of a million characters
and more. CPU time is for a page of 10,000 tokens and one question, with nothing prepared. Prints tables, and exits 1
when a figure misses its bound. `make bench` installs what it needs.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

# As a script it would find only what lies beside it.
sys.path.append(str(Path(__file__).parents[1]))

from benchmarks.passages_eval import selectors
from benchmarks.passages_eval.measure import cpu_ms, measure
from benchmarks.passages_eval.report import Report
from tools.passages.data import Page, language_pages, squad_file, squad_pages, thinned, web_pages
from tools.passages.long import long_pages
from tools.passages.multilingual import multilingual_pages

_SETS = ("squad", "web", "languages")
_ON_DEMAND = ("multilingual", "long")


def run(name: str, pages: list[Page]) -> Report:
    """All figures of one set."""
    chosen = [selectors.dowse(), selectors.head(), selectors.paragraphs()]
    return Report(name, list(measure(chosen, pages)), cpu_ms(chosen, pages))


def _pages(name: str, data: Path, every: int) -> list[Page]:
    if name == "multilingual":
        pages = multilingual_pages(data.parent / name)
    elif name == "long":
        pages = long_pages(data.parents[1])
    else:
        pages = {"squad": lambda: squad_pages(data), "web": web_pages, "languages": language_pages}[name]()
    return list(thinned(pages, every))


def main() -> int:
    arguments = _arguments()
    data = squad_file(arguments.data)
    chosen = [arguments.set] if arguments.set else [name for name in _SETS if name != "squad" or data.is_file()]
    if not data.is_file():
        _say(f"{data} is missing: name the folder that holds passages with --data or DOWSE_EVAL_DATA")
        if not {"web", "languages"}.issuperset(chosen):
            return 2
    if missing := selectors.missing():
        _say(f"not installed: {', '.join(missing)}; run `make bench`")
        return 2
    reports = []
    for name in chosen:
        _say(name)
        reports.append(run(name, _pages(name, data, arguments.every)))
        print(reports[-1].text(), end="\n\n", flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(report) for report in reports], indent=1))
    shortfalls = [shortfall for report in reports if report.name == "squad" for shortfall in report.shortfalls()]
    for shortfall in shortfalls:
        print(f"missed: {shortfall}")
    return 1 if shortfalls else 0


def _say(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="ask each Nth question only")
    parser.add_argument("--set", choices=(*_SETS, *_ON_DEMAND), help="one set of pages only")
    parser.add_argument("--data", default="", metavar="DIR", help="the folder that holds passages/squad-subset.json")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures, and those of each question")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
