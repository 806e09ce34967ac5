"""The code in a text as a list: what it is, where it stands, and nothing that is too long."""

from __future__ import annotations

from dowse.contracts.dropins.swissarmyhammer import list_code_blocks
from tests.support.tables import each_row


@each_row(
    ("markdown", "listed"),
    [
        (
            "Text.\n\n```py\nimport otter\n\notter.swim()\n```\n\nMore.",
            [("py", "import otter\n\notter.swim()", 3)],
        ),
        ("~~~\na\n~~~\n```sh title=x\nb\n```", [(None, "a", 1), ("sh", "b", 4)]),
        ("- item\n\n  ```js\n  f()\n    g()\n  ```\n", [("js", "f()\n  g()", 3)]),
        ("```\nnever closed", [(None, "never closed", 1)]),
        ("```\n```", []),
        ("No code, only `words`.", []),
    ],
)
def test_each_block_has_its_language_its_code_and_its_line(
    markdown: str, listed: list[tuple[str | None, str, int]]
) -> None:
    assert [(each["language"], each["code"], each["start_line"]) for each in list_code_blocks(markdown)] == listed


def test_a_long_block_is_left_out_and_a_short_one_behind_it_is_not() -> None:
    long, short = "x = 1\n" * 400, "y = 2"
    assert [each["code"] for each in list_code_blocks(f"```\n{long}```\n\n```\n{short}\n```")] == [short]
