"""One body of tests for every scrape API: requests as it wants them, the page as clean text, failures as types."""

import pytest

from dowse.core import errors
from dowse.core.models import Deadline, Text
from dowse.net.clients import ConfiguredClient
from dowse.net.json_api import PAGE_CHARS
from dowse.settings import READERS, SPECS
from tests.contract.conftest import DEADLINE, reader, reader_double
from tests.contract.test_search_providers import FAILURES
from tests.doubles import EXA_KEY, MISBEHAVIOURS, SERPER_KEY, TAVILY_KEY, PocketWeb, closed_port
from tests.fakes import FakeClock

URL = "https://example.org/guide"
# The described ones have a body of their own.
NAMES = [name for name in READERS if not SPECS[name].source]
ENDPOINTS = {"serper": "SERPER_SCRAPE", "exa": "EXA_CONTENTS", "tavily": "TAVILY_EXTRACT"}
SENT = {
    "serper": ("x-api-key", SERPER_KEY, {"url": URL, "includeMarkdown": True}),
    "exa": ("x-api-key", EXA_KEY, {"urls": [URL], "text": {"maxCharacters": PAGE_CHARS + 1}}),
    "tavily": (
        "authorization",
        f"Bearer {TAVILY_KEY}",
        {"urls": [URL], "extract_depth": "basic", "format": "markdown"},
    ),
}


def answer(name: str, text: object, title: object = "") -> dict[str, object]:
    """A page in the words of each API."""
    return {
        "serper": {"markdown": text, "metadata": {"title": title}},
        "exa": {"results": [{"text": text, "title": title}], "statuses": []},
        "tavily": {"results": [{"raw_content": text, "title": title}], "failed_results": []},
    }[name]


@pytest.mark.parametrize("name", NAMES)
async def test_a_page_comes_back_as_markdown_with_its_words_counted(
    web: PocketWeb, client: ConfiguredClient, name: str
) -> None:
    text = await reader(web, name, client).read(URL, DEADLINE)
    expected = f"# Page at {URL}\n\nNobody wrote it. Read by **{name}** for [you]({URL})."
    title = "" if name == "tavily" else f"Page at {URL}"
    # Serper sends plain text beside it.
    plain = f"Page at {URL}\n\nNobody wrote it. Read by serper for you." if name == "serper" else ""
    assert text == Text(expected, title, len(expected.split()), plain=plain)


@pytest.mark.parametrize("name", NAMES)
async def test_exactly_one_request_is_sent_and_field_by_field_what_the_api_takes(
    web: PocketWeb, client: ConfiguredClient, name: str
) -> None:
    await reader(web, name, client).read(URL, DEADLINE)
    (sent,) = reader_double(web, name).requests
    header, value, body = SENT[name]
    assert (sent.method, sent.headers[header], sent.json) == ("POST", value, body)
    assert sum(value.removeprefix("Bearer ") in told for told in sent.headers.values()) == 1
    assert web.serper.requests == web.exa.requests == web.tavily.requests == []


ALL_FAILURES = [
    *FAILURES,
    ("401", errors.KeyRejected),
    ("403", errors.KeyRejected),
    ("404", errors.BadRequest),
    ("410", errors.BadRequest),
    ("451", errors.BadRequest),
    ("redirect_loop", errors.Redirected),
    ("echo_key", errors.Unavailable),
    ("huge", errors.NetworkFailed),
    ("bomb", errors.NetworkFailed),
]
SILENCES = ["hang", "stall", "trickle"]


def test_every_misbehaviour_is_tried() -> None:
    assert {*(trouble for trouble, _ in ALL_FAILURES), *SILENCES} == set(MISBEHAVIOURS)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("trouble", "expected"), ALL_FAILURES)
async def test_every_failure_has_its_type(
    web: PocketWeb, client: ConfiguredClient, name: str, trouble: str, expected: type[errors.ProviderError]
) -> None:
    reader_double(web, name).fails(trouble)
    with pytest.raises(errors.ProviderError) as caught:
        await reader(web, name, client).read(URL, DEADLINE)
    assert type(caught.value) is expected
    assert caught.value.provider == name
    assert not any(key in str(caught.value) for key in (SERPER_KEY, EXA_KEY, TAVILY_KEY))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("trouble", SILENCES)
async def test_silence_ends_at_the_readers_own_timeout(
    web: PocketWeb, client: ConfiguredClient, name: str, trouble: str
) -> None:
    reader_double(web, name).fails(trouble)
    with pytest.raises(errors.TimedOut):
        await reader(web, name, client, **{f"{name.upper()}_TIMEOUT": "100ms"}).read(URL, DEADLINE)


@pytest.mark.parametrize("name", NAMES)
async def test_silence_ends_at_the_deadline_if_that_is_earlier(
    web: PocketWeb, client: ConfiguredClient, name: str
) -> None:
    reader_double(web, name).fails("hang")
    with pytest.raises(errors.TimedOut):
        await reader(web, name, client).read(URL, Deadline.after(FakeClock(), 0.05))


@pytest.mark.parametrize("name", NAMES)
async def test_a_refused_connection_is_a_network_failure(web: PocketWeb, client: ConfiguredClient, name: str) -> None:
    nobody = {f"{ENDPOINTS[name]}_ENDPOINT": f"http://127.0.0.1:{closed_port()}/"}
    with pytest.raises(errors.NetworkFailed):
        await reader(web, name, client, **nobody).read(URL, DEADLINE)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", ["", "  \n ", "\u200b\u202e", 5, ["text"], {"text": "x"}])
async def test_a_page_without_text_was_not_read(
    web: PocketWeb, client: ConfiguredClient, name: str, text: object
) -> None:
    reader_double(web, name).replies(json=answer(name, text))
    with pytest.raises(errors.NotRead, match="empty"):
        await reader(web, name, client).read(URL, DEADLINE)


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("serper", {}),
        ("serper", {"metadata": "x", "text": None}),
        ("exa", {}),
        ("exa", {"results": "x"}),
        ("exa", {"results": []}),
        ("exa", {"results": [5, None], "statuses": "x"}),
        ("exa", {"results": [], "statuses": [None, 5, {"status": "success"}]}),
        ("tavily", {}),
        ("tavily", {"results": None, "failed_results": []}),
        ("tavily", {"results": [], "failed_results": None}),
    ],
)
async def test_an_answer_of_another_shape_is_a_bad_answer(
    web: PocketWeb, client: ConfiguredClient, name: str, body: object
) -> None:
    reader_double(web, name).replies(json=body)
    with pytest.raises(errors.BadAnswer):
        await reader(web, name, client).read(URL, DEADLINE)


@pytest.mark.parametrize("name", ["exa", "tavily"])
async def test_a_page_the_api_could_not_read_is_that_pages_failure_although_http_says_200(
    web: PocketWeb, client: ConfiguredClient, name: str
) -> None:
    reader_double(web, name).cannot_read(URL, "SOURCE_NOT_AVAILABLE")
    with pytest.raises(errors.NotRead, match="SOURCE_NOT_AVAILABLE") as caught:
        await reader(web, name, client).read(URL, DEADLINE)
    assert caught.value.logged_detail == "", "what a page's failure says may repeat its address, which is not logged"
    assert (await reader(web, name, client).read(f"{URL}/2", DEADLINE)).markdown


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("exa", {"results": [{"text": "T"}], "statuses": [{"status": "error"}]}),
        ("exa", {"statuses": [{"status": "error", "error": "text"}]}),
        ("exa", {"statuses": [{"status": "error", "error": {"tag": None, "httpStatusCode": None}}]}),
        ("tavily", {"results": [{"raw_content": "T"}], "failed_results": [{"url": URL}]}),
        ("tavily", {"failed_results": ["text"]}),
        ("tavily", {"failed_results": {"error": "x"}}),
    ],
)
async def test_a_failed_page_is_one_however_it_is_told(
    web: PocketWeb, client: ConfiguredClient, name: str, body: object
) -> None:
    reader_double(web, name).replies(json=body)
    with pytest.raises(errors.NotRead):
        await reader(web, name, client).read(URL, DEADLINE)


@pytest.mark.parametrize(("name", "key"), [("exa", EXA_KEY), ("tavily", TAVILY_KEY)])
async def test_a_key_in_the_words_of_a_failed_page_is_masked(
    web: PocketWeb, client: ConfiguredClient, name: str, key: str
) -> None:
    reader_double(web, name).cannot_read(URL, f"{'x' * 280} {key}")
    with pytest.raises(errors.NotRead) as caught:
        await reader(web, name, client).read(URL, DEADLINE)
    assert key[:12] not in str(caught.value)


@pytest.mark.parametrize("name", NAMES)
async def test_what_a_page_hides_or_loads_is_gone(web: PocketWeb, client: ConfiguredClient, name: str) -> None:
    hostile = "A\u200b\u202e page.  \r\n\n\n\n![x](https://evil.example/?q=1)[go](javascript:alert(1))<img src=x>"
    reader_double(web, name).replies(json=answer(name, hostile, "T\x1b[2J<b>it</b>\u2066le"))
    text = await reader(web, name, client).read(URL, DEADLINE)
    assert (text.markdown, text.title) == ("A page.\n\nx[go](unsafe:alert(1))\\<img src=x>", "T[2Jitle")
    assert text.word_count == 4


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("extra", "is_cut"), [(0, False), (1, True), (50_000, True)])
async def test_a_page_is_of_a_bounded_length_and_says_when_it_was_cut(
    web: PocketWeb, client: ConfiguredClient, name: str, extra: int, is_cut: bool
) -> None:
    reader_double(web, name).reads(URL, "x" * (PAGE_CHARS + extra), title="word " * 1000)
    text = await reader(web, name, client).read(URL, DEADLINE)
    assert (len(text.markdown), text.is_cut) == (PAGE_CHARS, is_cut)
    assert len(text.title) <= 300


async def test_serper_text_stands_in_where_there_is_no_markdown(web: PocketWeb, client: ConfiguredClient) -> None:
    serper = reader(web, "serper", client)
    web.serper_scrape.replies(json={"text": "plain", "markdown": "**rich**"}, times=1).replies(json={"text": "plain"})
    assert (await serper.read(URL, DEADLINE)).markdown == "**rich**"
    assert (await serper.read(URL, DEADLINE)).markdown == "plain"
