"""Questions to OpenAI, whose double is on the pocket web."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from pydantic import SecretStr

from dowse.core.answers import CitedAnswer, Question
from dowse.core.models import Deadline
from dowse.net.clients import ConfiguredClient
from dowse.net.json_api import Api
from dowse.providers.openai.adapter import OpenAI
from dowse.secrets.redact import Redactor
from tests.doubles import PocketWeb
from tests.fakes import FakeClock

QUESTION = Question("what changes in python 3.15")

Ask = Callable[..., Awaitable[CitedAnswer]]


@pytest.fixture
def ask(web: PocketWeb, client: ConfiguredClient, clock: FakeClock) -> Ask:
    """Asks OpenAI; takes the question, the time that is left, and whatever a provider is made of."""
    jitter = random.Random(1).uniform

    async def answer(
        question: Question = QUESTION, *, left_s: float = 30, timeout_s: float = 15, key: str = "", **options: Any
    ) -> CitedAnswer:
        api = Api(OpenAI.name, client, timeout_s, "OPENAI_API_KEY", Redactor([web.openai.key]))
        made_of = {"endpoint": web.page(web.openai.base_path), "model": "gpt-5-nano", "clock": clock, "jitter": jitter}
        options = made_of | options
        return await OpenAI(api, SecretStr(key or web.openai.key), **options).answer(
            question, Deadline.after(clock, left_s)
        )

    return answer
