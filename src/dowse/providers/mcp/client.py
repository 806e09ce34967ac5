"""A client of remote MCP servers (Streamable HTTP), as much of it as calling one tool takes."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count

from dowse.core.errors import BadAnswer, TimedOut
from dowse.core.models import Deadline
from dowse.net.clients import Reply
from dowse.net.json_api import Api, Json, string, whole
from dowse.providers.mcp import messages
from dowse.providers.mcp.failures import rpc_failure
from dowse.providers.mcp.messages import AnswerListener, Session

_SESSION_ID = re.compile(r"[\x21-\x7e]{1,1024}")
# What JSON-RPC and MCP call a request that was not understood: with these, servers that know no handshake refuse one.
_NOT_UNDERSTOOD = frozenset({-32600, -32601, -32602, -32020, -32022})
_MISUNDERSTANDINGS = (400, 404)


@dataclass(frozen=True, slots=True)
class _Exchange:
    """What came back for one request; `answer` is what the server says to it, if it says anything."""

    reply: Reply
    answer: Json | None

    @property
    def error(self) -> Json | None:
        error = self.answer.get("error") if self.answer else None
        return error if isinstance(error, dict) else None

    def has_lost(self, session: Session) -> bool:
        """Whether the server does not know us any more; some say so with 400."""
        if not session.id:
            return False
        words = string(self.error or {}, "message").lower()
        return self.reply.status == 404 or (self.reply.status == 400 and "session" in words)

    @property
    def refuses_handshakes(self) -> bool:
        may_be = self.reply.status in (200, *_MISUNDERSTANDINGS)
        return may_be and whole(self.error or {}, "code") in _NOT_UNDERSTOOD


class McpClient:
    """Calls tools of one server. Calls at the same time share the session and nothing else."""

    def __init__(self, api: Api, url: str, headers: Mapping[str, str]) -> None:
        self._api = api
        self._url = url
        self._headers = headers
        self._numbers = count(1)
        self._session: Session | None = None
        self._opening = asyncio.Lock()

    async def call(self, tool: str, arguments: Json, deadline: Deadline) -> Json:
        """The tool's result, one that tells of a failure included; every other failure is raised."""
        params = {"name": tool, "arguments": arguments}
        session = await self._opened(deadline)
        exchange = await self._send(session, "tools/call", params, deadline)
        if exchange.has_lost(session):
            self._forget(session)
            session = await self._opened(deadline)
            exchange = await self._send(session, "tools/call", params, deadline)
        if exchange.reply.status in _MISUNDERSTANDINGS:
            # Perhaps it is not the server any more that was greeted: next time everything begins anew.
            self._forget(session)
        return self._result(exchange)

    async def _opened(self, deadline: Deadline) -> Session:
        """The session there is, or a new one; whoever comes while it is being opened waits for it."""
        try:
            async with asyncio.timeout(deadline.remaining_s()), self._opening:
                if self._session is None:
                    self._session = await self._open(deadline)
                return self._session
        except TimeoutError as error:
            raise TimedOut(self._api.provider, "there was no handshake in time") from error

    def _forget(self, session: Session) -> None:
        """Only this one: somebody else may have opened another meanwhile."""
        if self._session is session:
            self._session = None

    async def _open(self, deadline: Deadline) -> Session:
        exchange = await self._send(None, "initialize", messages.handshake(), deadline)
        if exchange.refuses_handshakes:
            return Session(messages.WITHOUT_HANDSHAKE)
        version = string(self._result(exchange), "protocolVersion")
        if version not in messages.KNOWN:
            raise BadAnswer(self._api.provider, "the server speaks a version of MCP that is not known here")
        given = exchange.reply.headers.get("mcp-session-id", "")
        session = Session(version, given if _SESSION_ID.fullmatch(given) else "")
        if session.has_handshake:
            await self._notify(session, "notifications/initialized", deadline)
        return session

    async def _send(self, session: Session | None, method: str, params: Json, deadline: Deadline) -> _Exchange:
        number = next(self._numbers)
        listener = AnswerListener(number)
        reply = await self._api.post_reply(
            self._url,
            deadline,
            headers=messages.headers(session, method, params, self._headers),
            body=messages.request(session, number, method, params),
            is_enough=listener.hears,
        )
        return _Exchange(reply, listener.answer(reply))

    async def _notify(self, session: Session, method: str, deadline: Deadline) -> None:
        """Whatever the server says to it: what matters will be said to the call."""
        sent = messages.headers(session, method, {}, self._headers)
        await self._api.post_reply(self._url, deadline, headers=sent, body={"jsonrpc": "2.0", "method": method})

    def _result(self, exchange: _Exchange) -> Json:
        reply = self._api.judged(exchange.reply)
        if exchange.answer is None:
            # A page or half a body says more about itself than this does.
            if "event-stream" not in reply.headers.get("content-type", "").lower():
                self._api.read_object(reply)
            raise BadAnswer(self._api.provider, "the request was not answered")
        if exchange.error is not None:
            raise rpc_failure(self._api, exchange.error)
        result = exchange.answer.get("result")
        if not isinstance(result, dict):
            raise BadAnswer(self._api.provider, "the answer has no result")
        return result
