"""A model that calls the given tools one after the other, behind the APIs of Anthropic, OpenAI and Gemini.

It holds what a client hands to its model: the tools on offer, and the result of every call.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from aiohttp import web

Message = dict[str, Any]
Call = tuple[str, Mapping[str, object]]
# Claude Code offers it while a server is still starting.
_WAIT = "WaitForMcpServers"
_USAGE = {"input_tokens": 1, "output_tokens": 1}


class ScriptedModel:
    """Use `app` with any server. `received` has one text for each result of a tool, in the order of the calls.

    After the last one it gives its answer.
    """

    def __init__(self, calls: Sequence[Call], answer: str = "done") -> None:
        self.received: list[str] = []
        self._calls = calls
        self._answer = answer

    @property
    def app(self) -> web.Application:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_post("/v1/messages", self._anthropic)
        app.router.add_post("/v1/responses", self._openai)
        app.router.add_post("/{version}/models/{call:.+:(stream)?[gG]enerateContent}", self._gemini)
        return app

    def _next(self, offered: Sequence[str], results: Sequence[object]) -> tuple[str, Mapping[str, object]] | None:
        """Keep the results, and choose the next call; none for a request without our tools, such as for a title."""
        texts = ["\n".join(_strings(result)) for result in results]
        if len(texts) > len(self.received):
            self.received = texts
        if len(texts) >= len(self._calls):
            return None
        tool, arguments = self._calls[len(texts)]
        found = [name for name in offered if "dowse" in name and name.endswith(tool)]
        return (found[0], arguments) if found else None

    async def _anthropic(self, request: web.Request) -> web.Response:
        asked = await request.json()
        contents = [message["content"] for message in asked["messages"] if isinstance(message["content"], list)]
        results = [block for content in contents for block in content if block["type"] == "tool_result"]
        ours = [block["content"] for block in results if not block["tool_use_id"].startswith(_WAIT)]
        offered = [tool["name"] for tool in asked.get("tools", [])]
        call = self._next(offered, ours)
        use = f"toolu_{len(ours)}"
        if call is None and not ours and _WAIT in offered:
            call, use = (_WAIT, {}), f"{_WAIT}_{len(results)}"
        block: Message = {"type": "text", "text": ""}
        delta: Message = {"type": "text_delta", "text": self._answer}
        if call:
            block = {"type": "tool_use", "id": use, "name": call[0], "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(call[1])}
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": asked["model"], "usage": _USAGE}
        stop = {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}
        if not asked.get("stream"):
            return web.json_response({**message, **stop, "content": [{"type": "text", "text": self._answer}]})
        return _events(
            {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": stop, "usage": _USAGE},
            {"type": "message_stop"},
        )

    async def _openai(self, request: web.Request) -> web.Response:
        asked = await request.json()
        outputs = [item["output"] for item in asked["input"] if item.get("type") == "function_call_output"]
        # Codex groups the tools of a server in a namespace.
        offered = {
            tool["name"]: group.get("name") if group["type"] == "namespace" else None
            for group in asked.get("tools", [])
            for tool in group.get("tools", [group])
            if "name" in tool
        }
        names = {f"{space or ''}{name}": (space, name) for name, space in offered.items()}
        call = self._next(list(names), outputs)
        item: Message = {
            "type": "message",
            "role": "assistant",
            "id": "msg_1",
            "content": [{"type": "output_text", "text": self._answer}],
        }
        if call:
            space, name = names[call[0]]
            item = {"type": "function_call", "id": "fc_1", "call_id": f"call_{len(outputs)}", "name": name}
            item |= {"arguments": json.dumps(call[1])} | ({"namespace": space} if space else {})
        usage = {**_USAGE, "total_tokens": 2, "input_tokens_details": None, "output_tokens_details": None}
        return _events(
            {"type": "response.created", "response": {"id": "resp_1"}},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": {"id": "resp_1", "usage": usage}},
        )

    async def _gemini(self, request: web.Request) -> web.Response:
        asked = await request.json()
        parts = [part for content in asked["contents"] for part in content["parts"]]
        outputs = [part["functionResponse"]["response"] for part in parts if "functionResponse" in part]
        declared = [tool.get("functionDeclarations", []) for tool in asked.get("tools", [])]
        call = self._next([each["name"] for group in declared for each in group], outputs)
        part: Message = {"functionCall": {"name": call[0], "args": call[1]}} if call else {"text": self._answer}
        answer = {
            "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
            "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
        }
        return _events(answer) if "stream" in request.path else web.json_response(answer)


def _events(*events: Message) -> web.Response:
    """Server-sent events, each named after its type where it has one."""
    names = [f"event: {event['type']}\n" if "type" in event else "" for event in events]
    text = "".join(f"{name}data: {json.dumps(event)}\n\n" for name, event in zip(names, events, strict=True))
    return web.Response(text=text, content_type="text/event-stream")


def _strings(value: object) -> Iterator[str]:
    """Every text in a result, without names of fields and the like."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each)
    elif isinstance(value, dict):
        for name, each in value.items():
            if name != "type":
                yield from _strings(each)
