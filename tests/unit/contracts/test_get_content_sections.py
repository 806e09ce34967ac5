"""Reading one section of a page: by number, heading or block, with a question, and in parts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import jsonschema
import pytest

from dowse.contracts.output import GetContentOutput, schema_of
from dowse.core.errors import InvalidRequest, PageUnreadable
from dowse.core.models import Facts, Page, Status
from dowse.core.tokens import estimate_tokens
from dowse.document.markdown import Document
from dowse.flows.page_view import PageRequest, _select_part
from tests.fakes.bench import ContractBench

URL = "https://example.org/page"
FILLER = "".join(f"Sentence {number} of this part says something about rivers.\n\n" for number in range(30))
LINUX = f"### Linux\n\n{FILLER}The otter weighs nine kilograms.\n\n{FILLER}"
PAGE = f"# Manual\n\nThe lead.\n\n## Install\n\nShort.\n\n{LINUX}### macOS\n\nNothing special.\n\n## Use\n\n{FILLER}"


def a_bench(page: str | Exception = PAGE) -> ContractBench:
    return ContractBench(pages={URL: page}, is_remembering=True)


async def read(bench: ContractBench | None = None, **arguments: object) -> dict[str, Any]:
    page = await (bench or a_bench()).structured("get_content", url=URL, **arguments)
    jsonschema.validate(page, schema_of(GetContentOutput))
    return page


@pytest.mark.parametrize("name", ["1.1.1", "Linux", "linux", "Install > Linux"])
async def test_a_section_is_found_by_its_number_and_by_its_heading(name: str) -> None:
    page = await read(section=name)
    assert page["page_content"] == LINUX
    assert (page["status"], page["next_cursor"], page["total_tokens"]) == ("truncated", "", estimate_tokens(PAGE))


async def test_a_block_is_read_to_the_end_of_its_section() -> None:
    weight = PAGE.index("The otter weighs")
    anchor = next(block.anchor for block in Document(PAGE).blocks if block.start == weight)
    assert (await read(section=anchor))["page_content"] == PAGE[weight : PAGE.index("### macOS")]


async def test_the_text_says_that_there_is_more_of_the_page_and_has_no_second_title() -> None:
    text = (await a_bench().call("get_content", url=URL, section="macOS")).text
    assert "\n### macOS\n\nNothing special.\n>>> end of page" in text
    assert "# Manual" not in text
    assert text.endswith(
        f'(A part of the page, which has about {estimate_tokens(PAGE):,} tokens. All of it: get_content(url="{URL}").)'
    )


async def test_the_parts_of_a_long_section_join_to_it_and_end_with_it() -> None:
    bench = a_bench()
    parts = [await bench.structured("get_content", url=URL, section="Linux", max_tokens=300)]
    while parts[-1]["next_cursor"]:
        parts.append(await read(bench, cursor=parts[-1]["next_cursor"], max_tokens=300))
    assert "".join(str(part["page_content"]) for part in parts) == LINUX
    assert len(parts) > 2
    assert bench.fetcher.asked == [URL]


async def test_a_question_within_a_section_names_the_blocks_of_the_page() -> None:
    page = await read(section="Linux", question="otter weight", max_tokens=150)
    assert "The otter weighs nine kilograms." in page["page_content"]
    (weight,) = (block for block in Document(PAGE).blocks if PAGE[block.start :].startswith("The otter weighs"))
    assert weight.anchor in page["anchors"]
    assert page["blocks"] == f"{len(page['anchors'])} of {len(list(Document(LINUX).blocks))}"


async def test_a_question_that_a_section_has_no_word_of_gets_its_beginning() -> None:
    page = await read(section="Linux", question="quantum chromodynamics", max_tokens=150)
    assert LINUX.startswith(page["page_content"])
    assert page["warnings"] == ["nothing in the section matches the question; this is its beginning"]
    assert page["next_cursor"]


async def test_the_outline_numbers_the_headings() -> None:
    outline = (await read())["outline"]
    assert [(each["number"], each["title"], each["level"]) for each in outline] == [
        ("1", "Manual", 1),
        ("1.1", "Install", 2),
        ("1.1.1", "Linux", 3),
        ("1.1.2", "macOS", 3),
        ("1.2", "Use", 2),
    ]
    assert all(each["tokens"] > 0 for each in outline)


async def test_the_outline_of_a_section_is_what_is_in_it() -> None:
    assert [each["title"] for each in (await read(section="Install"))["outline"]] == ["Linux", "macOS"]
    assert "outline" not in await read(section="macOS")


async def test_the_outline_is_in_the_text_where_the_page_was_cut_and_fenced_like_it() -> None:
    bench = a_bench()
    cut = (await bench.call("get_content", url=URL, max_tokens=100)).text
    *_, outline = cut.split("<<< untrusted outline ")
    assert outline.split("\n")[1].startswith("1 Manual (")
    assert outline.split("\n")[2].startswith("1.1 Install (")
    assert outline.split("\n")[-1].startswith(">>> end of outline ")
    assert '"). Or pass section with a number of the outline.)\n\n<<< untrusted outline' in cut
    assert "untrusted outline" not in (await bench.call("get_content", url=URL)).text


async def test_reading_on_repeats_no_outline() -> None:
    bench = a_bench()
    begun = await read(bench, max_tokens=100)
    further = await bench.call("get_content", url=URL, max_tokens=100, cursor=begun["next_cursor"])
    assert further.structured is not None
    assert "outline" not in further.structured
    assert "untrusted outline" not in further.text


async def test_an_outline_has_forty_entries_at_most_and_the_upper_ones_first() -> None:
    page = "".join(f"## Part {n}\n\nText.\n\n### Detail {n}\n\nText.\n\n" for n in range(30))
    outline = (await read(a_bench(page)))["outline"]
    assert len(outline) == 40
    assert sum(each["level"] == 2 for each in outline) == 30
    assert [each["number"] for each in outline[:4]] == ["1", "1.1", "2", "2.1"]
    text = (await a_bench(page).call("get_content", url=URL, max_tokens=100)).text
    assert "\n10 Part 9 (" in text, "fewer where the budget is small"
    assert "\n… and 50 more\n>>> end of outline " in text


async def test_there_is_one_count_of_tokens_for_a_page() -> None:
    """The outline of a long page is estimated from samples, and agrees with the total all the same."""
    lines = "".join(f"- https://example.org/{number:x}/{number * 7919:x}\n" for number in range(3000))
    page = f"# Manual\n\n## Text\n\n{'A sentence that says something. ' * 300}\n\n## Links\n\n{lines}"
    found = await a_bench(page).call("get_content", url=URL, max_tokens=300)
    assert found.structured is not None
    total, outline = estimate_tokens(page), found.structured["outline"]
    assert found.structured["total_tokens"] == total
    assert f"the page has about {total:,} tokens" in found.text
    assert f"\n1 Manual ({total:,} tokens)\n" in found.text
    assert outline[0]["tokens"] == total  # type: ignore[index]


HTML_TARGETS = "install\tInstall Short.\nlin\tLinux Sentence 0 of this part\nmac\tmacOS\nb\tNothing special."


@pytest.mark.parametrize(
    ("name", "beginning"),
    [
        ("lin", "### Linux"),
        ("mac", "### macOS"),
        ("b", "Nothing special."),
        ("Use", "## Use"),
        ("install", "## Install"),
    ],
)
async def test_a_fragment_of_the_url_or_as_section_selects_that_part(name: str, beginning: str) -> None:
    with_targets = replace(Facts(), targets=HTML_TARGETS)
    for request in (PageRequest(f"{URL}#{name}"), PageRequest(URL, section=f"#{name}")):
        page = Page(request.url, Status.OK, PAGE, final_url=request.url, facts=with_targets)
        section, objection = _select_part(page, request)
        assert section and PAGE[section.start :].startswith(beginning)
        assert objection == ""


@pytest.mark.parametrize(("name", "is_told"), [("nowhere", True), ("/route", False), ("!route", False), ("", False)])
def test_a_fragment_that_the_page_does_not_have_is_told_and_the_page_is_shown(name: str, is_told: bool) -> None:
    page = Page(f"{URL}#{name}", Status.OK, PAGE, facts=replace(Facts(), targets=HTML_TARGETS))
    told = f"the page has no part #{name}; this is its beginning" if is_told else ""
    assert _select_part(page, PageRequest(page.url)) == (None, told)


def test_of_equal_headings_the_one_of_the_fragment_is_selected() -> None:
    text = "# Guide\n\n## Cats\n\n### Food\n\nFish.\n\n## Dogs\n\n### Food\n\nMeat.\n"
    facts = replace(Facts(), targets="c\tCats Food Fish.\ncf\tFood\nd\tDogs\ndf\tFood")
    section, _ = _select_part(Page(f"{URL}#df", Status.OK, text, facts=facts), PageRequest(f"{URL}#df"))
    assert section and text[section.start : section.end] == "### Food\n\nMeat.\n"


@pytest.mark.parametrize(
    ("page", "name", "sentence"),
    [
        (
            PAGE,
            "Lynux",
            "section 'Lynux' is not on the page. Nearest: '1.1.1 Linux'; without section the answer has the outline.",
        ),
        (
            PAGE,
            "b999",
            "section 'b999' is not on the page. It has: '1 Manual', '1.1 Install', '1.1.1 Linux'; "
            "without section the answer has the outline.",
        ),
        (
            "Words without a heading.",
            "Install",
            "section 'Install' is not on the page. It has no headings: leave out section, or pass a question.",
        ),
    ],
)
async def test_a_section_that_is_none_is_refused_with_those_that_there_are(page: str, name: str, sentence: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        await read(a_bench(page), section=name)
    assert str(caught.value) == sentence


async def test_a_heading_in_an_error_is_short_and_can_be_asked_for_as_it_stands_there() -> None:
    page = f"# Install {'now and here ' * 20}\n\nWords.\n\n# Use\n\nOthers."
    with pytest.raises(InvalidRequest) as caught:
        await read(a_bench(page), section="Instal it")
    told = str(caught.value).split("'")[3]
    assert told.startswith("1 Install now and here") and told.endswith("…") and len(told) < 65
    assert (await read(a_bench(page), section=told))["page_content"].endswith("Words.\n\n")


async def test_a_page_that_could_not_be_read_is_its_note_whatever_the_section() -> None:
    page = await read(a_bench(PageUnreadable(Status.NOT_FOUND)), section="Install")
    assert (page["status"], page["warnings"]) == ("not_found", [])
    assert "outline" not in page


async def test_an_empty_section_is_none() -> None:
    """Some models fill in every argument."""
    assert (await read(section=""))["page_content"] == PAGE
