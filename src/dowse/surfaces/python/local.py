"""Backend of the Python API in this process: the tools of REST over the flows."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING

from dowse.contracts.output import map_texts
from dowse.core.errors import AllProvidersFailed, DowseError, InvalidRequest, ProviderError
from dowse.core.runtime import CallContext
from dowse.secrets.redact import Redactor
from dowse.settings import Settings
from dowse.telemetry.log import LOGGER, MaskingFilter, identify_call

if TYPE_CHECKING:
    from dowse.app import App
    from dowse.contracts.dispatch import Call, Services

Json = Mapping[str, object]


class LocalBackend:
    """Implements `client.Backend`; the application is made with the first call, and belongs to its event loop."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings.model_copy(update={"contract": "dowse"})
        self._app: App | None = None
        self._calls: dict[str, Call] = {}
        self._masking = MaskingFilter(Redactor(settings.secrets()))
        # Without any handler, Python would print the warnings of a library to stderr.
        if not LOGGER.handlers:
            LOGGER.addHandler(logging.NullHandler())

    async def call(self, operation: str, given: Json) -> object:
        app = self._open()
        with identify_call():
            try:
                answer = await self._calls[operation](given, CallContext())
            except DowseError as error:
                raise mask(error, app.redactor) from None
        return app.redactor.data(answer.structured)

    async def close(self) -> None:
        app, self._app = self._app, None
        LOGGER.removeFilter(self._masking)
        if app is not None:
            await app.__aexit__(None, None, None)

    def _open(self) -> App:
        if self._app is None:
            # Heavy: made for the first call, not for `Client()`.
            from dowse.app import App

            self._app = App(self._settings)
            LOGGER.addFilter(self._masking)
            self._calls = _make_calls(self._app.services)
        return self._app


def _make_calls(services: Services) -> dict[str, Call]:
    from dowse.contracts.answer_question import answer_question
    from dowse.contracts.extract import extract
    from dowse.contracts.get_content import get_content
    from dowse.contracts.rerank import rerank
    from dowse.contracts.rest.search import build_search

    return {
        "search": build_search(services).call,
        "read": get_content(services).call,
        "answer": answer_question(services).call,
        "extract": extract(services).call,
        "rerank": rerank(services).call,
    }


def mask(error: DowseError, redactor: Redactor) -> DowseError:
    """The error without secrets in any text that it carries."""
    if isinstance(error, InvalidRequest):
        error.sentence = error.sentence.change(redactor.message)
    if isinstance(error, AllProvidersFailed):
        error.attempts = map_texts(error.attempts, redactor.message)
        error.warnings = map_texts(error.warnings, redactor.message)
        for each in error.errors:
            mask(each, redactor)
    if isinstance(error, ProviderError):
        error.detail = redactor.message(error.detail)
    error.args = (redactor.message(str(error)),)
    error.__cause__ = error.__context__ = None
    return error
