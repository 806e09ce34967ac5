"""Markdown on a terminal: laid out for its width, and no escape sequence but colour."""

import re

from dowse.surfaces.cli.markdown import render
from tests.support.tables import each_row

PAGE = """\
# Otter

Otter is *small*, **bold** and `quick`. See [the manual](https://example.org/manual) or <https://example.org/>.
Its type is Vec<u8>.

## Install

1. Get it:

   ```sh
   pip install otter
   ```

2. Use it
   - on land
     - in a river

> Mind the **fish**.

| Name | Default |
| --- | ---: |
| `TIMEOUT` | 30 |

```python
def swim(depth: int) -> None:
    if depth:

        return
```
"""
LAID_OUT = """\
# Otter

Otter is small, bold and quick. See the manual
(https://example.org/manual) or https://example.org/. Its
type is Vec<u8>.

## Install

 1 Get it:
       pip install otter
 2 Use it
    • on land
       • in a river

▌ Mind the fish.

Name     Default
────────────────
TIMEOUT       30

    def swim(depth: int) -> None:
        if depth:

            return"""
_COLOUR = re.compile(r"\x1b\[[\d;]*m")


def test_a_page_is_laid_out_without_a_single_escape_where_no_colour_is_wanted() -> None:
    assert render(PAGE, width=60, colour=False) == LAID_OUT


def test_colour_changes_nothing_but_colour() -> None:
    coloured = render(PAGE, width=60, colour=True)
    assert coloured != LAID_OUT
    plain = _COLOUR.sub("", coloured)
    assert [line.rstrip() for line in plain.split("\n")] == LAID_OUT.split("\n")


def test_links_are_written_out_and_not_hidden_in_the_terminal() -> None:
    """OSC 8 would hide the address that a page gives to its words."""
    assert "\x1b]" not in render("[bank](https://evil.example/)", width=60, colour=True)
    assert render("[bank](https://evil.example/)", width=60, colour=False) == "bank (https://evil.example/)"


@each_row("colour", [True, False])
@each_row(
    "hostile",
    [
        "a &#27;[2J &#x1b;]0;title&#7; &#155;31m b",
        "[a&#x202e;b](https://example.org/&#x202e;x)",
        "`&#27;` &zwj;&#x200b;&#xad; &#xe0041;",
        "| &#27;[2J | &#x202e; |\n| --- | --- |\n| &#8; | &#127; |",
        "```&#27;\n&#27;[2J\n```",
        '[a](https://example.org/ "&#27;[2J")',
        "# &#27;[2J\n\n- &#13;overwritten",
        "![&#27;[2J](https://example.org/x.png)",
    ],
)
def test_no_page_can_write_an_escape_sequence_by_character_references(hostile: str, colour: bool) -> None:
    """The text is clean when it comes, but the parser makes characters of references."""
    shown = _COLOUR.sub("", render(hostile, width=60, colour=colour))
    assert [character for character in shown if character != "\n" and not character.isprintable()] == []


def test_nothing_of_a_table_is_lost_in_a_narrow_terminal() -> None:
    cells = ["one", "two", "three", "seventeen", "twenty-one"]
    table = f"| {' | '.join('abcde')} |\n{'| --- ' * 5}|\n| {' | '.join(cells)} |"
    lines = render(table, width=30, colour=False).split("\n")
    assert max(map(len, lines)) <= 30
    assert sorted("".join(lines[2:]).replace(" ", "")) == sorted("".join(cells))


def test_long_lines_of_code_and_words_stay_within_the_width() -> None:
    page = f"{'x' * 100}\n\n```python\n{'value = 1 + ' * 20}\n```\n\n- {'item ' * 30}\n\n> {'quote ' * 30}"
    assert max(map(len, render(page, width=40, colour=False).split("\n"))) <= 40


def test_code_in_an_unknown_language_and_a_long_piece_are_plain() -> None:
    for page in ("```nonsense\nx = 1\n```", "```python\n" + "x = 1\n" * 2000 + "```"):
        shown = render(page, width=60, colour=True)
        assert set(_COLOUR.findall(shown)) <= {"\x1b[49m", "\x1b[0m"}


HOSTILE = ("[", "*a_", "`a", "> ", "- ", "|", "[](", "![[", "&#", "<", "| x | y |\n")


@each_row("part", HOSTILE)
def test_a_hostile_page_stays_within_the_width(part: str) -> None:
    shown = _COLOUR.sub("", render(part * (600 // len(part)), width=60, colour=True))
    assert max(map(len, shown.split("\n"))) <= 60
    assert [character for character in shown if character != "\n" and not character.isprintable()] == []
