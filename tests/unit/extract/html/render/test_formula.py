"""Formulas come out as TeX, once."""

from __future__ import annotations

import pytest

from tests.support.tables import each_row
from tests.unit.extract.html.render.rendering import markdown

KATEX = (
    '<span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>x</mi></mrow>'
    '<annotation encoding="application/x-tex">x^2 * y_1 * z</annotation></semantics></math></span>'
    '<span class="katex-html">x2y1z</span></span>'
)


@each_row(
    ("source", "expected"),
    [
        pytest.param(KATEX, "$x^2 * y_1 * z$", id="KaTeX"),
        pytest.param(f'<span class="katex-display">{KATEX}</span>', "$$x^2 * y_1 * z$$", id="KaTeX on its own"),
        pytest.param('<math alttext="{\\displaystyle a_1}"><mi>a</mi></math>', "$a_1$", id="alttext"),
        pytest.param('<math display="block" alttext="a"><mi>a</mi></math>', "$$a$$", id="display"),
        pytest.param(
            '<span class="MathJax_Preview"></span><span class="MathJax"><span>ab</span></span>'
            '<script type="math/tex">a_b</script>',
            "$a_b$",
            id="MathJax 2",
        ),
        pytest.param('<script type="math/tex; mode=display">a_b</script>', "$$a_b$$", id="its source alone"),
        pytest.param(
            '<mjx-container display="true"><mjx-math>ab</mjx-math><mjx-assistive-mml>'
            "<math><msub><mi>a</mi><mi>b</mi></msub></math></mjx-assistive-mml></mjx-container>",
            "$$a_{b}$$",
            id="MathJax 3",
        ),
        pytest.param(
            '<span class="mwe-math-element"><span style="display: none;"><math alttext="a"></math></span>'
            '<img class="mwe-math-fallback-image-inline" aria-hidden="true" alt="{\\displaystyle a}"></span>',
            "$a$",
            id="Wikipedia",
        ),
        pytest.param('<img class="latex" alt="a^2">', "$a^2$", id="image"),
        pytest.param('<span class="math inline">\\(a_1 * b_2 * c\\)</span>', "$a_1 * b_2 * c$", id="delimiters"),
        pytest.param("\\[a * b\\] 2*3*4", "$$a * b$$ 2\\*3\\*4", id="delimiters on their own"),
        pytest.param("$$x * y$$ and \\( never closed", "$$x * y$$ and \\\\( never closed", id="dollars"),
    ],
)
def test_a_formula_is_its_source(source: str, expected: str) -> None:
    assert markdown(f"<p>so {source}</p>") == f"so {expected}"


@each_row(
    ("source", "tex"),
    [
        ("<mfrac><mi>a</mi><msup><mi>b</mi><mn>2</mn></msup></mfrac>", "\\frac{a}{b^{2}}"),
        ("<msqrt><mi>x</mi><mo>+</mo><mn>1</mn></msqrt>", "\\sqrt{x+1}"),
        ("<mroot><mi>x</mi><mn>3</mn></mroot>", "\\sqrt[3]{x}"),
        ("<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>", "x_{i}^{2}"),
        ("<msup><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></msup>", "{a+b}^{2}"),
        ("<msup><mi>f</mi><mo>′</mo></msup>", "f'"),
        ("<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>0</mn></mrow><mi>n</mi></munderover>", "\\sum_{i=0}^{n}"),
        ("<munder><mi>lim</mi><mrow><mi>x</mi><mo>→</mo><mn>0</mn></mrow></munder>", "\\lim_{x\\to0}"),
        ("<mover><mi>v</mi><mo>→</mo></mover>", "\\vec{v}"),
        ("<mover><mo>=</mo><mtext>def</mtext></mover>", "\\overset{\\text{def}}{=}"),
        ("<mi>α</mi><mi>x</mi><mo>≤</mo><mi>sin</mi><mi>y</mi>", "\\alpha x\\le\\sin y"),
        ("<mi>rank</mi><mo>&#x2061;</mo><mi>A</mi>", "\\mathrm{rank}A"),
        ("<mfenced><mi>a</mi><mi>b</mi></mfenced>", "(a, b)"),
        (
            "<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr><mtr><mtd><mn>0</mn></mtd><mtd><mn>1</mn></mtd>"
            "</mtr></mtable>",
            "\\begin{matrix} 1 & 0 \\\\ 0 & 1 \\end{matrix}",
        ),
    ],
)
def test_mathml_without_a_source_becomes_tex(source: str, tex: str) -> None:
    assert markdown(f"<p>so <math>\n{source}\n</math></p>") == f"so ${tex}$"


def test_a_formula_is_part_of_its_line_in_links_and_emphasis() -> None:
    formula = "<math><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow></math>"

    assert markdown(f"<a href=/x>the sum {formula}</a> <b>is {formula}</b>") == (
        "[the sum $a+b$](https://docs.example/x) **is $a+b$**"
    )


def test_a_formula_in_a_cell_stays_in_its_line() -> None:
    page = f"<table><tr><th>a<th>b<tr><td>1<td><span class='katex-display'>{KATEX}</span></table>"

    assert markdown(page).endswith("| 1 | $x^2 * y_1 * z$ |")


def test_a_long_formula_is_part_of_its_line_whatever_its_elements_are() -> None:
    rows = "<mtr><mtd><mi>a</mi></mtd><mtd><mn>1</mn></mtd></mtr>" * 8
    made = markdown(f"<dl><dt>Sum <math><mtable>{rows}</mtable><mglyph></mglyph></math></dt><dd>of all</dd></dl>")
    assert made.startswith(r"**Sum $\begin{matrix} a & 1 \\")
