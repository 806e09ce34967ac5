"""Forum threads: recognised by their URL, cut into posts, without signatures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from dowse.extract.html.content import vocabulary
from dowse.extract.html.content.blocks import TextBlock
from dowse.extract.html.content.dom_columns import Numbers
from dowse.extract.html.content.features import FORUM
from dowse.extract.html.tree.grammar import INLINE
from dowse.extract.html.tree.node import Node, Tree

# phpBB, vBulletin and SMF; vBulletin with names; Discourse; XenForo; Invision, NodeBB, Vanilla and MyBB; Flarum.
_PROGRAMS = re.compile(
    r"/(?:viewtopic|showthread|showtopic)\b|/index\.php\?(?:[^#]{0,100}[;&])?topic=\d"
    r"|/forums?/[^?#]{0,200}/(?!(?:19|20)\d\d-)\d{4,9}-"
    r"|/t/(?:[\w%-]{1,400}/)?\d++(?![\w.-])"
    r"|/threads/[\w%.-]{1,400}\.\d"
    r"|/(?:topic|thread|discussion)[/-]\d{5}"
    r"|//[^/?#]{1,255}/d/\d{1,9}-[a-z]",
    re.I,
)
# Sites that run a program of their own.
_SITES = re.compile(
    r"https?://(?:"
    r"(?:[\w-]{1,40}\.)?reddit\.com/r/[^/]{1,60}/comments/"
    r"|news\.ycombinator\.com/item\?|lobste\.rs/s/|lemmy\.[^/]{1,60}/post/\d"
    r"|(?:www\.)?quora\.com/[^/?#-]{1,40}-[^/?#-]{1,40}-"
    r"|(?:[\w-]{1,40}\.){0,3}(?:stackexchange|stackoverflow|superuser|serverfault|askubuntu|mathoverflow)"
    r"\.(?:com|net)/q(?:uestions)?/\d"
    r"|github\.com/[^/]{1,60}/[^/]{1,120}/(?:issues|discussions|pull)/\d|[^/?#]{1,255}/[^?#]{1,300}/-/issues/\d)",
    re.I,
)
# A query may contain a foreign URL, unless the forum has its own parameters there.
_OTHERS = re.compile(r"\?(?!/|(?:[^#]{0,100}[;&])?topic=)[^#]*")
_LONGEST_URL = 2_000
# Weight of a URL against the classifier.
_SURE = 0.8
_POSTS = frozenset({"post", "message", "comment", "reply", "answer", "msg"})
# Elements named like posts are posts only if they hold so much of the kept text.
_MOST = 0.5
# Text above the first post is the title of the thread; a longer one is the question.
_WORDS_OF_A_TITLE = 25
_NUMBER = re.compile(r"\d+")
_LONGEST_NAME = 400
# Parts of a post, however they are named.
_PARTS = INLINE | frozenset({"p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "blockquote", "pre"})
_CALLED = frozenset({"signature", "signatures", "postsignature", "signaturecontainer"})
# `sig` alone, or with its owner: a longer name that contains it may be the post itself.
_SHORT = re.compile(r"(?:(?:user|member|author|poster|post|message)[-_]{0,2})?sig(?!(?-i:[a-z]))", re.I)
_NAMING = ("class", "id", "data-role")
_SIGN = "sig"


def weigh_url(kinds: Numbers, url: str) -> Numbers:
    """Correct the probabilities of the kinds by the URL: a forum is recognised by its form."""
    if not _is_of_thread(url[:_LONGEST_URL]):
        return kinds
    known = np.zeros_like(kinds)
    known[FORUM] = 1
    return np.asarray(_SURE * known + (1 - _SURE) * kinds)


def _is_of_thread(url: str) -> bool:
    return _SITES.match(url) is not None or _PROGRAMS.search(_OTHERS.sub("", url)) is not None


def find_posts(tree: Tree, blocks: Sequence[TextBlock], words: Numbers, kept: Numbers) -> frozenset[int]:
    """Indexes of the elements with which a post begins; empty for fewer than two posts."""
    sums = _kept_before(tree, blocks, words, kept)
    for posts in _group_by_name(tree, sums):
        if len(posts) > 1 and _words_in(posts, sums) >= _MOST * sums[-1]:
            above = sums[posts[0].index]
            is_question = above > _WORDS_OF_A_TITLE
            starts = [posts[0], *_with_surroundings(posts)]
            return frozenset(start.index for start in starts if is_question or sums[start.index] > above)
    return frozenset()


def _kept_before(tree: Tree, blocks: Sequence[TextBlock], words: Numbers, kept: Numbers) -> list[float]:
    """Running sum of kept words before each node, and before the end."""
    weights = np.zeros(len(tree.nodes))
    counts = [len(block.nodes) for block in blocks]
    # On a long page, several posts may be one block.
    weights[[index for block in blocks for index in block.nodes]] = np.repeat(words * kept / counts, counts)
    return [0.0, *np.cumsum(weights).tolist()]


def _group_by_name(tree: Tree, sums: Sequence[float]) -> list[list[Node]]:
    """Elements by tag and post-like name, outermost first."""
    found: dict[tuple[str, str], list[Node]] = {}
    for node in tree.nodes:
        is_named = node.attributes or "-" in node.tag
        if is_named and node.tag not in _PARTS and sums[node.end] > sums[node.index]:
            for name in _names(node):
                found.setdefault((node.tag, name), []).append(node)
    return sorted(found.values(), key=lambda nodes: (nodes[0].index, -len(nodes)))


def _names(node: Node) -> dict[str, None]:
    """The post-like names of an element, without numbers, in their order."""
    called = (
        f"{node.get('class')[:_LONGEST_NAME]} {node.get('id')[:_LONGEST_NAME]} {node.tag if '-' in node.tag else ''}"
    )
    every = dict.fromkeys(_NUMBER.sub("", called).split())
    return {name: None for name in every if not _POSTS.isdisjoint(vocabulary.words_of(name))}


def _words_in(posts: Sequence[Node], sums: Sequence[float]) -> float:
    """Number of kept words in all posts; one may be inside of another."""
    total, end = 0.0, 0
    for post in posts:
        if post.index >= end:
            total += sums[post.end] - sums[post.index]
            end = post.end
    return total


def _with_surroundings(posts: Sequence[Node]) -> Iterator[Node]:
    """For each post but the first the outermost element around no other post: its author may stand beside its text."""
    for number, post in enumerate(posts[1:], 1):
        before = posts[number - 1].index
        behind = posts[number + 1].index if number + 1 < len(posts) else None
        whole = post
        while (
            whole.parent is not None and whole.parent.index > before and (behind is None or whole.parent.end <= behind)
        ):
            whole = whole.parent
        yield whole


def find_signatures(tree: Tree, blocks: Sequence[TextBlock]) -> Numbers:
    """For each block of a thread whether it is in a signature, by the names of the elements around it."""
    inside = bytearray(len(tree.nodes))
    for node in tree.nodes:
        if node.attributes and not inside[node.index] and _is_signature(node):
            inside[node.index : node.end] = b"\1" * (node.end - node.index)
    return np.array([inside[block.nodes[0]] for block in blocks], np.bool_)


def _is_signature(node: Node) -> bool:
    called = " ".join(map(node.get, _NAMING))
    # A cheap test first: most elements fail it.
    return _SIGN in called.lower() and _has_name(called)


@lru_cache(maxsize=2_000)
def _has_name(called: str) -> bool:
    return not _CALLED.isdisjoint(vocabulary.words_of(called)) or any(map(_SHORT.match, called.split()))
