"""Asks each provider once, all at the same time and without fallback, and says how to fix what fails."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol

from dowse.core.errors import (
    BadAnswer,
    BadRequest,
    Blocked,
    BudgetSpent,
    EnginesFailed,
    Irrelevant,
    KeyRejected,
    Misconfigured,
    NetworkFailed,
    NoBrowser,
    NoInstance,
    ProviderError,
    QuotaSpent,
    RateLimited,
    Redirected,
    TimedOut,
    Unavailable,
    WireError,
)
from dowse.core.models import Clock, Deadline, Query
from dowse.core.protocols import Progress, SearchProvider, Spending
from dowse.flows.doctor.check import Check, State
from dowse.flows.doctor.providers import endpoint, endpoint_variable
from dowse.settings import KEYLESS, SPECS, Settings

Question = Callable[[], Awaitable[Check]]
Remedies = tuple[tuple[type[ProviderError], Callable[[Settings, ProviderError], str]], ...]

NO_BROWSER_NEEDED = "Do what it says, or set DOWSE_BROWSER=off if pages that need JavaScript do not matter to you."
QUERY = "weather"
"""What is asked: a word that every search engine finds something for."""

JSON_OFF = """\
Let your SearXNG answer in JSON: put these lines into its settings.yml and restart it. \
If the file has a `search:` part already, add only the formats to that.

search:
  formats:
    - html
    - json
"""
LIMITER_ON = """\
Its limiter takes programs for bots. On an instance of your own, put these lines into its settings.yml and restart it.

server:
  limiter: false
"""


class KeySource(Protocol):
    """Where the issuer of JSON Web Tokens publishes its keys. Raises `WireError`."""

    async def fetch(self) -> Sequence[object]: ...


class Startable(Protocol):
    """A browser that need not be running. Raises `NoBrowser`."""

    async def start(self) -> str:
        """How it names itself."""
        ...


class Probe:
    """One search by each provider and one start of the browser; searches count against their budgets."""

    def __init__(
        self,
        settings: Settings,
        providers: Sequence[SearchProvider],
        keys: KeySource | None,
        *,
        clock: Clock,
        spending: Spending,
        browser: Startable | None = None,
    ) -> None:
        self._settings = settings
        self._providers = providers
        self._keys = keys
        self._clock = clock
        self._spending = spending
        self._browser = browser

    async def run(self, progress: Progress) -> list[Check]:
        """The findings in the order of the providers, whichever answered first."""
        questions = self._questions()
        if self._settings.offline:
            return [_not_asked(name) for name in questions]
        waiting = list(questions)

        async def ask(name: str, question: Question) -> Check:
            check = await question()
            waiting.remove(name)
            if waiting:
                await progress(f"probe: waiting for {', '.join(waiting)}")
            return check

        if waiting:
            await progress(f"probe: asking {', '.join(waiting)}")
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(ask(name, question)) for name, question in questions.items()]
        return self._judged([task.result() for task in tasks])

    def _judged(self, checks: list[Check]) -> list[Check]:
        """Once anybody has answered, a member of the pool that did not is no problem: others are asked instead."""
        names = {_named(provider.name) for provider in self._providers}
        if not any(check.name in names and check.state is State.OK for check in checks):
            return checks
        members = {_named(name) for name in KEYLESS}
        return [
            replace(check, state=State.WARNING) if check.name in members and check.state is State.PROBLEM else check
            for check in checks
        ]

    def _questions(self) -> dict[str, Question]:
        questions: dict[str, Question] = {provider.name: partial(self._ask, provider) for provider in self._providers}
        if self._keys:
            questions["jwks"] = partial(self._fetch, self._keys)
        if self._browser:
            questions["browser"] = partial(self._start, self._browser)
        return questions

    async def _start(self, browser: Startable) -> Check:
        """A warning and no problem where there is none: everything but some pages is read without it."""
        started = self._clock.now()
        try:
            name = await browser.start()
        except NoBrowser as error:
            details = {"outcome": error.code, "ms": self._ms(started)}
            return _check("browser", State.WARNING, f"It cannot be used: {error.detail}.", NO_BROWSER_NEEDED, details)
        ms, version = self._ms(started), re.search(r"Chrome/([\d.]{1,40})", name)
        shown = f"Chromium {version[1]}" if version else "It"
        return _check("browser", State.OK, f"{shown} started in {ms} ms.", "", {"outcome": "ok", "ms": ms})

    async def _fetch(self, keys: KeySource) -> Check:
        started = self._clock.now()
        try:
            found = await keys.fetch()
        except WireError as error:
            summary = f"The keys of {self._settings.jwt_issuer} cannot be had: {error}."
            fix = "Check DOWSE_JWKS_URL: it takes the address of the issuer's key set, often ending in jwks.json."
            return _check("jwks", State.PROBLEM, summary, fix, {"outcome": "failed", "ms": self._ms(started)})
        ms = self._ms(started)
        details = {"outcome": "ok", "ms": ms, "keys": len(found)}
        if found:
            return _check("jwks", State.OK, f"Answered in {ms} ms; keys: {len(found)}.", "", details)
        summary = f"Answered in {ms} ms, but with no key, so no JSON Web Token is accepted."
        return _check("jwks", State.PROBLEM, summary, "Check DOWSE_JWKS_URL.", details)

    async def _ask(self, provider: SearchProvider) -> Check:
        name, started = provider.name, self._clock.now()
        try:
            await self._spending.charge(name, "search")
            deadline = Deadline.after(self._clock, provider.timeout_s)
            found = await provider.search(Query(QUERY, num_results=1), deadline)
        except ProviderError as error:
            details = {"outcome": error.code, "ms": self._ms(started)}
            return _check(name, State.PROBLEM, f"{error}.", _fix(self._settings, error), details)
        ms = self._ms(started)
        details = {"outcome": "ok", "ms": ms, "results": len(found.hits)}
        if found.hits:
            return _check(name, State.OK, f"Answered in {ms} ms.", "", details)
        summary = f"Answered in {ms} ms, but found nothing for {QUERY!r}."
        where = endpoint_variable(self._settings, name)
        return _check(name, State.WARNING, summary, f"Check that {where} leads to it.", details)

    def _ms(self, started: float) -> int:
        return round((self._clock.now() - started) * 1000)


def _not_asked(name: str) -> Check:
    return _check(
        name, State.WARNING, "Not asked, because offline mode is on.", "Unset DOWSE_OFFLINE.", {"outcome": "offline"}
    )


def _check(name: str, state: State, summary: str, fix: str, details: dict[str, object]) -> Check:
    return Check(_named(name), "probe", state, summary, fix, details)


def _named(name: str) -> str:
    return f"probe.{name}"


def _fix(settings: Settings, error: ProviderError) -> str:
    """The remedy for the most specific class that is known; the table goes from special to general."""
    remedies = _REMEDIES_OF_MEMBERS if error.provider in KEYLESS else _REMEDIES
    return next(remedy(settings, error) for kind, remedy in remedies if isinstance(error, kind))


def _own_budget(_settings: Settings, error: ProviderError) -> str:
    return f"Raise DOWSE_BUDGET_{error.provider.upper()}, or wait for its next period (UTC)."


def _quota(_settings: Settings, error: ProviderError) -> str:
    return f"Look at the plan of your {error.provider} account: add credits, or wait until they are renewed."


def _key(settings: Settings, error: ProviderError) -> str:
    if error.provider in settings.mcp_providers:
        return "Check the headers of this server in DOWSE_MCP_PROVIDERS."
    if error.provider == "searxng":
        return "Check the user and password in SEARXNG_URL, or the headers in SEARXNG_HEADERS_JSON."
    variable = SPECS[error.provider].credential
    return f"Check {variable}: copy the key again from your {error.provider} account, whole and without quotes."


def _rate(_settings: Settings, error: ProviderError) -> str:
    wait = f"{error.retry_after_s:.0f} seconds" if error.retry_after_s else "a minute"
    again = f"Run the probe again in {wait}."
    return f"{again} {LIMITER_ON}" if error.provider == "searxng" else again


def _network(settings: Settings, error: ProviderError) -> str:
    name = error.provider
    running = "Check that your SearXNG is running and" if name == "searxng" else "Check"
    address = endpoint(settings, name)
    reach = f"{running} that this machine reaches {address} ({endpoint_variable(settings, name)}): curl -sv {address}"
    return f"{reach} — dowse connects directly and uses no proxy from HTTP_PROXY or HTTPS_PROXY."


def _time(settings: Settings, error: ProviderError) -> str:
    provider = settings.providers.get(error.provider)
    if provider is None:
        return _network(settings, error)
    longer = f"If it is only slow, raise {error.provider.upper()}_TIMEOUT, now {provider.timeout_s:g}s."
    return f"{_network(settings, error)} {longer}"


def _misconfigured(settings: Settings, error: ProviderError) -> str:
    if error.http_status == 403:
        return JSON_OFF
    address = endpoint(settings, error.provider)
    return f"Set SEARXNG_URL, now {address}, to the base address: the one whose search page opens in a browser."


def _instances(_settings: Settings, _error: ProviderError) -> str:
    return "Run `dowse instances list`: it shows the instances, and why each of them is not asked."


def _member(_settings: Settings, error: ProviderError) -> str:
    left_out = f"To stop asking it, leave {error.provider} out of DOWSE_KEYLESS_ORDER."
    return f"Nothing is to be mended here: others are asked instead. {left_out}"


def _reach(settings: Settings, error: ProviderError) -> str:
    if error.provider == "open":
        return "Check that this machine reaches the web; DOWSE_OPEN_APIS says which of the open APIs are asked."
    return _network(settings, error)


def _blocked(settings: Settings, error: ProviderError) -> str:
    where = endpoint_variable(settings, error.provider)
    return f"A bot check stands in front of it. Let this machine pass there, or point {where} behind it."


def _engines(_settings: Settings, _error: ProviderError) -> str:
    return (
        "Open your SearXNG in a browser and search there: under Preferences, Engines it shows which ones fail. "
        "Enable others, or name some that work in SEARXNG_ENGINES."
    )


def _endpoint(settings: Settings, error: ProviderError) -> str:
    variable, address = endpoint_variable(settings, error.provider), endpoint(settings, error.provider)
    return f"Check {variable}, now {address}: what answers there does not speak this API."


def _request(settings: Settings, error: ProviderError) -> str:
    also = "SEARXNG_LANGUAGE, SEARXNG_CATEGORIES and SEARXNG_TIME_RANGE" if error.provider == "searxng" else ""
    return " ".join(filter(None, [_endpoint(settings, error), also and f"Check {also} too."]))


def _outage(_settings: Settings, error: ProviderError) -> str:
    return f"The fault is at {error.provider}: run the probe again later. Other active providers answer meanwhile."


_REMEDIES: Remedies = (
    (BudgetSpent, _own_budget),
    (QuotaSpent, _quota),
    (KeyRejected, _key),
    (RateLimited, _rate),
    (TimedOut, _time),
    (NetworkFailed, _network),
    (Blocked, _blocked),
    (Misconfigured, _misconfigured),
    (EnginesFailed, _engines),
    (Irrelevant, _engines),
    (NoInstance, _instances),
    (BadAnswer, _endpoint),
    (Redirected, _endpoint),
    (BadRequest, _request),
    (Unavailable, _outage),
    (ProviderError, _outage),
)
# Of those that nobody has chosen there is no account, no key and no set-up.
_REMEDIES_OF_MEMBERS: Remedies = (
    (BudgetSpent, _own_budget),
    (RateLimited, _rate),
    (TimedOut, _reach),
    (NetworkFailed, _reach),
    (NoInstance, _instances),
    (ProviderError, _member),
)
