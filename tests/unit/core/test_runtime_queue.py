"""The queue: callers take turns, and nobody is passed for ever."""

from __future__ import annotations

import asyncio
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from dowse.core.runtime import FairQueue
from dowse.routing.provider_limits import Waiter


def waiter(name: str, until: float = 1000.0) -> Waiter:
    """`a2` is a call of the caller `a`."""
    return Waiter(name[0], name, until, asyncio.Future(loop=LOOP))


LOOP = asyncio.new_event_loop()
LOOP.close()  # nothing here waits


def queued(*names: str) -> tuple[FairQueue, dict[str, Waiter]]:
    queue, waiters = FairQueue(), {name: waiter(name) for name in names}
    for each in waiters.values():
        queue.add(each)
    return queue, waiters


def served(queue: FairQueue) -> list[str]:
    order = []
    while first := queue.first():
        order.append(first.ticket)
        queue.serve(first)
    return order


def test_one_caller_is_served_in_the_order_of_arrival() -> None:
    queue, _ = queued("a1", "a2", "a3")
    assert len(queue) == 3
    assert served(queue) == ["a1", "a2", "a3"]
    assert len(queue) == 0


def test_three_callers_take_turns_however_many_calls_each_has() -> None:
    queue, _ = queued("a1", "a2", "a3", "a4", "b1", "b2", "c1")
    assert served(queue) == ["a1", "b1", "c1", "a2", "b2", "a3", "a4"]


def test_who_was_served_stands_behind_who_comes_now() -> None:
    queue, waiters = queued("a1", "a2")
    queue.serve(waiters["a1"])
    queue.add(waiter("b1"))
    assert served(queue) == ["a2", "b1"]
    queue, waiters = queued("a1", "a2", "b1")
    queue.serve(waiters["a1"])
    queue.add(waiter("c1"))
    assert served(queue) == ["b1", "a2", "c1"]


def test_who_goes_away_leaves_its_turn_to_the_next_of_its_caller() -> None:
    queue, waiters = queued("a1", "a2", "b1")
    queue.drop(waiters["a1"])
    queue.drop(waiters["a1"])
    assert served(queue) == ["a2", "b1"]


def test_those_who_would_be_too_late_are_named_with_who_is_before_them() -> None:
    queue, waiters = queued("a1", "a2", "a3", "b1", "b2")
    late = queue.late(lambda each, ahead: each.ticket != "a2" and ahead < 3)
    # Without a2, a3 comes before b2.
    assert [(each.ticket, ahead) for each, ahead in late] == [("a2", 2), ("b2", 3)]
    assert len(queue) == 5
    for each, _ in late:
        queue.drop(each)
    assert served(queue) == ["a1", "b1", "a3"]
    assert set(waiters) == {"a1", "a2", "a3", "b1", "b2"}


@given(arrivals=st.lists(st.sampled_from("abcd"), max_size=40), serves=st.lists(st.booleans(), max_size=40))
def test_of_two_callers_who_wait_neither_gets_two_turns_more(arrivals: list[str], serves: list[bool]) -> None:
    queue, turns = FairQueue(), Counter[str]()
    since: dict[str, Counter[str]] = {}
    steps = [*zip(arrivals, serves, strict=False)]
    for number, (caller, serve) in enumerate(steps):
        since.setdefault(caller, turns.copy())
        queue.add(waiter(f"{caller}{number}"))
        first = queue.first()
        if serve and first:
            queue.serve(first)
            turns[first.caller] += 1
            # Whoever has waited since then was passed by each of the others about once for each turn of its own.
            for waiting, then in since.items():
                own = turns[waiting] - then[waiting]
                assert all(turns[other] - then[other] <= own + 2 for other in "abcd")
            if not any(each.caller == first.caller for each in _all(queue)):
                del since[first.caller]


def _all(queue: FairQueue) -> list[Waiter]:
    return [each for each, _ in queue.late(lambda _each, _ahead: False)]
