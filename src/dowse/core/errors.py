"""Error hierarchy, sorted by the action that the caller can take.

DowseError
├── ConfigError             a setting is invalid: the start is refused, the message names the variable
├── InvalidRequest          the caller's arguments: correct them and call again
├── Offline                 offline mode: no network was touched
├── Unauthorized            the caller's token is missing or wrong
├── RequestRefused          HTTP: no such path or method, a scope that is missing, a body that is too large
├── LimitReached            this caller has used a tool as often as allowed; says when to come back
├── Overloaded              this process has as much to do as it can; says when to come back
├── Stopping                the server ends before the answer is there
├── InternalError           a bug; its text stays in the log
├── NoProvider              nothing is configured that could answer
├── AllProvidersFailed      every provider was tried; carries the attempts
├── AllReadersFailed        every reader was tried at a page; carries it with the attempts
├── ProviderError           one provider failed
│   ├── Transient           another provider may answer
│   │   ├── Unavailable     5xx, 408
│   │   ├── RateLimited     429
│   │   ├── QuotaSpent      402, 432, 433, a 4xx that speaks of credits
│   │   │   └── BudgetSpent our own budget for it: not asked
│   │   ├── NetworkFailed   reset, TLS, an answer that broke off
│   │   │   └── Unreachable no connection at all: DNS, refused, the proxy
│   │   ├── TimedOut
│   │   ├── BadAnswer       a malformed body
│   │   │   └── Misbehaved  of a public SearXNG instance: it is not asked again
│   │   ├── Redirected      an API never redirects
│   │   ├── Blocked         a challenge page, a limiter, a refusal
│   │   ├── Misconfigured   it works, but not as it is set up: SearXNG with JSON switched off, a wrong address
│   │   ├── EnginesFailed   SearXNG answered, but all its engines had failed
│   │   ├── Irrelevant      it answered with results that have nothing to do with the query
│   │   ├── NotCovered      its collections have nothing about this; the web may
│   │   ├── NoInstance      of the public SearXNG instances none is known, or none answered
│   │   ├── NotRead         a reader is well, but could not read this one page
│   │   │   └── Unread      of a local reader, which knows the status of the page
│   │   └── Skipped         not asked: its breaker is open or no time is left
│   │       ├── Paused      open since a 429
│   │       ├── Busy        its pace does not leave this call a turn in time
│   │       └── NoBrowser   there is no browser, or it cannot be started
│   └── Refused             another provider would be asked in vain, or without the user knowing
│       ├── KeyRejected     401, 403
│       └── BadRequest      400 and other 4xx
├── WireError               below HTTP; `core/wire_errors.py` draws its branch
├── StoreFailed             a store is down; its users go on without
│   ├── StoreSilent         it did not answer in time
│   ├── Damaged             its file could not be read and was set aside
│   └── SetAside            another thread or process has set the file aside
└── PageUnreadable          a page gave no text; `status` says why
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

from dowse.core.allowances import Rate
from dowse.core.models import Attempt, Onward, Page, Status
from dowse.core.reasons import FailureReason
from dowse.core.text import Sentence, enclose, join_words, one_line, quote_line

DETAIL_CHARS = 300


class DowseError(Exception):
    """Root of all errors of dowse."""


class ConfigError(DowseError):
    """A setting is missing or invalid; the message names it and its valid values."""


class InvalidRequest(DowseError):
    """The caller's arguments are invalid; the message is one sentence with the reason, its arguments typed."""

    def __init__(self, *parts: str) -> None:
        self.sentence = Sentence(*parts)
        super().__init__(self.sentence)


class Offline(DowseError):
    """Offline mode is on; decided before anything else."""

    def __init__(self, operation: str) -> None:
        super().__init__(f"{operation} unavailable: offline mode is enabled")


class Unauthorized(DowseError):
    """A token is missing or invalid; which of the two is not disclosed."""


class RequestRefused(DowseError):
    """An HTTP request is refused before any work, with the status of the refusal."""

    def __init__(self, status: int, sentence: str) -> None:
        self.status = status
        super().__init__(sentence)


class LimitReached(DowseError):
    """A caller's limit for a tool; other callers and other tools are not concerned."""

    def __init__(self, tool: str, rate: Rate, retry_after_s: float, remark: str = "") -> None:
        """`remark` describes an unusual way of counting, such as during an outage of the store."""
        # Rounded up: a retry at that time must not be refused again.
        self.retry_after_s = math.ceil(retry_after_s)
        super().__init__(
            f"{tool} is limited to {rate.calls} calls in {rate.period_s:g} seconds, and they are used up; "
            f"try again in {self.retry_after_s} seconds (retry_after: {self.retry_after_s})."
            + enclose(" Note: ", remark, ".")
        )


class Overloaded(DowseError):
    """Load shedding: the server refuses a call, so that the others are not all late."""

    def __init__(self, retry_after_s: float) -> None:
        self.retry_after_s = math.ceil(retry_after_s)
        super().__init__(
            f"The server is busy with as many calls as it can take; "
            f"try again in {self.retry_after_s} seconds (retry_after: {self.retry_after_s})."
        )


class Stopping(DowseError):
    """The server shuts down during a call."""

    def __init__(self) -> None:
        super().__init__("The server is shutting down; try again later.")


class InternalError(DowseError):
    """A bug, in the words for callers."""

    def __init__(self, tool: str) -> None:
        super().__init__(f"{tool} failed because of an internal error; the server's log has the details.")


class NoProvider(DowseError):
    """No search provider is active."""


class ProviderError(DowseError):
    """One provider failed; `code` names the failure class in attempts and logs."""

    code: str = "error"
    summary: ClassVar[str] = "failed"
    was_asked: ClassVar[bool] = True

    def __init__(
        self,
        provider: str,
        detail: str = "",
        *,
        said: str = "",
        advice: str = "",
        retry_after_s: float | None = None,
        http_status: int | None = None,
        instances: tuple[str, ...] = (),
    ) -> None:
        self.provider = provider
        # The addresses that were asked, where a provider has several to choose from.
        self.instances = instances
        # Upstream's own words go to the caller only: they may repeat the query, which is not logged.
        self.logged_detail = one_line("; ".join(filter(None, [detail, advice])), DETAIL_CHARS)
        # Cut twice: an escaped text is longer.
        self.detail = one_line(quote_line(join_words(detail, said, advice, DETAIL_CHARS)), DETAIL_CHARS)
        self.retry_after_s = retry_after_s
        self.http_status = http_status
        super().__init__(f"{provider} {self.summary}" + enclose(": ", self.detail))


class Transient(ProviderError):
    """The next provider may answer."""


class Unavailable(Transient):
    code = "unavailable"
    summary = "is unavailable"


class RateLimited(Transient):
    code = "rate_limited"
    summary = "asked us to slow down (rate limit)"


class QuotaSpent(Transient):
    code = "quota_spent"
    summary = "has no quota or credits left"


class BudgetSpent(QuotaSpent):
    """The user's budget for the provider is spent, which tells nothing about the provider's health."""

    summary = "was not asked"
    was_asked = False


class NetworkFailed(Transient):
    code = "network_error"
    summary = "could not be reached"


class Unreachable(NetworkFailed):
    """No connection was made, so the network of this server may be the reason."""


class TimedOut(Transient):
    code = "timeout"
    summary = "did not answer in time"


class BadAnswer(Transient):
    code = "bad_answer"
    summary = "sent an answer that could not be parsed"


class Redirected(Transient):
    code = "redirected"
    summary = "answered with a redirect, which its API never does"


class Blocked(Transient):
    code = "blocked"
    summary = "refused to serve us"


class Misconfigured(Transient):
    """Its operator can fix it; the detail says how."""

    code = "misconfigured"
    summary = "is not set up to answer us"


class EnginesFailed(Transient):
    code = "engines_failed"
    summary = "answered, but all of its engines had failed"


class Irrelevant(Transient):
    """Engines that suspect a bot send plausible results instead of an error."""

    code = "irrelevant"
    summary = "answered with results that have nothing to do with the query"


class NotCovered(Transient):
    """It works, but its collections do not cover the query."""

    code = "not_covered"
    summary = "has nothing about this"


class NoInstance(Transient):
    """No instance is known, all are resting, or all tried ones failed."""

    code = "no_instance"
    summary = "had no instance that could answer"


class NotRead(Transient):
    """Presumably the fault of the page or its site: the API itself works."""

    code = "not_read"
    summary = "could not read the page"


class Unread(NotRead):
    """Failure of a local reader: the status of the page is the outcome of the attempt."""

    def __init__(self, reader: str, page: PageUnreadable) -> None:
        super().__init__(reader, page.detail, http_status=page.http_status)
        self.code = page.status.value
        self.reason = page.reason
        self.status = page.status
        self.onward = page.onward


class Skipped(Transient):
    """The provider was not asked, so nothing is learnt about its health."""

    code = "skipped"
    summary = "was not asked"
    was_asked = False


class Paused(Skipped):
    """Its breaker is open because of its rate limit."""

    summary = "was not asked, since it has told us to slow down"


class Busy(Skipped):
    """Other calls are queued for the provider, and the turn of this one would come too late."""

    code = "busy"
    summary = "could not be asked in time"


class NoBrowser(Skipped):
    """There is no browser, or it cannot be started; the detail tells the remedy."""

    summary = "could not be used"


class Refused(ProviderError):
    """Moving on would repeat the mistake, or hide a broken key."""


class KeyRejected(Refused):
    code = "key_rejected"
    summary = "rejected its key"


class BadRequest(Refused):
    code = "bad_request"
    summary = "rejected the request"


class AllProvidersFailed(DowseError):
    """The first provider's error, then one line for each further attempt.

    `retry_after_s` is when the first of them may answer again, if all of them have said when they may.
    """

    def __init__(
        self,
        errors: tuple[ProviderError, ...],
        attempts: tuple[Attempt, ...],
        warnings: tuple[str, ...] = (),
        *,
        advice: str = "",
        summary: str = "",
    ) -> None:
        """`summary` replaces the text, where its lines would all say the same."""
        self.errors = errors
        self.attempts = attempts
        self.warnings = warnings
        self.retry_after_s = _soonest_s(errors)
        lines = [_describe_fallback(attempt, attempts[:index]) for index, attempt in enumerate(attempts) if index]
        super().__init__(summary or "\n".join(filter(None, [str(errors[0]), *lines, advice])))


class AllReadersFailed(DowseError):
    """Why the page could not be read, then one line for each reader that was tried before the last."""

    def __init__(self, page: Page, reason: str) -> None:
        self.page = page
        lines = [_format_attempt(attempt, "tried before") for attempt in page.attempts[:-1]]
        super().__init__("\n".join([f"scrape failed: {reason}", *lines]))


class StoreFailed(DowseError):
    """A store cannot be read or written; never a reason for a search to fail."""


class StoreSilent(StoreFailed):
    """A store did not answer in time, and will not answer to another use either."""


class PageUnreadable(DowseError):
    """A page gave no text; status, reason and HTTP status are part of the contract, the detail is for logs.

    `onward` names the readers that may try next, where that does not follow from the status.
    """

    def __init__(
        self,
        status: Status,
        detail: str = "",
        onward: Onward | None = None,
        *,
        reason: FailureReason | None = None,
        http_status: int | None = None,
    ) -> None:
        """`http_status` is of the site itself. Without a detail, the reason stands for it."""
        self.status = status
        self.reason = reason
        self.http_status = http_status
        self.onward = onward or status.onward
        # It may hold a header of the page: untrusted content, reduced to one clean line.
        self.detail = one_line(detail or reason or "", DETAIL_CHARS)
        super().__init__(self.detail or status.value)


def _soonest_s(errors: Sequence[ProviderError]) -> int | None:
    # Of a provider that was tried twice, the last answer. Rounded first: a running clock is a little off.
    waits = {error.provider: error.retry_after_s for error in errors}.values()
    known = [wait for wait in waits if wait is not None]
    return math.ceil(round(min(known), 3)) if len(known) == len(waits) else None


def _describe_fallback(attempt: Attempt, earlier: Sequence[Attempt]) -> str:
    again = any(attempt.provider == other.provider for other in earlier)
    return _format_attempt(attempt, "tried again" if again else "fallback also failed")


def _format_attempt(attempt: Attempt, what: str) -> str:
    return f"{what}: {attempt.provider} {attempt.outcome}" + enclose(": ", attempt.detail)
