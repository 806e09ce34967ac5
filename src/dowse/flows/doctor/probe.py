"""The probe: one request to each provider, all at once and without fallback, with a fix for each failure."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol

from dowse.core import errors
from dowse.core.errors import ProviderError
from dowse.core.models import Clock, Deadline, Query
from dowse.core.protocols import Progress, SearchProvider, Spending
from dowse.core.wire_errors import WireError
from dowse.flows.doctor.check import OK, PROBLEM, WARNING, Check, CheckState
from dowse.flows.doctor.providers import endpoint, endpoint_variable
from dowse.settings import Settings
from dowse.settings.providers import SEARXNG

QUERY = "weather"
"""A word that every search engine finds something for."""
NO_BROWSER_NEEDED = "Follow the message, or set DOWSE_BROWSER=off if you do not need pages with JavaScript."

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
_AGAIN = "Run the probe again in {pause}."
_NETWORK = (
    "that this machine reaches {address} ({where}): curl -sv {address}. Of proxies dowse uses DOWSE_PROXY only, not "
    "HTTP_PROXY or HTTPS_PROXY."
)
_ENDPOINT = "Check {where}, now {address}: the server there does not implement this API."
_ENGINES = (
    "Enable other engines in SearXNG, or name some that work in SEARXNG_ENGINES. Its web page shows under "
    "Preferences, Engines which ones fail."
)
_INSTANCES = "Run `dowse instances list`: it shows the state of each instance, with the reason."
_OUTAGE = "Run the probe again later: {name} is down. Other active providers are used meanwhile."
_WEB = "Check that this machine reaches the web; DOWSE_OPEN_APIS lists the open APIs in use."

Remedies = tuple[tuple[type[ProviderError], str], ...]
# From special to general: the first class that fits counts.
_REMEDIES: Remedies = (
    (errors.BudgetSpent, "Raise DOWSE_BUDGET_{NAME}, or wait for its next period (UTC)."),
    (errors.QuotaSpent, "Look at the plan of your {name} account: add credits, or wait until they are renewed."),
    (errors.KeyRejected, "Check {key}: copy the key again from your {name} account, whole and without quotes."),
    (errors.RateLimited, _AGAIN),
    (errors.TimedOut, f"Check {_NETWORK}{{longer}}"),
    (errors.NetworkFailed, f"Check {_NETWORK}"),
    (
        errors.Blocked,
        "Allow this machine in the bot check in front of it, or set {where} to an address behind the bot check.",
    ),
    (errors.EnginesFailed, _ENGINES),
    (errors.Irrelevant, _ENGINES),
    (errors.NoInstance, _INSTANCES),
    (errors.BadAnswer, _ENDPOINT),
    (errors.Redirected, _ENDPOINT),
    (errors.BadRequest, _ENDPOINT),
    (ProviderError, _OUTAGE),
)
_SEARXNG: Remedies = (
    (errors.KeyRejected, "Check the user and password in SEARXNG_URL, or the headers in SEARXNG_HEADERS_JSON."),
    (errors.RateLimited, f"{_AGAIN} {LIMITER_ON}"),
    (errors.TimedOut, f"Check that your SearXNG is running and {_NETWORK}{{longer}}"),
    (errors.NetworkFailed, f"Check that your SearXNG is running and {_NETWORK}"),
    (
        errors.Misconfigured,
        "Set SEARXNG_URL, now {address}, to the base address: the one whose search page opens in a browser.",
    ),
    (errors.BadRequest, f"{_ENDPOINT} Check SEARXNG_LANGUAGE, SEARXNG_CATEGORIES and SEARXNG_TIME_RANGE too."),
)
_REMOTE: Remedies = ((errors.KeyRejected, "Check the headers of this server in DOWSE_MCP_PROVIDERS."),)
# The user has no account, no key and no set-up at these.
_KEYLESS: Remedies = (
    (errors.BudgetSpent, _REMEDIES[0][1]),
    (errors.RateLimited, _AGAIN),
    (errors.TimedOut, f"Check {_NETWORK}"),
    (errors.NetworkFailed, f"Check {_NETWORK}"),
    (errors.NoInstance, _INSTANCES),
    (
        ProviderError,
        "No action is needed: other keyless providers are used instead. Remove {name} from DOWSE_KEYLESS_ORDER to "
        "stop using it.",
    ),
)
_OPEN: Remedies = ((errors.TimedOut, _WEB), (errors.NetworkFailed, _WEB))

Question = Callable[[], Awaitable[Check]]


class KeySource(Protocol):
    """The published keys of an issuer of JSON Web Tokens. Raises `WireError`."""

    async def fetch(self) -> Sequence[object]: ...


class Startable(Protocol):
    """A browser that need not be running. Raises `NoBrowser`."""

    async def start(self) -> str:
        """Start it and return its version string."""
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
            return list(map(_check_offline, questions))
        waiting = list(questions)

        async def ask(name: str, question: Question) -> Check:
            check = await question()
            waiting.remove(name)
            if waiting:
                await progress(f"probe: waiting for {', '.join(waiting)}")
            return check

        if waiting:
            await progress(f"probe: calling {', '.join(waiting)}")
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(ask(name, question)) for name, question in questions.items()]
        return self._soften([task.result() for task in tasks])

    def _soften(self, checks: list[Check]) -> list[Check]:
        """Failures of the keyless pool are warnings once a provider has answered."""
        names = {_name(provider.name) for provider in self._providers}
        if not any(check.name in names and check.state is OK for check in checks):
            return checks
        pool = set(map(_name, self._settings.keyless_names))
        return [
            replace(check, state=WARNING) if check.name in pool and check.state is PROBLEM else check
            for check in checks
        ]

    def _questions(self) -> dict[str, Question]:
        questions: dict[str, Question] = {each.name: partial(self._search, each) for each in self._providers}
        if self._keys:
            questions["jwks"] = partial(self._fetch_keys, self._keys)
        if self._browser:
            questions["browser"] = partial(self._start, self._browser)
        return questions

    async def _start(self, browser: Startable) -> Check:
        """Without a browser most pages are still read, so its absence is a warning."""
        started = self._clock.now()
        try:
            name = await browser.start()
        except errors.NoBrowser as error:
            details = {"outcome": error.code, "ms": self._ms(started)}
            return _check("browser", WARNING, f"It cannot be used: {error.detail}.", NO_BROWSER_NEEDED, details)
        ms, version = self._ms(started), re.search(r"Chrome/([\d.]{1,40})", name)
        shown = f"Chromium {version[1]}" if version else "It"
        return _check("browser", OK, f"{shown} started in {ms} ms.", "", {"outcome": "ok", "ms": ms})

    async def _fetch_keys(self, keys: KeySource) -> Check:
        started = self._clock.now()
        try:
            found = await keys.fetch()
        except WireError as error:
            summary = f"The keys of {self._settings.jwt_issuer} could not be fetched: {error}."
            fix = "Check DOWSE_JWKS_URL: it takes the address of the issuer's key set, often ending in jwks.json."
            return _check("jwks", PROBLEM, summary, fix, {"outcome": "failed", "ms": self._ms(started)})
        ms = self._ms(started)
        details = {"outcome": "ok", "ms": ms, "keys": len(found)}
        if found:
            return _check("jwks", OK, f"Answered in {ms} ms; keys: {len(found)}.", "", details)
        summary = f"Answered in {ms} ms, but with no key, so no JSON Web Token is accepted."
        return _check("jwks", PROBLEM, summary, "Check DOWSE_JWKS_URL.", details)

    async def _search(self, provider: SearchProvider) -> Check:
        name, started = provider.name, self._clock.now()
        try:
            async with self._spending.charge(name, "search"):
                deadline = Deadline.after(self._clock, provider.timeout_s)
                found = await provider.search(Query(QUERY, num_results=1), deadline)
        except ProviderError as error:
            details = {"outcome": error.code, "ms": self._ms(started)}
            return _check(name, PROBLEM, f"{error}.", _fix(self._settings, error), details)
        ms = self._ms(started)
        details = {"outcome": "ok", "ms": ms, "results": len(found.hits)}
        if found.hits:
            return _check(name, OK, f"Answered in {ms} ms.", "", details)
        summary = f"Answered in {ms} ms, but found nothing for {QUERY!r}."
        where = endpoint_variable(self._settings, name)
        return _check(name, WARNING, summary, f"Check {where}.", details)

    def _ms(self, started: float) -> int:
        return round((self._clock.now() - started) * 1000)


def _check_offline(name: str) -> Check:
    summary = "Not called, because offline mode is on."
    return _check(name, WARNING, summary, "Unset DOWSE_OFFLINE.", {"outcome": "offline"})


def _check(name: str, state: CheckState, summary: str, fix: str, details: dict[str, object]) -> Check:
    return Check(_name(name), "probe", state, summary, fix, details)


def _name(name: str) -> str:
    return f"probe.{name}"


def _fix(settings: Settings, error: ProviderError) -> str:
    """The remedy for the most specific class of error that is known."""
    name = error.provider
    if name not in settings.keyless_names and isinstance(error, errors.Misconfigured) and error.http_status == 403:
        return JSON_OFF
    template = next(text for kind, text in _remedies(settings, name) if isinstance(error, kind))
    return template.format(
        name=name,
        NAME=name.upper(),
        key=settings.specs[name].credential if name in settings.specs else "",
        where=endpoint_variable(settings, name),
        address=endpoint(settings, name),
        pause=f"{error.retry_after_s:.0f} seconds" if error.retry_after_s else "a minute",
        longer=_suggest_timeout(settings, name),
    )


def _suggest_timeout(settings: Settings, name: str) -> str:
    if name not in settings.providers:
        return ""
    return f" If it is only slow, raise {name.upper()}_TIMEOUT, now {settings.providers[name].timeout_s:g}s."


def _remedies(settings: Settings, name: str) -> Remedies:
    if name in settings.mcp_providers:
        return _REMOTE + _REMEDIES
    if name in settings.keyless_names:
        return (_OPEN if name == "open" else ()) + _KEYLESS
    return (_SEARXNG if name == SEARXNG.name else ()) + _REMEDIES
