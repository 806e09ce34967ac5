"""How often reranking puts the right document first, beside BM25 over the same documents, and what it costs.

The documents of a call are the paragraphs of one page, and the right one has the answer: articles of SQuAD, and pages
in fourteen languages. CPU time is for 300 documents of 150 characters, in this process and through a worker. Prints a
table, and exits 1 when a figure misses its bound. `make bench` installs what it needs.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

# As a script it would find only what lies beside it.
sys.path.append(str(Path(__file__).parents[1]))

from benchmarks.passages_eval.selectors import missing, paragraph_scores
from dowse.core.models import Deadline
from dowse.core.runtime import SystemClock
from dowse.flows.rerank import RerankFlow, RerankRequest
from dowse.rank import semantic
from dowse.rank.rerank import score_documents
from dowse.worker.pool import WorkerPool
from tools.passages.data import Page, squad_file, squad_pages, thinned, web_pages
from tools.passages.multilingual import multilingual_pages

LEAD = 0.05
"""How much more often than with BM25 the first document has to be right."""
CPU_BOUND_MS = 60.0
COUNT, CHARS = 300, 150
_REPEATS = 15

Score = Callable[[str, Sequence[str]], Sequence[float]]


class Case(NamedTuple):
    """A question, the documents of its page, and the place of the right one."""

    set: str
    question: str
    documents: Sequence[str]
    right: int


def cases(pages: Sequence[Page], name: str = "") -> Iterator[Case]:
    """A case for each question; `name` groups pages under one name."""
    for page in pages:
        documents = page.text.split("\n\n")
        for question in page.questions:
            yield Case(name or page.name, question.text, documents, page.text[: question.start].count("\n\n"))


def all_cases(file: Path, every: int) -> Iterator[Case]:
    """Cases of articles in English and, where they are beside them, of pages in many languages."""
    yield from cases(list(thinned(squad_pages(file), every)), "squad")
    yield from cases(list(thinned(multilingual_pages(file.parent / "multilingual"), every)))


def first_right(score: Score, asked: Sequence[Case]) -> float:
    """The share of the questions whose right document is first."""
    return fmean(_is_first(score(each.question, each.documents), each.right) for each in asked)


def _is_first(scores: Sequence[float], right: int) -> bool:
    return max(range(len(scores)), key=lambda index: (scores[index], -index)) == right


def timed_documents(file: Path) -> tuple[str, list[str]]:
    """A question and so many short documents, which are pieces of articles."""
    pages = list(squad_pages(file))
    text = " ".join(page.text.replace("\n\n", " ") for page in pages)
    return pages[0].questions[0].text, [text[at : at + CHARS] for at in range(0, COUNT * CHARS, CHARS)]


def cpu_ms(file: Path) -> float:
    """CPU time of scoring: the best of several, since others use the machine too."""
    question, documents = timed_documents(file)
    return 1000 * min(_seconds(lambda: score_documents(question, documents)) for _ in range(_REPEATS))


def _seconds(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


async def flow_cpu_ms(file: Path) -> float:
    """CPU time of a warm call through the flow, that of the worker included: the mean of many."""
    question, documents = timed_documents(file)
    clock, request = SystemClock(), RerankRequest(question, documents)
    # A worker counts when it ends, with all of its time: so two runs are compared, of few and of many calls.
    spent = []
    for repeats in (1, 1 + _REPEATS):
        pool = WorkerPool()
        flow = RerankFlow(pool)
        before = _cpu_s()
        for _ in range(repeats):
            await flow.rerank(request, Deadline.after(clock, 10))
        await pool.close()
        spent.append(_cpu_s() - before)
    return 1000 * (spent[1] - spent[0]) / _REPEATS


def _cpu_s() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def main() -> int:
    arguments = _arguments()
    file = squad_file(arguments.data)
    if not file.is_file():
        print(f"{file} is missing: name the folder that holds passages with --data or DOWSE_EVAL_DATA", file=sys.stderr)
        return 2
    if lacking := missing():
        print(f"not installed: {', '.join(lacking)}; run `make bench`", file=sys.stderr)
        return 2
    asked = list(all_cases(file, arguments.every))
    scorers: dict[str, Score] = {"BM25": paragraph_scores, "dowse": score_documents}
    if semantic.available():
        scorers["dowse[semantic]"] = lambda query, texts: score_documents(query, texts, is_semantic=True)
    print("| first document right, in % | questions |", " | ".join(scorers), "|")
    for name, of_set in groupby(asked, key=lambda each: each.set):
        _print_row(name, list(of_set), scorers)
    bm25, dowse = _print_row("all", asked, scorers)[:2]
    _print_row("web, not in all", list(cases(list(thinned(web_pages(), arguments.every)), "web")), scorers)
    in_process, through_worker = cpu_ms(file), asyncio.run(flow_cpu_ms(file))
    print(f"CPU for {COUNT} documents of {CHARS} characters: {in_process:.1f} ms; in a worker {through_worker:.1f} ms")
    holds = dowse >= bm25 + LEAD and max(in_process, through_worker) <= CPU_BOUND_MS
    return 0 if holds else 1


def _print_row(name: str, asked: Sequence[Case], scorers: dict[str, Score]) -> list[float]:
    shares = [first_right(score, asked) for score in scorers.values()]
    print(f"| {name} | {len(asked)} |", " | ".join(f"{100 * share:.1f}" for share in shares), "|", flush=True)
    return shares


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="ask each Nth question only")
    parser.add_argument("--data", default="", metavar="DIR", help="the folder that holds passages/squad-subset.json")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
