"""Adapter of OpenAI's Responses API: one request, at most one retry, one deadline for both.

https://platform.openai.com/docs/api-reference/responses/create
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pydantic import SecretStr

from dowse.core.answers import CitedAnswer, Question
from dowse.core.errors import ProviderError, RateLimited, Unavailable
from dowse.core.models import Clock, Deadline
from dowse.net.clients import Reply
from dowse.net.json_api import Api
from dowse.net.json_fields import Json
from dowse.providers.openai import output
from dowse.providers.openai.output import read_answer
from dowse.providers.openai.request import Options, payload
from dowse.providers.table import Kit
from dowse.settings.providers import OPENAI as SPEC

_RETRIED = (429, 500, 502, 503)
_RETRY_DELAY_S = (0.2, 0.8)


class OpenAI:
    """Implements `AnswerProvider`."""

    name = SPEC.name

    def __init__(
        self,
        api: Api,
        key: SecretStr,
        *,
        endpoint: str,
        model: str,
        clock: Clock,
        jitter: Callable[[float, float], float],
        temperature: float | None = None,
        max_output_tokens: int = 0,
        context_size: str = "low",
        allowed_domains: tuple[str, ...] = (),
        blocked_domains: tuple[str, ...] = (),
    ) -> None:
        self.timeout_s = api.timeout_s
        self._api = replace(api, own_failure=lambda reply: output.quota_failure(reply, api.clean_message))
        self._key = key
        self._url = f"{endpoint.rstrip('/')}/responses"
        self._clock = clock
        self._jitter = jitter
        self._options = Options(
            model, temperature, max_output_tokens, context_size, tuple(allowed_domains), tuple(blocked_domains)
        )

    async def answer(self, question: Question, deadline: Deadline) -> CitedAnswer:
        # Two attempts are part of the contract of answers; one deadline for both.
        deadline = deadline.cap(self.timeout_s)
        body = await self._response(payload(question, self._options), deadline)
        return read_answer(body, question, self._options.model, self._api.clean_message)

    async def _response(self, wanted: Json, deadline: Deadline) -> Json:
        try:
            return await self._ask(wanted, deadline)
        except (RateLimited, Unavailable) as error:
            wait_s = self._wait_s(error)
            if error.http_status not in _RETRIED or wait_s >= deadline.remaining_s():
                raise
        await self._clock.sleep(wait_s)
        return await self._ask(wanted, deadline)

    async def _ask(self, wanted: Json, deadline: Deadline) -> Json:
        headers = {"Authorization": f"Bearer {self._key.get_secret_value()}"}
        reply = await self._api.post_reply(self._url, deadline, headers=headers, body=wanted)
        return self._api.read_object(_wrap_list(self._api.check(reply, deadline)))

    def _wait_s(self, error: ProviderError) -> float:
        """The wait before the retry, with jitter."""
        return (error.retry_after_s or 0.0) + self._jitter(*_RETRY_DELAY_S)


def _wrap_list(reply: Reply) -> Reply:
    """Wrap a bare list of items, which some compatible servers send."""
    is_list = reply.body.lstrip().startswith(b"[")
    return replace(reply, body=b'{"output": ' + reply.body + b"}") if is_list else reply


def make(kit: Kit) -> OpenAI:
    settings = kit.settings
    return OpenAI(
        kit.api(SPEC.name),
        settings.api_key(SPEC.name),
        endpoint=settings.endpoint(SPEC.name, "answer"),
        model=settings.openai_model,
        clock=kit.clock,
        jitter=kit.chance.uniform,
        temperature=settings.openai_temperature,
        max_output_tokens=settings.openai_max_output_tokens,
        context_size=settings.openai_context_size,
        allowed_domains=settings.openai_allowed_domains,
        blocked_domains=settings.openai_blocked_domains,
    )
