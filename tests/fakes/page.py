"""A stand-in for Chromium that shows a page: it tells of it and answers our scripts as the real one would."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

from tests.fakes.browser import FakeBrowser

FRAME = "target"
URL = "http://public.example/"


class ShowingBrowser(FakeBrowser):
    """Goes where it is sent. Results are those of commands, or of functions of our scripts inside the page."""

    def __init__(self) -> None:
        super().__init__()
        self.results: dict[str, Mapping[str, Any]] = {
            "Page.createIsolatedWorld": {"executionContextId": 1},
            "ready": _value(True),
            "still": _value(True),
            "answerConsent": _value(False),
            "look": _value({"chars": 500, "isBare": False, "isTall": False, "hasScripts": False}),
            "countHollow": _value(0),
        }
        self.before: dict[str, Callable[[], None]] = {"Page.navigate": self.shows}
        """What happens once, before something is answered."""

    def shows(self, content: str = "Otters", status: int = 200, url: str = URL, **headers: str) -> None:
        """Another document takes the place of what is there."""
        self.results["serialise"] = _value({"url": url, "content": content, "chars": 500, "isCut": False})
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        response = {"status": status, "mimeType": "text/html", "headers": named}
        self.tells("Network.responseReceived", requestId="1", type="Document", frameId=FRAME, response=response)
        self.tells("Page.frameNavigated", frame={"id": FRAME, "loaderId": "1", "url": URL})

    def tells(self, event: str, **params: object) -> None:
        """An event of the page."""
        self.connection.receive(json.dumps({"method": event, "params": params, "sessionId": "session"}).encode())

    def send(self, message: bytes) -> None:
        content = json.loads(message)
        name = _function(content["params"]) or content["method"]
        soon = asyncio.get_running_loop().call_soon
        if name in self.before:
            soon(self.before.pop(name))
        if name not in self.results:
            super().send(message)
            return
        self.said.append((name, content["params"]))
        answer = {"error": {"message": "no"}} if name in self.refuses else {"result": self.results[name]}
        soon(self.connection.receive, json.dumps({"id": content["id"], **answer}).encode())


def _value(value: object) -> dict[str, Any]:
    return {"result": {"value": value}}


def _function(params: Mapping[str, Any]) -> str:
    """Which function of our scripts is called."""
    is_ours, _, call = str(params.get("expression", "")).partition("dowse.")
    return "" if is_ours else call.partition("(")[0]
