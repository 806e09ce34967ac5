"""`python -m tests.eval.fidelity [--failures] [NAME ...]`: what comes through, by family and by kind of structure."""

from __future__ import annotations

import argparse
from collections import defaultdict

from tests.eval.fidelity.collection import pages
from tests.eval.fidelity.measure import KINDS, Score, markdown_of, markdown_of_all, scores_of, total

_WIDTH = 110


def main() -> None:
    arguments = _arguments()
    chosen = [page for page in pages() if not arguments.names or page.name.startswith(tuple(arguments.names))]
    convert = markdown_of_all if arguments.whole else markdown_of
    if arguments.show:
        for page in chosen:
            print(page.html if arguments.show == "html" else convert(page))
        return
    scores = scores_of(chosen, convert)
    families: defaultdict[str, list[Score]] = defaultdict(list)
    for page in chosen:
        families[page.family].append(scores[page.name])
    print(f"{'':24}{'pages':>6}" + "".join(f"{kind:>10}" for kind in KINDS))
    for family, members in sorted(families.items()):
        print(_line(family, members))
    print(_line("all", list(scores.values())))
    if arguments.failures:
        _print_misses(scores, arguments.kind)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.eval.fidelity", description=__doc__)
    parser.add_argument("names", nargs="*", help="only pages whose names start like this")
    parser.add_argument("--failures", action="store_true", help="list what is missing")
    parser.add_argument("--kind", choices=KINDS, help="list this kind only")
    parser.add_argument("--whole", action="store_true", help="render all of each page: no choice of content")
    parser.add_argument("--show", choices=("html", "markdown"), help="print the pages instead")
    return parser.parse_args()


def _line(name: str, members: list[Score]) -> str:
    score = total(members)
    shares = [f"{100 * score[kind].share:9.1f}%" if score[kind].total else f"{'-':>10}" for kind in KINDS]
    return f"{name:24}{len(members):>6}" + "".join(shares)


def _print_misses(scores: dict[str, Score], only: str | None) -> None:
    for name, score in scores.items():
        for kind in KINDS:
            for miss in score[kind].misses if only in (None, kind) else ():
                shown = miss.replace("\n", "\\n")
                print(f"{name}: {kind}: {shown[:_WIDTH]}")


if __name__ == "__main__":
    main()
