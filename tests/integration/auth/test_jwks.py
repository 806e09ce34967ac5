"""The issuer's keys: kept while fresh, asked for again when needed, and kept on while the issuer is away."""

from __future__ import annotations

import asyncio

import pytest

from dowse.auth.jwt import FIRST_AGAIN_AFTER_S, MAX_BYTES, TIMEOUT_S, Jwks
from tests.fakes import FakeClock
from tests.fakes.issuer import Issuer, published

SOON_S = 30.0


async def kids(jwks: Jwks, kid: str | None = "rsa", algorithm: str = "RS256") -> list[object]:
    return [key["kid"] for key in await jwks.matching(kid, algorithm)]


async def waiting(jwks: Jwks, issuer: Issuer, callers: int = 1) -> asyncio.Future[list[list[object]]]:
    """Callers who came at the same moment and whom the issuer keeps waiting."""
    issuer.hang()
    asking = asyncio.gather(*(kids(jwks) for _ in range(callers)))
    await asyncio.wait_for(issuer.arrived.wait(), SOON_S)
    return asking


async def test_keys_are_fetched_when_needed_and_kept_for_ten_minutes(
    jwks: Jwks, issuer: Issuer, clock: FakeClock
) -> None:
    assert issuer.asked == 0
    assert await kids(jwks) == ["rsa"]
    clock.advance(599)
    assert await kids(jwks) == ["rsa"]
    assert issuer.asked == 1
    clock.advance(1)
    assert await kids(jwks) == ["rsa"]
    assert issuer.asked == 2


async def test_many_callers_at_once_cause_one_request(jwks: Jwks, issuer: Issuer) -> None:
    assert await asyncio.gather(*(kids(jwks) for _ in range(20))) == [["rsa"]] * 20
    assert issuer.asked == 1


async def test_an_unknown_key_is_asked_for_once_and_at_most_every_30_seconds(
    jwks: Jwks, issuer: Issuer, clock: FakeClock
) -> None:
    assert await kids(jwks) == ["rsa"]
    clock.advance(29)
    assert await kids(jwks, "ec", "ES256") == []
    assert issuer.asked == 1
    issuer.keys.append(published("ec"))
    clock.advance(1)
    assert await kids(jwks, "ec", "ES256") == ["ec"]
    assert issuer.asked == 2
    for _ in range(50):
        assert await kids(jwks, "made-up") == []
    assert issuer.asked == 2


async def test_a_withdrawn_key_is_gone_with_the_next_fetch(jwks: Jwks, issuer: Issuer, clock: FakeClock) -> None:
    assert await kids(jwks) == ["rsa"]
    issuer.keys = [published("ec")]
    clock.advance(600)
    assert await kids(jwks) == []


async def test_old_keys_serve_for_an_hour_while_the_issuer_is_away(
    jwks: Jwks, issuer: Issuer, clock: FakeClock, log: pytest.LogCaptureFixture
) -> None:
    assert await kids(jwks) == ["rsa"]
    issuer.status = 500
    for _ in range(11):
        clock.advance(300)
        assert await kids(jwks) == ["rsa"]
    clock.advance(300)
    assert await kids(jwks) == []
    assert {record.getMessage() for record in log.records} == {"keys of the token issuer could not be fetched"}
    issuer.status = 200
    clock.advance(30)
    assert await kids(jwks) == ["rsa"]


async def test_while_the_issuer_hangs_callers_are_served_from_the_old_keys(
    jwks: Jwks, issuer: Issuer, clock: FakeClock
) -> None:
    """Only the one who asks waits; everybody else would wait with them otherwise."""
    assert await kids(jwks) == ["rsa"]
    clock.advance(600)
    issuer.keys = [published("ec")]
    first = await waiting(jwks, issuer)
    async with asyncio.timeout(SOON_S):
        assert await kids(jwks) == ["rsa"]
    issuer.answer()
    assert await first == [[]]


async def test_all_who_wait_for_an_issuer_that_hangs_end_with_the_one_request(
    jwks: Jwks, issuer: Issuer, clock: FakeClock, log: pytest.LogCaptureFixture
) -> None:
    """One after the other they would wait without bound, and that before anybody knows who they are."""
    callers = await waiting(jwks, issuer, callers=5)
    clock.advance(TIMEOUT_S)
    issuer.status = 500
    issuer.answer()
    assert await callers == [[]] * 5
    assert issuer.asked == 1
    assert len(log.records) == 1


async def test_an_issuer_that_hung_is_left_alone_from_the_end_of_the_request_on(
    jwks: Jwks, issuer: Issuer, clock: FakeClock
) -> None:
    callers = await waiting(jwks, issuer)
    clock.advance(TIMEOUT_S)
    issuer.status = 500
    issuer.answer()
    await callers
    clock.advance(FIRST_AGAIN_AFTER_S - 1)
    assert await kids(jwks) == []
    assert issuer.asked == 1
    issuer.status = 200
    clock.advance(1)
    assert await kids(jwks) == ["rsa"]


async def test_a_key_that_is_being_fetched_is_waited_for(jwks: Jwks, issuer: Issuer, clock: FakeClock) -> None:
    """The issuer has begun to use it: its tokens are good, and the old keys cannot tell."""
    assert await kids(jwks) == ["rsa"]
    clock.advance(600)
    issuer.keys.append(published("rsa-2"))
    first = await waiting(jwks, issuer)
    second = asyncio.create_task(kids(jwks, "rsa-2"))
    await asyncio.sleep(0)
    issuer.answer()
    assert (await first, await second) == ([["rsa"]], ["rsa-2"])
    assert issuer.asked == 2


async def test_a_caller_that_hangs_up_does_not_end_the_request_for_the_others(jwks: Jwks, issuer: Issuer) -> None:
    issuer.hang()
    first, second = (asyncio.create_task(kids(jwks)) for _ in range(2))
    await asyncio.wait_for(issuer.arrived.wait(), SOON_S)
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    issuer.answer()
    assert await second == ["rsa"]
    assert issuer.asked == 1


@pytest.mark.parametrize(
    "trouble",
    [(500, ""), (404, ""), (302, ""), (200, "<html>"), (200, "[]"), (200, '{"keys": {}}'), (200, "[" * 100_000)],
)
async def test_an_answer_without_keys_admits_no_caller_and_is_an_error_in_the_log(
    jwks: Jwks, issuer: Issuer, clock: FakeClock, log: pytest.LogCaptureFixture, trouble: tuple[int, str]
) -> None:
    issuer.status, issuer.text = trouble
    assert await kids(jwks) == []
    assert await kids(jwks) == []
    assert [(record.levelname, record.getMessage()) for record in log.records] == [
        ("ERROR", "keys of the token issuer could not be fetched")
    ]
    assert issuer.asked == 1, "not asked again at once"
    issuer.status, issuer.text = 200, ""
    clock.advance(5)
    assert await kids(jwks) == ["rsa"]


async def test_more_than_we_take_is_not_read(jwks: Jwks, issuer: Issuer, log: pytest.LogCaptureFixture) -> None:
    issuer.text = '{"keys": [' + " " * MAX_BYTES + "]}"
    assert await kids(jwks) == []
    assert len(log.records) == 1


@pytest.mark.parametrize(
    ("changes", "used"),
    [
        ({}, True),
        ({"alg": "RS256"}, True),
        ({"alg": "PS256"}, False),
        ({"use": "enc"}, False),
        ({"key_ops": ["verify"]}, True),
        ({"key_ops": ["sign"]}, False),
        ({"key_ops": "verify"}, False),
        ({"kid": "other"}, False),
    ],
)
async def test_only_keys_for_signatures_of_this_algorithm_are_used(
    jwks: Jwks, issuer: Issuer, changes: dict[str, object], used: bool
) -> None:
    key = published("rsa", **changes)
    issuer.keys = [key]
    assert await jwks.matching("rsa", "RS256") == ((key,) if used else ())


async def test_without_a_key_id_there_has_to_be_one_key_only(jwks: Jwks, issuer: Issuer, clock: FakeClock) -> None:
    assert await kids(jwks, None) == ["rsa"]
    issuer.keys.append(published("rsa-2"))
    clock.advance(600)
    assert await kids(jwks, None) == []


async def test_what_is_not_a_key_is_passed_over(jwks: Jwks, issuer: Issuer) -> None:
    issuer.text = '{"keys": [null, 1, "key", []]}'
    assert await kids(jwks) == []
