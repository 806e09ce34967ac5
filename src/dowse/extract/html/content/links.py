"""Where the links of a block lead: to other pages of its kind, to tags and authors, to social networks, or nowhere."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain

import numpy as np

from dowse.extract.html.content.blocks import Block
from dowse.extract.html.content.outline import Numbers

COLUMNS = ("link_away", "link_here", "link_tag", "link_social", "link_depth", "link_none", "link_near")
# All of its choices begin with a mark, and those are found at once.
_TAG = re.compile(
    r"/(?:tags?|categor(?:y|ies)|topics?|authors?|users?|u|profile|members?|people|search)(?:[/?.-]|$)|\?s=|&s="
)
_DOMAIN = re.compile(r"\.(?:com|me|net|app)/")
_NETWORKS = (
    *("facebook", "twitter", "x", "linkedin", "pinterest", "instagram", "youtube", "reddit", "tiktok", "t", "wa"),
    *("threads", "bsky"),
)
_APPLICATIONS = ("mailto:", "tel:", "whatsapp:", "sms:")
_LONGEST = 500
_NO_LINK = (0.0,) * len(COLUMNS)
_NOWHERE = (0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)


def columns(blocks: Sequence[Block], url: str) -> Numbers:
    """One row for each block, with the numbers of `COLUMNS`."""
    here = _host_and_path(url)
    about = {href: _about(href[:_LONGEST], *here) for href in {block.href for block in blocks} if href}
    rows = [about[block.href] if block.href else _NOWHERE if block.links else _NO_LINK for block in blocks]
    return np.fromiter(chain.from_iterable(rows), np.float32, len(rows) * len(COLUMNS)).reshape(len(rows), -1)


def _about(href: str, host: str, path: str) -> tuple[float, ...]:
    if href.startswith(("#", "javascript:")):
        return (0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    other_host, other_path = _host_and_path(href)
    lower, within = href.lower(), other_path.strip("/")
    return (
        bool(other_host) and other_host != host,
        "#" in href and (not other_path or other_path == path),
        _TAG.search(lower) is not None,
        _is_social(lower),
        within.count("/") + bool(within),
        0.0,
        len(path) > 1 and other_path.startswith(path.rpartition("/")[0] + "/"),
    )


def _is_social(href: str) -> bool:
    if "share" in href or href.startswith(_APPLICATIONS):
        return True
    return any(href.endswith(_NETWORKS, 0, domain.start()) for domain in _DOMAIN.finditer(href))


def _host_and_path(url: str) -> tuple[str, str]:
    """Roughly: this is asked for every link, and nothing is dialled."""
    scheme, slashes, rest = url.partition("//")
    if not slashes or len(scheme) > len("https:"):
        return "", url.partition("#")[0].partition("?")[0]
    host, slash, path = rest.partition("/")
    return host.lower().removeprefix("www."), slash + path.partition("#")[0].partition("?")[0]
