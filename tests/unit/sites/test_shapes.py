"""Which open APIs are asked is decided by how the query looks."""

from dowse.core.models import Category, Query, TimeRange
from dowse.settings.sites import SEARCHED_SITES
from dowse.settings.sites import SITES as SPECS
from dowse.sites.query import language_of
from dowse.sites.shapes import MOST, SHAPES, choose, is_about_error
from tests.support.tables import each_row

SITES = [SPECS[name] for name in SEARCHED_SITES]
CODE = ("stackexchange", "github")
PAPERS = ("arxiv", "crossref")
ANYTHING = ("wikipedia", "hackernews")


@each_row(
    ("text", "apis"),
    [
        ("TypeError: unhashable type list", CODE),
        ("Traceback most recent call last in celery worker", CODE),
        ("npm ERR! ERESOLVE unable to resolve dependency tree", ("npm", "github", "stackexchange")),
        ("undefined reference to main", CODE),
        ("useEffect runs twice", CODE),
        ("ThreadPoolExecutor shutdown", CODE),
        ("what does os.path.join() do", (*CODE, "wikipedia")),
        ("std::move on a const reference", CODE),
        ("read_text encoding default", CODE),
        ("how to reverse a list in python", (*CODE, "wikipedia")),
        ("c++ virtual destructor", (*CODE, "wikipedia")),
        ("pip install httpx proxies", ("pypi", "github", "stackexchange")),
        ("best python http library", ("pypi", "github", "stackexchange", "wikipedia")),
        ("npm retry with jitter", ("npm", "github", "stackexchange")),
        ("react table library", ("npm", "github", "stackexchange", "wikipedia")),
        ("10.5555/otter.2024.17", ("crossref", "arxiv")),
        ("arXiv 2401.01234", ("crossref", "arxiv")),
        ("survey of graph neural networks", PAPERS),
        ("attention is all you need paper", PAPERS),
        ("Vaswani et al attention", PAPERS),
        ("self-hosted alternative to Notion", ("github", "hackernews")),
        ("Show HN: a search server for agents", ("hackernews", "wikipedia")),
        ("Postgres vs MySQL", (*CODE, "wikipedia", "hackernews")),
        ("who was Ada Lovelace", ANYTHING),
        ("what is photosynthesis", ANYTHING),
        ("Golden Gate Bridge", ANYTHING),
        ("cheap flights to Lisbon", ANYTHING),
    ],
)
def test_the_shape_of_a_query_chooses_the_apis(text: str, apis: tuple[str, ...]) -> None:
    assert choose(Query(text), SITES) == apis


@each_row(
    "text",
    ["plane crash 2024", "linear regression in statistics", "bed bug bites", "human error in aviation", "EUROPE map"],
)
def test_ordinary_words_are_not_taken_for_a_programmers_trouble(text: str) -> None:
    assert not is_about_error(text)
    assert "wikipedia" in choose(Query(text), SITES)


@each_row(
    ("category", "text", "apis"),
    [
        (Category.IT, "otter", (*CODE, "hackernews")),
        (Category.IT, "npm otter", (*CODE, "hackernews", "npm")),
        (Category.SCIENCE, "otter", (*PAPERS, "wikipedia")),
        (Category.SCIENCE, "TypeError: otter", (*PAPERS, "wikipedia", "stackexchange")),
    ],
)
def test_a_category_says_where_to_look_and_the_shape_adds_to_it(
    category: Category, text: str, apis: tuple[str, ...]
) -> None:
    assert choose(Query(text, category=category), SITES) == apis


@each_row(
    ("text", "language", "expected"),
    [
        ("otter habitat", "", "en"),
        ("otter habitat", "de", "de"),
        ("otter habitat", "pt-BR", "pt-br"),
        ("otter habitat", "all", "en"),
        ("otter habitat", "../..", "en"),
        ("梅雨の歩き方", "", "ja"),
        ("北京天气", "", "zh"),
        ("北京天气", "en", "en"),
        ("수달 서식지", "", "ko"),
        ("выдра речная", "", "ru"),
        ("видра річкова", "", "uk"),
        ("ενυδρίδα", "", "el"),
        ("α-synuclein aggregation", "", "en"),
        ("ثعالب الماء", "", "ar"),
        ("גמל שלמה", "", "he"),
        ("उदबिलाव", "", "hi"),
        ("นาก", "", "th"),
    ],
)
def test_the_script_tells_the_language_where_it_is_not_declared(text: str, language: str, expected: str) -> None:
    assert language_of(Query(text, language=language)) == expected


def test_a_domain_of_a_wikipedia_names_its_language() -> None:
    assert language_of(Query("otter", include_domains=("x.org", "sv.wikipedia.org"))) == "sv"


@each_row(
    ("query", "apis"),
    [
        (Query("北京天气"), ("wikipedia",)),
        (Query("Fischotter", language="de"), ("wikipedia",)),
        (Query("Fischotter survey of papers", language="de"), ("wikipedia",)),
        (Query("TypeError 报错 怎么办"), ("wikipedia", *CODE)),
        (Query("otter", language="en-GB"), ANYTHING),
    ],
)
def test_other_languages_are_for_wikipedia_and_code_is_for_all(query: Query, apis: tuple[str, ...]) -> None:
    assert choose(query, SITES) == apis


@each_row(
    ("domains", "apis"),
    [
        (("en.wikipedia.org",), ("wikipedia",)),
        (("stackoverflow.com", "github.com"), CODE),
        (("unix.stackexchange.com",), ("stackexchange",)),
        (("news.ycombinator.com",), ("hackernews",)),
        (("arxiv.org", "doi.org"), PAPERS),
        (("pypi.org", "npmjs.com"), ("pypi", "npm")),
        (("example.org",), ()),
        (("notgithub.com",), ()),
    ],
)
def test_domains_choose_among_the_present(domains: tuple[str, ...], apis: tuple[str, ...]) -> None:
    assert choose(Query("who was the first otter", include_domains=domains), SITES) == apis


@each_row(
    "dated",
    [
        {"time_range": TimeRange.WEEK},
        {"start_date": "2026-01-01"},
        {"end_date": "2026-01-01"},
    ],
)
def test_who_cannot_tell_dates_is_not_asked_for_them(dated: dict[str, str]) -> None:
    assert choose(Query("golden gate bridge", **dated), SITES) == ("hackernews",)  # type: ignore[arg-type]
    assert choose(Query("pip install otter", **dated), SITES) == ("github", "stackexchange")  # type: ignore[arg-type]


def test_an_api_that_is_switched_off_is_not_chosen() -> None:
    assert choose(Query("TypeError: x"), [SPECS["github"]]) == ("github",)
    assert choose(Query("TypeError: x"), []) == ()


def test_a_query_that_looks_like_everything_goes_to_a_few() -> None:
    text = "npm pip install TypeError useEffect() paper github python vs 10.5555/x"
    assert len(choose(Query(text), SITES)) == MOST


def test_every_api_has_its_place_in_the_tables() -> None:
    assert {name for shape in SHAPES for name in shape.apis} == set(SEARCHED_SITES)
