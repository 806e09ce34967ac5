"""Answers of an API that are a success by their status, and something else by their body."""

from __future__ import annotations

import json

import pytest

from dowse.core.errors import BadAnswer, Blocked, ProviderError
from dowse.core.models import Deadline
from dowse.net.clients import Reply
from dowse.net.json_api import Api
from dowse.net.json_fields import DOCUMENT_PARTS, media, parse_json
from dowse.secrets.redact import Redactor
from tests.fakes import FakeClock
from tests.support.tables import each_row

CHALLENGE = b"<title>Just a moment...</title><script>window._cf_chl_opt={}</script>"


class OneAnswer:
    """A client for which every endpoint gives the same answer."""

    def __init__(self, body: bytes, media_type: str) -> None:
        self._reply = Reply(200, {"content-type": media_type}, body)

    async def send(self, *_: object, **__: object) -> Reply:
        return self._reply


async def get_list(body: bytes, media_type: str = "application/json") -> list[dict[str, object]]:
    api = Api("mine", OneAnswer(body, media_type), 5.0, "MY_KEY", Redactor())  # type: ignore[arg-type]
    return await api.get_list("https://api.example/", Deadline.after(FakeClock(), 5.0), headers={}, params={})


async def test_the_objects_of_an_array_are_read_and_the_rest_is_left_out() -> None:
    assert await get_list(b'[{"a": 1}, 17, {"b": 2}]') == [{"a": 1}, {"b": 2}]


@each_row(
    ("body", "media_type", "kind", "detail"),
    [
        (b'{"a": 1}', "application/json", BadAnswer, "the body is a JSON dict, not an array"),
        (b"<p>Hello", "text/html", BadAnswer, "the body is not JSON"),
        (b"[" * 100_000, "application/json", BadAnswer, "the body is not JSON"),
        (CHALLENGE, "text/html", Blocked, "it answered with a challenge page"),
    ],
)
async def test_a_body_that_is_no_array_is_a_failure_of_its_kind(
    body: bytes, media_type: str, kind: type[ProviderError], detail: str
) -> None:
    with pytest.raises(ProviderError) as caught:
        await get_list(body, media_type)
    assert (type(caught.value), caught.value.detail) == (kind, detail)


@pytest.mark.promise("hardened-provider-bombs")
async def test_an_answer_of_more_parts_than_any_api_sends_is_not_parsed() -> None:
    assert await get_list(b"[" + b"{}," * 90_000 + b"{}]") == [{}] * 90_001
    for bomb in (b"{}," * 100_000, b'"ab",' * 100_000, b'{"a":1,"b":2},' * 30_000, b"1," * 200_000):
        with pytest.raises(BadAnswer):
            await get_list(b"[" + bomb + b"{}]")
        assert parse_json(b"[" + bomb + b"{}]", DOCUMENT_PARTS), "control: it is JSON"


@pytest.mark.promise("hardened-provider-bombs")
async def test_marks_within_a_text_are_no_parts() -> None:
    text = '{"a": [1, 2], \\"b\\": 3}, ' * 50_000
    assert await get_list(json.dumps([{"text": text}]).encode()) == [{"text": text}]


@pytest.mark.promise("hardened-provider-bombs")
@each_row("body", [b"[" * 100_000, "[" * 100_000, b"[" * 250_000, b"nothing", "", b"\xff\xfe"])
def test_text_that_cannot_be_parsed_is_one_kind_of_error(body: bytes | str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_json(body)
    assert parse_json('{"a": [1]}') == parse_json(b'{"a": [1]}') == {"a": [1]}


def test_no_hit_is_no_picture_either() -> None:
    assert media(None, image_url="https://pictures.example/a.png") is None
