"""What is usual for a provider: known after a while, and of its newest answers only."""

from dowse.routing.hedging import Latency
from tests.support.tables import each_row


def of(*seconds: float) -> Latency:
    latency = Latency()
    for each in seconds:
        latency.add(each)
    return latency


def test_of_a_few_answers_nothing_is_known() -> None:
    assert of(*[1.0] * 4).p95_s() is None
    assert of(*[1.0] * 5).p95_s() == 1.0


@each_row(("count", "expected"), [(5, 5.0), (20, 19.0), (40, 38.0), (100, 95.0)])
def test_95_of_100_answers_are_at_least_as_fast(count: int, expected: float) -> None:
    assert of(*map(float, range(count, 0, -1))).p95_s() == expected


def test_the_last_hundred_answers_count() -> None:
    assert of(*[9.0] * 50, *[1.0] * 95).p95_s() == 1.0
    assert of(*[9.0] * 50, *[1.0] * 94).p95_s() == 9.0
