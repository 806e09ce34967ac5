"""The outline of a page, and finding a section of it by name."""

from dowse.document.markdown import Document
from dowse.document.outline import MOST_SECTIONS, Section, find_section, outline, plain_heading
from tests.support.tables import each_row

PAGE = """Bellows is a small tool.

# Install

Choose your system.

## Linux

Take it from the archive.

```sh
# not a heading
apt install bellows
```

## Windows and *others* ##

Download it.

# Use [`bellows`](https://bellows.example/)

Run it.

#### Options

All are optional.

# C++

Bindings.

# C

More bindings.
"""


def text_of(section: Section | None, page: str = PAGE) -> str:
    return page[section.start : section.end] if section else ""


def test_sections_are_numbered_by_how_they_are_nested() -> None:
    assert [(section.number, section.title, section.level) for section in outline(Document(PAGE))] == [
        ("1", "Install", 1),
        ("1.1", "Linux", 2),
        ("1.2", "Windows and others", 2),
        ("2", "Use bellows", 1),
        ("2.1", "Options", 4),
        ("3", "C++", 1),
        ("4", "C", 1),
    ]


def test_a_section_goes_on_to_the_next_heading_of_its_level_or_above() -> None:
    install, linux, windows, *_ = outline(Document(PAGE))
    assert text_of(install).startswith("# Install\n")
    assert text_of(install) == PAGE[install.start : PAGE.index("# Use")]
    assert text_of(linux).endswith("apt install bellows\n```\n\n")
    assert text_of(windows) == "## Windows and *others* ##\n\nDownload it.\n\n"


def test_the_last_section_goes_on_to_the_end() -> None:
    assert text_of(outline(Document(PAGE))[-1]) == "# C\n\nMore bindings.\n"


def test_a_section_costs_what_it_holds_with_all_under_it() -> None:
    install, linux, windows, *_ = outline(Document(PAGE))
    assert install.tokens > linux.tokens + windows.tokens > windows.tokens > 0


def test_a_long_section_costs_more_although_only_its_beginning_is_counted() -> None:
    short, long = outline(Document("# Short\n\n" + "some words " * 1_000 + "\n\n# Long\n\n" + "some words " * 100_000))
    assert 90 < long.tokens / short.tokens < 110


def test_a_page_without_headings_has_no_outline() -> None:
    assert outline(Document("Just a paragraph.\n\n    # indented code\n\n- # in a list\n\n#hashtag\n")) == ()


@each_row(
    "code",
    [
        "```\n# no\n```",
        "~~~~ text\n# no\n~~~\n# no\n~~~~",
        "````\n```\n# no\n````",
        "- ```\n  # no\n  ```",
        "> ```\n> # no",
        "```\n# no\n   ```",
        "```\n# no\n```python\n# no\n```",
    ],
)
def test_lines_of_code_are_no_headings(code: str) -> None:
    assert [section.title for section in outline(Document(f"# One\n\n{code}\n\n# Two\n"))] == ["One", "Two"]


def test_inline_code_opens_no_block() -> None:
    assert [section.title for section in outline(Document("```x``` is code\n\n# One\n"))] == ["One"]


def test_a_code_block_without_an_end_hides_all_that_follows() -> None:
    assert [section.title for section in outline(Document("# One\n\n```\n# no\n"))] == ["One"]


def test_titles_cannot_make_a_viewer_load_anything() -> None:
    (section,) = outline(Document("# `![x](https://tracker.example/p.png)` <b>bold</b> \\<img src=x>\n"))
    assert "](" not in section.title
    assert "<b>" not in section.title
    assert "<img" not in section.title


def test_of_too_many_sections_the_deepest_are_left_out() -> None:
    page = "".join(f"# {part}\n\n" + "".join(f"### {part}-{n}\n\n" for n in range(9)) for part in range(30))
    sections = outline(Document(page))
    assert len(sections) == MOST_SECTIONS
    assert sum(section.level == 1 for section in sections) == 30
    assert [section.start for section in sections] == sorted(section.start for section in sections)


@each_row(
    ("name", "title"),
    [
        ("1.1", "Linux"),
        ("§2.1", "Options"),
        ("§ 1.2.", "Windows and others"),
        ("2 Use bellows", "Use bellows"),
        ("linux", "Linux"),
        ("  ## LINUX: ", "Linux"),
        ("use `bellows`", "Use bellows"),
        ("wind", "Windows and others"),
        ("others", "Windows and others"),
        ("Install > Linux", "Linux"),
        ("Install › windows", "Windows and others"),
        ("c", "C"),
        ("C++", "C++"),
    ],
)
def test_a_section_is_found_by_its_number_title_or_path(name: str, title: str) -> None:
    found = find_section(Document(PAGE), name)
    assert found is not None
    assert (found.title, text_of(found)) == (
        title,
        text_of(next(s for s in outline(Document(PAGE)) if s.title == title)),
    )


@each_row("name", ["", "9", "1.9", "1.1 Windows", "macOS", "n", "Use bellows > Linux", "b99", "b0", ">"])
def test_what_is_not_there_or_not_clear_is_not_found(name: str) -> None:
    assert find_section(Document(PAGE), name) is None


def test_of_sections_with_the_same_title_the_first_is_found_unless_a_path_tells_them_apart() -> None:
    page = "# Cats\n\n## Food\n\nFish.\n\n# Dogs\n\n## Food\n\nMeat.\n"
    assert "Fish" in text_of(find_section(Document(page), "Food"), page)
    assert "Meat" in text_of(find_section(Document(page), "Dogs > Food"), page)


@each_row("name", ["3", "3.", "§ 3", "2.2", "2026"])
def test_a_bare_number_is_one_of_the_outline_only(name: str) -> None:
    """A heading with the number in its words is another part of the page."""
    page = "# Guide\n\n## Python 3\n\nFirst.\n\n## 2.2 Start\n\nThen.\n\n## 2026\n\nNow.\n"
    assert find_section(Document(page), name) is None
    assert text_of(find_section(Document(page), "2.2 Start"), page) == "## 2.2 Start\n\nThen.\n\n"
    assert text_of(find_section(Document(page), "1.3"), page) == "## 2026\n\nNow.\n"


@each_row(
    ("anchor", "text"),
    [
        ("b1", PAGE),
        ("b4", PAGE[PAGE.index("```sh") : PAGE.index("## Windows")]),
        ("[B3]", PAGE[PAGE.index("Take it") : PAGE.index("## Windows")]),
        ("b2", PAGE[PAGE.index("Choose") : PAGE.index("# Use")]),
    ],
)
def test_from_a_block_on_the_rest_of_its_section_is_found(anchor: str, text: str) -> None:
    assert text_of(find_section(Document(PAGE), anchor)) == text


def test_a_page_without_headings_can_be_read_from_a_block_on() -> None:
    page = "One.\n\nTwo.\n\nThree."
    assert text_of(find_section(Document(page), "b2"), page) == "Two.\n\nThree."


def large(times: int) -> list[tuple[str, int]]:
    """Pages that are made to be slow to look through, and how many headings ten times of them have."""
    return [
        (("## Part\n\n" + "Some words of a paragraph. " * 50 + "\n\n```\n# x\n```\n\n") * times, 10),
        ("# a\n" * 5 * times, 50),
        ("```\n" * 400 * times, 0),
        ("`" * 1_600 * times, 0),
        ("# " + "#" * 1_600 * times, 1),
    ]


@each_row(("page", "count"), large(10))
def test_large_pages_have_the_sections_that_are_outside_of_code(page: str, count: int) -> None:
    assert len(outline(Document(page))) == count


def test_a_section_of_a_page_with_very_many_has_an_outline_of_its_own() -> None:
    page = "\n".join(f"# Part {number}\n## Detail {number}" for number in range(300))
    assert {section.level for section in outline(Document(page))} == {1}
    part = find_section(Document(page), "Part 7")
    assert part
    assert [section.title for section in outline(Document(page), part)] == ["Detail 7"]


@each_row(
    ("line", "words"),
    [
        ("# Install", "Install"),
        ("Install: step 1 (Linux)", "Install: step 1 (Linux)"),
        ("# The `run` command", "The run command"),
        ("# **Bold** and [linked](https://a.example/)", "Bold and linked"),
        ("# C\\#", "C#"),
        ("", ""),
    ],
)
def test_a_heading_is_read_without_its_syntax(line: str, words: str) -> None:
    assert plain_heading(line) == words
