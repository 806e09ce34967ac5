"""How much of a page's structure its Markdown still has, counted kind by kind."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from dowse.core.models import Body
from dowse.document.clean import clean
from dowse.extract.convert import to_text
from dowse.extract.html.render import render
from dowse.extract.html.tree.build import build
from dowse.extract.html.tree.guard import cap_markup
from tests.eval.fidelity.page import Page
from tests.eval.fidelity.structure import ANYTHING, BLOCK_END, Code, Item, Link, Structure, read

JUDGED = ("code", "cells", "headings", "items", "links")
KINDS = (*JUDGED, "language", "levels", "math", "text", "chrome", "added")
"""`chrome` counts what stayed away as it should, `added` the structures that nothing in the page stands for."""

_LONG_FORMULA = 8
_ALIASES = {
    "py": "python", "python3": "python", "pycon": "python", "js": "javascript", "ts": "typescript", "sh": "bash",
    "shell": "bash", "console": "bash", "shell-session": "bash", "yml": "yaml", "golang": "go", "rs": "rust",
    "c++": "cpp", "rb": "ruby", "docker": "dockerfile", "make": "makefile",
}  # fmt: skip


@dataclass(slots=True)
class Tally:
    """How many were right of how many, and what was wrong."""

    right: int = 0
    total: int = 0
    misses: list[str] = field(default_factory=list)

    def count(self, what: object, *, is_right: bool) -> None:
        """One more, right or wrong."""
        self.total += 1
        self.right += is_right
        if not is_right:
            self.misses.append(str(what))

    def add(self, other: Tally) -> None:
        """Take all of another one in."""
        self.right += other.right
        self.total += other.total
        self.misses += other.misses

    @property
    def share(self) -> float:
        return self.right / self.total if self.total else 1.0


Score = dict[str, Tally]


def markdown_of(page: Page) -> str:
    """What dowse makes of a page."""
    return to_text(Body(page.url, page.html.encode(), "text/html", "utf-8")).markdown


def markdown_of_all(page: Page) -> str:
    """The whole page, its chrome too: what is missing here was lost by the renderer, not by the choice of content."""
    tree = build(cap_markup(page.html))
    return clean(render(tree, None, page.url))


def score(page: Page, markdown: str) -> Score:
    """Everything that can be said about the Markdown of a page."""
    found, truth = read(markdown, page.url), page.truth
    result = {kind: Tally() for kind in KINDS}
    _count_code(result, truth, found)
    _count_rows(result, truth, found)
    _count_headings(result, truth, found)
    _count_all(result["items"], truth.items, found.items)
    _count_all(result["links"], truth.links, found.links)
    _count_words(result, page, found)
    _count_math(result["math"], truth.math, markdown)
    _count_added(result["added"], truth, found)
    return result


def total(scores: Iterable[Score]) -> Score:
    """Many pages as one."""
    result: defaultdict[str, Tally] = defaultdict(Tally)
    for each in scores:
        for kind, tally in each.items():
            result[kind].add(tally)
    return dict(result)


def scores_of(pages: Iterable[Page], convert: Callable[[Page], str] = markdown_of) -> dict[str, Score]:
    """The scores of pages by their names, whatever converts them."""
    return {page.name: score(page, convert(page)) for page in pages}


def squeezed(text: str) -> str:
    """Letters and digits only: how a text is told from others whatever its syntax."""
    return re.sub(r"[\W_]+", "", text)


def _count_code(result: Score, truth: Structure, found: Structure) -> None:
    left = list(found.code)
    for block in truth.code:
        same = [each for each in left if each.text == block.text]
        result["code"].count(block.text, is_right=bool(same))
        if not same:
            continue
        nearest = next((each for each in same if _language(each) == _language(block)), same[0])
        left.remove(nearest)
        if block.language:
            is_right = _language(nearest) == _language(block)
            result["language"].count(f"{block.language}, not {nearest.language!r}", is_right=is_right)


def _language(block: Code) -> str:
    return _ALIASES.get(block.language, block.language)


def _count_rows(result: Score, truth: Structure, found: Structure) -> None:
    left = list(found.rows)
    for row in truth.rows:
        nearest = max(left, key=lambda other: sum(_equal_cells(row, other)), default=[])
        equal = _equal_cells(row, nearest)
        if all(equal) and nearest:
            left.remove(nearest)
        for cell, is_right in zip(row, equal, strict=True):
            if cell and cell != ANYTHING:
                result["cells"].count(f"{cell} in {row}", is_right=is_right)


def _equal_cells(row: Sequence[str], other: Sequence[str]) -> list[bool]:
    """Whether each cell stands in the same column of the other row."""
    padded = [*other, *[""] * len(row)]
    return [_is_cell(cell, there) for cell, there in zip(row, padded, strict=False)]


def _is_cell(cell: str, other: str) -> bool:
    if cell == ANYTHING:
        return True
    if BLOCK_END in cell or "$" in cell:
        return squeezed(cell) == squeezed(other)
    return cell == other


def _count_headings(result: Score, truth: Structure, found: Structure) -> None:
    wanted, there = [each.text for each in truth.headings], [each.text for each in found.headings]
    kept = dict(_in_order(wanted, there))
    for place, heading in enumerate(truth.headings):
        result["headings"].count(heading, is_right=place in kept)
        if place in kept:
            result["levels"].count(heading, is_right=found.headings[kept[place]].level == heading.level)


def _in_order(wanted: Sequence[str], there: Sequence[str]) -> list[tuple[int, int]]:
    """Places of the longest sequence that both lists have in common."""
    longest = [[0] * (len(there) + 1) for _ in range(len(wanted) + 1)]
    for i in reversed(range(len(wanted))):
        for j in reversed(range(len(there))):
            skipped = max(longest[i + 1][j], longest[i][j + 1])
            longest[i][j] = longest[i + 1][j + 1] + 1 if _is_line(wanted[i], there[j]) else skipped
    pairs, i, j = [], 0, 0
    while i < len(wanted) and j < len(there):
        if _is_line(wanted[i], there[j]):
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif longest[i + 1][j] >= longest[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs


def _is_line(text: str, other: str) -> bool:
    return squeezed(text) == squeezed(other) if "$" in text else text == other


def _count_all(tally: Tally, truth: Sequence[Item] | Sequence[Link], found: Sequence[Item] | Sequence[Link]) -> None:
    exact = Counter(found)
    # Formulas lose backslashes and stars in a reader that knows nothing of them.
    loose = Counter((squeezed(text), *rest) for text, *rest in found)
    for each in truth:
        text, *rest = each
        left, key = (loose, (squeezed(text), *rest)) if "$" in text else (exact, each)
        tally.count(each, is_right=left[key] > 0)
        left[key] -= 1


def _count_words(result: Score, page: Page, found: Structure) -> None:
    words = squeezed(" ".join([*found.texts, *found.math, *(block.text for block in found.code)]))
    for text in page.truth.texts:
        result["text"].count(text, is_right=squeezed(text) in words)
    for text in page.chrome:
        result["chrome"].count(text, is_right=squeezed(text) not in words)


def _count_math(tally: Tally, truth: Sequence[str], markdown: str) -> None:
    """Long formulas have to be there as often as in the page: templates show them twice, to machines and to the eye."""
    there, wanted = _squeezed_tex(markdown), _squeezed_tex("\0".join(truth))
    for tex in dict.fromkeys(map(_squeezed_tex, truth)):
        times, expected = there.count(tex), wanted.count(tex)
        is_right = times == expected if len(tex) > _LONG_FORMULA else times > 0
        tally.count(f"{tex} {times} times, not {expected}", is_right=is_right)


def _squeezed_tex(tex: str) -> str:
    return re.sub(r"\{(\w)\}", r"\1", re.sub(r"\s+", "", tex))


def _count_added(tally: Tally, truth: Structure, found: Structure) -> None:
    """Headings, code and rows that the page does not have; a title that stands outside of the content is no harm."""
    headings = {squeezed(each.text) for each in truth.headings}
    for heading in found.headings:
        tally.count(heading, is_right=heading.level == 1 or squeezed(heading.text) in headings)
    code = {block.text for block in truth.code}
    for block in found.code:
        tally.count(block.text, is_right=block.text in code)
    for row in found.rows:
        is_known = not any(row) or any(all(_equal_cells(wanted, row)) for wanted in truth.rows)
        tally.count(row, is_right=is_known)
