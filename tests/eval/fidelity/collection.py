"""All the pages, family by family."""

from __future__ import annotations

import functools

from tests.eval.fidelity.families import (
    code_hosts,
    forums,
    highlighters,
    lists_of_links,
    manuals,
    oddities,
    papers,
    press,
    references,
    science,
    shops,
    veterans,
    wikis,
)
from tests.eval.fidelity.page import Page

_FAMILIES = (
    manuals,
    references,
    code_hosts,
    wikis,
    forums,
    shops,
    press,
    science,
    veterans,
    oddities,
    papers,
    highlighters,
    lists_of_links,
)


@functools.cache
def pages() -> tuple[Page, ...]:
    """Every page of every family; names are unique."""
    return tuple(page for family in _FAMILIES for page in family.pages())
