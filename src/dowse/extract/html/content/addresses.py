"""Addresses that say what they lead to: forums are programs, and most have a form of address of their own."""

from __future__ import annotations

import re

import numpy as np

from dowse.extract.html.content.kinds import FORUM
from dowse.extract.html.content.outline import Numbers

# Of phpBB, vBulletin and SMF; vBulletin with names; Discourse; XenForo; Invision, NodeBB, Vanilla and MyBB; Flarum.
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
# What stands behind a question mark is somebody else's address, unless the program has its own there.
_OTHERS = re.compile(r"\?(?!/|(?:[^#]{0,100}[;&])?topic=)[^#]*")
_LONGEST = 2_000
# So sure is an address.
_SURE = 0.8


def with_address(kinds: Numbers, url: str) -> Numbers:
    """How likely a page is of each kind, given what its content says of it and what its address does."""
    if not _is_of_thread(url[:_LONGEST]):
        return kinds
    known = np.zeros_like(kinds)
    known[FORUM] = 1
    return np.asarray(_SURE * known + (1 - _SURE) * kinds)


def _is_of_thread(url: str) -> bool:
    return _SITES.match(url) is not None or _PROGRAMS.search(_OTHERS.sub("", url)) is not None
