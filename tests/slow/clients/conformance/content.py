"""Fixtures with fixed content: tools of every content type, resources, prompts. Their texts are the suite's."""

from __future__ import annotations

import base64
import io
import wave

import mcp_types as types

from tests.slow.clients.conformance.fixture import Call, Result, Tool, said

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
WATCHED = "test://watched-resource"


def _silence() -> str:
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(1)
        sound.setframerate(8000)
        sound.writeframes(b"\x80" * 8)
    return base64.b64encode(file.getvalue()).decode()


def _text(text: str) -> types.TextContent:
    return types.TextContent(text=text)


def _embedded(uri: str, mime_type: str, text: str) -> types.EmbeddedResource:
    return types.EmbeddedResource(resource=types.TextResourceContents(uri=uri, mime_type=mime_type, text=text))


_IMAGE = types.ImageContent(data=PIXEL, mime_type="image/png")

_BLOCKS: dict[str, list[types.ContentBlock]] = {
    "test_simple_text": [_text("This is a simple text response for testing.")],
    "test_image_content": [_IMAGE],
    "test_audio_content": [types.AudioContent(data=_silence(), mime_type="audio/wav")],
    "test_embedded_resource": [
        _embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")
    ],
    "test_multiple_content_types": [
        _text("Multiple content types test:"),
        _IMAGE,
        _embedded("test://mixed-content-resource", "application/json", '{"test": "data", "value": 123}'),
    ],
}


def _returning(blocks: list[types.ContentBlock]) -> Tool:
    async def tool(_call: Call) -> Result:
        return types.CallToolResult(content=blocks)

    return tool


async def _failing(_call: Call) -> Result:
    return said("This tool intentionally returns an error for testing", is_error=True)


TOOLS: dict[str, Tool] = {name: _returning(blocks) for name, blocks in _BLOCKS.items()} | {
    "test_error_handling": _failing
}

RESOURCES = [
    types.Resource(uri="test://static-text", name="static text", description="A text", mime_type="text/plain"),
    types.Resource(uri="test://static-binary", name="static binary", description="A pixel", mime_type="image/png"),
    types.Resource(uri=WATCHED, name="watched", description="Can be subscribed to", mime_type="text/plain"),
]
TEMPLATE = types.ResourceTemplate(
    uri_template="test://template/{id}/data", name="template", description="By number", mime_type="application/json"
)


def contents(uri: str) -> types.TextResourceContents | types.BlobResourceContents | None:
    """What is behind the address of a resource."""
    start, end = TEMPLATE.uri_template.split("{id}")
    if uri.startswith(start) and uri.endswith(end):
        data = f'{{"id": "{uri.removeprefix(start).removesuffix(end)}", "templateTest": true}}'
        return types.TextResourceContents(uri=uri, mime_type="application/json", text=data)
    if uri == "test://static-binary":
        return types.BlobResourceContents(uri=uri, mime_type="image/png", blob=PIXEL)
    if any(uri == resource.uri for resource in RESOURCES):
        text = "This is the content of the static text resource."
        return types.TextResourceContents(uri=uri, mime_type="text/plain", text=text)
    return None


def _argument(name: str) -> types.PromptArgument:
    return types.PromptArgument(name=name, description=f"The {name}", required=True)


PROMPTS = [
    types.Prompt(name="test_simple_prompt", description="Without arguments"),
    types.Prompt(
        name="test_prompt_with_arguments",
        description="With two arguments",
        arguments=[_argument("arg1"), _argument("arg2")],
    ),
    types.Prompt(
        name="test_prompt_with_embedded_resource",
        description="With a resource",
        arguments=[_argument("resourceUri")],
    ),
    types.Prompt(name="test_prompt_with_image", description="With an image"),
]


def prompt(name: str, given: dict[str, str]) -> types.GetPromptResult | None:
    """The messages of a prompt that asks nothing back."""
    blocks: dict[str, list[types.ContentBlock]] = {
        "test_simple_prompt": [_text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments": [
            _text(f"Prompt with arguments: arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'")
        ],
        "test_prompt_with_embedded_resource": [
            _embedded(given.get("resourceUri", ""), "text/plain", "Embedded resource content for testing."),
            _text("Please process the embedded resource above."),
        ],
        "test_prompt_with_image": [_IMAGE, _text("Please analyze the image above.")],
    }
    if name not in blocks:
        return None
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=block) for block in blocks[name]])
