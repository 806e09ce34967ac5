"""Sites read and searched through their own APIs: the lazy table of their names and domains.

It stands apart from the code of the sites, so that a start imports none of it.
"""

from __future__ import annotations

from collections.abc import Mapping

SITES: Mapping[str, tuple[str, ...]] = {
    "stackexchange": (
        *("stackoverflow.com", "stackexchange.com", "serverfault.com", "superuser.com", "askubuntu.com"),
        *("mathoverflow.net", "stackapps.com"),
    ),
    "github": ("github.com",),
    "wikipedia": ("wikipedia.org",),
    "arxiv": ("arxiv.org",),
    "hackernews": ("news.ycombinator.com",),
    "pypi": ("pypi.org",),
    "npm": ("npmjs.com",),
    "crates": ("crates.io",),
    "mdn": ("developer.mozilla.org",),
}
