"""Main-content selection: blocks are scored by the model and cut at the best expected F1, then rules complete them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from dowse.extract.html.content import features, forum, rules
from dowse.extract.html.content.blocks import TextBlock, cut_blocks
from dowse.extract.html.content.dom_columns import Numbers
from dowse.extract.html.content.features import ARTICLE, FORUM, KINDS
from dowse.extract.html.content.forum import weigh_url
from dowse.extract.html.content.model import Model, load_shipped
from dowse.extract.html.tree.grammar import INLINE
from dowse.extract.html.tree.node import Node, Tree

# A selection below both of these is a mistake.
_LITTLE_WORDS = 15
_SMALL_SHARE = 0.2
# Bounds of the cut: a model that is sure of little, or of everything, is wrong.
_LOWEST_CUT, _HIGHEST_CUT = 0.1, 0.5
# Score of sentences that are content where there is no better; cookie and copyright notices score less.
_LIKELY_PROSE = 0.3
_MOST_LINKED = 0.5
_NOTHING = np.zeros(0)
# A forum that is known by its address.
_SURELY_A_FORUM = 0.8
_LEAVES = frozenset({"img", "image", "hr"})


@dataclass(frozen=True, slots=True)
class Selection:
    """The blocks of a page with their scores; content from `cut` on, and after the rules.

    `is_whole`: all blocks are kept. Signatures have no score at all.
    """

    blocks: list[TextBlock]
    scores: Numbers
    cut: float
    are_kept: Numbers
    kind: str
    kind_confidence: float
    is_whole: bool
    rows: Numbers
    best_score: float = 0.0
    """The best score of the first classifier, which is one for pages of all kinds."""
    is_empty_frame: bool = False
    """Whether the page is a frame around nothing."""
    posts: frozenset[int] = frozenset()
    """Indexes of the elements with which a post of a thread begins."""

    @property
    def words(self) -> float:
        """Number of words on the page."""
        return float(self.rows[:, features.WORDS].sum()) if self.blocks else 0.0


def select(tree: Tree, url: str, model: Model | None = None) -> Selection:
    """Select the main content of a page."""
    model = model or load_shipped()
    blocks = cut_blocks(tree)
    if not blocks:
        return Selection([], _NOTHING, 0.0, _NOTHING, "", 0.0, is_whole=True, rows=_NOTHING)
    found = features.measure(tree, blocks, url)
    judged = _judge(model, blocks, found, url)
    kinds, rows, scores = judged.kinds, judged.rows, judged.scores
    kind = int(np.argmax(kinds))
    is_signature = forum.find_signatures(tree, blocks) if kind == FORUM else np.zeros(len(blocks), np.bool_)
    scores = np.where(is_signature, 0.0, scores)
    words = found.blocks[:, features.WORDS]
    limit = min(max(best_cut(scores, words), _LOWEST_CUT), _highest_cut(scores, found.blocks))
    is_small = rules.is_tiny_page(words)
    if is_small:
        kept = rules.select_outside_frame(blocks, words)
    else:
        kept = rules.complete_structure(tree, blocks, words, scores, scores >= limit, is_thread=kind == FORUM)
        # The parts of a manual are read one by one, so repetitions stay.
        kept = kept if KINDS[kind] == "documentation" else rules.drop_repeats(blocks, words, kept & ~is_signature)
    is_whole = bool(words[kept].sum() < min(_LITTLE_WORDS, _SMALL_SHARE * words.sum()))
    kept = np.ones_like(kept) if is_whole else kept
    # A tiny page may be of any kind.
    named, confidence = ("", 0.0) if is_small else (KINDS[kind], float(kinds[kind]))
    return Selection(
        blocks,
        scores,
        limit,
        kept,
        named,
        confidence,
        is_whole,
        rows,
        is_empty_frame=rules.is_empty_frame(rows, judged.first),
        best_score=float(judged.first.max()),
        posts=forum.find_posts(tree, blocks, words, kept) if kind == FORUM else frozenset(),
    )


@dataclass(frozen=True, slots=True)
class _Judged:
    """What the model says of a page and of its blocks."""

    kinds: Numbers
    rows: Numbers
    first: Numbers
    """The first scores; `scores` are those of the second classifier."""
    scores: Numbers


def _judge(model: Model, blocks: Sequence[TextBlock], found: features.Features, url: str) -> _Judged:
    """Judge the blocks of a page, and once more those of a page that is no thread: there, comments are no content."""
    kinds = weigh_url(model.kinds_of(found.page), url)
    rows = features.rows(found.blocks, found.page, kinds)
    scores = model.probabilities(rows, found.alike, float(kinds[FORUM]))
    second = model.articles
    if second is None or kinds[FORUM] >= _SURELY_A_FORUM or second.is_thread(found, kinds, scores):
        return _Judged(kinds, rows, scores, scores)
    again = second.probabilities(blocks, found, kinds, rows, scores)
    # The second classifier does not take the last sentences of a page.
    is_worse = _best_prose(again, rows) < _LIKELY_PROSE <= _best_prose(scores, rows)
    return _Judged(_without_forum(kinds), rows, scores, scores if is_worse else again)


def _without_forum(kinds: Numbers) -> Numbers:
    """The probabilities of the kinds of an article: with a discussion below it, it seems to be a forum."""
    found = kinds.copy()
    found[ARTICLE] += found[FORUM]
    found[FORUM] = 0
    return found


def best_cut(scores: Numbers, words: Numbers) -> float:
    """The score from which on blocks are kept: the cut with the best expected F1.

    If the scores are right, a cut that keeps K words, of which R are content, and there are N such words on the
    page, has an F1 of 2R / (K + N).
    """
    order = np.argsort(-scores, kind="stable")
    right = np.cumsum(scores[order] * words[order])
    expected = 2 * right / (np.cumsum(words[order]) + right[-1] + 1e-9)
    return float(scores[order[int(np.argmax(expected))]])


def _highest_cut(scores: Numbers, rows: Numbers) -> float:
    """Upper bound of the cut that keeps at least one block with sentences: links or single words say little."""
    best = _best_prose(scores, rows)
    return min(best, _HIGHEST_CUT) if best >= _LIKELY_PROSE else _HIGHEST_CUT


def _best_prose(scores: Numbers, rows: Numbers) -> float:
    """The best score of a block with sentences."""
    words, linked, stops = (rows[:, column] for column in (features.WORDS, features.LINKED, features.STOPS))
    is_prose = (words >= features.WORDS_OF_PROSE) & (linked < _MOST_LINKED) & (stops > 0)
    return float(scores[is_prose].max(initial=0.0))


def kept_nodes(tree: Tree, selection: Selection) -> bytearray:
    """A flag for each node: the texts of kept blocks, and the images and rules that go with them."""
    if selection.are_kept.all():
        return bytearray(b"\1") * len(tree.nodes)
    flags = bytearray(len(tree.nodes))
    judged = bytearray(len(tree.nodes))
    holders = set[int]()
    for block, is_kept in zip(selection.blocks, selection.are_kept.tolist(), strict=True):
        for index in block.nodes:
            judged[index], flags[index] = 1, is_kept
        if is_kept:
            holders.add(block.container.index)
    _take_leaves(tree, judged, flags, holders)
    return flags


def _take_leaves(tree: Tree, judged: bytearray, flags: bytearray, holders: Collection[int]) -> None:
    """Keep images and rules inside a kept block, or between two kept texts."""
    leaves = [tree.nodes[place] for place in tree.places(_LEAVES)]
    texts = np.flatnonzero(np.frombuffer(judged, np.uint8))
    # Nothing is kept beyond the first and the last text.
    are_kept = np.concatenate(([0], np.frombuffer(flags, np.uint8)[texts], [0]))
    behind = np.searchsorted(texts, [leaf.index for leaf in leaves])
    for leaf, is_between in zip(leaves, (are_kept[behind] & are_kept[behind + 1]).tolist(), strict=True):
        if is_between or _holder(leaf).index in holders:
            flags[leaf.index] = 1


def _holder(node: Node) -> Node:
    """The closest block element around a node."""
    return next((above for above in node.ancestors() if above.tag not in INLINE), node)
