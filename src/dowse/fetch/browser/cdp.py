"""Speaks the Chrome DevTools Protocol: commands and their answers, and the events of the browser and of each page."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any, Protocol

Params = Mapping[str, Any]
Listener = Callable[[str, Params], None]
"""Called with the name of an event and its parameters, at once; it must neither wait nor raise."""


class CdpError(Exception):
    """Something went wrong between us and the browser; it never leaves this package."""


class BrowserGone(CdpError):
    """The browser ended, or does not listen any more: nothing that was open in it is left."""


class NotDevTools(BrowserGone):
    """What answers is no browser: it does not speak the protocol."""


class CommandFailed(CdpError):
    """The browser refused one command, most often because its page is gone."""


class Receiver(Protocol):
    """Who hears what the browser says."""

    def received(self, message: bytes) -> None: ...

    def ended(self) -> None:
        """The browser will say nothing more; called once."""
        ...


class Channel(Protocol):
    """Carries whole messages to a browser; what comes back goes to a `Receiver`."""

    def send(self, message: bytes) -> None: ...

    def close(self) -> None: ...


class Connection:
    """One browser. Commands may overlap; each is answered or fails, at the latest when the browser ends."""

    def __init__(self) -> None:
        self._channel: Channel | None = None
        self._last_id = 0
        self._waiting: dict[int, asyncio.Future[Params]] = {}
        self._listeners: dict[str, Listener] = {}
        self._gone = asyncio.Event()

    def opened(self, channel: Channel) -> None:
        """Use this channel; messages may be sent from now on."""
        self._channel = channel

    @property
    def is_gone(self) -> bool:
        return self._gone.is_set()

    async def wait_gone(self) -> None:
        """Return when the browser has ended."""
        await self._gone.wait()

    async def call(self, method: str, params: Params | None = None, *, session: str = "") -> Params:
        """The result of a command; raises `CommandFailed` or `BrowserGone`. The caller bounds the time."""
        if self._channel is None or self.is_gone:
            raise BrowserGone
        self._last_id += 1
        number = self._last_id
        message: dict[str, object] = {"id": number, "method": method, "params": params or {}}
        if session:
            message["sessionId"] = session
        answer: asyncio.Future[Params] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            self._channel.send(json.dumps(message).encode())
            return await answer
        finally:
            self._waiting.pop(number, None)

    def listen(self, session: str, listener: Listener) -> None:
        """Hear the events of a session; the empty one is the browser itself."""
        self._listeners[session] = listener

    def ignore(self, session: str) -> None:
        self._listeners.pop(session, None)

    def close(self) -> None:
        """Stop talking; everything that waits fails."""
        if self._channel is not None:
            self._channel.close()
        self.ended()

    def received(self, message: bytes) -> None:
        try:
            content = json.loads(message)
        # RecursionError: brackets without end.
        except (ValueError, RecursionError):
            content = None
        if not isinstance(content, dict):
            self._end(NotDevTools)
        elif "id" in content:
            self._answered(content)
        elif listener := self._listeners.get(content.get("sessionId", "")):
            listener(str(content.get("method")), content.get("params", {}))

    def ended(self) -> None:
        self._end(BrowserGone)

    def _end(self, reason: type[BrowserGone]) -> None:
        self._gone.set()
        self._listeners.clear()
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(reason())

    def _answered(self, content: Mapping[str, Any]) -> None:
        answer = self._waiting.get(content["id"])
        if answer is None or answer.done():
            return
        if error := content.get("error"):
            answer.set_exception(CommandFailed(str(error.get("message", ""))))
        else:
            answer.set_result(content.get("result", {}))


class Session:
    """The commands and events of one page."""

    def __init__(self, connection: Connection, session: str) -> None:
        self._connection = connection
        self._session = session
        self._listeners: dict[str, list[Callable[[Params], None]]] = {}
        connection.listen(session, self._happened)

    async def call(self, method: str, **params: object) -> Params:
        return await self._connection.call(method, params, session=self._session)

    def on(self, event: str, listener: Callable[[Params], None]) -> None:
        """Call `listener` with the parameters of each such event."""
        self._listeners.setdefault(event, []).append(listener)

    async def wait_gone(self) -> None:
        """Return when the whole browser has ended; who waits for an event waits for this too."""
        await self._connection.wait_gone()

    def close(self) -> None:
        self._connection.ignore(self._session)

    def _happened(self, event: str, params: Params) -> None:
        for listener in self._listeners.get(event, ()):
            listener(params)
