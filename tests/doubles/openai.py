"""A double of OpenAI's Responses API: strict about parameters, answers from the corpus with a citation per sentence."""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping, Sequence
from typing import Self
from urllib.parse import urlsplit

from aiohttp import web

from tests.doubles.checks import number_in, texts_in
from tests.doubles.listings import Listing, Wanted
from tests.doubles.openai_request import Refused, reasons, refusal
from tests.doubles.searching import SearchDouble
from tests.doubles.seen import SeenRequest

Items = Sequence[Mapping[str, object]]

_CITED = 6
# With less it has thought, and written nothing yet.
_THOUGHT_TOKENS = 1000
_LABEL = "Question:"
_ERRORS = {
    401: ("invalid_request_error", "invalid_api_key"),
    429: ("requests", "rate_limit_exceeded"),
}


class OpenAI(SearchDouble):
    name = "openai"
    operation = "v1/responses"
    base_path = "/openai/v1"
    """What `OPENAI_BASE_URL` points to."""

    def error(self, status: int, message: str) -> web.Response:
        kind, code = _ERRORS.get(status, ("server_error" if status >= 500 else "invalid_request_error", None))
        return _error(status, message, kind=kind, code=code)

    def answer(self, seen: SeenRequest) -> web.Response:
        if seen.headers.get("authorization") != f"Bearer {self.key}":
            return self.error(401, "Incorrect API key provided. Find yours at https://platform.openai.com/api-keys.")
        if seen.path != self.path:
            return self.error(404, f"Invalid URL (POST {seen.path})")
        if seen.method != "POST" or seen.json is None:
            return self.error(400, "We could not parse the JSON body of your request.")
        if refused := refusal(seen.json):
            return _refused(refused)
        return web.json_response(self._response(seen.json))

    def body(self, *items: Mapping[str, object], **fields: object) -> dict[str, object]:
        """A response with these items, for tests that want another one than the honest one."""
        return _response({"model": "gpt-5-nano", "input": "x"}, items) | fields

    def writes(self, text: str, annotations: Sequence[object] = (), *, times: int | None = None) -> Self:
        """Search, and then write exactly this."""
        return self.replies(json=self.body(searched(), message(text, annotations)), times=times)

    def refuses(self, words: str = "I'm sorry, but I can't help with that.") -> Self:
        refusing = {"type": "refusal", "refusal": words}
        return self.replies(json=self.body(searched(), message("", content=[refusing])))

    def does_not_search(self) -> Self:
        """Answer from memory, as a model may that is not made to search."""
        return self.replies(json=self.body(message("As far as I remember, it is blue.")))

    def is_cut_off(self, reason: str = "max_output_tokens") -> Self:
        details = {"status": "incomplete", "incomplete_details": {"reason": reason}}
        return self.replies(json=self.body(searched(), **details))

    def breaks_down(self, code: str = "server_error") -> Self:
        """Fail after the request was accepted: told in the body, with HTTP 200."""
        error = {"code": code, "message": "The model could not generate a response."}
        return self.replies(json=self.body(status="failed", error=error))

    def is_out_of_quota(self) -> Self:
        words = "You exceeded your current quota, please check your plan and billing details."
        error = {"message": words, "type": "insufficient_quota", "param": None, "code": "insufficient_quota"}
        return self.replies(status=429, json={"error": error})

    def _response(self, request: Mapping[str, object]) -> dict[str, object]:
        if (
            reasons(str(request["model"]))
            and number_in(request, "max_output_tokens", _THOUGHT_TOKENS) < _THOUGHT_TOKENS
        ):
            cut_off = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
            return _response(request, [_reasoning()]) | cut_off
        tools = request.get("tools")
        if not isinstance(tools, list) or not tools:
            return _response(request, [message("I cannot look that up.")])
        query = str(request["input"]).rpartition(_LABEL)[2].strip()
        found = self.listings(_wanted(query, tools[0]))[:_CITED]
        sources = [{"type": "url", "url": listing.url} for listing in found]
        thought = [_reasoning()] if reasons(str(request["model"])) else []
        search = searched(query, sources if request.get("include") else None)
        return _response(request, [*thought, search, _written(found)])


def searched(query: str = "x", sources: list[dict[str, str]] | None = None) -> dict[str, object]:
    """A search that the model has made."""
    action: dict[str, object] = {"type": "search", "query": query, "queries": [query]}
    if sources is not None:
        action["sources"] = sources
    return {"id": _id("ws"), "type": "web_search_call", "status": "completed", "action": action}


def message(text: str, annotations: Sequence[object] = (), *, content: Items | None = None) -> dict[str, object]:
    """Something that the model has written, in one part unless there are others."""
    written = {"type": "output_text", "text": text, "annotations": list(annotations), "logprobs": []}
    return {
        "id": _id("msg"),
        "type": "message",
        "status": "completed",
        "role": "assistant",
        "content": [written] if content is None else list(content),
    }


def url_citation(url: object, title: object, start: object, end: object) -> dict[str, object]:
    return {"type": "url_citation", "url": url, "title": title, "start_index": start, "end_index": end}


def _written(found: Sequence[Listing]) -> dict[str, object]:
    """A sentence about each page, and behind it the link that the real one writes, which is what it marks."""
    text, annotations = "", []
    for listing in found:
        url = listing.url + ("&" if urlsplit(listing.url).query else "?") + "utm_source=openai"
        link = f"([{urlsplit(listing.url).hostname}]({url}))"
        text += f"{listing.snippet or listing.title} "
        annotations.append(url_citation(url, listing.title, len(text), len(text) + len(link)))
        text += f"{link} "
    return message(text.rstrip() or "Nothing was found.", annotations)


def _wanted(query: str, tool: Mapping[str, object]) -> Wanted:
    filters = tool.get("filters")
    domains = filters if isinstance(filters, dict) else {}
    include, exclude = (texts_in(domains, name) for name in ("allowed_domains", "blocked_domains"))
    return Wanted(query, include, exclude)


def _reasoning() -> dict[str, object]:
    return {"id": _id("rs"), "type": "reasoning", "summary": []}


def _response(request: Mapping[str, object], output: Items) -> dict[str, object]:
    now = int(time.time())
    used = len(str(request["input"])) // 4 + 3000
    return {
        "id": _id("resp"),
        "object": "response",
        "created_at": now,
        "status": "completed",
        "background": False,
        "completed_at": now,
        "error": None,
        "incomplete_details": None,
        "instructions": request.get("instructions"),
        "max_output_tokens": request.get("max_output_tokens"),
        "max_tool_calls": request.get("max_tool_calls"),
        # The real one answers with the edition that it has used.
        "model": f"{request['model']}-2025-08-07",
        "output": list(output),
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "prompt_cache_key": None,
        "reasoning": request.get("reasoning", {"effort": None, "summary": None}),
        "safety_identifier": None,
        "service_tier": "default",
        "store": request.get("store", True),
        "temperature": request.get("temperature", 1.0),
        "text": {"format": {"type": "text"}, "verbosity": "medium"},
        "tool_choice": request.get("tool_choice", "auto"),
        "tools": request.get("tools", []),
        "top_logprobs": 0,
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": {
            "input_tokens": used,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": 210,
            "output_tokens_details": {"reasoning_tokens": 64},
            "total_tokens": used + 210,
        },
        "user": None,
        "metadata": {},
    }


def _refused(refused: Refused) -> web.Response:
    return _error(400, refused.message, kind="invalid_request_error", param=refused.param, code=refused.code)


def _error(status: int, message: str, *, kind: str, param: str | None = None, code: str | None = None) -> web.Response:
    error = {"message": message, "type": kind, "param": param, "code": code}
    return web.json_response({"error": error}, status=status)


def _id(prefix: str) -> str:
    return f"{prefix}_{uuid.uuid4().hex}"
