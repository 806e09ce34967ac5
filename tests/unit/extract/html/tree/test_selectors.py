"""Which elements a selector matches."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from dowse.extract.html.tree.node import Element, Work, WorkSpent
from dowse.extract.html.tree.selectors import compile_selectors, matches
from tests.support.tables import each_row

pytestmark = pytest.mark.promise("hidden-styles")

MARKUP = '<div class="box b"><h3>x</h3><p class="note md:gone" data-k="a-bc de" id=n><i></i></p><p>z</p></div>'


def paragraph(work: int = 10_000) -> Element:
    node = LexborHTMLParser(MARKUP).css_first("#n")
    assert node is not None
    budget, parent = Work(work), None
    for tag, names in (("html", {}), ("body", {}), ("div", {"class": "box b"})):
        parent = Element(tag, dict(names), parent, budget)
    element = Element("p", node.attributes, parent, budget)
    element.known_node = node
    return element


@each_row(
    ("selector", "is_matched"),
    [
        (".box .note", True),
        (".box > p", True),
        ("body > p", False),
        ("html .b > .note#n", True),
        ("h3 + p", True),
        ("h3 ~ p", True),
        ("p + p", False),
        (":is(.a, .b) > :is(em, .note)", True),
        (":where(.note)", True),
        ("p:not(.a, .note)", False),
        ("p:not(:hover):not(:focus)", True),
        ("p:hover", False),
        ("p::before", False),
        (r".md\:gone", True),
        (r".n\6fte", True),
        ("[data-k]", True),
        ("[data-k|=a]", True),
        ("[data-k~='de']", True),
        ("[data-k^=a-]", True),
        ("[data-k$=e]", True),
        ("[data-k*='bc d']", True),
        ("[data-k=de]", False),
        ("p:nth-child(2)", True),
        ("p:nth-child(odd)", False),
        ("p:nth-last-child(-n+2)", True),
        ("p:first-of-type", True),
        ("p:last-of-type", False),
        ("p:nth-of-type(1)", True),
        (":root p", True),
        ("p:empty", False),
        (".box:has(i) p", True),
        ("p:has(b)", False),
        (".box *", True),
        ("p:unknown(x)", False),
    ],
)
def test_a_selector_matches_by_names_places_and_relatives(selector: str, is_matched: bool) -> None:
    element = paragraph()
    assert any(matches(each, element) for each in compile_selectors(selector)) is is_matched


@each_row(
    ("nested", "is_matched"),
    [(".note", True), ("& .note", True), ("> p", True), ("&.note", False), ("+ p", False)],
)
def test_a_nested_selector_is_about_elements_of_the_rule_around_it(nested: str, is_matched: bool) -> None:
    scope = compile_selectors(".box, .other")
    assert any(matches(each, paragraph()) for each in compile_selectors(nested, scope)) is is_matched


@each_row(
    ("weaker", "stronger"),
    [("p", ".note"), (".a.b", "#n"), (":where(#n)", "p"), ("p", ":is(p, #x)"), (".a", ".a:hover"), ("p", "p p")],
)
def test_specificity_orders_selectors(weaker: str, stronger: str) -> None:
    one, other = compile_selectors(weaker)[0], compile_selectors(stronger)[0]
    assert one.specificity < other.specificity


@pytest.mark.promise("hidden-linear")
def test_matching_ends_with_the_budget_of_work() -> None:
    with pytest.raises(WorkSpent):
        matches(compile_selectors("b ~ b ~ p")[0], paragraph(work=0))


@given(st.text(alphabet=".#:[]()=~>+*,& abnotishw\"'\\-0", max_size=60))
def test_no_selector_breaks_it(selector: str) -> None:
    for each in compile_selectors(selector):
        matches(each, paragraph())
