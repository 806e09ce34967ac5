"""Who may call `search_web` and how often: tokens over stdio and HTTP, and twenty calls in ten minutes for each."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import pytest
from mcp import Client
from mcp_types import CallToolResult

from dowse.app import App
from dowse.auth.tokens import digest
from dowse.contracts.dispatch import Answer
from dowse.core.models import Principal
from dowse.core.runtime import no_progress
from dowse.settings.sources import load
from dowse.surfaces.mcp.server import build_server
from tests.conftest import FORGETFUL, Server
from tests.doubles import PocketWeb
from tests.fakes import FakeClock
from tests.flows.test_answers import CITED, ask, refused, response, typed

ERAS = ["legacy", "2026-07-28"]
ANA, OTTER = "token-of-ana-0123456789", "token-of-otter42-0123456789"
TOKENS = {"DOWSE_TOKENS": f"ana:{ANA},otter42:{OTTER}"}
ANSWERS = {"DOWSE_CONTRACT": "answers", "DOWSE_TTL_ANSWERS": "0"}
REFUSED = ("AUTH", "A good token is needed: pass the one that the owner of this server gave you as token.")


def answering(web: PocketWeb, **settings: str) -> dict[str, str]:
    web.openai.replies(json=response(*CITED))
    return {**web.environment("openai"), **ANSWERS, **settings}


async def properties(client: Client) -> list[str]:
    (tool,) = (await client.list_tools()).tools
    return list(tool.input_schema["properties"])


SEED = ["query", "maxResults", "freshnessHours", "region", "includeAnswers"]


@pytest.mark.parametrize("era", ERAS)
async def test_over_stdio_a_good_token_is_let_in_and_every_other_refused(
    web: PocketWeb, server: Server, era: str
) -> None:
    settings = answering(web, **TOKENS, DOWSE_LOG_LEVEL="debug")
    wrong: list[dict[str, object]] = [{}, {"token": None}, {"token": "wrong-token-0815"}, {"token": 7}, {"token": ""}]
    async with server.connect(settings, mode=era) as client:
        assert await properties(client) == [*SEED, "token"]
        assert typed(await ask(client, token=ANA))["provider"] == "gpt-5-nano-web-search"
        for arguments in wrong:
            assert refused(await ask(client, **arguments)) == REFUSED
    assert len(web.openai.requests) == 1
    assert '"caller": "ana"' in server.log
    for token in (ANA, "wrong-token-0815"):
        assert token not in server.log


async def test_over_http_the_door_asks_for_the_token_and_the_argument_counts_for_nothing(
    web: PocketWeb, server: Server
) -> None:
    async with server.here(answering(web, **TOKENS)) as http:
        for headers in ({}, {"Authorization": "Bearer wrong-token-0815"}):
            arguments = {"query": "how heavy are otters", "token": ANA}
            async with http.post("search_web", arguments, headers=headers) as reply:
                assert reply.status == 401
        async with http.client(token=ANA) as client:
            assert await properties(client) == SEED
            assert not (await ask(client)).is_error
            assert not (await ask(client, token="wrong-token-0815")).is_error
    assert len(web.openai.requests) == 2
    assert "wrong-token-0815" not in server.log


@pytest.mark.parametrize("surface", ["stdio", "http"])
async def test_without_tokens_no_caller_is_asked_for_one(web: PocketWeb, server: Server, surface: str) -> None:
    settings = answering(web)
    if surface == "stdio":
        async with server.connect(settings) as client:
            assert await properties(client) == SEED
            result = await ask(client, token="whatever")
    else:
        async with server.here(settings) as http, http.client() as client:
            assert await properties(client) == SEED
            result = await ask(client, token="whatever")
    assert not result.is_error


async def test_in_the_other_contracts_stdio_is_the_owners_although_there_are_tokens(
    web: PocketWeb, server: Server
) -> None:
    settings = answering(web, **TOKENS) | {"DOWSE_CONTRACT": "dowse"}
    async with server.connect(settings) as client:
        (tool,) = [tool for tool in (await client.list_tools()).tools if tool.name == "answer_question"]
        assert "token" not in tool.input_schema["properties"]
        assert not (await ask(client)).is_error


@pytest.mark.parametrize("restriction", ['contracts = ["dowse"]', 'scopes = ["metrics"]', "expires = 2020-02-02"])
async def test_a_token_that_is_not_for_these_tools_or_not_for_now_is_refused(
    web: PocketWeb, server: Server, tmp_path: Path, restriction: str
) -> None:
    file = tmp_path / "tokens.toml"
    file.write_text(f'[ana]\nhash = "sha256:{digest(ANA)}"\n{restriction}\n')
    file.chmod(0o600)
    async with server.connect(answering(web, DOWSE_TOKENS_FILE=str(file))) as client:
        assert refused(await ask(client, token=ANA)) == REFUSED
    assert web.openai.requests == []


async def test_a_token_is_in_no_part_of_an_error(web: PocketWeb, server: Server) -> None:
    async with server.connect(answering(web, **TOKENS)) as client:
        results = [await ask(client, token=ANA, maxResults=ANA), await ask(client, token=ANA, **{ANA: 1, "query": ""})]
    assert all(result.is_error for result in results)
    assert ANA not in str(results)


@pytest.mark.promise("case-58")
@pytest.mark.parametrize("era", ERAS)
async def test_the_21st_call_in_ten_minutes_is_told_when_to_come_back(web: PocketWeb, server: Server, era: str) -> None:
    """Acceptance case 58, over HTTP: twenty calls in ten minutes for each principal, without any setting."""
    async with server.here(answering(web, **TOKENS)) as http:
        async with http.client(era, ANA) as ana:
            for _ in range(20):
                assert not (await ask(ana)).is_error
            last = await ask(ana)
        async with http.client(era, OTTER) as otter:
            assert not (await ask(otter)).is_error
    assert_told_when_to_come_back(last)
    assert len(web.openai.requests) == 21


@pytest.mark.promise("case-58")
async def test_over_stdio_the_limit_is_the_principals_too(web: PocketWeb, server: Server) -> None:
    """Acceptance case 58, over stdio: the token says whose calls they are."""
    async with server.connect(answering(web, **TOKENS)) as client:
        for _ in range(20):
            assert not (await ask(client, token=ANA)).is_error
        last = await ask(client, token=ANA)
        assert not (await ask(client, token=OTTER)).is_error
        assert refused(await ask(client)) == REFUSED, "who calls comes before how often"
    assert_told_when_to_come_back(last)


async def test_the_limit_of_20_calls_applies_to_the_contract_answers_only(web: PocketWeb, clock: FakeClock) -> None:
    moved = Moved({**answering(web), "DOWSE_CONTRACT": "dowse"}, clock)
    async with moved.app:
        assert not any([(await moved.ask()).is_error for _ in range(30)])


def assert_told_when_to_come_back(result: CallToolResult) -> None:
    code, message = refused(result)
    error = typed(result)["error"]
    assert code == "RATE_LIMIT"
    assert 500 <= error["retry_after"] <= 600
    assert message.startswith("search_web is limited to 20 calls in 600 seconds")
    assert f"try again in {error['retry_after']} seconds" in message
    assert result.meta is not None
    assert result.meta["dowse/retry_after"] == error["retry_after"]


class Moved:
    """The application in this process, with a clock that a test moves."""

    def __init__(self, settings: Mapping[str, str], clock: FakeClock) -> None:
        self.app = App(load({}, {**FORGETFUL, **settings}).settings, clock=clock)

    async def ask(self, caller: str = "ana", query: str = "how heavy are otters") -> Answer:
        tool = self.app.contract.tool("search_web")
        assert tool is not None
        return await self.app.dispatcher.call(tool, {"query": query}, no_progress, Principal(caller))


def code_of(answer: Answer) -> str:
    assert answer.structured is not None
    error = answer.structured["error"]
    assert isinstance(error, dict)
    return str(error["code"])


@pytest.mark.promise("case-58")
async def test_the_window_slides_and_ends_on_time(web: PocketWeb, clock: FakeClock) -> None:
    """Acceptance case 58."""
    moved = Moved(answering(web), clock)
    async with moved.app:
        started = clock.now()
        for _ in range(20):
            assert not (await moved.ask()).is_error
            clock.advance(1.0)
        assert (await moved.ask()).meta == {"retry_after": 580}
        assert not (await moved.ask("otter42")).is_error
        clock.time = started + 600
        assert not (await moved.ask()).is_error
        assert (await moved.ask()).meta == {"retry_after": 1}


@pytest.mark.promise("case-58")
@pytest.mark.parametrize(
    ("trouble", "tries", "code"),
    [
        ("429", 2, "RATE_LIMIT"),
        ("500", 2, "PROVIDER"),
        ("502", 2, "PROVIDER"),
        ("503", 2, "PROVIDER"),
        ("400", 1, "VALIDATION"),
        ("401", 1, "AUTH"),
        ("403", 1, "AUTH"),
        ("404", 1, "VALIDATION"),
        ("broken_json", 1, "PARSE"),
    ],
)
async def test_only_what_may_pass_is_tried_again_once(
    web: PocketWeb, clock: FakeClock, trouble: str, tries: int, code: str
) -> None:
    """Acceptance case 58: at most two tries with jitter for 429, 500, 502 and 503, and never for another 4xx."""
    web.openai.fails(trouble)
    moved = Moved({**web.environment("openai"), **ANSWERS}, clock)
    async with moved.app:
        answer = await moved.ask()
    assert answer.is_error
    assert code_of(answer) == code
    assert len(web.openai.requests) == tries
    assert len(clock.slept) == tries - 1


@pytest.mark.promise("case-58")
async def test_a_model_that_keeps_failing_is_not_asked_for_a_while(web: PocketWeb, clock: FakeClock) -> None:
    """Acceptance case 58: the breaker is everybody's."""
    web.openai.fails("500")
    moved = Moved({**web.environment("openai"), **ANSWERS, "DOWSE_LIMIT_SEARCH_WEB": "100/m"}, clock)
    async with moved.app:
        for number in range(5):
            assert (await moved.ask(f"caller{number}", f"question {number}")).is_error
        asked = len(web.openai.requests)
        refused = await moved.ask("otter42", "another question")
        assert len(web.openai.requests) == asked
        assert refused.structured is not None
        error = refused.structured["error"]
        assert isinstance(error, dict)
        assert error["code"] == "PROVIDER"
        assert 0 < error["retry_after"] <= 30
        web.openai.works().replies(json=response(*CITED))
        clock.advance(31)
        assert not (await moved.ask("otter42", "another question")).is_error


async def test_the_time_of_an_answer_is_the_clocks(web: PocketWeb, clock: FakeClock) -> None:
    moved = Moved({**answering(web), "DOWSE_TTL_ANSWERS": "5m", "DOWSE_STATE": "memory:"}, clock)
    at = clock.utc()
    async with moved.app, Client(build_server(moved.app)) as client:
        first = typed(await ask(client))
        clock.advance(timedelta(minutes=2).total_seconds())
        second = typed(await ask(client))
        # So long that nobody would be served the old one while a newer one is fetched.
        clock.advance(timedelta(minutes=9).total_seconds())
        third = typed(await ask(client))
    assert first["respondedAt"] == second["respondedAt"] == at.strftime("%Y-%m-%dT%H:%M:%S.000Z")
    assert third["respondedAt"] > first["respondedAt"]
    assert len(web.openai.requests) == 2
