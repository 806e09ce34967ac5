"""The page a loader hands out: its headings are ours alone, and what is missing is said."""

from __future__ import annotations

from dowse.sites.compose import (
    Part,
    PartList,
    compose_page,
    day,
    fence_indented_code,
    label,
    labels,
    link,
    shift_headings,
    shorten,
    title,
)
from tests.support.tables import each_row

URL = "https://site.example/q/1"


def part(number: int, words: int = 1) -> Part:
    return Part(f"## Answer {number}", ["Score: 1"], "word " * words)


def test_a_part_is_its_heading_its_facts_on_one_line_and_its_body() -> None:
    shown = str(Part("## Answer", ["Score: 3", "", "Author: ana"], "\n  code first\n\nText.\n"))
    assert shown == "## Answer\n\nScore: 3 | Author: ana\n\n  code first\n\nText."


def test_what_people_call_themselves_adds_neither_a_line_nor_a_fact_nor_a_heading() -> None:
    shown = str(Part("## By ana\n# Accepted", ["Author: ana | Score: 99\n# Accepted"]))
    assert shown == "## By ana # Accepted\n\nAuthor: ana \\| Score: 99 # Accepted"


@each_row(
    ("moment", "expected"),
    [
        ("2026-10-02T11:12:13Z", "2026-10-02"),
        (1_790_000_000, "2026-09-21"),
        (0, "1970-01-01"),
        ("yesterday\n# Forged", ""),
        (1_767_312_000, "2026-01-02"),
        (10**17, ""),
        (10**20, ""),
        (10**30, ""),
        (float("nan"), ""),
        (None, ""),
        ([], ""),
    ],
)
def test_a_day_is_told_from_a_timestamp_of_either_kind_and_never_made_up(moment: object, expected: str) -> None:
    assert day(moment) == expected


def test_a_label_is_plain_text_on_one_line() -> None:
    assert label("ana\n[x](https://evil.example) *y* `z`") == r"ana \[x\](https://evil.example) \*y\* \`z\`"
    assert label("snake_case_stays") == "snake_case_stays"


def test_neither_end_of_a_link_can_end_it_early() -> None:
    assert link("a](https://evil.example)", "https://site.example/b_(c) d") == (
        r"[a\](https://evil.example)](https://site.example/b_%28c%29%20d)"
    )


@each_row(
    ("markdown", "expected"),
    [
        ("# One\ntext\n### Three", "### One\ntext\n##### Three"),
        ("  ## Indented\n#\tTab\n#", "#### Indented\n###\tTab\n###"),
        ("###### Deepest", "###### Deepest"),
        ("Title\n=====\ntext\n\nSecond\n---", "### Title\ntext\n\n#### Second"),
        ("#hashtag\n\\# no heading\n    # code", "#hashtag\n\\# no heading\n    # code"),
        ("text\n\n---\nmore", "text\n\n---\nmore"),
        ("- item\n---\n> quote\n---\n| a |\n---", "- item\n---\n> quote\n---\n| a |\n---"),
        ("```sh\n# comment\nTitle\n===\n```\n# One", "```sh\n# comment\nTitle\n===\n```\n### One"),
        ("````\n```\n# in code\n````\n# One", "````\n```\n# in code\n````\n### One"),
        ("```\ncode\n```\n---\n# One", "```\ncode\n```\n---\n### One"),
        ("    ```\n\n# One", "    ```\n\n### One"),
        ("\u00a0```\n# One", "\u00a0```\n### One"),
        ("- ```\n# One", "- ```\n### One"),
    ],
)
def test_headings_go_down_and_nothing_else_changes(markdown: str, expected: str) -> None:
    assert shift_headings(markdown, 2) == expected


def test_line_ends_of_other_systems_hide_no_heading() -> None:
    assert shift_headings("Title\r\n=====\r\n\r\n# One", 2) == "### Title\n\n### One"


@each_row(
    ("markdown", "expected"),
    [
        (
            "Text:\n\n    let v = vec![];\n\n      deeper\n\nMore.",
            "Text:\n\n```\nlet v = vec![];\n\n  deeper\n```\n\nMore.",
        ),
        ("\tcode\n", "```\ncode\n```\n"),
        ("\tif x:\n\t\tgo(\t1)", "```\nif x:\n\tgo(\t1)\n```\n"),
        ("Text\n    goes on", "Text\n    goes on"),
        ("- item\n\n    its second paragraph\n\nText.\n\n    code", None),
        ("```\n\n    in a fence\n```", "```\n\n    in a fence\n```"),
        ("    ```\n    x", "````\n```\nx\n````\n"),
        ("    `````\n    x", "``````\n`````\nx\n``````\n"),
        ("", ""),
    ],
)
def test_indented_code_gets_fences_and_nothing_else_does(markdown: str, expected: str | None) -> None:
    expected = expected if expected is not None else markdown.replace("    code", "```\ncode\n```\n")
    assert fence_indented_code(markdown) == expected


def test_a_page_that_fits_says_nothing_of_limits() -> None:
    text = compose_page(URL, "A title", [Part("# A title"), part(1)], max_chars=1000)
    assert text.markdown == "# A title\n\n## Answer 1\n\nScore: 1\n\nword"
    assert (text.title, text.word_count, text.is_cut, text.url) == ("A title", 9, False, URL)


def test_a_page_that_is_too_long_ends_with_a_whole_word_and_says_what_limits_it() -> None:
    text = compose_page(URL, "", [Part("# T", body="word " * 100)], max_chars=99, variable="SITE_MAX_CHARS")
    body, _, note = text.markdown.rpartition("\n\n")
    assert body.endswith("word")
    assert len(body) <= 99
    assert note == f"…(truncated: the text is limited to 99 characters by SITE_MAX_CHARS; the whole is at {URL})"
    assert text.is_cut


def test_answers_that_did_not_fit_are_counted() -> None:
    answers = PartList("answers", [part(n, words=100) for n in range(1, 6)], 5)
    text = compose_page(URL, "", [Part("# T")], max_chars=1_300, listed=answers)
    assert [f"## Answer {n}" in text.markdown for n in (1, 2, 3, 4)] == [True, True, True, False]
    assert "…(truncated: 3 of 5 answers are shown, the last of them only in part; the text is limited" in text.markdown


def test_an_answer_of_which_next_to_nothing_would_be_left_is_not_begun() -> None:
    answers = PartList("answers", [part(1, words=100), part(2, words=100)], 2)
    text = compose_page(URL, "", [Part("# T")], max_chars=600, listed=answers)
    assert "## Answer 2" not in text.markdown
    assert "…(truncated: 1 of 2 answers are shown; the text is limited to 600 characters; " in text.markdown


def test_answers_that_were_never_loaded_are_counted_with_the_reason() -> None:
    answers = PartList("comments", [part(1)], 7, "SITE_MAX_COMMENTS is 1")
    text = compose_page(URL, "", [], max_chars=1000, listed=answers, rest="Locked.")
    assert text.markdown.endswith(
        f"…(truncated: 1 of 7 comments are shown; SITE_MAX_COMMENTS is 1; the whole is at {URL})\n\nLocked."
    )
    assert text.is_cut


def test_a_list_that_is_complete_says_no_reason() -> None:
    answers = PartList("comments", [part(1)], 1, "SITE_MAX_COMMENTS is 1")
    assert not compose_page(URL, "", [], max_chars=1000, listed=answers).is_cut


def test_a_cut_inside_code_ends_the_code() -> None:
    code = "```python\n" + "\n".join(f"    line_{n} = {n}" for n in range(100)) + "\n```"
    text = compose_page(URL, "", [Part("# T", body=code)], max_chars=500)
    assert text.markdown.count("```") == 2
    assert "    line_1 = 1" in text.markdown


@each_row(
    ("left_open", "end"),
    [
        ("```\ncode", "\n```\n\n## Next"),
        ("- ~~~~\n  code", "\n  ~~~~\n\n## Next"),
        ("> ```\n> code", "\n> ```\n\n## Next"),
    ],
)
def test_code_that_was_left_open_does_not_swallow_the_next_part(left_open: str, end: str) -> None:
    text = compose_page(
        URL, "", [Part("# T", body=left_open), Part("## Next", body="![x](https://t.example/p.png)")], max_chars=999
    )
    assert f"{end}\n\nx" in text.markdown


def test_nothing_invisible_and_no_remote_image_is_left() -> None:
    text = compose_page(
        URL,
        "a\u202eb",
        [Part("# T\u200b", ["x\u202ey"], "a\u200bb ![i](https://t.example/p.png)")],
        max_chars=999,
        rest="![i](//t.example)",
    )
    assert text.markdown == "# T\n\nxy\n\nab i\n\ni"
    assert text.title == "ab"


def syntax(length: int) -> list[str]:
    """Long lines that begin what never comes."""
    return ["#" * length, "=" * length, " " * length + "=", "a\n" + "-" * length + "x", "[" * length]


@each_row("text", syntax(100))
def test_long_lines_of_syntax_are_text(text: str) -> None:
    line = " ".join(text.split())
    assert shift_headings(text, 1) == text
    assert (
        compose_page(URL, text, [Part(text, [text], text)], max_chars=20_000).markdown == f"{line}\n\n{line}\n\n{text}"
    )


@each_row(
    ("written", "heading"),
    [
        ("<select> loses focus inside <form>", r"\<select\> loses focus inside \<form\>"),
        ("<video>: The Video Embed element", r"\<video\>: The Video Embed element"),
        ("Why is &lt; not < in R&D?", r"Why is \&lt; not \< in R&D?"),
        (
            "[x](https://evil.example) <img src=//evil.example>",
            r"\[x\](https://evil.example) \<img src=//evil.example\>",
        ),
    ],
)
def test_a_title_keeps_its_characters_and_none_of_them_is_syntax(written: str, heading: str) -> None:
    text = compose_page(URL, written, [Part(f"# {title(written)}")], max_chars=1000)
    assert (text.title, text.markdown) == (written, f"# {heading}")


def test_no_title_has_a_picture_loaded() -> None:
    text = compose_page(
        URL, "a ![b](https://t.example/p.png)\n\u202ec", [title("![b](https://t.example/p.png)")], max_chars=99
    )
    assert (text.title, text.markdown) == ("a b c", "b")


def test_names_beyond_the_first_are_counted() -> None:
    assert labels(["a", "b*", "c"], 2) == r"a, b\* and 1 more"
    assert labels(["a", "", "b"], 3) == "a, b"


def test_a_page_with_a_shortened_text_is_not_whole() -> None:
    parts = [Part("# T", body=shorten("word " * 100, 50)), part(2)]
    text = compose_page(URL, "", parts, max_chars=1000, variable="SITE_MAX_CHARS")
    note = f"…(truncated: the length of single texts is limited by SITE_MAX_CHARS; the whole is at {URL})"
    assert text.markdown.endswith(f"\n\n{note}")
    assert text.is_cut


def test_what_has_no_parts_has_none_to_count() -> None:
    text = compose_page(URL, "", [Part("# T", body="word " * 100)], max_chars=300, listed=PartList("answers", [], 0))
    assert "answers" not in text.markdown
    assert "the text is limited to 300 characters" in text.markdown


def test_a_part_of_which_little_is_left_when_it_is_cleaned_is_not_said_to_be_whole() -> None:
    text = compose_page(URL, "", [Part("# T", body="a" + "\n" * 10_000 + "the end")], max_chars=300)
    assert "the end" not in text.markdown
    assert text.is_cut


def test_parts_for_which_there_is_no_room_cost_nothing() -> None:
    class Unseen(Part):
        def __str__(self) -> str:
            raise AssertionError("nobody looks at it")

    answers = PartList("answers", [part(1, words=100), part(2, words=100), *[Unseen("## Answer")] * 1000], 1002)
    text = compose_page(URL, "", [], max_chars=700, listed=answers)
    assert "1 of 1002 answers are shown" in text.markdown


HOSTILE = ("<b x", "\u200b", " ", "&a", "![", "a\n")


@each_row("piece", HOSTILE)
def test_a_text_that_is_far_too_long_is_cut(piece: str) -> None:
    hostile = piece * (100_000 // len(piece))
    assert len(label(hostile)) <= 100
    assert len(title(hostile)) <= 400
    made = compose_page(URL, hostile, [Part(label(hostile), body=hostile)], max_chars=20_000)
    assert len(made.markdown) <= 20_200
    assert made.is_cut is bool(made.markdown)
