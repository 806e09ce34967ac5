"""Signatures: what people have put below everything that they write on a forum, whatever it is about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from dowse.extract.html.content import names
from dowse.extract.html.content.blocks import Block
from dowse.extract.html.content.outline import Numbers
from dowse.extract.html.tree.node import Node, Tree

_CALLED = frozenset({"signature", "signatures", "postsignature", "signaturecontainer"})
# Short for it by itself, or with whose it is: what is as high as a post with its `sig` is the post.
_SHORT = re.compile(r"(?:(?:user|member|author|poster|post|message)[-_]{0,2})?sig(?!(?-i:[a-z]))", re.I)
_NAMING = ("class", "id", "data-role")
_SIGN = "sig"


def are_in(tree: Tree, blocks: Sequence[Block]) -> Numbers:
    """For each block of a thread whether it is in a signature, by what its template calls the elements around it."""
    inside = bytearray(len(tree.nodes))
    for node in tree.nodes:
        if node.attributes and not inside[node.index] and _is_signature(node):
            inside[node.index : node.end] = b"\1" * (node.end - node.index)
    return np.array([inside[block.nodes[0]] for block in blocks], np.bool_)


def _is_signature(node: Node) -> bool:
    called = " ".join([node.get(name) for name in _NAMING])
    # Most are not even called something like it.
    return _SIGN in called.lower() and _has_name(called)


@lru_cache(maxsize=2_000)
def _has_name(called: str) -> bool:
    return not _CALLED.isdisjoint(names.words_of(called)) or any(map(_SHORT.match, called.split()))
