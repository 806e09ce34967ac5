"""Fixtures that ask back, the 2026-07-28 way: they end with what they need, and the client calls again with it."""

from __future__ import annotations

import mcp_types as types
from mcp.shared.exceptions import MCPError

from tests.slow.clients.conformance.fixture import Call, Context, Result, Tool, said

PROMPT = types.Prompt(name="test_input_required_result_prompt", description="Asks for its context first")


def _ask(message: str, field: str, kind: str = "string") -> types.ElicitRequest:
    schema = {"type": "object", "properties": {field: {"type": kind}}, "required": [field]}
    return types.ElicitRequest(params=types.ElicitRequestFormParams(message=message, requested_schema=schema))


def _sample(text: str) -> types.CreateMessageRequest:
    message = types.SamplingMessage(role="user", content=types.TextContent(text=text))
    return types.CreateMessageRequest(params=types.CreateMessageRequestParams(messages=[message], max_tokens=100))


_NAME = {"user_name": _ask("What is your name?", "name")}
_CAPITAL = {"capital_question": _sample("What is the capital of France?")}
_ROOTS = {"client_roots": types.ListRootsRequest(params=types.RequestParams())}
_CONFIRM = {"confirm": _ask("Please confirm", "ok", "boolean")}
_GREETING = {"greeting": _sample("Generate a greeting")}


def _asking(requests: types.InputRequests, state: str | None = None) -> Tool:
    """A tool that is done when all of its questions are answered, and asks them again otherwise."""

    async def tool(call: Call) -> Result:
        answers = call.params.input_responses or {}
        if not requests.keys() <= answers.keys() or call.params.request_state != state:
            return types.InputRequiredResult(input_requests=requests, request_state=state)
        told = ", ".join(answers[key].model_dump_json(exclude_none=True) for key in requests)
        return said(f"state-ok {told}" if state else told)

    return tool


async def _in_two_steps(call: Call) -> Result:
    """What it knows already travels in the state; the server keeps nothing."""
    answers = call.params.input_responses or {}
    if call.params.request_state is None or not answers:
        step = {"step1": _ask("Step 1: What is your name?", "name")}
        return types.InputRequiredResult(input_requests=step, request_state="first")
    if "step2" not in answers:
        step = {"step2": _ask("Step 2: What is your favorite color?", "color")}
        return types.InputRequiredResult(input_requests=step, request_state="second")
    return said(f"done after {call.params.request_state}")


async def _what_the_client_can(call: Call) -> Result:
    can = call.context.session.client_capabilities or types.ClientCapabilities()
    requests: types.InputRequests = {}
    if can.sampling is not None:
        requests |= _CAPITAL
    if can.elicitation is not None:
        requests |= _NAME
    return types.InputRequiredResult(input_requests=requests) if requests else said("nothing to ask")


async def _sampling_or_nothing(call: Call) -> Result:
    can = call.context.session.client_capabilities
    if can is None or can.sampling is None:
        needed = types.ClientCapabilities(sampling=types.SamplingCapability())
        raise MCPError(
            code=types.MISSING_REQUIRED_CLIENT_CAPABILITY,
            message="sampling is needed",
            data=types.MissingRequiredClientCapabilityErrorData(required_capabilities=needed).model_dump(
                by_alias=True, exclude_none=True
            ),
        )
    return types.InputRequiredResult(input_requests=_CAPITAL)


TOOLS: dict[str, Tool] = {
    "test_input_required_result_elicitation": _asking(_NAME),
    "test_input_required_result_sampling": _asking(_CAPITAL),
    "test_input_required_result_list_roots": _asking(_ROOTS),
    "test_input_required_result_request_state": _asking(_CONFIRM, "confirming"),
    "test_input_required_result_tampered_state": _asking(_CONFIRM, "confirming"),
    "test_input_required_result_multiple_inputs": _asking(_NAME | _GREETING | _ROOTS, "collecting"),
    "test_input_required_result_multi_round": _in_two_steps,
    "test_input_required_result_capabilities": _what_the_client_can,
    "test_missing_capability": _sampling_or_nothing,
    "test_streaming_elicitation": _asking(_NAME),
}


def prompt(
    _context: Context, params: types.GetPromptRequestParams
) -> types.GetPromptResult | types.InputRequiredResult:
    """The prompt that asks back."""
    answers = params.input_responses or {}
    if "user_context" not in answers:
        asked = {"user_context": _ask("What context should the prompt use?", "context")}
        return types.InputRequiredResult(input_requests=asked)
    text = types.TextContent(text=answers["user_context"].model_dump_json(exclude_none=True))
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=text)])
