"""One page in a tab: set up, sent on its way, and followed wherever it leads."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from dowse.core.errors import WireDenied, WireError
from dowse.fetch.browser.cdp import OVERSIZED, BrowserGone, CdpError, CdpSession, Oversized, PageCrashed, Params, World
from dowse.fetch.browser.navigation import UNWANTED, Journey, RequestTracker, TooFar
from dowse.fetch.direct import may_be_kept, unreadable
from dowse.fetch.media import parse_media_type

DOWNLOAD = "download"
"""The error of a document that is not shown but saved, if it were allowed."""

_VIEWPORT = {"width": 1280, "height": 1024, "deviceScaleFactor": 1, "mobile": False}
# Bodies are read from the page itself; the browser need not keep them for us.
_BUFFERS = {"maxTotalBufferSize": 1, "maxResourceBufferSize": 1}
# Whoever looks away need not be shown how text moves in; it is waited for otherwise.
_CALM = [{"name": "prefers-reduced-motion", "value": "reduce"}]
_PAUSED = [
    *({"resourceType": kind} for kind in ("Document", *UNWANTED)),
    {"resourceType": "Document", "requestStage": "Response"},
]
# Scripts may wait for a picture, so it comes, and is empty: one transparent dot.
_PICTURE = {
    "responseCode": 200,
    "responseHeaders": [
        {"name": "Content-Type", "value": "image/gif"},
        {"name": "Access-Control-Allow-Origin", "value": "*"},
    ],
    "body": "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7",
}
_PAGES = ("http:", "https:", "about:blank")
# The news of a new document may come after the failure of what was asked of the old one.
_NEWS_S = 1.0

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PageDocument:
    """What the main frame shows: where it is from, and what the server or the browser said about it."""

    url: str
    status: int = 0
    media_type: str = ""
    error: str = ""
    may_be_kept: bool = True


class BrowserPage:
    """Follows one tab. Its listeners run while `CdpSession` reads, so they only take notes and send errands."""

    def __init__(self, session: CdpSession, frame: str, journey: Journey, traffic: RequestTracker) -> None:
        self.traffic = traffic
        self.document = PageDocument("")
        self.world = World(session, frame)
        self._session = session
        self._frame = frame
        self._journey = journey
        self._url = ""
        self._leaving = ""
        self._answers: dict[str, Params] = {}
        self._answer: Params = {}
        self._errors: dict[str, str] = {}
        self._replaced = asyncio.Event()
        self._end: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._errands: set[asyncio.Task[object]] = set()
        self._listen()
        self._errand(self._notice_the_end())
        self._errand(self._notice_a_flood())

    async def open(self, url: str, user_agent: str) -> None:
        """Go there; afterwards there is a document, if only one that holds an error."""
        start = self.document
        # All at once, but not with what follows: a page may be there before its process has heard of them.
        await asyncio.gather(*self._preparations(user_agent))
        answer = await self.call("Page.navigate", url=url)
        error = DOWNLOAD if answer.get("isDownload") else str(answer.get("errorText", ""))
        if error:
            # A page that crashed on its way does not answer; the news of that ends it meanwhile.
            await self.call("Runtime.evaluate", expression="0")
            self._shows(self._url or url, self._answer, error)
        while self.document is start:
            await self._replaced.wait()

    async def call(self, method: str, **params: object) -> Params:
        return await self._session.call(method, **params)

    async def is_replaced(self, document: PageDocument, within_s: float = _NEWS_S) -> bool:
        """Whether another document takes this one's place."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                while self.document is document:
                    await self._replaced.wait()
        return self.document is not document

    def stay(self) -> None:
        """Give up what the page leads to, if that is still on its way: until then the browser tells nothing of it."""
        if self._leaving:
            self._send("Page.stopLoading")

    async def unless_ended(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something with the page; raises what forbids to read it on, as soon as that is known."""
        task: asyncio.Future[Any] = asyncio.ensure_future(work)
        try:
            await asyncio.wait({task, self._end}, return_when=asyncio.FIRST_COMPLETED)
            if self._end.done():
                self._end.result()
            return cast(T, task.result())
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def close(self) -> None:
        """Forget what has not been sent yet. The tab is its owner's."""
        self._session.close()
        for errand in self._errands:
            errand.cancel()
        self._end.cancel()
        await asyncio.gather(self._end, *self._errands, return_exceptions=True)

    async def _notice_the_end(self) -> None:
        """Not everything here waits for an answer, which would fail by itself."""
        await self._session.wait_gone()
        self._ends(BrowserGone())

    async def _notice_a_flood(self) -> None:
        await self.traffic.flooded.wait()
        await self.call("Network.disable")

    def _preparations(self, user_agent: str) -> list[Coroutine[Any, Any, Params]]:
        return [
            self.call("Page.enable"),
            self.call("Inspector.enable"),
            self.call("Network.enable", **_BUFFERS),
            self.call("Fetch.enable", patterns=_PAUSED),
            self.call("Page.setDownloadBehavior", behavior="deny"),
            self.call("Emulation.setUserAgentOverride", userAgent=user_agent),
            self.call("Emulation.setDeviceMetricsOverride", **_VIEWPORT),
            self.call("Emulation.setEmulatedMedia", features=_CALM),
        ]

    def _listen(self) -> None:
        listeners: dict[str, Callable[[Params], None]] = {
            "Fetch.requestPaused": self._paused,
            "Network.responseReceived": self._answered,
            "Network.loadingFailed": self._failed,
            "Page.frameNavigated": self._navigated,
            "Page.javascriptDialogOpening": self._asked,
            "Inspector.targetCrashed": lambda _: self._ends(PageCrashed()),
            OVERSIZED: lambda _: self._ends(Oversized()),
        }
        for event, listener in listeners.items():
            self._session.on(event, listener)

    def _paused(self, params: Params) -> None:
        request, url = params["requestId"], params["request"]["url"]
        if params["resourceType"] == "Image":
            self._send("Fetch.fulfillRequest", requestId=request, **_PICTURE)
        elif params["resourceType"] != "Document":
            self._send("Fetch.failRequest", requestId=request, errorReason="BlockedByClient")
        elif "responseStatusCode" in params:
            self._came(params)
        elif "responseErrorReason" in params:
            self._send("Fetch.continueRequest", requestId=request)
        elif params["frameId"] == self._frame:
            self._errand(self._move(request, url, params.get("networkId", request)))
        elif self._journey.may_frame(url):
            # What may be reached from there is the proxy's to say.
            self._send("Fetch.continueRequest", requestId=request)
        else:
            self._send("Fetch.failRequest", requestId=request, errorReason="BlockedByClient")

    async def _move(self, request: str, url: str, navigation: str) -> None:
        try:
            await self._journey.goes_to(url, navigation)
        except WireError as error:
            self._ends(unreadable(error))
        except TooFar:
            # Not failed but aborted: the page that wanted to lead on stays.
            await self.call("Fetch.failRequest", requestId=request, errorReason="Aborted")
        else:
            self._url = url
            self._leaving = navigation
            await self.call("Fetch.continueRequest", requestId=request)

    def _came(self, params: Params) -> None:
        """The head of a document. Only text is let in: viewers of anything else cost a lot, and show us nothing."""
        code = int(params["responseStatusCode"])
        headers = {field["name"].lower(): str(field["value"]) for field in params.get("responseHeaders", ())}
        media_type = parse_media_type(headers.get("content-type", ""))
        is_redirect = 300 <= code < 400
        if params["frameId"] == self._frame and not is_redirect:
            # The browser looks closer at what it is, and tells that later, unless nobody listens any more.
            self._answer = {"status": code, "mimeType": media_type.name, "headers": headers}
            self._answers[params.get("networkId", "")] = self._answer
        if is_redirect or not media_type.name or media_type.is_text:
            self._send("Fetch.continueResponse", requestId=params["requestId"])
            return
        self._send("Fetch.failRequest", requestId=params["requestId"], errorReason="Aborted")

    def _answered(self, params: Params) -> None:
        if params.get("type") == "Document" and params.get("frameId") == self._frame:
            self._answer = self._answers[params["requestId"]] = params["response"]

    def _failed(self, params: Params) -> None:
        if params.get("type") == "Document":
            self._errors[params["requestId"]] = str(params.get("errorText", ""))
            if params["requestId"] == self._leaving:
                self._leaving = ""

    def _navigated(self, params: Params) -> None:
        frame = params["frame"]
        if frame["id"] != self._frame:
            return
        answer = self._answers.get(frame["loaderId"], {})
        if unreachable := frame.get("unreachableUrl"):
            self._shows(unreachable, answer, self._errors.get(frame["loaderId"]) or "net::ERR_FAILED")
            return
        self._shows(frame["url"], answer)
        if not frame["url"].startswith(_PAGES):
            self._ends(unreadable(WireDenied()))

    def _shows(self, url: str, answer: Params, error: str = "") -> None:
        status, media_type = int(answer.get("status", 0)), str(answer.get("mimeType", ""))
        self.document = PageDocument(url, status, media_type, error, _may_be_kept(answer))
        self.world.leave()
        self._leaving = ""
        self._replaced.set()
        self._replaced = asyncio.Event()

    def _asked(self, params: Params) -> None:
        """Whether the page may be left: yes. Anything else: no."""
        self._send("Page.handleJavaScriptDialog", accept=params.get("type") == "beforeunload")

    def _ends(self, reason: Exception) -> None:
        if not self._end.done():
            self._end.set_exception(reason)

    def _send(self, method: str, **params: object) -> None:
        self._errand(self.call(method, **params))

    def _errand(self, work: Coroutine[Any, Any, object]) -> None:
        task = asyncio.ensure_future(work)
        self._errands.add(task)
        task.add_done_callback(self._errand_ended)

    def _errand_ended(self, task: asyncio.Task[object]) -> None:
        self._errands.discard(task)
        error = None if task.cancelled() else task.exception()
        # The request or the whole page may be gone by the time it is answered.
        if isinstance(error, Exception) and not isinstance(error, CdpError):
            raise error


def _may_be_kept(answer: Params) -> bool:
    headers = {name.lower(): str(value) for name, value in answer.get("headers", {}).items()}
    # The browser joins repeated headers by line ends.
    return may_be_kept(headers.get("cache-control", "").replace("\n", ","))
