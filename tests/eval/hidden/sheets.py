"""Pages whose style sheets are made to keep a reader busy, of any size."""

from __future__ import annotations

from collections.abc import Callable

from tests.eval.hostile import TOLD

Page = Callable[[int], str]


def _page(sheet: str, body: str = "") -> str:
    return f"<style>{sheet}</style><p>{TOLD}</p>{body}"


def _elements(count: int, markup: str) -> str:
    return "".join(markup.replace("#", str(i)) for i in range(count))


def _rules(count: int, rule: str) -> str:
    return "".join(rule.replace("#", str(i)) for i in range(count))


# Each with the largest number of its pieces.
FAMILIES: dict[str, tuple[Page, int]] = {
    "rules for classes": (
        lambda n: _page(_rules(n, ".c#{display:none;color:red}"), _elements(n, "<i class=c#>x</i>")),
        4_000,
    ),
    "rules for one class": (lambda n: _page(_rules(n, ".a{opacity:.#}"), _elements(n, "<i class='a b#'>x</i>")), 4_000),
    "selectors of one rule": (lambda n: _page(",".join(f".a{i} .b" for i in range(n)) + "{display:none}"), 8_000),
    "descendants": (
        lambda n: _page(_rules(n, ".a .b .c#{display:none}"), "<div class=a>" + _elements(n, "<i class='b c#'>x</i>")),
        4_000,
    ),
    "long selectors": (
        lambda n: _page(" ".join(["div"] * n) + " p{display:none}", "<div>" * 200 + "<p>x</p>" * n),
        2_000,
    ),
    "later siblings": (lambda n: _page("b ~ i ~ i{display:none}", "<i>x</i>" * n), 8_000),
    "counted children": (lambda n: _page("i:nth-last-child(3n+2){display:none}", "<i>x</i>" * n), 8_000),
    "alternatives": (lambda n: _page(f":is({_rules(n, '.a#,')}.b) i{{opacity:0}}", "<i>x</i>" * n), 4_000),
    "alternatives in each other": (
        lambda n: _page(":is(.a," * n + "i" + ")" * n + "{display:none}", "<i>x</i>" * 50),
        8_000,
    ),
    "exceptions": (lambda n: _page("i" + _rules(n, ":not(.a#)") + "{display:none}", "<i>x</i>" * n), 2_000),
    "holders": (lambda n: _page("div:has(.x){display:none}", "<div>" * 100 + "<p>x</p>" * n), 8_000),
    "attributes": (lambda n: _page(_rules(n, "[data-a*='#']{opacity:0}"), _elements(n, "<i data-a='#x'>x</i>")), 2_000),
    "variables": (
        lambda n: _page(":root{" + _rules(n, "--v#:var(--w#);") + "}.a{display:var(--v1)}", "<p class=a>x</p>" * n),
        8_000,
    ),
    "chain of variables": (
        lambda n: _page(":root{" + "".join(f"--v{i}:var(--v{i + 1});" for i in range(n)) + "}p{opacity:var(--v0)}"),
        8_000,
    ),
    "variables that double": (
        lambda n: _page(":root{" + _rules(n, "--v#:var(--w#)var(--w#);--w#:var(--v#)x;") + "}p{left:var(--v0)}"),
        8_000,
    ),
    "variables in every element": (
        lambda n: _page("div{color:var(--a)}", "<div style='--a:#fff;--b:1;opacity:var(--c,1)'>x</div>" * n),
        4_000,
    ),
    "nested rules": (lambda n: _page(".a{" * n + "display:none" + "}" * n, "<p class=a>x</p>" * 100), 20_000),
    "nested lists": (lambda n: _page("p,i{" + "&,& &{opacity:0;" * n, "<p><i>x</i></p>" * 100), 8_000),
    "rules in a rule": (
        lambda n: _page(".a{" + _rules(n, "& .b#{display:none}") + "}", "<p class=b1>x</p>" * n),
        4_000,
    ),
    "conditions in conditions": (lambda n: _page("@media screen{" * n + ".a{display:none}"), 20_000),
    "condition": (lambda n: _page("@media " + "not (" * n + "print{.a{display:none}}"), 40_000),
    "layers": (lambda n: _page(_rules(n, "@layer l#{.a{opacity:0}}"), "<p class=a>x</p>" * 20), 8_000),
    "keyframes": (
        lambda n: _page(_rules(n, "@keyframes k#{to{opacity:0}}.a{animation:k# 1s}"), "<p class=a>x</p>"),
        4_000,
    ),
    "strings": (lambda n: _page(".a::before{content:'" + "{" * n + "'}" + "'" * n), 100_000),
    "comments": (lambda n: _page("/*" * n), 100_000),
    "declarations": (lambda n: _page(".a{" + "color:red;" * n + "}", "<p class=a>x</p>"), 40_000),
    "long values": (lambda n: _page(".a{clip-path:polygon(" + "0 0," * n + "0 0)}", "<p class=a>x</p>" * 20), 40_000),
    "backgrounds": (lambda n: _page("div{background:#fff;color:#fffffe}", "<div>" * 150 + f"<p>{TOLD}</p>" * n), 4_000),
    "escapes": (lambda n: _page(".a\\62 {display:none}" * n, "<p class=ab>x</p>" * 20), 4_000),
    "functions of a transformation": (
        lambda n: _page(".k{transform:scale(.9)" + " rotate(1deg)" * n + "}", _elements(n, "<i class='k c#'>x</i>")),
        4_000,
    ),
    "letters of a function": (
        lambda n: _page(".k{transform:" + "a" * n + "}", _elements(n, "<i class='k c#'>x</i>")),
        4_000,
    ),
    "selectors in a relation": (
        lambda n: _page("div:has(" + _rules(n, ".a#,") + ".b){display:none}", "<div>" + "<i>x</i>" * n + "</div>"),
        4_000,
    ),
    "conditions of one element": (
        lambda n: _page("i" + "[a]" * n + "[b]{display:none}", "<i a>x</i>" * n),
        4_000,
    ),
    "places of one element": (
        lambda n: _page("i" + ":first-child" * n + ":last-child{display:none}", "<b><i>x</i></b>" * n),
        4_000,
    ),
    "properties of one rule": (
        lambda n: _page(".k{opacity:.9;" + _rules(n, "x#:1;") + "}", _elements(n, "<i class='k c#'>x</i>")),
        4_000,
    ),
    "animations of one rule": (
        lambda n: _page(
            "@keyframes j{to{opacity:0}}.k{animation:i forwards" + ",k" * n + "}",
            _elements(n, "<i class='k c#'>x</i>"),
        ),
        4_000,
    ),
    "calculation": (
        lambda n: _page(".k{left:" + "calc(" * n + "1px" + ")" * n + "}", _elements(n, "<i class='k c#'>x</i>")),
        4_000,
    ),
}
