"""Chrome DevTools Protocol: connection, sessions of pages, and isolated worlds for scripts."""

from __future__ import annotations

import asyncio
import functools
import json
import re
from collections.abc import Callable, Mapping
from importlib import resources
from typing import Any, Protocol

Params = Mapping[str, Any]  # JSON of the DevTools protocol
Listener = Callable[[str, Params], None]
"""Called synchronously with the name of an event and its parameters; it must not raise."""

OVERSIZED = "dowse.oversized"
"""Synthetic event: the session is unusable, see `Oversized`."""

# Far above the size limit of pages.
_LARGEST_ANSWER = 64_000_000
# Parsing blocks the event loop, and a page controls the size and number of events.
_LARGEST_EVENT = 1_000_000
# A page is blocked until these are answered.
_QUESTIONS = (b"Fetch.requestPaused", b"Page.javascriptDialogOpening")
# Beginning and end of Chromium's events.
_EVENT = re.compile(rb'\{"method":"([\w.]{1,100})"')
_SESSION = re.compile(rb',"sessionId":"(\w{1,100})"\}$')
_EDGE = 256
# Types of the fields of a message.
_KINDS: dict[str, type] = {"id": int, "sessionId": str, "method": str, "params": dict, "result": dict, "error": dict}


class CdpError(Exception):
    """Failure of the connection to the browser; it never leaves this package."""


class BrowserGone(CdpError):
    """The browser ended or closed the connection; all its pages are lost."""


class NotDevTools(BrowserGone):
    """The peer does not speak the protocol."""


class CommandFailed(CdpError):
    """The browser refused one command, most often because its page is gone."""


class PageCrashed(CdpError):
    """The renderer process crashed or could not start; a retry may succeed."""


class Oversized(CdpError):
    """A message of a page is above the size limit. Its session is given up; other pages are not affected."""


class BrowserUnavailable(Exception):
    """No browser, or it cannot be started; the message is one sentence with the fix."""


class BrowserBusy(Exception):
    """Too many pages are open or waiting (backpressure); the browser itself works."""


class Receiver(Protocol):
    """Receives messages of the browser."""

    def receive(self, message: bytes) -> None: ...

    def receive_oversized(self, edges: bytes) -> None:
        """A message was too large to keep; these are its `edges`."""
        ...

    def end(self) -> None:
        """The browser has closed the connection; called once."""
        ...


class Channel(Protocol):
    """Transport of whole messages to a browser; its messages go to a `Receiver`."""

    def send(self, message: bytes) -> None: ...

    def close(self) -> None: ...


def is_too_large(beginning: bytes, size: int) -> bool:
    """Whether a message with this beginning and size is above its limit."""
    return size > (_LARGEST_EVENT if _EVENT.match(beginning) else _LARGEST_ANSWER)


def edges(message: bytes) -> bytes:
    """Both ends of a large message, which name its method and session."""
    return message[:_EDGE] + message[-_EDGE:]


class Connection:
    """Connection to one browser. Commands may overlap; each is answered, or fails when the browser ends."""

    def __init__(self) -> None:
        self._channel: Channel | None = None
        self._last_id = 0
        # With the session of each command.
        self._waiting: dict[int, tuple[str, asyncio.Future[Params]]] = {}
        self._listeners: dict[str, Listener] = {}
        self._gone = asyncio.Event()
        self._reason: type[BrowserGone] = BrowserGone

    def attach(self, channel: Channel) -> None:
        """Use this channel from now on."""
        self._channel = channel

    @property
    def is_gone(self) -> bool:
        return self._gone.is_set()

    async def wait_gone(self) -> None:
        """Return when the browser has ended."""
        await self._gone.wait()

    async def call(self, method: str, params: Params | None = None, *, session: str = "") -> Params:
        """Call a command; raises `CommandFailed`, `Oversized` or `BrowserGone`. The caller sets the timeout."""
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
        """Subscribe to the events of a session; the empty one is the browser itself."""
        self._listeners[session] = listener

    def ignore(self, session: str) -> None:
        self._listeners.pop(session, None)

    def close(self) -> None:
        """Close the connection; pending commands fail."""
        if self._channel is not None:
            self._channel.close()
        self.end()

    def receive(self, message: bytes) -> None:
        if is_too_large(message, len(message)):
            self.receive_oversized(edges(message))
            return
        try:
            content = json.loads(message)
        # RecursionError: deeply nested brackets.
        except (ValueError, RecursionError):
            content = None
        if not _is_message(content):
            self._end(NotDevTools)
        elif "id" in content:
            self._resolve(content)
        elif listener := self._listeners.get(content.get("sessionId", "")):
            listener(content.get("method", ""), content.get("params", {}))

    def receive_oversized(self, edges: bytes) -> None:
        """Give up the session of an oversized answer or blocking event; other oversized events are dropped."""
        event, session = _EVENT.match(edges), _SESSION.search(edges)
        if session and (not event or event[1] in _QUESTIONS):
            self._give_up(session[1].decode())

    def end(self) -> None:
        self._end(BrowserGone)

    def _end(self, reason: type[BrowserGone]) -> None:
        # The first reason stays: the closing of the pipes follows from it.
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

    def _resolve(self, content: Params) -> None:
        _, answer = self._waiting.get(content["id"], ("", None))
        if answer is None or answer.done():
            return
        if error := content.get("error"):
            answer.set_exception(CommandFailed(str(error.get("message", ""))))
        else:
            answer.set_result(content.get("result", {}))


def _is_message(content: object) -> bool:
    return isinstance(content, dict) and all(
        isinstance(content[key], kind) for key, kind in _KINDS.items() if key in content
    )


class CdpSession:
    """Commands and events of one page."""

    def __init__(self, connection: Connection, session: str) -> None:
        self._connection = connection
        self._session = session
        self._is_oversized = False
        self._listeners: dict[str, list[Callable[[Params], None]]] = {}
        connection.listen(session, self._dispatch)

    async def call(self, method: str, **params: object) -> Params:
        if self._is_oversized:
            raise Oversized
        return await self._connection.call(method, params, session=self._session)

    def on(self, event: str, listener: Callable[[Params], None]) -> None:
        """Call `listener` with the parameters of each such event."""
        self._listeners.setdefault(event, []).append(listener)

    async def wait_gone(self) -> None:
        """Return when the browser has ended; a waiter for an event must wait for this too."""
        await self._connection.wait_gone()

    def close(self) -> None:
        self._connection.ignore(self._session)

    def _dispatch(self, event: str, params: Params) -> None:
        if event == OVERSIZED:
            self._is_oversized = True
        for listener in self._listeners.get(event, ()):
            listener(params)


_NAME = "dowse"
# In the order of their dependencies.
_SCRIPTS = ("dom.js", "watch.js", "consent.js", "paint.js", "layout.js", "visibility.js", "serialise.js")


class IsolatedWorld:
    """Isolated world: the scripts share the page's elements and nothing else, so it cannot deceive them."""

    def __init__(self, session: CdpSession, frame: str) -> None:
        self._session = session
        self._frame = frame
        self._documents = 0
        self.context = 0
        """Execution context in the current document; 0 before its first use."""

    def leave(self) -> None:
        """Forget the context of a replaced document."""
        self._documents += 1
        self.context = 0

    async def evaluate(self, function: str, *arguments: object) -> Any:  # whatever the script returns
        """Call a function and return its value; raises `CommandFailed` if the document is replaced meanwhile."""
        answer = await self._run(function, arguments, awaitPromise=True, returnByValue=True)
        return answer.get("value")

    async def reference(self, function: str, *arguments: object) -> str:
        """Call a function and return the handle of its result, which stays in the page."""
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
    """The source of a bundled script."""
    return (resources.files("dowse.fetch.browser") / "scripts" / name).read_text(encoding="utf-8")
