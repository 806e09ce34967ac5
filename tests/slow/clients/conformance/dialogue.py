"""Fixtures that talk to the client while they run: progress and log lines, and, where there is a session, questions."""

from __future__ import annotations

import mcp_types as types

from tests.slow.clients.conformance.fixture import Call, Result, Tool, said

_OPTIONS = ["option1", "option2", "option3"]
_TITLED = [{"const": f"value{number}", "title": f"{name} Option"} for number, name in enumerate(("First", "Second"), 1)]

_LOGIN = {
    "type": "object",
    "properties": {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"},
    },
    "required": ["username", "email"],
}
_DEFAULTS = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    },
}
_ENUMS = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "enum": _OPTIONS},
        "titledSingle": {"type": "string", "oneOf": _TITLED},
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option One", "Option Two"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": _OPTIONS}},
        "titledMulti": {"type": "array", "items": {"anyOf": _TITLED}},
    },
}


async def _with_progress(call: Call) -> Result:
    for percent in (0, 50, 100):
        await call.context.session.report_progress(percent, 100)
    return said("progressed")


async def _with_logging(call: Call) -> Result:
    for text in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await call.context.session.send_log_message("info", text, related_request_id=call.context.request_id)
    return said("logged")


async def _sampling(call: Call) -> Result:
    message = types.SamplingMessage(role="user", content=types.TextContent(text=call.arguments["prompt"]))
    session = call.context.session
    answer = await session.create_message([message], max_tokens=100, related_request_id=call.context.request_id)
    return said(f"LLM response: {answer.content}")


def _eliciting(schema: dict[str, object]) -> Tool:
    async def tool(call: Call) -> Result:
        message = call.arguments.get("message", "Please fill in the form")
        session = call.context.session
        answer = await session.elicit_form(message, schema, related_request_id=call.context.request_id)
        return said(f"Elicitation completed: action={answer.action}, content={answer.content}")

    return tool


TOOLS: dict[str, Tool] = {
    "test_tool_with_progress": _with_progress,
    "test_tool_with_logging": _with_logging,
    "test_logging_tool": _with_logging,
    "test_sampling": _sampling,
    "test_elicitation": _eliciting(_LOGIN),
    "test_elicitation_sep1034_defaults": _eliciting(_DEFAULTS),
    "test_elicitation_sep1330_enums": _eliciting(_ENUMS),
}
