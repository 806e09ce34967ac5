"""Tables with pipes, and tables that are none."""

from __future__ import annotations

import pytest

from tests.support.tables import each_row
from tests.unit.extract.html.render.rendering import markdown


def rows(*lines: str) -> str:
    return "\n".join(lines)


@each_row(
    ("table", "expected"),
    [
        pytest.param(
            "<thead><tr><td>a<td>b</thead><tr><td>1<td>2", ("| a | b |", "| --- | --- |", "| 1 | 2 |"), id="head"
        ),
        pytest.param("<tr><td>a<td>b<tr><td>1<td>2", ("| a | b |", "| --- | --- |", "| 1 | 2 |"), id="no head"),
        pytest.param(
            "<tr><th>a<td>1<tr><th>b<td>2", ("|  |  |", "| --- | --- |", "| a | 1 |", "| b | 2 |"), id="facts"
        ),
        pytest.param(
            "<tr><th align=right>a<th style='text-align: center'>b<th class='text-left'>c<tr><td>1<td>2<td>3",
            ("| a | b | c |", "| ---: | :---: | :--- |", "| 1 | 2 | 3 |"),
            id="alignment",
        ),
        pytest.param(
            "<tr><th>a<th>b<tr><td>x|y<td><code>p|q</code>",
            ("| a | b |", "| --- | --- |", "| x\\|y | `p\\|q` |"),
            id="pipes",
        ),
        pytest.param(
            "<tr><th>a<th>b<tr><td><p>x</p><p>y</p><td>x<br>y",
            ("| a | b |", "| --- | --- |", "| x y | x y |"),
            id="blocks",
        ),
        pytest.param(
            "<tr><th>a<th>b<tr><td>Is: <ul><li>x</li><li><p>y</p></li></ul><td>1",
            ("| a | b |", "| --- | --- |", "| Is: x; y | 1 |"),
            id="list",
        ),
        pytest.param(
            "<tr><th>a<th>b<tr><td><pre>x = 1</pre><td><b>y</b>",
            ("| a | b |", "| --- | --- |", "| `x = 1` | **y** |"),
            id="code",
        ),
        pytest.param(
            "<tr><th><b>a</b><th>b<tr><td><a href=/x>x</a><td>",
            ("| a | b |", "| --- | --- |", "| [x](https://docs.example/x) |  |"),
            id="link",
        ),
        pytest.param(
            "<tr><th colspan=2>a<th>b<tr><td>1<td>2<td>3",
            ("| a |  | b |", "| --- | --- | --- |", "| 1 | 2 | 3 |"),
            id="wide",
        ),
        pytest.param(
            "<tr><th>a<th>b<tr><td rowspan=2>1<td>2<tr><td>3<tr><td>4<td>5",
            ("| a | b |", "| --- | --- |", "| 1 | 2 |", "|  | 3 |", "| 4 | 5 |"),
            id="tall",
        ),
        pytest.param(
            "<caption>T</caption><tr><th>a<th>b<tr><td>1<td>2",
            ("*T*", "", "| a | b |", "| --- | --- |", "| 1 | 2 |"),
            id="caption",
        ),
        pytest.param(
            "<tr><th>a<th>b<tr><td> <td><tr><td>1<td>2", ("| a | b |", "| --- | --- |", "| 1 | 2 |"), id="empty row"
        ),
        pytest.param(
            "<tr><th>a<th>b<tr><td>1<tr><td>2<td>3",
            ("| a | b |", "| --- | --- |", "| 1 |  |", "| 2 | 3 |"),
            id="short row",
        ),
    ],
)
def test_tables_keep_their_cells_in_their_columns(table: str, expected: tuple[str, ...]) -> None:
    assert markdown(f"<table>{table}</table>") == rows(*expected)


def test_a_table_in_an_item_is_part_of_it() -> None:
    page = "<ul><li>a<table><tr><th>b<th>c<tr><td>1<td>2</table></li><li>d</li></ul>"

    assert markdown(page) == "- a\n\n  | b | c |\n  | --- | --- |\n  | 1 | 2 |\n- d"


@each_row(
    ("page", "expected"),
    [
        ("<table role=presentation><tr><td>a<td>b<tr><td>c<td>d</table>", "a b\n\nc d"),
        ("<table><tr><td>a<tr><td>b</table>", "a\n\nb"),
        ("<table><tr><td>a<td>b</table>", "a b"),
        ("<table><tr><td><h2>a</h2><td>b<tr><td>c<td>d</table>", "## a\n\nb\n\nc d"),
        ("<table><tr><td>a<td><pre>b\n c</pre></table>", "a\n\n```\nb\n c\n```"),
        ("<table><tr><td>a<td><p>1<p>2<p>3<p>4<tr><td>b<td>c</table>", "a\n\n1\n\n2\n\n3\n\n4\n\nb c"),
    ],
)
def test_tables_that_only_arrange_are_undone(page: str, expected: str) -> None:
    assert markdown(page) == expected


def test_facts_are_a_table_whatever_role_they_claim() -> None:
    assert "| a | 1 |" in markdown("<table role=presentation><tr><th>a<td>1<tr><th>b<td>2</table>")


def test_a_table_in_a_layout_stays_one_and_claimed_columns_do_not_count() -> None:
    data = "<table><tr><th>a</th><th>b</th></tr><tr><td colspan=1000000000>1</td><td rowspan=9>2</td></tr></table>"

    made = markdown(f"<p>above</p><table><tr><td><p>left</p>{data}</td></tr></table><p>below</p>")

    assert made == "above\n\nleft\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\nbelow"


def test_no_table_is_wider_than_is_readable() -> None:
    made = markdown("<table>" + ("<tr>" + "<td>x" * 500) * 2 + "</table>")

    assert [line.count("|") for line in made.split("\n")] == [61, 61, 61]
