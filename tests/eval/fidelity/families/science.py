"""Papers, notebooks and lecture notes: mathematics as KaTeX, MathJax, MathML and pictures of it."""

from __future__ import annotations

import html
from collections.abc import Iterator

from tests.eval.fidelity import codeblocks
from tests.eval.fidelity.generator import Generator
from tests.eval.fidelity.highlight import PYGMENTS, spans
from tests.eval.fidelity.page import Page, Site, text

_MATHML = 'xmlns="http://www.w3.org/1998/Math/MathML"'


class Katex(Generator):
    """Each formula twice: MathML for machines, and boxes for the eye."""

    def math(self, tex: str, *, is_display: bool) -> str:
        formula = (
            f'<span class="katex"><span class="katex-mathml"><math {_MATHML}><semantics><mrow><mi>y</mi><mo>='
            "</mo><mi>z</mi>"
            f'</mrow><annotation encoding="application/x-tex">{html.escape(tex, quote=False)}</annotation>'
            "</semantics></math>"
            '</span><span class="katex-html" aria-hidden="true"><span class="base"><span class="strut"'
            ' style="height:0.6em;">'
            '</span><span class="mord mathnormal">y</span><span class="mrel">=</span><span class="mord'
            ' mathnormal">z</span>'
            "</span></span></span>"
        )
        return f'<span class="katex-display">{formula}</span>' if is_display else formula


class MathJax2(Generator):
    """A preview, the rendered glyphs, and the source in a script."""

    def math(self, tex: str, *, is_display: bool) -> str:
        mode = "; mode=display" if is_display else ""
        kind = "MathJax_Display" if is_display else "MathJax"
        return (
            f'<span class="MathJax_Preview" style="color: inherit;"></span><span class="{kind}"'
            ' id="MathJax-Element-1-Frame"'
            ' tabindex="0" role="presentation"><nobr aria-hidden="true"><span class="math" style="width: 2em;"><span'
            ' class="mi">y</span><span class="mo">=</span><span class="mi">z</span></span></nobr></span>'
            f'<script type="math/tex{mode}" id="MathJax-Element-1">{tex}</script>'
        )


class Pandoc(Generator):
    def code(self, text: str, language: str) -> str:
        return codeblocks.pandoc(text, language)

    def math(self, tex: str, *, is_display: bool) -> str:
        left, right = (r"\[", r"\]") if is_display else (r"\(", r"\)")
        mode = "display" if is_display else "inline"
        return f'<span class="math {mode}">{left}{html.escape(tex, quote=False)}{right}</span>'


class LaTeXml(Generator):
    names_languages = False

    def code(self, text: str, language: str) -> str:
        rows = "".join(
            f'<div id="lst{number}" class="ltx_listingline"><span class="ltx_text ltx_font_typewriter">'
            f"{codeblocks.escaped(line).replace(' ', chr(160))}</span></div>"
            for number, line in enumerate(codeblocks.lines_of(text), 1)
        )
        data = '<div class="ltx_listing_data"><a href="data:text/jax;base64,ZGVm" download="">&#8681;</a></div>'
        return f'<div class="ltx_listing ltx_lst_language_{language} ltx_lstlisting ltx_listing">{data}{rows}</div>'

    def heading_start(self, level: int, slug: str, text: str) -> str:
        kind = ("document", "section", "subsection", "subsubsection")[level - 1]
        return f'<h{level} class="ltx_title ltx_title_{kind}">'

    def paragraph_open(self, *_: object) -> str:
        return '<div id="S1.p1" class="ltx_para"><p class="ltx_p">'

    def paragraph_close(self, *_: object) -> str:
        return "</p></div>\n"

    def math(self, tex: str, *, is_display: bool) -> str:
        mode = "block" if is_display else "inline"
        formula = (
            f'<math id="m1" class="ltx_Math" alttext="{html.escape(tex)}" display="{mode}"><semantics><mrow><mi>y'
            "</mi><mo>=</mo>"
            '<mi>z</mi></mrow><annotation-xml encoding="MathML-Content"><apply><eq></eq><ci>y</ci></apply>'
            "</annotation-xml>"
            f'<annotation encoding="application/x-tex">{html.escape(tex, quote=False)}</annotation></semantics></math>'
        )
        if not is_display:
            return formula
        return (
            '<table id="E1" class="ltx_equation ltx_eqn_table"><tbody><tr class="ltx_equation ltx_eqn_row'
            ' ltx_align_baseline">'
            '<td class="ltx_eqn_cell ltx_eqn_center_padleft"></td><td class="ltx_eqn_cell'
            f' ltx_align_center">{formula}</td>'
            '<td class="ltx_eqn_cell ltx_eqn_center_padright"></td><td rowspan="1" class="ltx_eqn_cell ltx_eqn_eqno">'
            '<span class="ltx_tag ltx_tag_equation ltx_align_right">(1)</span></td></tr></tbody></table>'
        )

    def table_open(self, *_: object) -> str:
        return '<figure id="S1.T1" class="ltx_table"><table class="ltx_tabular ltx_centering ltx_align_middle">\n'

    def table_close(self, *_: object) -> str:
        return "</table></figure>\n"


class Notebook(Generator):
    names_languages = False

    def code(self, text: str, language: str) -> str:
        return (
            '<div class="cell border-box-sizing code_cell rendered"><div class="input"><div class="prompt'
            ' input_prompt">'
            'In&nbsp;[1]:</div><div class="inner_cell"><div class="input_area"><div class=" highlight'
            ' hl-ipython3"><pre><span>'
            f"</span>{spans(text, PYGMENTS)}</pre></div></div></div></div></div>"
        )

    def heading_end(self, level: int, slug: str, text: str) -> str:
        return f'<a class="anchor-link" href="#{slug}">&#182;</a></h{level}>\n'

    def table_open(self, *_: object) -> str:
        return '<div class="output_html rendered_html output_subarea"><table border="1" class="dataframe">\n'

    def table_close(self, *_: object) -> str:
        return "</table></div>\n"


def pages() -> Iterator[Page]:
    """The two texts with formulas in every form, and what papers and notebooks have besides."""
    yield from Site("katex", "https://notes.example.edu/series.html", Katex).pages("math-series", "math-regression")
    yield from Site("mathjax", "https://lectures.example.edu/ls.html", MathJax2).pages("math-regression", "math-series")
    jax = Site("mathjax3", "https://lectures.example.edu/3/ls.html", family="mathjax")
    yield jax.page("delimited", jax.part(text("math-series")))
    yield jax.page("rendered", jax.part(text("hike")), jax.raw("mathjax3-rendered"))
    yield jax.page("mathml", jax.part(text("chess")), jax.raw("mathml-presentation"))
    pandoc = Site("pandoc", "https://people.example.edu/~ana/regression.html", Pandoc)
    yield pandoc.page("notes", pandoc.part(text("math-regression")), pandoc.raw("pandoc-notes"))
    yield from pandoc.pages("sql", "typing-tips")
    arxiv = Site("latexml", "https://arxiv.example.org/html/2405.00001v1", LaTeXml)
    yield arxiv.page("paper", arxiv.part(text("math-regression")), arxiv.raw("latexml-tables"))
    yield from arxiv.pages("math-series")
    notebook = Site("nbviewer", "https://nbviewer.example.org/github/ana/notes/blob/main/sql.ipynb", Notebook)
    yield notebook.page("frame", notebook.part(text("sql")), notebook.raw("notebook-frame"))
    yield from notebook.pages("retry")
