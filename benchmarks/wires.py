"""CPU per call of each wire, against the same call of REST: searches without pages, with cached pages, and a rerank.

The provider is the pocket web in a process of its own, which answers at once, and every question is a new one. Exits 1
when a wire costs more than its bound.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path

# As a script it would find only what lies beside it.
sys.path.append(str(Path(__file__).parents[1]))

from benchmarks.processes import pocket_web
from benchmarks.rest import WANTED, HttpTarget, best_of, serving

BOUND = 1.15
CALLS = 300
RESULTS = 5
# Of passages of each page, in the groups that read pages.
_TOKENS = 300
_DOCUMENTS = [f"The harbour bridge has {number} bolts, and the ferry goes every hour." for number in range(50)]

Body = Callable[[str], Mapping[str, object]]
_BRIEF: Mapping[str, tuple[str, Body]] = {
    "REST": ("/api/v1/search", lambda text: {"query": text, "num_results": RESULTS, "fetch_content": False}),
    "firecrawl": ("/v2/search", lambda text: {"query": text, "limit": RESULTS, "highlights": False}),
    "tavily": (
        "/compat/tavily/search",
        lambda text: {"query": text, "max_results": RESULTS, "search_depth": "ultra-fast"},
    ),
    "exa": ("/compat/exa/search", lambda text: {"query": text, "numResults": RESULTS}),
    "serper": ("/compat/serper/search", lambda text: {"q": text, "num": RESULTS}),
    "jina": ("/compat/jina/search", lambda text: {"q": text, "count": RESULTS, "respondWith": "no-content"}),
    "brave": ("GET /compat/brave/res/v1/web/search", lambda text: {"q": text, "count": str(RESULTS)}),
}
# SearXNG's pages have ten results, however many are wanted.
_TEN: Mapping[str, tuple[str, Body]] = {
    "REST": ("/api/v1/search", lambda text: {"query": text, "num_results": 10, "fetch_content": False}),
    "searxng": ("GET /compat/searxng/search", lambda text: {"q": text, "format": "json"}),
}
_READING: Mapping[str, tuple[str, Body]] = {
    "REST": ("/api/v1/search", lambda text: {"query": text, "num_results": RESULTS, "max_tokens": RESULTS * _TOKENS}),
    "perplexity": (
        "/compat/perplexity/search",
        lambda text: {"query": text, "max_results": RESULTS, "max_tokens_per_page": _TOKENS},
    ),
    "openwebui": ("/compat/openwebui/search", lambda text: {"query": text, "count": RESULTS}),
}
_RANKING: Mapping[str, tuple[str, Body]] = {
    "REST": ("/api/v1/rerank", lambda text: {"query": text, "documents": _DOCUMENTS}),
    "rerank": ("/v2/rerank", lambda text: {"model": "m", "query": text, "documents": _DOCUMENTS}),
}
GROUPS = (_BRIEF, _TEN, _READING, _RANKING)


def compare(rounds: int, calls: int = CALLS) -> dict[str, float]:
    """How many times the CPU of the same call of REST each wire takes, both in their best rounds."""
    ratios: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as home, ExitStack() as stack:
        web = stack.enter_context(pocket_web(Path(home), "--pages", "0"))
        pid, origin = stack.enter_context(serving(Path(home), {name: web[name] for name in WANTED}))
        for group in GROUPS:
            targets = [_target(name, pid, origin, *each) for name, each in group.items()]
            best = asyncio.run(best_of(rounds, targets, calls))
            rest = best.pop("REST")
            ratios |= {name: cost / rest for name, cost in best.items()}
    return ratios


def _target(name: str, pid: int, origin: str, place: str, body: Body) -> HttpTarget:
    is_get, path = place.startswith("GET "), place.removeprefix("GET ")
    return HttpTarget(name, pid, origin + path, lambda number: body(f"python release {number}"), {}, is_get)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    ratios = compare(parser.parse_args().rounds)
    for name, ratio in ratios.items():
        print(f"{name:12} {ratio:5.2f}x of REST (<= {BOUND})")
    return 0 if max(ratios.values()) <= BOUND else 1


if __name__ == "__main__":
    raise SystemExit(main())
