"""Where the posts of a thread begin, so that one is not taken for the end of the one before it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from dowse.extract.html.content import names
from dowse.extract.html.content.blocks import Block
from dowse.extract.html.content.outline import Numbers
from dowse.extract.html.tree.elements import INLINE
from dowse.extract.html.tree.node import Node, Tree

_POSTS = frozenset({"post", "message", "comment", "reply", "answer", "msg"})
# Posts are those elements that hold so much of what is kept; others are called so as well.
_MOST = 0.5
# What is above the first post is the title of the thread, or else it is the question.
_WORDS_OF_A_TITLE = 25
_NUMBER = re.compile(r"\d+")
_LONGEST = 400
# They are parts of a post, whatever they are called.
_PARTS = INLINE | frozenset({"p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "blockquote", "pre"})


def beginnings(tree: Tree, blocks: Sequence[Block], words: Numbers, kept: Numbers) -> frozenset[int]:
    """The indexes of elements with which another post begins; there are none without two posts."""
    sums = _kept_before(tree, blocks, words, kept)
    for posts in _called_alike(tree, sums):
        if len(posts) > 1 and _words_in(posts, sums) >= _MOST * sums[-1]:
            above = sums[posts[0].index]
            is_question = above > _WORDS_OF_A_TITLE
            starts = [posts[0], *_with_surroundings(posts)]
            return frozenset(start.index for start in starts if is_question or sums[start.index] > above)
    return frozenset()


def _kept_before(tree: Tree, blocks: Sequence[Block], words: Numbers, kept: Numbers) -> list[float]:
    """How many words are kept before each node, and before the end, so that two of them tell about an element."""
    weights = np.zeros(len(tree.nodes))
    counts = [len(block.nodes) for block in blocks]
    # On a long page, several posts may be one block.
    weights[[index for block in blocks for index in block.nodes]] = np.repeat(words * kept / counts, counts)
    return [0.0, *np.cumsum(weights).tolist()]


def _called_alike(tree: Tree, sums: Sequence[float]) -> list[list[Node]]:
    """Elements of a tag with a name that posts have; first those that begin first, as they are around the others."""
    found: dict[tuple[str, str], list[Node]] = {}
    for node in tree.nodes:
        is_named = node.attributes or "-" in node.tag
        if is_named and node.tag not in _PARTS and sums[node.end] > sums[node.index]:
            for name in _names(node):
                found.setdefault((node.tag, name), []).append(node)
    return sorted(found.values(), key=lambda nodes: (nodes[0].index, -len(nodes)))


def _names(node: Node) -> dict[str, None]:
    """What an element is called if posts are called so, without its number, in the order in which it is written."""
    called = f"{node.get('class')[:_LONGEST]} {node.get('id')[:_LONGEST]} {node.tag if '-' in node.tag else ''}"
    every = dict.fromkeys(_NUMBER.sub("", called).split())
    return {name: None for name in every if not _POSTS.isdisjoint(names.words_of(name))}


def _words_in(posts: Sequence[Node], sums: Sequence[float]) -> float:
    """How many words of all of them are kept; one may be inside of another."""
    total, end = 0.0, 0
    for post in posts:
        if post.index >= end:
            total += sums[post.end] - sums[post.index]
            end = post.end
    return total


def _with_surroundings(posts: Sequence[Node]) -> Iterator[Node]:
    """For each post but the first the outermost element that holds no other: who wrote it may stand beside its text."""
    for number, post in enumerate(posts[1:], 1):
        before = posts[number - 1].index
        behind = posts[number + 1].index if number + 1 < len(posts) else None
        whole = post
        while (
            whole.parent is not None and whole.parent.index > before and (behind is None or whole.parent.end <= behind)
        ):
            whole = whole.parent
        yield whole
