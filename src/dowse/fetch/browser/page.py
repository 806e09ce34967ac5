"""One page in a tab: set up, navigated, and followed through redirects and navigations by script."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from dowse.core.wire_errors import WireDenied, WireError
from dowse.fetch.browser.cdp import (
    OVERSIZED,
    BrowserGone,
    CdpError,
    CdpSession,
    IsolatedWorld,
    Oversized,
    PageCrashed,
    Params,
)
from dowse.fetch.browser.navigation import UNWANTED, NavigationPolicy, RequestTracker, TooFar
from dowse.fetch.direct import may_be_kept, unreadable
from dowse.fetch.media import parse_media_type

DOWNLOAD = "download"
"""The error of a document that would be downloaded, which is denied."""

_VIEWPORT = {"width": 1280, "height": 1024, "deviceScaleFactor": 1, "mobile": False}
# Bodies are read from the page itself; the browser need not keep them.
_BUFFERS = {"maxTotalBufferSize": 1, "maxResourceBufferSize": 1}
# Animated text would delay settling.
_REDUCED_MOTION = [{"name": "prefers-reduced-motion", "value": "reduce"}]
_PAUSED = [
    *({"resourceType": kind} for kind in ("Document", *UNWANTED)),
    {"resourceType": "Document", "requestStage": "Response"},
]
# Scripts may wait for an image, so they get an empty one: a transparent dot.
_EMPTY_IMAGE = {
    "responseCode": 200,
    "responseHeaders": [
        {"name": "Content-Type", "value": "image/gif"},
        {"name": "Access-Control-Allow-Origin", "value": "*"},
    ],
    "body": "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7",
}
_PAGES = ("http:", "https:", "about:blank")
# The event of a new document may come after the failure of a command to the old one.
_REPLACED_S = 1.0

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PageDocument:
    """Document of the main frame, with the status of the server or the error of the browser."""

    url: str
    status: int = 0
    media_type: str = ""
    error: str = ""
    may_be_kept: bool = True


class BrowserPage:
    """Controls one tab. Its listeners run while `CdpSession` reads, so they only update state and start tasks."""

    def __init__(self, session: CdpSession, frame: str, navigation: NavigationPolicy, traffic: RequestTracker) -> None:
        self.traffic = traffic
        self.document = PageDocument("")
        self.world = IsolatedWorld(session, frame)
        self._session = session
        self._frame = frame
        self._navigation = navigation
        self._url = ""
        self._leaving = ""
        self._answers: dict[str, Params] = {}
        self._answer: Params = {}
        self._errors: dict[str, str] = {}
        self._replaced = asyncio.Event()
        self._end: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._tasks: set[asyncio.Task[object]] = set()
        self._listen()
        self._start(self._watch_browser())
        self._start(self._watch_requests())

    async def open(self, url: str, user_agent: str) -> None:
        """Navigate; afterwards there is a document, if only one with an error."""
        start = self.document
        # All at once, but before the navigation: a page may load before its process has received them.
        await asyncio.gather(*self._preparations(user_agent))
        answer = await self.call("Page.navigate", url=url)
        error = DOWNLOAD if answer.get("isDownload") else str(answer.get("errorText", ""))
        if error:
            # A page that crashed while loading does not answer; the event of the crash ends it meanwhile.
            await self.call("Runtime.evaluate", expression="0")
            self._set_document(self._url or url, self._answer, error)
        while self.document is start:
            await self._replaced.wait()

    async def call(self, method: str, **params: object) -> Params:
        return await self._session.call(method, **params)

    async def is_replaced(self, document: PageDocument, within_s: float = _REPLACED_S) -> bool:
        """Wait for another document to replace this one; returns whether it did."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                while self.document is document:
                    await self._replaced.wait()
        return self.document is not document

    def stay(self) -> None:
        """Stop a navigation in progress: until it ends, the browser reports nothing about the page."""
        if self._leaving:
            self._send("Page.stopLoading")

    async def run(self, work: Coroutine[None, None, T]) -> T:
        """Run work on the page; raises as soon as the page crashes, ends or is denied."""
        task: asyncio.Future[Any] = asyncio.ensure_future(work)  # of any result: it is only awaited or cancelled
        try:
            await asyncio.wait({task, self._end}, return_when=asyncio.FIRST_COMPLETED)
            if self._end.done():
                self._end.result()
            return cast(T, task.result())
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def close(self) -> None:
        """Cancel background tasks. The tab itself is closed by its owner."""
        self._session.close()
        for task in self._tasks:
            task.cancel()
        self._end.cancel()
        await asyncio.gather(self._end, *self._tasks, return_exceptions=True)

    async def _watch_browser(self) -> None:
        """Notice the end of the browser even without a pending command."""
        await self._session.wait_gone()
        self._finish(BrowserGone())

    async def _watch_requests(self) -> None:
        await self.traffic.flooded.wait()
        await self.call("Network.disable")

    def _preparations(self, user_agent: str) -> list[Coroutine[None, None, Params]]:
        return [
            self.call("Page.enable"),
            self.call("Inspector.enable"),
            self.call("Network.enable", **_BUFFERS),
            self.call("Fetch.enable", patterns=_PAUSED),
            self.call("Page.setDownloadBehavior", behavior="deny"),
            self.call("Emulation.setUserAgentOverride", userAgent=user_agent),
            self.call("Emulation.setDeviceMetricsOverride", **_VIEWPORT),
            self.call("Emulation.setEmulatedMedia", features=_REDUCED_MOTION),
        ]

    def _listen(self) -> None:
        listeners: dict[str, Callable[[Params], None]] = {
            "Fetch.requestPaused": self._handle_request,
            "Network.responseReceived": self._record_response,
            "Network.loadingFailed": self._record_failure,
            "Page.frameNavigated": self._record_navigation,
            "Page.javascriptDialogOpening": self._answer_dialog,
            "Inspector.targetCrashed": lambda _: self._finish(PageCrashed()),
            OVERSIZED: lambda _: self._finish(Oversized()),
        }
        for event, listener in listeners.items():
            self._session.on(event, listener)

    def _handle_request(self, params: Params) -> None:
        request, url = params["requestId"], params["request"]["url"]
        if params["resourceType"] == "Image":
            self._send("Fetch.fulfillRequest", requestId=request, **_EMPTY_IMAGE)
        elif params["resourceType"] != "Document":
            self._send("Fetch.failRequest", requestId=request, errorReason="BlockedByClient")
        elif "responseStatusCode" in params:
            self._handle_response(params)
        elif "responseErrorReason" in params:
            self._send("Fetch.continueRequest", requestId=request)
        elif params["frameId"] == self._frame:
            self._start(self._move(request, url, params.get("networkId", request)))
        elif self._navigation.may_frame(url):
            # Its requests are judged by the proxy.
            self._send("Fetch.continueRequest", requestId=request)
        else:
            self._send("Fetch.failRequest", requestId=request, errorReason="BlockedByClient")

    async def _move(self, request: str, url: str, navigation: str) -> None:
        try:
            await self._navigation.admit(url, navigation)
        except WireError as error:
            self._finish(unreadable(error))
        except TooFar:
            # Aborted, not failed: the current page stays.
            await self.call("Fetch.failRequest", requestId=request, errorReason="Aborted")
        else:
            self._url = url
            self._leaving = navigation
            await self.call("Fetch.continueRequest", requestId=request)

    def _handle_response(self, params: Params) -> None:
        """Continue a document of a text type; viewers of other types are expensive and show no text."""
        code = int(params["responseStatusCode"])
        headers = {field["name"].lower(): str(field["value"]) for field in params.get("responseHeaders", ())}
        media_type = parse_media_type(headers.get("content-type", ""))
        is_redirect = 300 <= code < 400
        if params["frameId"] == self._frame and not is_redirect:
            # The browser sniffs the type, and reports it later, unless network events are disabled.
            self._answer = {"status": code, "mimeType": media_type.name, "headers": headers}
            self._answers[params.get("networkId", "")] = self._answer
        if is_redirect or not media_type.name or media_type.is_text:
            self._send("Fetch.continueResponse", requestId=params["requestId"])
            return
        self._send("Fetch.failRequest", requestId=params["requestId"], errorReason="Aborted")

    def _record_response(self, params: Params) -> None:
        if params.get("type") == "Document" and params.get("frameId") == self._frame:
            self._answer = self._answers[params["requestId"]] = params["response"]

    def _record_failure(self, params: Params) -> None:
        if params.get("type") == "Document":
            self._errors[params["requestId"]] = str(params.get("errorText", ""))
            if params["requestId"] == self._leaving:
                self._leaving = ""

    def _record_navigation(self, params: Params) -> None:
        frame = params["frame"]
        if frame["id"] != self._frame:
            return
        answer = self._answers.get(frame["loaderId"], {})
        if unreachable := frame.get("unreachableUrl"):
            self._set_document(unreachable, answer, self._errors.get(frame["loaderId"]) or "net::ERR_FAILED")
            return
        self._set_document(frame["url"], answer)
        if not frame["url"].startswith(_PAGES):
            self._finish(unreadable(WireDenied()))

    def _set_document(self, url: str, answer: Params, error: str = "") -> None:
        status, media_type = int(answer.get("status", 0)), str(answer.get("mimeType", ""))
        self.document = PageDocument(url, status, media_type, error, _may_be_kept(answer))
        self.world.leave()
        self._leaving = ""
        self._replaced.set()
        self._replaced = asyncio.Event()

    def _answer_dialog(self, params: Params) -> None:
        """Accept leaving the page; dismiss all other dialogs."""
        self._send("Page.handleJavaScriptDialog", accept=params.get("type") == "beforeunload")

    def _finish(self, reason: Exception) -> None:
        if not self._end.done():
            self._end.set_exception(reason)

    def _send(self, method: str, **params: object) -> None:
        self._start(self.call(method, **params))

    def _start(self, work: Coroutine[None, None, object]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._discard_task)

    def _discard_task(self, task: asyncio.Task[object]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        # The request or the page may be gone by then.
        if isinstance(error, Exception) and not isinstance(error, CdpError):
            raise error


def _may_be_kept(answer: Params) -> bool:
    headers = {name.lower(): str(value) for name, value in answer.get("headers", {}).items()}
    # The browser joins repeated headers with line ends.
    return may_be_kept(headers.get("cache-control", "").replace("\n", ","))
