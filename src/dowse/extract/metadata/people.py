"""Who wrote a page, by what it declares and by what it shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from dowse.extract.html.tree.node import Tree
from dowse.extract.metadata import names
from dowse.extract.metadata.body import NEAR, Marks, Reason
from dowse.extract.metadata.titles import compact

# So many different bylines near a headline are those of a list.
_MANY_BYLINES = 4


def authors(tree: Tree, declared: Iterable[list[str]], marks: Callable[[], Marks], sites: Sequence[str]) -> list[str]:
    """The names of the authors. A person comes before the site, and a name that readers see before one of a login."""
    own = {compact(site) for site in sites}
    stated = [list(dict.fromkeys(each)) for each in declared if each]
    best = next((each for each in stated if not own.issuperset(map(compact, each))), [])
    if best and _shows(tree, best[0]):
        return best
    shown = list(_shown(marks()))
    seen = next((each for each in shown if not own.issuperset(map(compact, each))), [])
    return seen or best or next(iter(stated + shown), [])


def _shown(marks: Marks) -> Iterator[list[str]]:
    """The bylines of the page, the best reasons first, and then those below the headline."""
    for reason in Reason:
        is_name = reason in (Reason.PROPERTY, Reason.RELATION, Reason.NAME_CLASS)
        found: dict[tuple[str, ...], int] = {}
        for mark in marks.authors:
            if mark.reason is reason and (reason is Reason.PROPERTY or abs(mark.at - marks.headline_at) < NEAR):
                people = tuple(dict.fromkeys(names.handles(mark.text) if is_name else names.written(mark.text)))
                found.setdefault(people, mark.at)
        found.pop((), None)
        if reason is Reason.PROPERTY or len(found) < _MANY_BYLINES:
            yield from map(list, sorted(found, key=lambda people: found[people] < marks.headline_at))


def _shows(tree: Tree, name: str) -> bool:
    return any(name in node.text for node in tree.nodes if node.text)
