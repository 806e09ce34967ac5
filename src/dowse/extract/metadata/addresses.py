"""Where a page says it lives, and the name of the site it is on."""

from __future__ import annotations

from dowse.core import urls
from dowse.core.urls import Url
from dowse.extract.html.tree.node import Tree
from dowse.extract.metadata.head import Head

_LONGEST = 2000
_MOST_LINKS = 5
_REPEATED = frozenset({"www", "m", "mobile", "amp"})


def canonical(tree: Tree, head: Head, url: str) -> str:
    """The address that the page gives for itself; empty unless it is one of its own site.

    A page cannot speak for another site, and a front page is no address for what is below it.
    """
    links = tree.head.get("link", ())
    said = [each.get("href") or "" for each in links if "canonical" in (each.get("rel") or "").lower().split()]
    here = urls.parse(urls.without_tracking(url))
    for text in (*said[:_MOST_LINKS], *head.all("og:url")):
        there = urls.parse(text.strip(), url) if 0 < len(text) <= _LONGEST else None
        if there is not None and _is_sane(there, here):
            return urls.without_tracking(there.href)
    return ""


def host_of(url: str) -> str:
    """The host without `www.`, which nobody says."""
    parsed = urls.parse(url)
    return parsed.name.removeprefix("www.") if parsed is not None else ""


def _is_sane(there: Url, here: Url | None) -> bool:
    if there.scheme not in ("http", "https") or not there.is_page:
        return False
    if here is None:
        return True
    if there.path == "/" and not there.query and (here.path != "/" or here.query):
        return False
    one, other = _site_of(there.name), _site_of(here.name)
    return one == other or one.endswith("." + other) or other.endswith("." + one)


def _site_of(host: str) -> str:
    """The host without the labels under which a site repeats itself."""
    return ".".join(label for label in host.split(".") if label not in _REPEATED)
