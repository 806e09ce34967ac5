"""How a page is cut into blocks: what stands on its own is one, and what is part of a line is not."""

from __future__ import annotations

from dowse.extract.html.content.blocks import TextBlock, cut_blocks
from dowse.extract.html.tree.build import build
from tests.support.tables import each_row


def blocks(markup: str) -> list[TextBlock]:
    return cut_blocks(build(markup))


def texts(markup: str) -> list[str]:
    return [block.text for block in blocks(markup)]


@each_row(
    ("markup", "expected"),
    [
        ("<p>one</p><p>two</p>", ["one", "two"]),
        ("<p>one <b>and <i>the</i> same</b></p>", ["one and the same"]),
        ("<p>one<br>line</p>", ["oneline"]),
        ("<p>one<br><br>two</p>", ["one", "two"]),
        ("<p>one<br> <br/>two</p>", ["one", "two"]),
        ("<div>before<p>inside</p>behind</div>", ["before", "inside", "behind"]),
        ("<ul><li>one<ul><li>two</li></ul></li><li>three</li></ul>", ["one", "two", "three"]),
        ("<table><tr><th>a</th><td>b</td></tr></table>", ["a", "b"]),
        ("<pre>def f():\n  <div>return 1</div></pre>", ["def f(): return 1"]),
        ("<p>  one\n  two\t</p>", ["one two"]),
        ("<p>one</p><p> </p><p>two</p>", ["one", "two"]),
        ("<p>one</p><script>var two</script>", ["one"]),
        ("", []),
        ("<p> \n </p>", []),
    ],
)
def test_a_block_is_what_stands_on_its_own(markup: str, expected: list[str]) -> None:
    assert texts(markup) == expected


def test_a_block_knows_its_element_and_its_text_nodes() -> None:
    tree = build("<main><p>one <b>two</b> three</p></main>")
    (block,) = cut_blocks(tree)

    assert block.container.tag == "p"
    assert [tree.nodes[index].text for index in block.nodes] == ["one ", "two", " three"]


def test_text_behind_a_nested_block_belongs_to_the_element_around_both() -> None:
    before, inside, behind = blocks("<div>before<p>inside</p>behind</div>")

    assert inside.container.tag == "p"
    assert before.container is behind.container


def test_links_and_bold_text_are_counted_in_characters() -> None:
    (block,) = blocks('<p>see <a href="/a">this <b>page</b></a> and <a href="/b">that</a>, <strong>now</strong></p>')

    assert (block.links, block.href) == (2, "/a")
    assert block.linked == len("this") + len("page") + len("that")
    assert block.strong == len("page") + len("now")


def test_neighbours_are_judged_together_on_an_endless_page() -> None:
    """A table of a million cells may not take a million judgements."""
    cells = "".join(f"<tr><td>a{row}</td><td>b{row}</td></tr>" for row in range(6_000))
    tree = build(f"<table>{cells}</table><p>behind</p>")
    found = cut_blocks(tree)

    assert len(found) <= 5_000
    assert found[-1].text == "behind"
    assert sum(len(block.nodes) for block in found) == sum(not node.tag for node in tree.nodes)
