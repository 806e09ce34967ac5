"""Rules after the model: tiny pages, empty frames, whole tables and lists, headings, repeated text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain, islice

import numpy as np

from dowse.extract.html.content import features, text_features
from dowse.extract.html.content.blocks import TextBlock
from dowse.extract.html.content.dom_columns import Numbers
from dowse.extract.html.tree.listings import find_listings
from dowse.extract.html.tree.node import Node, Tree

# Share of kept words from which on a group is kept as a whole, and below which it is dropped.
_TABLE = (0.5, 0.2)
_LIST = (0.6, 0.25)
_LISTS = frozenset({"ul", "ol", "dl"})
_VERBATIM = frozenset({"pre", "math"})
_GROUPS = _LISTS | _VERBATIM | {"table"}
# Threads are lists, too: a list with longer items, or with most of a page, is judged item by item.
_WORDS_OF_AN_ITEM = 40
_WORDS_OF_A_LINE = 12
_MOST_OF_A_PAGE = 0.5
# A table of data is judged by its best cell.
_CELL_SCORE = 0.4
# A table or a list next to content belongs to it, if a part of it looks like content and it is not mostly links.
_PART_SCORE = 0.1
_MOST_LINKED = 0.5
# A caption may stand between them.
_BEHIND_CAPTION = 2
# Look-alike blocks by the names of so many ancestors are posts from a share of kept words on; the others need a score.
_LEVELS = 3
_FEWEST_POSTS = 3
_MOST_POSTS = 0.6
_POST_SCORE = 0.1
# A heading needs this score, and kept text in so many blocks below it.
_HEADING_SCORE = 0.1
_BELOW = 3
# Names, dates and buttons stand between the title and the text.
_BELOW_THE_TITLE = 12
# A shorter text may well occur twice.
_FEWEST_WORDS = 5
# Code and data may repeat.
_NEVER_REPEATED = frozenset({"pre", "table", "dl"})
_FEW_WORDS = 60
_FEW_BLOCKS = 8
_FRAME = frozenset({"nav", "footer", "aside", "dialog"})
_FRAME_ROLES = frozenset(
    {"navigation", "contentinfo", "complementary", "banner", "search", "dialog", "alertdialog", "alert"}
)
_CALLED_FRAME = re.compile(r"(?<![a-z])(?:breadcrumbs?|cookies?|consent|share|sharing|social)(?![a-z])", re.I)
# Documentation puts its notes and warnings into `aside`.
_CALLED_CONTENT = re.compile(r"(?<![a-z])(?:admonition|note|warning|tip|caution|callout)(?![a-z])", re.I)
_LONGEST_NAME = 200
# On an empty frame no block looks like content, and there are no more words than in menus.
_HOPELESS = 0.2
_MOST_WORDS = 600
_NEARLY_ALL = 0.9
_FRAME_COLUMNS = [
    features.columns().index(name)
    for name in (
        *("around_nav", "around_header", "around_footer", "around_aside"),
        *("all_nav", "all_footer", "all_header", "all_side", "all_modal", "all_consent", "all_sign"),
    )
]


def complete_structure(
    tree: Tree, blocks: Sequence[TextBlock], words: Numbers, scores: Numbers, kept: Numbers, *, is_thread: bool = False
) -> Numbers:
    """Complete the kept blocks: whole tables and lists, headings with the text below them, in a thread all posts."""
    completing = _Completing(blocks, words, scores, kept.copy(), find_listings(tree))
    completing.run(_groups(tree, blocks), is_thread=is_thread)
    return completing.kept


class _Completing:
    """The rules in their order: each one sees the result of those before it."""

    def __init__(
        self,
        blocks: Sequence[TextBlock],
        words: Numbers,
        scores: Numbers,
        kept: Numbers,
        listings: frozenset[int] = frozenset(),
    ) -> None:
        self._listings = listings
        self._blocks, self._words, self._scores, self.kept = blocks, words, scores, kept
        self._words_before: list[float] = [0.0, *np.cumsum(words, dtype=np.float64).tolist()]

    def run(self, groups: Sequence[tuple[Node, int, int]], *, is_thread: bool) -> None:
        for group in groups:
            self._complete_group(*group)
        if is_thread:
            self._take_posts()
        self._take_headings()
        for node, begin, end in groups:
            if self._belongs_to_content(node, begin, end):
                self.kept[begin:end] = True
        self._take_titles()

    def _complete_group(self, node: Node, begin: int, end: int) -> None:
        if node.tag == "table" and self._has_good_cell(begin, end):
            self.kept[begin:end] = True
        elif node.tag == "table":
            self._complete(begin, end, *_TABLE)
        elif node.tag in _LISTS and self._is_of_lines(begin, end):
            self._complete(begin, end, *_LIST)

    def _is_of_lines(self, begin: int, end: int, most_words: int = _WORDS_OF_AN_ITEM) -> bool:
        """Whether the parts of a group are short, and it is not most of the page."""
        words = self._words_in(begin, end)
        return words <= most_words * (end - begin) and words <= _MOST_OF_A_PAGE * self._words_before[-1]

    def _words_in(self, begin: int, end: int) -> float:
        return self._words_before[end] - self._words_before[begin]

    def _has_good_cell(self, begin: int, end: int) -> bool:
        """Whether a table of data has a cell that looks like content: most cells are too short to judge."""
        is_good = float(self._scores[begin:end].max()) >= _CELL_SCORE
        return is_good and self._is_of_lines(begin, end) and self._is_data(begin, end)

    def _is_data(self, begin: int, end: int) -> bool:
        """Whether a group is there to be read, and not for its links."""
        parts = self._blocks[begin:end]
        linked, chars = sum(part.linked for part in parts), sum(len(part.text) for part in parts)
        return linked < _MOST_LINKED * chars and float(self._scores[begin:end].max()) >= _PART_SCORE

    def _complete(self, begin: int, end: int, least: float, little: float) -> None:
        kept = self.kept[begin:end]
        share = float(self._words[begin:end][kept].sum() / self._words_in(begin, end))
        if share >= least:
            kept[:] = True
        elif share < little:
            kept[:] = False

    def _belongs_to_content(self, node: Node, begin: int, end: int) -> bool:
        is_above = bool(self.kept[end : end + 1].any())
        if node.tag in _LISTS:
            return self._is_list_within(node, begin, end, is_above=is_above)
        is_next = is_above or bool(self.kept[max(begin - _BEHIND_CAPTION, 0) : begin].any())
        return is_next and (node.tag in _VERBATIM or node.index in self._listings or self._is_data(begin, end))

    def _is_list_within(self, node: Node, begin: int, end: int, *, is_above: bool) -> bool:
        """Whether content is on both sides of a list of lines, or on one side of a list within an item."""
        is_below = begin > 0 and bool(self.kept[begin - 1])
        is_within = is_below and (is_above or self._is_part_of_item(node, begin, end))
        return is_within and self._is_of_lines(begin, end) and self._is_data(begin, end)

    def _is_part_of_item(self, node: Node, begin: int, end: int) -> bool:
        is_in_item = node.parent is not None and node.parent.tag == "li"
        return is_in_item and self._is_of_lines(begin, end, _WORDS_OF_A_LINE)

    def _take_posts(self) -> None:
        """Keep blocks with the same names as kept posts, even short ones."""
        alike: dict[tuple[str, ...], list[int]] = {}
        for number, block in enumerate(self._blocks):
            around = islice(chain((block.container,), block.container.ancestors()), _LEVELS)
            alike.setdefault(tuple(f"{node.tag} {node.get('class')}" for node in around), []).append(number)
        for members in alike.values():
            kept, words = self.kept[members], self._words[members]
            if len(members) >= _FEWEST_POSTS and words[kept].sum() >= _MOST_POSTS * words.sum():
                self.kept[members] = kept | (self._scores[members] >= _POST_SCORE)

    def _take_headings(self) -> None:
        for number in self._candidates():
            if text_features.heading_level(self._blocks[number]):
                self.kept[number] = bool(self.kept[number + 1 : number + 1 + _BELOW].any())

    def _take_titles(self) -> None:
        """Keep the main heading right above the content; others are the name of the site."""
        for number in self._candidates():
            if self._blocks[number].container.tag == "h1":
                below = slice(number + 1, number + 1 + _BELOW_THE_TITLE)
                first = next((other for other in range(*below.indices(len(self._blocks))) if self.kept[other]), number)
                between = self._blocks[number + 1 : first + 1]
                self.kept[number] = first > number and all(other.container.tag != "h1" for other in between)

    def _candidates(self) -> list[int]:
        """Dropped blocks that may be headings; keeping one does not affect those below it."""
        return np.flatnonzero(~self.kept & (self._scores >= _HEADING_SCORE)).tolist()


def _groups(tree: Tree, blocks: Sequence[TextBlock]) -> list[tuple[Node, int, int]]:
    """Tables, lists and code with their range of blocks."""
    places = tree.places(_GROUPS)
    listings = find_listings(tree)
    nodes = [tree.nodes[place] for place in (sorted({*places, *listings}) if listings else places)]
    first = np.array([block.nodes[0] for block in blocks])
    begins = np.searchsorted(first, [node.index for node in nodes]).tolist()
    ends = np.searchsorted(first, [node.end for node in nodes]).tolist()
    return [group for group in zip(nodes, begins, ends, strict=True) if group[2] > group[1]]


def drop_repeats(blocks: Sequence[TextBlock], words: Numbers, kept: Numbers) -> Numbers:
    """Drop blocks that repeat an earlier one from another place: copies for narrow screens, quoted posts.

    Within one element repetitions stay, such as a refrain.
    """
    found = kept.copy()
    first_by_text: dict[str, TextBlock] = {}
    for number in np.flatnonzero(kept & (words >= _FEWEST_WORDS)).tolist():
        block = blocks[number]
        first = first_by_text.setdefault(block.text, block)
        if first is not block and first.container.parent is not block.container.parent:
            found[number] = _is_verbatim(block)
    return found


def _is_verbatim(block: TextBlock) -> bool:
    return block.container.tag in _NEVER_REPEATED or any(
        above.tag in _NEVER_REPEATED for above in block.container.ancestors()
    )


def is_tiny_page(words: Numbers) -> bool:
    """Whether a page is too small for the model, given the words of each block."""
    return len(words) < _FEW_BLOCKS or float(words.sum()) < _FEW_WORDS


def select_outside_frame(blocks: Sequence[TextBlock], words: Numbers) -> Numbers:
    """The content of a tiny page: everything outside of its frame."""
    around = [[block.container, *block.container.ancestors()][:-1] for block in blocks]
    are_headings = np.array([text_features.heading_level(block) > 0 for block in blocks])
    are_inside = np.array([not any(map(_is_frame, nodes)) for nodes in around])
    are_inside &= are_headings | ~np.array(list(map(_is_in_header, around)))
    are_main = np.array([any(map(_is_main, nodes)) for nodes in around])
    if words[are_inside & are_main].sum() <= words[are_inside].sum() / 2:
        return are_inside
    return np.asarray(are_inside & (are_main | are_headings))


def _is_frame(node: Node) -> bool:
    called = f"{node.get('class')} {node.get('id')}"[:_LONGEST_NAME]
    if node.tag in _FRAME or node.get("role").lower() in _FRAME_ROLES:
        return node.tag != "aside" or _CALLED_CONTENT.search(called) is None
    return _CALLED_FRAME.search(called) is not None


def _is_in_header(around: Sequence[Node]) -> bool:
    """Whether a block is in the header of the page; an article has one of its own."""
    tags = [node.tag for node in around]
    return "header" in tags and not any(map(_is_main, around[tags.index("header") :]))


def _is_main(node: Node) -> bool:
    return node.tag in ("main", "article") or node.get("role") == "main"


def is_empty_frame(rows: Numbers, scores: Numbers) -> bool:
    """Whether a page is a frame around nothing: menus, a footer, and scripts that would fill the rest."""
    words = rows[:, features.WORDS]
    if scores.max() >= _HOPELESS or words.sum() > _MOST_WORDS:
        return False
    in_frame = rows[:, _FRAME_COLUMNS].max(1) > 0
    return bool(words[in_frame].sum() >= _NEARLY_ALL * words.sum())
