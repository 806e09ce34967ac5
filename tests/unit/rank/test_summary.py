"""A page in a few of its own words."""

from dowse.core.digests import Source
from dowse.document.markdown import Document
from dowse.rank.summary import MAX_CHARS, summarize
from tests.support.tables import each_row

BRIDGE = "The harbour bridge carries trams again after three weeks of repairs to its counterweight."
FERRIES = "Ferries had taken most passengers across the water while it was closed to all traffic."
FILLERS = [f"Shop{n} had {n} visitors{n} of whom number{n} came late{n} and left early{n} again{n}." for n in range(40)]


def summary(source: Source, question: str) -> str:
    return summarize(source, Document(source.text), question)


def described(description: str, text: str = BRIDGE) -> str:
    return summary(Source(text, "Trams are back", description=description), "")


def test_a_page_is_summarised_by_its_own_description() -> None:
    said = "Trams cross the harbour bridge again: its counterweight was repaired in three weeks of work."
    assert described(said) == said


@each_row(
    "description",
    [
        "Trams and a bridge.",
        "Your source for local stories, sports, weather, events, jobs, classifieds and opinion since 1921.",
        "Trams cross the harbour bridge again, after repairs to the counterweight that took three weeks of…",
        "Trams cross the harbour bridge again, after repairs to the counterweight that took three weeks and cou",
        "The harbour bridge carries trams again. " * 20,
    ],
)
def test_a_description_that_says_little_or_was_cut_is_not_taken_whole(description: str) -> None:
    assert described(description) != description.strip()
    assert len(described(description)) <= MAX_CHARS


@each_row("rest", ["It took three we", "It took …", "It took three weeks [...]"])
def test_of_a_description_that_was_cut_the_whole_sentences_are_taken(rest: str) -> None:
    said = "Trams cross the harbour bridge again. Its counterweight was repaired in three weeks of work."
    assert described(f"{said} {rest}") == said


def test_a_description_may_end_without_a_full_stop() -> None:
    said = "How the harbour bridge came to carry trams again after repairs to its heavy counterweight"
    assert described(said) == said


def test_sentences_that_fit_the_title_are_taken_with_the_first_one() -> None:
    text = "\n\n".join([BRIDGE, *FILLERS, FERRIES])
    assert summary(Source(text, "How ferries took passengers"), "").startswith(BRIDGE)
    assert FERRIES in summary(Source(text, "How ferries took passengers"), "")
    assert FERRIES not in summary(Source(text, "Trams"), "")


def test_sentences_that_fit_the_question_are_taken() -> None:
    text = "\n\n".join([BRIDGE, *FILLERS, FERRIES])
    assert FERRIES in summary(Source(text, "Trams"), "Were there ferries for passengers?")


def test_sentences_stay_in_order_with_a_mark_where_some_are_left_out() -> None:
    text = " ".join([BRIDGE, FERRIES, *FILLERS, "A tram was the first to cross the bridge in the harbour at noon."])
    said = summary(Source(text, "Trams on the harbour bridge"), "")
    assert said.startswith(f"{BRIDGE} {FERRIES} ")
    assert said.endswith(" … A tram was the first to cross the bridge in the harbour at noon.")


def test_what_two_people_wrote_is_not_run_together() -> None:
    assert summary(Source(f"{BRIDGE}\n\n---\n\n{FERRIES}", "Trams"), "") == f"{BRIDGE} … {FERRIES}"


def test_a_sentence_that_says_the_same_again_is_left_out() -> None:
    again = BRIDGE.replace("again", "once more")
    assert summary(Source(f"{BRIDGE} {again}", "Trams"), "") == BRIDGE


def test_a_summary_is_plain_text_on_one_line() -> None:
    text = (
        "The **harbour bridge** carries [trams](https://trams.example/a?b=c.%20d) again.[^2]\n"
        "**All the repairs took three weeks. They were done by night**,\n"
        "to `![x](https://tracker.example/x.png)` everybody."
    )
    said = summary(Source(text), "")
    assert said.startswith(
        "The harbour bridge carries trams again. All the repairs took three weeks. They were done by night, to "
    )
    assert "tracker" not in said


@each_row(
    "before",
    [
        "# A heading that is quite long, long enough to be taken for a paragraph of prose.\n\n",
        "By somebody | two days ago | 5 minutes | share it with friends\n\n",
        "- a list item that goes on for long enough to be mistaken for a paragraph of text.\n\n",
        "| a table | with cells | that are long enough | to be mistaken for a paragraph. |\n\n",
        "> a quotation that goes on for long enough to be mistaken for the page's own words.\n\n",
        "```\na line of code that is long enough to be mistaken for a paragraph of text.\n```\n\n",
        "We may earn a commission if you buy something through links on this page of ours.\n\n",
    ],
)
def test_only_prose_of_the_page_is_taken(before: str) -> None:
    assert summary(Source(before + BRIDGE), "") == BRIDGE


@each_row(
    ("text", "said"),
    [
        (
            "- Trams run every ten minutes on all days of the week.\n- x",
            "Trams run every ten minutes on all days of the week.",
        ),
        ("A paragraph of some length that ends without any full stop at all", None),
        ("港の橋が三週間の修理を終えて再び開通しました。路面電車も通ります。", None),
        ("รถรางกลับมาวิ่งบนสะพานท่าเรืออีกครั้งหลังจากซ่อมแซมเป็นเวลาสามสัปดาห์", None),
        ("После трёх недель ремонта мост снова открыт для трамваев.", None),
    ],
)
def test_a_page_with_prose_has_a_summary(text: str, said: str | None) -> None:
    assert summary(Source(text), "") == (said or text)


@each_row("text", ["", "# Title\n\n- one\n- two\n\nShort.", "| a | b |\n| --- | --- |\n| 1 | 2 |", "```\nx = 1\n```"])
def test_a_page_without_prose_has_none(text: str) -> None:
    assert summary(Source(text, "Title"), "question") == ""


def test_a_sentence_without_end_is_cut_at_a_word() -> None:
    said = summary(Source("word " * 400), "")
    assert len(said) <= MAX_CHARS
    assert said.endswith(" word…")


def test_a_summary_comes_from_the_beginning_of_the_page() -> None:
    text = "\n\n".join([BRIDGE, "```", "x\n" * 20_000, "```", FERRIES])
    assert summary(Source(text, "Ferries took passengers"), "") == BRIDGE


HOSTILE = ("[", "`", "*a ", "a. ", "- x\n\n", "<", "\\", ".", "word…) ")


@each_row("piece", HOSTILE)
def test_summaries_of_hostile_pages_are_bounded(piece: str) -> None:
    said = summary(Source(piece * 1_000, piece * 50, description=piece * 500), piece * 50)
    assert len(said) <= MAX_CHARS
    assert set(said) <= set(piece) | {"…"}
