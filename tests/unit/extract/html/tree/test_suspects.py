"""Which elements may be hidden by a rule about what is inside of others, and inside of the root of the page."""

from __future__ import annotations

from dowse.extract.html.tree.css import StyleSheets
from dowse.extract.html.tree.node import Attributes, Element, Node, Work
from dowse.extract.html.tree.suspects import Suspects
from tests.support.tables import each_row


def suspects(sheet: str, root: Attributes | None) -> Suspects:
    """Those of a page with this sheet; without attributes its root is unknown."""
    sheets = StyleSheets()
    sheets.read(sheet)
    return Suspects(sheets, None if root is None else Element("html", root, None, Work(1000)))


def paragraph(around: Attributes) -> Node:
    """`<p>` in a `<div>` in the body, whose parent, the root, is no node of the tree."""
    return Node(2, "p", Node(1, "div", Node(0, "body", None, {}), around), {})


@each_row(
    ("sheet", "root", "around", "is_found"),
    [
        ("html.dark p{display:none}", {"class": "dark"}, {}, True),
        (".dark p{display:none}", {"class": "light dark"}, {}, True),
        ("#top p{display:none}", {"id": "Top"}, {}, True),
        ("[data-theme] p{display:none}", {"data-theme": "dark"}, {}, True),
        (".dark *{display:none}", {"class": "dark"}, {}, True),
        (".dark p{display:none}", {"class": "light"}, {}, False),
        (".dark p{display:none}", {}, {}, False),
        (".dark p{display:none}", None, {}, False),
        (".dark i{display:none}", {"class": "dark"}, {}, False),
        (".dark p{color:red}", {"class": "dark"}, {}, False),
        (".box p{display:none}", None, {"class": "box"}, True),
        (".box p{display:none}", {}, {"class": "box"}, True),
        (".box p{display:none}", {}, {"class": "bag"}, False),
        (".box p,.dark i{display:none}", {"class": "dark"}, {"class": "box"}, True),
    ],
)
def test_an_element_is_found_by_what_is_around_it_and_by_the_root(
    sheet: str, root: Attributes | None, around: Attributes, is_found: bool
) -> None:
    found, new = suspects(sheet, root), paragraph(around)
    assert (found.finds(new), found.names(new)) == (is_found, is_found)
    assert (found.finds(new), found.names(new)) == (is_found, is_found)


@each_row(
    ("tag", "attributes", "is_found"),
    [
        ("p", {}, False),
        ("p", {"hidden": ""}, True),
        ("p", {"aria-hidden": "true"}, True),
        ("p", {"class": "note sr-only"}, True),
        ("p", {"style": "display:none"}, True),
        ("p", {"style": "color:red"}, False),
        ("dialog", {}, True),
        ("p", {"class": "gone"}, True),
        ("p", {"id": "Gone"}, True),
        ("p", {"data-gone": ""}, True),
    ],
)
def test_an_element_is_found_by_its_own_tag_attributes_and_rules(
    tag: str, attributes: Attributes, is_found: bool
) -> None:
    found = suspects(".gone,#gone,[data-gone]{display:none}", {})
    assert found.finds(Node(1, tag, Node(0, "body", None, {}), attributes)) == is_found
