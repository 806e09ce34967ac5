"""Everything at once: what templates rarely write, and people do."""

from __future__ import annotations

from collections.abc import Iterator

from tests.eval.fidelity.page import Page, Site, text

_COMPANY = {
    "tables": "harbour",
    "lists": "bees",
    "code": "typing-tips",
    "links": "lighthouse",
    "lines": "hike",
}
"""The text that each of them stands beside, so that a page looks like one."""


def pages() -> Iterator[Page]:
    """Each of them on two sites."""
    for name, url in (
        ("gutenberg", "https://odd.example.com/notes/one.html"),
        ("katex", "https://odd.example.edu/a/b"),
    ):
        site = Site(name, url, family="oddities")
        for part, beside in _COMPANY.items():
            yield site.page(f"hard-{part}", site.part(text(beside)), site.raw(f"hard-{part}"))
