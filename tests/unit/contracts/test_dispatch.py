"""Every call goes one way: limited by who calls, watched, shaped by its contract, masked."""

import asyncio
import io
from collections.abc import Mapping
from dataclasses import dataclass, replace

import pytest

from dowse.contracts.dispatch import Answer, Dispatcher, TokenCaller, Tool
from dowse.core.allowances import Admission, Rate
from dowse.core.errors import DowseError, LimitReached, NoProvider
from dowse.core.models import LOCAL, Principal
from dowse.core.protocols import Limiter, ToolCall
from dowse.core.runtime import CallContext, no_progress, share_key
from dowse.routing.limiter import SlidingWindows
from dowse.secrets.redact import Redactor
from dowse.settings.sources import load
from dowse.telemetry.log import configure
from tests.fakes import FakeClock, RecordingObserver

ALICE, BOB = Principal("alice"), Principal("bob")
SECRET = "sk-canary-0123456789abcdef"


@dataclass(frozen=True)
class Warned:
    """An output that has warnings."""

    engine: str
    warnings: tuple[str, ...]


class Bench:
    """A dispatcher, and tools that do as a test says and count how often they ran."""

    def __init__(self, clock: FakeClock, limiter: Limiter | None = None, **environ: str) -> None:
        self.clock = clock
        self.observer = RecordingObserver()
        self.ran = 0
        self.dispatcher = Dispatcher(
            load({}, {"DOWSE_STRUCTURED": "on", **environ}).settings,
            clock=clock,
            limiter=limiter or SlidingWindows(clock),
            observer=self.observer,
            redactor=Redactor([SECRET]),
        )

    def tool(self, name: str = "web_search", does: Answer | Exception = Answer("found", engine="serper")) -> Tool:  # noqa: B008
        async def call(given: Mapping[str, object], context: CallContext) -> Answer:
            self.ran += 1
            self.clock.advance(0.5)
            if isinstance(does, Exception):
                raise does
            return does

        return Tool(name, name, "", (), call)

    async def call(self, caller: Principal = LOCAL, tool: Tool | None = None) -> Answer:
        return await self.dispatcher.call(tool or self.tool(), {}, no_progress, caller)


async def test_the_21st_call_inside_the_window_is_refused_and_says_when_to_come_back(clock: FakeClock) -> None:
    bench = Bench(clock, DOWSE_LIMIT_WEB_SEARCH="20/10m")
    for _ in range(20):
        assert not (await bench.call(ALICE)).is_error
    refused = await bench.call(ALICE)
    assert refused == Answer(
        "web_search is limited to 20 calls in 600 seconds, and they are used up; "
        "try again in 590 seconds (retry_after: 590).",
        is_error=True,
        meta={"retry_after": 590},
    )
    assert bench.ran == 20


async def test_other_callers_and_other_tools_are_unaffected(clock: FakeClock) -> None:
    bench = Bench(clock, DOWSE_LIMIT_WEB_SEARCH="1/10m", DOWSE_LIMIT_GET_CONTENT="1/10m")
    assert not (await bench.call(ALICE)).is_error
    assert (await bench.call(ALICE)).is_error
    assert not (await bench.call(BOB)).is_error
    assert not (await bench.call(LOCAL)).is_error
    assert not (await bench.call(ALICE, bench.tool("get_content"))).is_error


async def test_a_call_is_refused_until_the_window_ends_and_admitted_right_then(clock: FakeClock) -> None:
    bench = Bench(clock, DOWSE_LIMIT_WEB_SEARCH="1/10m")
    started = clock.now()
    await bench.call(ALICE)
    clock.time = started + 600 - 0.001
    refused = await bench.call(ALICE)
    assert refused.meta == {"retry_after": 1}
    clock.time = started + 600
    assert not (await bench.call(ALICE)).is_error


async def test_who_comes_back_when_told_to_is_admitted(clock: FakeClock) -> None:
    """The wait is rounded up to whole seconds: rounded down it would lead to a second refusal."""
    bench = Bench(clock, DOWSE_LIMIT_WEB_SEARCH="1/1m")
    await bench.call(ALICE)
    clock.advance(0.123)
    refused = await bench.call(ALICE)
    retry_after = refused.meta["retry_after"]
    assert isinstance(retry_after, int)
    clock.advance(retry_after)
    assert not (await bench.call(ALICE)).is_error


async def test_a_callers_own_limit_beats_the_settings(clock: FakeClock) -> None:
    bench = Bench(clock, DOWSE_LIMIT_WEB_SEARCH="1/10m")
    favoured = Principal("carol", limits={"web_search": Rate(3, 60.0)})
    assert [(await bench.call(favoured)).is_error for _ in range(4)] == [False, False, False, True]


async def test_a_callers_own_limit_for_one_tool_leaves_the_settings_for_the_others(clock: FakeClock) -> None:
    bench = Bench(clock, DOWSE_LIMIT_GET_CONTENT="1/10m")
    favoured = Principal("carol", limits={"web_search": Rate(3, 60.0)})
    tool = bench.tool("get_content")
    assert [(await bench.call(favoured, tool)).is_error for _ in range(2)] == [False, True]


async def test_without_a_limit_no_call_is_refused(clock: FakeClock) -> None:
    bench = Bench(clock)
    assert not any([(await bench.call(ALICE)).is_error for _ in range(100)])


async def test_a_tool_that_fails_has_been_used(clock: FakeClock) -> None:
    """What a call costs us does not depend on whether it succeeded."""
    bench = Bench(clock, DOWSE_LIMIT_WEB_SEARCH="1/10m")
    await bench.call(ALICE, bench.tool(does=NoProvider("none")))
    assert "limited to 1 calls" in (await bench.call(ALICE)).text


class Alone:
    """A limiter that cannot reach the others."""

    def __init__(self, wait_s: float = 0.0) -> None:
        self._wait_s = wait_s

    async def admit(self, key: str, rate: Rate) -> Admission:
        return Admission(self._wait_s, "counted alone")


async def test_a_result_says_that_its_limit_was_kept_by_one_process_alone(clock: FakeClock) -> None:
    bench = Bench(clock, Alone(), DOWSE_LIMIT_WEB_SEARCH="1/10m")
    typed = Answer("found", Warned("serper", ("old",)))
    answer = await bench.call(ALICE, bench.tool(does=typed))
    assert answer.text == "found\n\nNote: counted alone"
    assert answer.structured == {"engine": "serper", "warnings": ["old", "counted alone"]}
    assert answer.meta == {"warnings": ["counted alone"]}


async def test_a_contract_without_warnings_says_it_to_programs_only(clock: FakeClock) -> None:
    bench = Bench(clock, Alone(), DOWSE_LIMIT_WEB_SEARCH="1/10m")
    answer = await bench.call(ALICE, bench.tool(does=Answer("[]", {"results": []})))
    assert answer == Answer("[]", {"results": []}, meta={"warnings": ["counted alone"]})


async def test_a_refusal_says_so_too(clock: FakeClock) -> None:
    bench = Bench(clock, Alone(7.0), DOWSE_LIMIT_WEB_SEARCH="1/10m")
    assert (await bench.call(ALICE)).text.endswith("(retry_after: 7). Note: counted alone.")


async def test_a_tool_works_on_behalf_of_its_caller(clock: FakeClock) -> None:
    seen = []

    async def call(given: Mapping[str, object], context: CallContext) -> Answer:
        seen.append(context.caller)
        return Answer("")

    tool = Tool("web_search", "", "", (), call)
    bench = Bench(clock)
    await bench.call(ALICE, tool)
    await bench.call(BOB, tool)
    assert seen == [ALICE, BOB]


async def test_the_time_of_a_call_begins_before_it_is_counted(clock: FakeClock) -> None:
    """A store may keep the count waiting; the deadline does not wait with it."""

    class Slow(SlidingWindows):
        async def admit(self, key: str, rate: Rate) -> Admission:
            clock.advance(1.5)
            return await super().admit(key, rate)

    seen = []

    async def call(given: Mapping[str, object], context: CallContext) -> Answer:
        seen.append(context.started_at)
        return Answer("")

    began = clock.now()
    await Bench(clock, Slow(clock), DOWSE_LIMIT_WEB_SEARCH="5/10m").call(ALICE, Tool("web_search", "", "", (), call))
    assert seen == [began]


async def test_beyond_the_most_calls_at_once_a_call_is_told_to_come_back(clock: FakeClock) -> None:
    bench, arrived, may_end = Bench(clock, DOWSE_MAX_CALLS="1"), asyncio.Event(), asyncio.Event()

    async def call(given: Mapping[str, object], context: CallContext) -> Answer:
        arrived.set()
        await may_end.wait()
        return Answer("done")

    tool = Tool("web_search", "", "", (), call)
    first = asyncio.create_task(bench.call(ALICE, tool))
    await arrived.wait()
    refused = await bench.call(ALICE, tool)
    assert (refused.is_error, refused.meta) == (True, {"retry_after": 1})
    assert refused.text.startswith("The server is busy with as many calls as it can take")
    may_end.set()
    assert [(await first).text, (await bench.call(ALICE, tool)).text] == ["done", "done"]


@pytest.mark.promise("fair-calls")
async def test_a_caller_with_the_most_calls_at_once_does_not_keep_another_out(clock: FakeClock) -> None:
    bench, arrived, may_end = Bench(clock, DOWSE_MAX_CALLS="1"), asyncio.Event(), asyncio.Event()

    async def hang(given: Mapping[str, object], context: CallContext) -> Answer:
        arrived.set()
        await may_end.wait()
        return Answer("done")

    first = asyncio.create_task(bench.call(ALICE, Tool("web_search", "", "", (), hang)))
    await arrived.wait()
    assert not (await bench.call(BOB)).is_error
    may_end.set()
    assert not (await first).is_error


@pytest.mark.promise("fair-without-tokens")
async def test_the_pools_below_a_tool_know_its_caller(clock: FakeClock) -> None:
    seen: list[str] = []

    async def call(given: Mapping[str, object], context: CallContext) -> Answer:
        # Work is shared between calls in tasks of its own, which belong to the call that starts them.
        seen.append(await asyncio.create_task(_current_key()))
        return Answer("done")

    async def _current_key() -> str:
        return share_key()

    bench, tool = Bench(clock), Tool("web_search", "", "", (), call)
    for caller in (ALICE, BOB, LOCAL, replace(LOCAL, client="192.0.2.7")):
        await bench.call(caller, tool)
    assert seen == [ALICE.name, BOB.name, LOCAL.name, "192.0.2.7"]
    assert share_key() == LOCAL.name


async def test_a_contract_gives_a_refusal_its_own_shape(clock: FakeClock) -> None:
    def failed(error: DowseError, given: Mapping[str, object]) -> Answer:
        assert isinstance(error, LimitReached)
        return Answer("busy", {"retry_after": error.retry_after_s}, is_error=True)

    bench = Bench(clock, DOWSE_LIMIT_WEB_SEARCH="1/10m")
    plain = bench.tool()
    tool = Tool(plain.name, "", "", (), plain.call, failed=failed)
    await bench.call(ALICE, tool)
    assert await bench.call(ALICE, tool) == Answer("busy", {"retry_after": 600}, is_error=True)


async def test_every_call_is_reported_with_who_answered_and_how_long_it_took(clock: FakeClock) -> None:
    bench = Bench(clock, DOWSE_LIMIT_WEB_SEARCH="1/10m")
    await bench.call(ALICE)
    await bench.call(ALICE)
    await bench.call(BOB, bench.tool(does=NoProvider("none")))
    assert bench.observer.calls == [
        ToolCall("web_search", "serper", "ok", 0.5, "alice"),
        ToolCall("web_search", "", "LimitReached", 0.0, "alice"),
        ToolCall("web_search", "", "NoProvider", 0.5, "bob"),
    ]


async def test_a_failure_is_no_answer(clock: FakeClock) -> None:
    """A contract may name the engine that failed in the answer; it did not answer."""
    bench = Bench(clock)
    await bench.call(tool=bench.tool(does=Answer("no page", is_error=True, engine="direct")))
    assert [call.engine for call in bench.observer.calls] == [""]


async def test_a_bug_is_an_answer_that_tells_nothing(clock: FakeClock) -> None:
    log = io.StringIO()
    configure("info", Redactor(), log)
    bench = Bench(clock)
    answer = await bench.call(ALICE, bench.tool(does=ValueError("the inside story")))
    assert answer.is_error
    assert "inside story" not in answer.text
    assert "inside story" in log.getvalue()
    assert [call.outcome for call in bench.observer.calls] == ["InternalError"]


async def test_a_bug_has_the_shape_that_the_contract_gives_to_failures(clock: FakeClock) -> None:
    bench = Bench(clock)
    shaped = replace(
        bench.tool(does=ValueError("the inside story")),
        failed=lambda error, _given: Answer(str(error), {"metadata": {"error": str(error)}}, is_error=True),
    )
    answer = await bench.call(tool=shaped)
    assert answer.structured == {"metadata": {"error": answer.text}}
    assert "internal error" in answer.text


@pytest.mark.parametrize("is_error", [False, True])
async def test_no_secret_is_in_any_part_of_an_answer(clock: FakeClock, is_error: bool) -> None:
    bench = Bench(clock)
    leaky = Answer(f"a {SECRET}", {"key": [SECRET]}, is_error=is_error, further=(f"b {SECRET}",))
    assert SECRET not in repr(await bench.call(tool=bench.tool(does=leaky)))


class OneToken:
    """Implements `Authenticator`: the token of alice is good."""

    async def authenticate(self, token: str) -> Principal | None:
        return ALICE if token == "token-of-alice" else None


def stranger(**given: object) -> TokenCaller:
    return TokenCaller(given, OneToken(), "answers")


async def test_a_stranger_is_limited_and_told_of_by_the_name_that_the_token_gives(clock: FakeClock) -> None:
    bench = Bench(clock, DOWSE_LIMIT_WEB_SEARCH="1/10m")
    assert not (await bench.call(stranger(token="token-of-alice"))).is_error
    assert (await bench.call(ALICE)).is_error, "the same caller, by whatever way"
    assert not (await bench.call(BOB)).is_error
    assert [call.caller for call in bench.observer.calls] == ["alice", "alice", "bob"]


async def test_a_stranger_without_a_good_token_gets_nowhere_and_spends_no_calls(clock: FakeClock) -> None:
    log = io.StringIO()
    configure("info", Redactor(), log)
    bench = Bench(clock, DOWSE_LIMIT_WEB_SEARCH="1/10m")
    for _ in range(2):
        refused = await bench.call(stranger(token="wrong-token-0815"))
        assert refused.is_error
        assert refused.text.startswith("A good token is needed")
    assert bench.ran == 0
    assert [(call.outcome, call.caller) for call in bench.observer.calls] == [("Unauthorized", "unknown")] * 2
    assert "wrong-token-0815" not in log.getvalue()
    assert not (await bench.call(stranger(token="token-of-alice"))).is_error
