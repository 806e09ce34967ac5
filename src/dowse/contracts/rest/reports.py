"""Reports of the REST API about the server itself: providers, usage, diagnosis, and the explanation of a page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dowse.contracts.arguments import Arguments, Param, read
from dowse.contracts.dispatch import Answer, JsonObject
from dowse.contracts.get_content import check_address
from dowse.contracts.render import failure
from dowse.contracts.rest.operations import Operation
from dowse.contracts.rest.stats import build_stats
from dowse.core.errors import StoreFailed
from dowse.core.models import Clock, Deadline, Principal, Status
from dowse.core.protocols import Spent
from dowse.core.runtime import CallContext
from dowse.flows.provider_states import ProviderState, list_providers
from dowse.flows.statistics import Record
from dowse.settings import Settings
from dowse.stores.ledger import USAGE_NAMES, CallCount, Days, Tally, UsageRow, group_usage, total_usage

if TYPE_CHECKING:
    from dowse.flows.doctor.check import Check, Diagnosis
    from dowse.flows.explain import Explained, ExplainFlow

_MICRO = 1_000_000
_NO_USAGE = "The usage is not known now: the store of this server does not answer."
_OPTIONAL = {"optional": True}
CONSOLE = "console"
_BY = Param("by", "string", "caller, provider or day.", "provider", choices=tuple(USAGE_NAMES))
_URL = Param("url", "string", "The page to explain.", required=True, minimum=1, maximum=8000)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderOutput:
    """A provider, whether it is used and why; `budget_used` is the used part of its budget, if it has one."""

    name: str
    operations: tuple[str, ...]
    active: bool
    reason: str
    place: int | None = field(default=None, metadata=_OPTIONAL)
    budget_used: float | None = field(default=None, metadata=_OPTIONAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvidersOutput:
    """All providers, the used ones first; `place` is the one among the search providers."""

    providers: tuple[ProviderOutput, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageRowOutput:
    """Calls under one name and their estimated cost, in this month and today."""

    name: str
    calls: int
    usd: float
    calls_today: int
    usd_today: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthOutput:
    """Calls to providers in this month (UTC) and their estimated cost; written down every ten seconds."""

    month: str
    today: str
    by: str
    rows: tuple[UsageRowOutput, ...]
    total: UsageRowOutput


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOutput:
    """A finding of the doctor; `fix` says what to do about it."""

    name: str
    group: str
    state: str
    summary: str
    fix: str
    details: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorOutput:
    """The diagnosis of this server; no provider is asked."""

    version: str
    ok: bool
    checks: tuple[CheckOutput, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockOutput:
    """The beginning of a block of a page, whether it was kept, and the reasons."""

    text: str
    path: str
    words: int
    score: float
    kept: bool
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainOutput:
    """Why the blocks of a page were kept or left out; `failure` says why there is no explanation."""

    url: str
    title: str
    status: Status
    failure: str
    blocks: tuple[BlockOutput, ...]
    kind: str = field(default="", metadata=_OPTIONAL)
    cut: float = field(default=0.0, metadata=_OPTIONAL)
    whole: bool = field(default=False, metadata=_OPTIONAL)
    hidden_words: int = field(default=0, metadata=_OPTIONAL)
    further_blocks: int = field(default=0, metadata=_OPTIONAL)
    verdict: str = field(default="", metadata=_OPTIONAL)
    untrusted: bool = True


@dataclass(frozen=True, slots=True)
class Reports:
    """Sources of the reports. `call_counts` raises `StoreFailed`."""

    settings: Settings
    clock: Clock
    call_counts: Callable[[Days], Awaitable[Sequence[CallCount]]]
    spent: Callable[[str], Awaitable[Spent | None]]
    examine: Callable[[], Awaitable[Diagnosis]]
    explain_flow: Callable[[], ExplainFlow]
    read_statistics: Callable[[], Awaitable[Record]]

    def operations(self) -> tuple[Operation, ...]:
        both, own = ("tools", CONSOLE), (CONSOLE,)
        return (
            _get("/providers", "List providers", "Which are used, in which order, and why others are not.",
                 self._providers, ProvidersOutput, scopes=both),
            _get("/usage", "Show usage", "Calls to providers in this month and their cost; of the caller's own calls, "
                 "unless its token has the scope `console`.", self._usage, MonthOutput, (_BY,), scopes=both),
            _get("/doctor", "Diagnose", "What is active, what is missing, and the fix.", self._doctor, DoctorOutput,
                 scopes=own),
            _get("/explain", "Explain a page", "Why each block of a page was kept or left out.", self._explain,
                 ExplainOutput, (_URL,), scopes=both, example={"url": "https://example.org/"}),
            build_stats(self.read_statistics, self.clock, scopes=own),
        )  # fmt: skip

    async def _providers(self, given: JsonObject, _context: CallContext) -> Answer:
        read((), given)
        found = [await self._describe(state) for state in list_providers(self.settings)]
        return Answer("", ProvidersOutput(providers=tuple(found)))

    async def _describe(self, state: ProviderState) -> ProviderOutput:
        spent = await self.spent(state.name) if state.is_active else None
        return ProviderOutput(
            name=state.name,
            operations=state.operations,
            active=state.is_active,
            reason=state.reason,
            place=state.place,
            budget_used=round(spent.share, 4) if spent else None,
        )

    async def _usage(self, given: JsonObject, context: CallContext) -> Answer:
        by, today = _by(read((_BY,), given)), self.clock.today()
        days = Days(today.replace(day=1), today)
        try:
            known = await self.call_counts(days)
        except StoreFailed:
            # Redaction: its text names files and addresses of the server.
            raise StoreFailed(_NO_USAGE) from None
        counts = [each for each in known if _may_see(context.caller, each)]
        output = MonthOutput(
            month=f"{today:%Y-%m}",
            today=str(today),
            by=by,
            rows=tuple(map(_usage_row, group_usage(counts, by, today))),
            total=_usage_row(total_usage(counts, today)),
        )
        return Answer("", output)

    async def _doctor(self, given: JsonObject, _context: CallContext) -> Answer:
        read((), given)
        diagnosis = await self.examine()
        checks = tuple(map(_check, diagnosis.checks))
        return Answer("", DoctorOutput(version=diagnosis.version, ok=diagnosis.ok, checks=checks))

    async def _explain(self, given: JsonObject, _context: CallContext) -> Answer:
        url = check_address(read((_URL,), given).text("url"))
        deadline = Deadline.after(self.clock, self.settings.deadline_s)
        explained = await self.explain_flow().explain(url, deadline)
        return Answer("", _explanation(explained), engine=explained.page.answered_by)


def _get(
    path: str,
    title: str,
    about: str,
    call: Callable[[JsonObject, CallContext], Awaitable[Answer]],
    output: type,
    params: Sequence[Param] = (),
    *,
    scopes: tuple[str, ...],
    example: JsonObject | None = None,
) -> Operation:
    """A report: it counts as a tool of its own, named after its path."""
    return Operation(
        path,
        path.strip("/"),
        title,
        about,
        call,
        output,
        params,
        methods=("GET",),
        scopes=scopes,
        example=example or {},
    )


def _by(arguments: Arguments) -> str:
    return arguments.text("by")


def _may_see(caller: Principal, count: CallCount) -> bool:
    return count.caller == caller.name or CONSOLE in (caller.scopes or ())


def _usage_row(row: UsageRow) -> UsageRowOutput:
    return UsageRowOutput(
        name=row.name,
        calls=row.whole.calls,
        usd=_usd(row.whole),
        calls_today=row.today.calls,
        usd_today=_usd(row.today),
    )


def _usd(tally: Tally) -> float:
    return tally.micro_usd / _MICRO


def _check(check: Check) -> CheckOutput:
    return CheckOutput(
        name=check.name,
        group=check.group,
        state=check.state.value,
        summary=check.summary,
        fix=check.fix,
        details=check.details,
    )


def _explanation(explained: Explained) -> ExplainOutput:
    page, explanation = explained.page, explained.explanation
    output = ExplainOutput(
        url=page.final_url or page.url,
        title=page.title,
        status=page.status,
        failure=failure(page) or explained.reason,
        blocks=(),
    )
    if explanation is None:
        return output
    blocks = [
        BlockOutput(
            text=each.text,
            path=each.path,
            words=each.words,
            score=each.score,
            kept=each.is_kept,
            reasons=each.reasons,
        )
        for each in explanation.blocks
    ]
    return ExplainOutput(
        url=output.url,
        title=output.title,
        status=output.status,
        failure="",
        blocks=tuple(blocks),
        kind=explanation.kind,
        cut=explanation.cut,
        whole=explanation.is_whole,
        hidden_words=explanation.hidden_words,
        further_blocks=explanation.further_blocks,
        verdict=explanation.verdict,
    )
