"""Example replies of the OpenAPI document: instances of the typed outputs, so that they cannot have other fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from dowse.contracts.output import (
    AnswerQuestionOutput,
    CitationOutput,
    ExtractOutput,
    GetContentOutput,
    RankedOutput,
    RerankOutput,
    ResultOutput,
    WebSearchOutput,
    to_json,
)
from dowse.contracts.rest.reports import (
    BlockOutput,
    CheckOutput,
    DoctorOutput,
    ExplainOutput,
    MonthOutput,
    ProviderOutput,
    ProvidersOutput,
    UsageRowOutput,
)
from dowse.contracts.rest.stats import (
    BreakerOutput,
    CallsOutput,
    PeriodOutput,
    SlotOutput,
    StatsOutput,
    TriesOutput,
)
from dowse.core.models import OK, Attempt, CacheState, Stats, Status

_LINK = "https://example.org/harbour-bridge"
_TITLE = "Harbour bridge"
_TEXT = "The harbour bridge opened in 1932."
_ATTEMPT = Attempt("serper", "search", OK, 412)

_RESULT = ResultOutput(
    title=_TITLE,
    link=_LINK,
    snippet="The bridge over the harbour, opened in 1932.",
    page_content=_TEXT,
    status=Status.OK,
    engine="serper",
    score=1.0,
    published="2026-09-14",
    word_count=6,
    fetch_time_ms=180,
    summary=_TEXT,
    cache=CacheState.MISS,
    cache_age_s=0,
)
_SEARCH = WebSearchOutput(
    query="harbour bridge opening year",
    engine="serper",
    results=(_RESULT,),
    attempts=(_ATTEMPT,),
    warnings=(),
    stats=Stats(search_ms=412, total_ms=610, pages_read=1),
    cache=CacheState.MISS,
    cache_age_s=0,
)
_READ = GetContentOutput(
    url=_LINK,
    final_url=_LINK,
    title=_TITLE,
    page_content=_TEXT,
    status=Status.OK,
    engine="direct",
    attempts=(Attempt("direct", "read", OK, 180),),
    warnings=(),
    total_tokens=9,
    next_cursor="",
    cache=CacheState.MISS,
    cache_age_s=0,
)
_CITATION = CitationOutput(url=_LINK, title=_TITLE, text_snippet=_TEXT, start_index=0, end_index=len(_TEXT), rank=1)
_ANSWER = AnswerQuestionOutput(
    text=_TEXT,
    citations=(_CITATION,),
    provider="openai",
    responded_at="2026-11-19T12:00:00.000Z",
    attempts=(Attempt("openai", "answer", OK, 2100),),
    warnings=(),
    cache=CacheState.MISS,
    cache_age_s=0,
)
_EXTRACT = ExtractOutput(
    url=_LINK, title=_TITLE, page_content=_TEXT, status=Status.OK, warnings=(), word_count=6, total_tokens=9
)
_RERANK = RerankOutput(
    query="opening year",
    results=(RankedOutput(index=0, relevance_score=0.93), RankedOutput(index=1, relevance_score=0.0)),
    warnings=(),
)
_ROW = UsageRowOutput(name="serper", calls=120, usd=0.12, calls_today=8, usd_today=0.008)
_USAGE = MonthOutput(
    month="2026-11",
    today="2026-11-19",
    by="provider",
    rows=(_ROW,),
    total=UsageRowOutput(name="all", calls=120, usd=0.12, calls_today=8, usd_today=0.008),
)
_PROVIDERS = ProvidersOutput(
    providers=(
        ProviderOutput(name="serper", operations=("search",), active=True, reason="SERPER_API_KEY is set", place=1),
    )
)
_DOCTOR = DoctorOutput(
    version="1.0.0",
    ok=True,
    checks=(
        CheckOutput(name="search", group="search", state="ok", summary="Searches use serper.", fix="", details={}),
    ),
)
_EXPLAIN = ExplainOutput(
    url=_LINK,
    title=_TITLE,
    status=Status.OK,
    failure="",
    blocks=(BlockOutput(text=_TEXT, path="body > p", words=6, score=0.97, kept=True, reasons=("a long sentence",)),),
    kind="article",
    cut=0.5,
)

_PERIOD = PeriodOutput(
    since=1_790_000_000,
    slot_s=60,
    calls=2,
    errors=1,
    p50_ms=610,
    p95_ms=610,
    p99_ms=610,
    cache_hits=1,
    cache_lookups=2,
    pages=1,
    pages_failed=0,
    usd=0.001,
    providers=(TriesOutput(name="serper", operation="search", tries=2, ok=1, failures={"rate_limited": 1}, usd=0.001),),
    callers=(CallsOutput(name="alice", tool="", calls=2, errors=1),),
    doors=(CallsOutput(name="mcp", tool="web_search", calls=2, errors=1),),
    slots=(SlotOutput(at=1_790_003_540, calls=2, errors=1, p50_ms=610, p95_ms=610),),
)
_STATS = StatsOutput(
    at=1_790_003_599,
    hour=_PERIOD,
    day=replace(_PERIOD, slot_s=900),
    breakers=(BreakerOutput(name="serper", operation="search", state="open", since=1_790_003_590),),
)

EXAMPLES: Mapping[str, object] = {
    "search": to_json(_SEARCH),
    "read": to_json(_READ),
    "answer": to_json(_ANSWER),
    "extract": to_json(_EXTRACT),
    "rerank": to_json(_RERANK),
    "usage": to_json(_USAGE),
    "providers": to_json(_PROVIDERS),
    "doctor": to_json(_DOCTOR),
    "explain": to_json(_EXPLAIN),
    "stats": to_json(_STATS),
}
"""By the path of the operation."""
