"""Which rules of a sheet apply to a usual screen, and in which order."""

from __future__ import annotations

import pytest

from dowse.extract.html.tree.build import build
from dowse.extract.html.tree.css import StyleSheets, read_style
from dowse.extract.html.tree.values import is_for_screens
from tests.support.tables import each_row

pytestmark = pytest.mark.promise("hidden-styles")


def selectors_of(sheet: str) -> list[str]:
    sheets = StyleSheets()
    sheets.read(sheet)
    return [rule.block.selectors for rule in sheets.rules if rule.style.normal.get("a") == "b"]


@each_row(
    ("media", "holds"),
    [
        ("", True),
        ("print, screen", True),
        ("not screen and (min-width:3000px)", True),
        ("not all", False),
        ("(400px <= width <= 4000px)", True),
        ("(width < 700px)", False),
        ("(min-aspect-ratio: 1/1)", True),
        ("(min-resolution: 2dppx)", False),
        ("(prefers-color-scheme: light)", True),
        ("(prefers-contrast: more)", False),
        ("screen and (not (hover: none))", True),
        ("(hover: none) or (pointer: fine)", True),
        ("(color)", True),
        ("(monochrome)", False),
        ("(nonsense)", False),
        ("(width > 10nonsense)", False),
        ("(aspect-ratio: 1/0)", False),
    ],
)
def test_media_queries_are_judged_for_a_usual_screen(media: str, holds: bool) -> None:
    assert is_for_screens(media) is holds


@each_row(
    ("sheet", "applies"),
    [
        ("@supports (display:grid){.x{a:b}}", True),
        ("@supports not (display:grid){.x{a:b}}", False),
        ("@supports (display:nonsense) or (--x:1){.x{a:b}}", True),
        ("@supports (foo:bar){.x{a:b}}", False),
        ("@container (min-width:300px){.x{a:b}}", True),
        ("@container (max-width:300px){.x{a:b}}", False),
        ("@font-face{a:b}", False),
        ("@keyframes x{to{a:b}}", False),
        ("@starting-style{.x{a:b}}", False),
        ('.q::after{content:"}"}.x{a:b}', True),
        ("<!-- .x{a:b} -->", True),
    ],
)
def test_only_blocks_whose_condition_holds_have_rules(sheet: str, applies: bool) -> None:
    assert (".x" in selectors_of(sheet)) is applies


def test_declarations_around_a_nested_rule_belong_to_the_outer_one() -> None:
    assert selectors_of(".x{a:b;&:hover{a:b}a:b}") == [".x", "&:hover", ".x"]


def test_an_invalid_value_leaves_the_one_before_in_force() -> None:
    assert read_style("display:none;display:nonsense").normal == {"display": "none"}


def test_variables_that_only_the_root_sets_are_known_everywhere() -> None:
    sheets = StyleSheets()
    sheets.read(":root{--a:1;--b:2}.x{--b:3}@property --c{initial-value:4}")
    sheets.fix_variables()
    assert sheets.variables == {"--a": "1", "--c": "4"}


def test_imports_for_other_media_are_not_found() -> None:
    sheet = "@import url(a.css) print;@import 'B.css';@import url('c.css') layer(x) screen;"
    assert build(f"<style>{sheet}</style>").sheets == ["B.css", "c.css"]
