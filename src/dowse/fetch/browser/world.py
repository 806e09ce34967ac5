"""The world of our own scripts inside a page: they share its elements and nothing else, so it cannot deceive them."""

from __future__ import annotations

import functools
import json
from importlib import resources
from typing import Any

from dowse.fetch.browser.cdp import CommandFailed, Params, Session

_NAME = "dowse"
# They build on one another, in this order.
_SCRIPTS = ("dom.js", "watch.js", "consent.js", "serialise.js")


class World:
    """Calls functions of our scripts in whatever document is there."""

    def __init__(self, session: Session, frame: str) -> None:
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
