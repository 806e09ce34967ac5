"""Client of JSON APIs: send, check the status, parse; every failure becomes a `ProviderError`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import TypeVar

from dowse.core.errors import (
    BadAnswer,
    BadRequest,
    Blocked,
    KeyRejected,
    NetworkFailed,
    NotRead,
    ProviderError,
    QuotaSpent,
    RateLimited,
    Redirected,
    TimedOut,
    Unavailable,
    Unreachable,
)
from dowse.core.models import Clock, Deadline, Text
from dowse.core.text import one_line, without_markup
from dowse.core.wire_errors import WireError, WireTimeout, WireTooLarge, WireUnreached
from dowse.document.clean import clean
from dowse.net.clients import ConfiguredClient, Reply
from dowse.net.decode import SMALL_CODINGS
from dowse.net.json_fields import MOST_PARTS, TITLE_CHARS, Json, as_mapping, mapping, objects, parse_json, string
from dowse.secrets.redact import Redactor

T = TypeVar("T")

_QUOTA = re.compile(r"\b(credits?|quota|billing|(usage|plan) limit|insufficient (funds|balance))\b", re.IGNORECASE)
_CHALLENGE = re.compile(rb"cf-chl|_cf_chl_opt|challenge-platform|captcha|just a moment", re.IGNORECASE)
_QUOTA_STATUS = (402, 432, 433)
_MESSAGE_BYTES = 4096  # more is a page, not a message
# As much of a page as any contract can show, and little enough to be cleaned between two requests.
PAGE_CHARS = 200_000
# Fields of an error message, a text or an object with one of them.
_MESSAGES = ("error", "detail", "message", "error_message", "msg", "reason")


@dataclass(frozen=True, slots=True)
class Api:
    """API access of one provider: client, timeout, and the names for its errors."""

    provider: str
    client: ConfiguredClient
    timeout_s: float
    key_variable: str
    redactor: Redactor
    own_failure: Callable[[Reply], ProviderError | None] = lambda _reply: None
    """Recognises failures particular to this API; `None` leaves the verdict to the status."""
    too_large: type[ProviderError] = NetworkFailed
    """The failure for an answer above `max_bytes`."""
    max_bytes: int = 5_000_000
    most_parts: int = MOST_PARTS
    """The bound of the memory of an answer: several providers answer a call at the same time."""
    codings: str = SMALL_CODINGS
    """Offered codings: each answer has a decoder of its own."""

    async def post(self, url: str, deadline: Deadline, *, headers: Mapping[str, str], body: Json) -> Json:
        return (await self.post_with_headers(url, deadline, headers=headers, body=body))[0]

    async def post_with_headers(
        self, url: str, deadline: Deadline, *, headers: Mapping[str, str], body: Json
    ) -> tuple[Json, Mapping[str, str]]:
        """The answer with its headers, in which some APIs describe their limits."""
        reply = self.check(await self._send("POST", url, deadline, headers=headers, json=body), deadline)
        return self.read_object(reply), reply.headers

    async def post_reply(
        self,
        url: str,
        deadline: Deadline,
        *,
        headers: Mapping[str, str],
        body: Json,
        is_enough: Callable[[bytes], bool] | None = None,
    ) -> Reply:
        """An answer with any status, not checked yet; `is_enough` stops reading a body that need not end."""
        return await self._send("POST", url, deadline, headers=headers, json=body, is_enough=is_enough)

    async def request(
        self, method: str, url: str, deadline: Deadline, *, headers: Mapping[str, str], body: Json | None = None
    ) -> Reply:
        """An answer with any status, not checked yet, to any request."""
        return await self._send(method, url, deadline, headers=headers, json=body)

    async def get(self, url: str, deadline: Deadline, *, headers: Mapping[str, str], params: Mapping[str, str]) -> Json:
        return self.read_object(await self.get_reply(url, deadline, headers=headers, params=params))

    async def get_list(
        self, url: str, deadline: Deadline, *, headers: Mapping[str, str], params: Mapping[str, str]
    ) -> list[Json]:
        """The objects of a JSON array."""
        body = self.read_json(await self.get_reply(url, deadline, headers=headers, params=params))
        if not isinstance(body, list):
            raise BadAnswer(self.provider, f"the body is a JSON {type(body).__name__}, not an array")
        return objects(body)

    async def get_reply(
        self, url: str, deadline: Deadline, *, headers: Mapping[str, str], params: Mapping[str, str]
    ) -> Reply:
        """A successful answer with any body."""
        return self.check(await self._send("GET", url, deadline, headers=headers, params=params), deadline)

    async def post_form(
        self, url: str, deadline: Deadline, *, headers: Mapping[str, str], form: Mapping[str, str]
    ) -> Reply:
        """Post a form; returns a successful answer."""
        return self.check(await self._send("POST", url, deadline, headers=headers, form=form), deadline)

    def check(self, reply: Reply, deadline: Deadline) -> Reply:
        """Return a successful answer; raise the failure of any other."""
        if 200 <= reply.status < 300:
            return reply
        raise self.own_failure(reply) or self._failure(reply, deadline.clock)

    def read_object(self, reply: Reply) -> Json:
        """Parse the JSON object of an answer."""
        body = self.read_json(reply)
        if not isinstance(body, dict):
            raise BadAnswer(self.provider, f"the body is a JSON {type(body).__name__}, not an object")
        return body

    def read_json(self, reply: Reply) -> object:
        """Parse the JSON of an answer."""
        try:
            return parse_json(reply.body, self.most_parts)
        except ValueError as error:
            if is_challenge(reply):
                raise Blocked(self.provider, "it answered with a challenge page") from error
            raise BadAnswer(self.provider, "the body is not JSON") from error

    def page(self, text: str, title: str = "", plain: str = "") -> Text:
        """The text of a page as the API extracted it, cleaned like all untrusted content; raises `NotRead` if empty."""
        markdown = clean(text[:PAGE_CHARS])
        if not markdown.strip():
            raise NotRead(self.provider, "the text of the page is empty")
        title = without_markup(title[:PAGE_CHARS], TITLE_CHARS)
        is_cut = len(text) > PAGE_CHARS
        return Text(markdown, title, len(markdown.split()), is_cut=is_cut, plain=clean(plain[:PAGE_CHARS]))

    def not_read(self, said: str) -> NotRead:
        """The failure of one page in a successful answer; `said` is the API's message."""
        return NotRead(self.provider, said=self.clean_message(said))

    def clean_message(self, words: str) -> str:
        """Make a message of the API fit to be shown: one line, redacted."""
        return self.redactor.message(one_line(words[:_MESSAGE_BYTES]))

    async def _send(
        self,
        method: str,
        url: str,
        deadline: Deadline,
        *,
        headers: Mapping[str, str],
        params: Mapping[str, str] | None = None,
        json: Json | None = None,
        form: Mapping[str, str] | None = None,
        is_enough: Callable[[bytes], bool] | None = None,
    ) -> Reply:
        timeout_s = min(self.timeout_s, deadline.remaining_s())
        try:
            return await self.client.send(
                method,
                url,
                headers=headers,
                params=params,
                json=json,
                form=form,
                timeout_s=timeout_s,
                max_bytes=self.max_bytes,
                is_enough=is_enough,
                codings=self.codings,
            )
        except WireError as error:
            raise wire_failure(self.provider, error, timeout_s, too_large=self.too_large) from error

    def _failure(self, reply: Reply, clock: Clock) -> ProviderError:
        kind, detail, advice = _classify(reply), f"HTTP {reply.status}", ""
        if kind is KeyRejected:
            # Without a key there is none to check: the API refuses this client.
            kind, advice = (KeyRejected, f"check {self.key_variable}") if self.key_variable else (Blocked, "")
        # Redacted before it is cut: half a key would pass the redaction of the output.
        said = self.redactor.message(error_message(reply))
        wait_s = retry_after_s(reply.headers, clock)
        return kind(self.provider, detail, said=said, advice=advice, retry_after_s=wait_s, http_status=reply.status)


def wire_failure(
    provider: str, error: WireError, timeout_s: float, *, too_large: type[ProviderError] = NetworkFailed
) -> ProviderError:
    """Translate a request without a usable response into the failure of its provider."""
    match error:
        case WireTimeout():
            return TimedOut(provider, f"no answer within {timeout_s:.1f} s")
        case WireTooLarge():
            return too_large(provider, str(error))
        case WireUnreached():
            return Unreachable(provider, str(error))
    return NetworkFailed(provider, str(error))


def _classify(reply: Reply) -> type[ProviderError]:
    """The failure class of a status; the body only reveals a spent quota or a challenge page."""
    status = reply.status
    if status == 429:
        return RateLimited
    if status == 408 or status >= 500:
        return Unavailable
    if status < 400:
        return Redirected
    if is_challenge(reply):
        return Blocked
    if status in _QUOTA_STATUS or _speaks_of_quota(reply):
        return QuotaSpent
    return KeyRejected if status in (401, 403) else BadRequest


def is_challenge(reply: Reply) -> bool:
    """Whether a bot check answered in place of the API."""
    return "html" in reply.headers.get("content-type", "") and bool(_CHALLENGE.search(reply.body[:20_000]))


def _speaks_of_quota(reply: Reply) -> bool:
    """Whether an error is about credits; HTML is no error message, and its footer may mention credits too."""
    message = reply.body[:_MESSAGE_BYTES].decode("utf-8", "replace")
    return "html" not in reply.headers.get("content-type", "") and is_about_quota(message)


def is_about_quota(words: str) -> bool:
    """Whether an error message says that the quota is spent."""
    return bool(_QUOTA.search(words))


def error_message(reply: Reply) -> str:
    """The error message of an API on one line; empty for markup and unknown shapes."""
    try:
        body = parse_json(reply.body)
    except ValueError:
        return ""
    return find_message(body)


def find_message(body: object) -> str:
    """The message in a parsed answer on one line; empty where no usual field has one."""
    fields = as_mapping(body)
    nested = (string(mapping(fields, name), "error", "message") or fields.get(name) for name in _MESSAGES)
    return one_line(next((text for text in nested if isinstance(text, str) and text), "")[:_MESSAGE_BYTES])


def retry_after_s(headers: Mapping[str, str], clock: Clock) -> float | None:
    """Retry-After as seconds or as a date; `None` for invalid values and the past."""
    value = headers.get("retry-after", "").strip()
    if value.isdecimal():
        return float(value[:9]) or None
    try:
        moment = parsedate_to_datetime(value).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    seconds = (moment - clock.utc()).total_seconds()
    return seconds if seconds > 0 else None
