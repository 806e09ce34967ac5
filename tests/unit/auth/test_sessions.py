"""Sessions of the console: what a cookie holds, for how long, and who can read it."""

from __future__ import annotations

import base64
from datetime import timedelta

import pytest

from dowse.auth.sessions import SESSION_S, Sessions
from dowse.stores.fail_soft import FailSoftStore, Outage
from dowse.stores.memory import MemoryStore
from tests.fakes import FakeClock
from tests.support.tables import each_row

pytestmark = pytest.mark.promise("console-cookie")

TOKEN = "dowse_a-token-of-ana"


def sessions(clock: FakeClock, store: MemoryStore | None = None) -> Sessions:
    return Sessions(FailSoftStore(store or MemoryStore(clock), Outage(clock)), clock)


async def test_a_cookie_holds_its_token_until_it_expires(clock: FakeClock) -> None:
    own = sessions(clock)
    value = await own.seal(TOKEN)
    assert await own.open(value) == TOKEN
    clock.advance(SESSION_S - 1)
    assert await own.open(value) == TOKEN
    clock.advance(1)
    assert await own.open(value) == ""
    assert timedelta(seconds=SESSION_S) == timedelta(hours=12)


async def test_a_cookie_shows_no_token_and_no_two_are_equal(clock: FakeClock) -> None:
    own = sessions(clock)
    one, other = await own.seal(TOKEN), await own.seal(TOKEN)
    assert one != other
    assert TOKEN.encode() not in base64.urlsafe_b64decode(one)


async def test_any_change_makes_a_cookie_void(clock: FakeClock) -> None:
    own = sessions(clock)
    value = base64.urlsafe_b64decode(await own.seal(TOKEN))
    for place in range(len(value)):
        changed = value[:place] + bytes([value[place] ^ 1]) + value[place + 1 :]
        assert await own.open(base64.urlsafe_b64encode(changed).decode()) == ""


@each_row("value", ["", "x", "====", "é", TOKEN, "A" * 40, "A" * 5000])
async def test_any_other_text_is_no_session(clock: FakeClock, value: str) -> None:
    assert await sessions(clock).open(value) == ""


async def test_servers_on_one_store_read_each_others_cookies_and_no_other_server_does(clock: FakeClock) -> None:
    store = MemoryStore(clock)
    value = await sessions(clock, store).seal(TOKEN)
    assert await sessions(clock, store).open(value) == TOKEN
    assert await sessions(clock).open(value) == ""
