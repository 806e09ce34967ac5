"""Addresses that say what they lead to: forums are programs, and most have a form of address of their own."""

from __future__ import annotations

import re

import numpy as np

from dowse.extract.choose.kinds import FORUM
from dowse.extract.choose.outline import Numbers

# First those of programs (phpBB, vBulletin, SMF, Discourse, XenForo, Invision, NodeBB, Vanilla, MyBB, Flarum), then of
# sites that run one of their own.
_THREAD = re.compile(
    r"/(?:viewtopic|showthread|showtopic)\b|[?&;]topic=\d|/forums?/[^?#]{0,200}/\d{4,9}-"
    r"|/t/(?:[\w%-]{1,200}/)?\d|/threads/[\w%.-]{1,200}\.\d|/(?:topic|thread|discussion)[/-]\d|/d/\d{1,9}-"
    r"|//(?:[\w-]{1,40}\.)?reddit\.com/r/[^/]{1,60}/comments/"
    r"|//news\.ycombinator\.com/item\?|//lobste\.rs/s/|//lemmy\.[^/]{1,60}/post/\d|//(?:www\.)?quora\.com/[^/?#]{1,40}-"
    r"|//(?:[\w-]{1,40}\.){0,3}(?:stackexchange|stackoverflow|superuser|serverfault|askubuntu|mathoverflow)"
    r"\.(?:com|net)/q(?:uestions)?/\d"
    r"|//github\.com/[^/]{1,60}/[^/]{1,120}/(?:issues|discussions|pull)/\d|/-/issues/\d",
    re.I,
)
_LONGEST = 2_000
# So sure is an address.
_SURE = 0.8


def with_address(kinds: Numbers, url: str) -> Numbers:
    """How likely a page is of each kind, given what its content says of it and what its address does."""
    if not _THREAD.search(url[:_LONGEST]):
        return kinds
    known = np.zeros_like(kinds)
    known[FORUM] = 1
    return np.asarray(_SURE * known + (1 - _SURE) * kinds)
