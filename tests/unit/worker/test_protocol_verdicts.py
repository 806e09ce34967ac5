"""A verdict crosses the pipe whole, and costs no worker its life."""

from __future__ import annotations

import json

import pytest

from dowse.core.errors import PageUnreadable
from dowse.core.models import Onward, Status
from dowse.core.reasons import FailureReason
from dowse.worker import protocol
from tests.support.tables import each_row


@each_row("onward", Onward)
def test_a_header_says_all_of_a_verdict(onward: Onward) -> None:
    verdict = protocol.decode_verdict(protocol.encode_verdict(PageUnreadable(Status.ERROR, "error page", onward)))

    assert verdict is not None
    assert (verdict.status, verdict.detail, verdict.onward) == (Status.ERROR, "error page", onward)


def test_an_answer_with_text_holds_no_verdict() -> None:
    assert protocol.decode_verdict({"ok": True, "title": "T", "word_count": 2}) is None


@each_row("reason", [None, *FailureReason])
def test_a_reason_crosses_the_pipe(reason: FailureReason | None) -> None:
    header = json.loads(json.dumps(protocol.encode_verdict(PageUnreadable(Status.ERROR, "signs", reason=reason))))
    verdict = protocol.decode_verdict(header)
    assert verdict is not None
    assert (verdict.reason, verdict.detail) == (reason, "signs")


@pytest.mark.parametrize(
    "header",
    [
        {"status": "splendid", "onward": "none"},
        {"status": "blocked"},
        {"status": "blocked", "onward": "none", "reason": "splendid"},
    ],
)
def test_a_status_that_does_not_exist_is_a_broken_frame(header: dict[str, object]) -> None:
    with pytest.raises(protocol.BrokenFrame):
        protocol.decode_verdict(header)
