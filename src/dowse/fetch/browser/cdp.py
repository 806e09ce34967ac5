"""Speaks the Chrome DevTools Protocol: commands and their answers, and the events of the browser and of each page."""

from __future__ import annotations

import asyncio
import functools
import json
import re
from collections.abc import Callable, Mapping
from importlib import resources
from typing import Any, Protocol

Params = Mapping[str, Any]
Listener = Callable[[str, Params], None]
"""Called with the name of an event and its parameters, at once; it must neither wait nor raise."""

OVERSIZED = "dowse.oversized"
"""An event of our own: the session is of no more use, see `Oversized`."""

# Far above the largest page that is read.
_LARGEST_ANSWER = 64_000_000
# Reading them keeps everybody waiting, and a page makes them as large and as often as it likes.
_LARGEST_EVENT = 1_000_000
# Without an answer to these, a page stands still.
_QUESTIONS = (b"Fetch.requestPaused", b"Page.javascriptDialogOpening")
# How Chromium's messages begin, if they are events, and how they end.
_EVENT = re.compile(rb'\{"method":"([\w.]{1,100})"')
_SESSION = re.compile(rb',"sessionId":"(\w{1,100})"\}$')
_EDGE = 256
# What is there of a message is of these kinds, or the message is none of the protocol.
_KINDS: dict[str, type] = {"id": int, "sessionId": str, "method": str, "params": dict, "result": dict, "error": dict}


class CdpError(Exception):
    """Something went wrong between us and the browser; it never leaves this package."""


class BrowserGone(CdpError):
    """The browser ended, or does not listen any more: nothing that was open in it is left."""


class NotDevTools(BrowserGone):
    """What answers is no browser: it does not speak the protocol."""


class CommandFailed(CdpError):
    """The browser refused one command, most often because its page is gone."""


class PageCrashed(CdpError):
    """The page took its process down, or got none; another try may end better."""


class Oversized(CdpError):
    """A page said more at once than is listened to. Nothing more is asked of it; others do not notice."""


class BrowserUnavailable(Exception):
    """There is no browser, or it cannot be started; the message is one sentence that says what to do."""


class BrowserBusy(Exception):
    """Too many pages are open or waiting already; the browser itself is well."""


class Receiver(Protocol):
    """Who hears what the browser says."""

    def received(self, message: bytes) -> None: ...

    def received_too_much(self, edges: bytes) -> None:
        """There was a message that `is_too_large`; these are its `edges`."""
        ...

    def ended(self) -> None:
        """The browser will say nothing more; called once."""
        ...


class Channel(Protocol):
    """Carries whole messages to a browser; what comes back goes to a `Receiver`."""

    def send(self, message: bytes) -> None: ...

    def close(self) -> None: ...


def is_too_large(beginning: bytes, size: int) -> bool:
    """Whether a message that begins like this, and has so many bytes by now, is not to be kept."""
    return size > (_LARGEST_EVENT if _EVENT.match(beginning) else _LARGEST_ANSWER)


def edges(message: bytes) -> bytes:
    """What tells of a large message where it belongs."""
    return message[:_EDGE] + message[-_EDGE:]


class Connection:
    """One browser. Commands may overlap; each is answered or fails, at the latest when the browser ends."""

    def __init__(self) -> None:
        self._channel: Channel | None = None
        self._last_id = 0
        # With the session that each belongs to.
        self._waiting: dict[int, tuple[str, asyncio.Future[Params]]] = {}
        self._listeners: dict[str, Listener] = {}
        self._gone = asyncio.Event()
        self._reason: type[BrowserGone] = BrowserGone

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
        """The result of a command; raises `CommandFailed`, `Oversized` or `BrowserGone`. The caller bounds the time."""
        if self._channel is None or self.is_gone:
            raise self._reason
        self._last_id += 1
        number = self._last_id
        message: dict[str, object] = {"id": number, "method": method, "params": params or {}}
        if session:
            message["sessionId"] = session
        answer: asyncio.Future[Params] = asyncio.get_running_loop().create_future()
        self._waiting[number] = session, answer
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
        if is_too_large(message, len(message)):
            self.received_too_much(edges(message))
            return
        try:
            content = json.loads(message)
        # RecursionError: brackets without end.
        except (ValueError, RecursionError):
            content = None
        if not _is_message(content):
            self._end(NotDevTools)
        elif "id" in content:
            self._answered(content)
        elif listener := self._listeners.get(content.get("sessionId", "")):
            listener(content.get("method", ""), content.get("params", {}))

    def received_too_much(self, edges: bytes) -> None:
        """Give up the session that was answered or asked so much; an event that is only news is forgotten."""
        event, session = _EVENT.match(edges), _SESSION.search(edges)
        if session and (not event or event[1] in _QUESTIONS):
            self._give_up(session[1].decode())

    def ended(self) -> None:
        self._end(BrowserGone)

    def _end(self, reason: type[BrowserGone]) -> None:
        # The first reason stays: that pipes close follows from it.
        if not self.is_gone:
            self._reason = reason
        self._gone.set()
        self._listeners.clear()
        for _, answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(self._reason())

    def _give_up(self, session: str) -> None:
        for owner, answer in self._waiting.values():
            if owner == session and not answer.done():
                answer.set_exception(Oversized())
        if listener := self._listeners.get(session):
            listener(OVERSIZED, {})

    def _answered(self, content: Mapping[str, Any]) -> None:
        _, answer = self._waiting.get(content["id"], ("", None))
        if answer is None or answer.done():
            return
        if error := content.get("error"):
            answer.set_exception(CommandFailed(str(error.get("message", ""))))
        else:
            answer.set_result(content.get("result", {}))


def _is_message(content: Any) -> bool:
    return isinstance(content, dict) and all(
        isinstance(content[key], kind) for key, kind in _KINDS.items() if key in content
    )


class CdpSession:
    """The commands and events of one page."""

    def __init__(self, connection: Connection, session: str) -> None:
        self._connection = connection
        self._session = session
        self._is_oversized = False
        self._listeners: dict[str, list[Callable[[Params], None]]] = {}
        connection.listen(session, self._happened)

    async def call(self, method: str, **params: object) -> Params:
        if self._is_oversized:
            raise Oversized
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
        if event == OVERSIZED:
            self._is_oversized = True
        for listener in self._listeners.get(event, ()):
            listener(params)


_NAME = "dowse"
# They build on one another, in this order.
_SCRIPTS = ("dom.js", "watch.js", "consent.js", "serialise.js")


class World:
    """Calls functions of our scripts in whatever document is there."""

    def __init__(self, session: CdpSession, frame: str) -> None:
        self._session = session
        self._frame = frame
        self._documents = 0
        self.context = 0
        """The browser's number for the world in this document; 0 before it was needed."""

    def leave(self) -> None:
        """There is another document, which our scripts have not been in."""
        self._documents += 1
        self.context = 0

    async def evaluate(self, function: str, *arguments: object) -> Any:
        """What a function returns; `CommandFailed` where the document is replaced meanwhile."""
        answer = await self._run(function, arguments, awaitPromise=True, returnByValue=True)
        return answer.get("value")

    async def reference(self, function: str, *arguments: object) -> str:
        """The same for something that cannot leave the page: the browser's handle for it."""
        return str((await self._run(function, arguments)).get("objectId", ""))

    async def _run(self, function: str, arguments: tuple[object, ...], **options: bool) -> Params:
        expression = f"dowse.{function}({', '.join(map(json.dumps, arguments))})"
        context = self.context or await self._enter()
        answer = await self._session.call("Runtime.evaluate", expression=expression, contextId=context, **options)
        if "exceptionDetails" in answer:
            raise CommandFailed(f"{function} failed inside the page")
        return dict(answer["result"])

    async def _enter(self) -> int:
        document = self._documents
        answer = await self._session.call("Page.createIsolatedWorld", frameId=self._frame, worldName=_NAME)
        context = int(answer["executionContextId"])
        source = "\n".join(map(script, _SCRIPTS))
        await self._session.call("Runtime.evaluate", expression=source, contextId=context)
        if self._documents == document:
            self.context = context
        return context


@functools.cache
def script(name: str) -> str:
    """The source of one of our scripts."""
    return (resources.files("dowse.fetch.browser") / "scripts" / name).read_text(encoding="utf-8")
