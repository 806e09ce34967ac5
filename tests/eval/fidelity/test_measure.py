"""The measure itself: it has to notice each kind of damage, and nothing else."""

from __future__ import annotations

from collections.abc import Callable

from tests.eval.fidelity.measure import KINDS, score
from tests.eval.fidelity.page import Page
from tests.eval.fidelity.structure import Structure, read
from tests.support.tables import each_row

URL = "https://pages.example.org/one/two.html"
WHOLE = r"""# A title

Some words and [a link](three.html), and the formula $\frac{a_1 + b_1}{c_1}$ in a line.

```python
def run():
    return 1
```

| Name | Value |
| --- | --- |
| `a \| b` | first line second line |

1. one
   - inner
2. two
"""


def _page(truth: str = WHOLE, chrome: tuple[str, ...] = ("Sign in or sign up",)) -> Page:
    truth = truth.replace("$\\", "`$\\").replace("}$", "}$`").replace("first line second", "first line⏎second")
    return Page("page", "family", URL, "", read(truth, URL), chrome)


def _damaged(markdown: str) -> list[str]:
    """The kinds of which something is missing."""
    return [kind for kind, tally in score(_page(), markdown).items() if tally.misses]


def test_a_text_that_is_all_there_has_no_misses() -> None:
    absolute = WHOLE.replace("three.html", "https://pages.example.org/one/three.html")
    tallies = score(_page(), absolute)
    assert {kind: tally.misses for kind, tally in tallies.items()} == {kind: [] for kind in KINDS}
    assert all(tally.total for tally in tallies.values())


@each_row(
    ("damage", "kinds"),
    [
        (lambda text: text.replace("    return", "return"), ["code", "added"]),
        (lambda text: text.replace("```python", "```"), ["language"]),
        (lambda text: text.replace("```python", "```py"), []),
        (lambda text: text.replace("| `a \\| b` |", "| | `a \\| b` |"), ["cells", "text", "added"]),
        (lambda text: text.replace("# A title", "A title"), ["headings"]),
        (lambda text: text.replace("# A title", "## A title"), ["levels"]),
        (lambda text: text.replace("   - inner", "- inner"), ["items"]),
        (lambda text: text.replace("2. two", "and two"), ["items"]),
        (lambda text: text.replace("three.html", "four.html"), ["links"]),
        (lambda text: text.replace("[a link](three.html)", "a link"), ["links"]),
        (lambda text: text.replace("\\frac", "frac"), ["math"]),
        (lambda text: text + "\n$$\\frac{a_1 + b_1}{c_1}$$\n", ["math"]),
        (lambda text: text.replace("Some words", "Some"), ["text"]),
        (lambda text: text + "\nSign in or **sign up**\n", ["chrome"]),
        (lambda text: text + "\n## Related\n", ["added"]),
        (lambda text: text + "\n```\nmore code\n```\n", ["added"]),
    ],
)
def test_damage_of_each_kind_is_noticed(damage: Callable[[str], str], kinds: list[str]) -> None:
    assert _damaged(damage(WHOLE)) == kinds


def test_headings_in_another_order_are_not_all_right() -> None:
    page = _page("# One\n\n## Two\n\n## Three\n")
    tally = score(page, "# One\n\n## Three\n\n## Two\n")["headings"]
    assert (tally.right, tally.total) == (2, 3)


def test_a_cell_of_which_nothing_is_known_may_hold_anything() -> None:
    page = _page("| A | … |\n| --- | --- |\n| b | c |\n")
    assert score(page, "| A | |\n| --- | --- |\n| b | c |\n")["cells"].misses == []
    assert score(page, "| A | A |\n| --- | --- |\n| b | c |\n")["cells"].misses == []


def test_two_rows_that_are_equal_have_to_be_there_twice() -> None:
    page = _page("| A | B |\n| --- | --- |\n| x | y |\n| x | y |\n")
    tally = score(page, "| A | B |\n| --- | --- |\n| x | y |\n")["cells"]
    assert (tally.right, tally.total) == (4, 6)


def test_structures_add_up() -> None:
    whole = read("# One\n", URL) + read("- two\n", URL)
    assert isinstance(whole, Structure)
    assert (len(whole.headings), len(whole.items)) == (1, 1)
