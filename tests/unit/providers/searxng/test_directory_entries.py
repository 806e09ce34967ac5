"""The list of searx.space: who is good enough, why the others are not, and that nothing in it can do harm."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dowse.providers.searxng.directory import Entries, Excluded, ListedInstance, grade_list
from tests.doubles.searx_space import listed, offline
from tests.support.tables import each_row

URL = "https://elm.example/"
BASE = "https://elm.example"


def published(**instances: Any) -> bytes:
    """A list; names stand for `https://NAME.example/`."""
    return json.dumps({"instances": {f"https://{name}.example/": entry for name, entry in instances.items()}}).encode()


def judged(entry: object, url: str = URL, *allowed: str) -> ListedInstance | Excluded:
    """What becomes of one instance, beside another that has a grade."""
    entries = grade_list(json.dumps({"instances": {url: entry, "https://other.example/": listed()}}).encode(), allowed)
    assert entries is not None
    return next(
        each for each in (*entries.usable, *entries.excluded) if not each.url.startswith("https://other.example")
    )


def without(*names: str) -> dict[str, object]:
    return {name: value for name, value in listed().items() if name not in names}


def test_an_instance_is_taken_with_what_the_list_says_of_it() -> None:
    assert judged(listed("A", uptime=99.25, response_s=0.4126)) == ListedInstance(BASE, "A", 99.25, 413)


@each_row(("told", "grade"), [("A+", "A+"), ("A", "A"), ("A-", "A"), ("B+", "B"), ("B", "B"), (" B- ", "B")])
def test_grades_make_three_tiers(told: str, grade: str) -> None:
    found = judged(listed(told))
    assert isinstance(found, ListedInstance)
    assert found.grade == grade


EXCLUDED = [
    ("a lower grade", listed("C"), "its grade is below B"),
    ("a grade that nobody knows", listed("Ω"), "its grade is below B"),
    ("no grade", listed(None), "it has no grade"),
    ("on Tor", listed(network_type="tor"), "it is not on the ordinary internet"),
    ("down", offline(), "searx.space could not reach it"),
    ("an error at the end", listed(error="timeout"), "searx.space could not reach it"),
    ("an HTTP error", listed(http={"status_code": 503, "error": None, "grade": "A"}), "it answered with HTTP 503"),
    ("no version", listed(version=None), "its version is not known"),
    ("an empty version", listed(version=" "), "its version is not known"),
    ("a version of another type", listed(version=2026), "its version is not known"),
    ("analytics", listed(analytics=True), "it watches its users"),
    ("an eye", listed(html={"grade": "V, \U0001f441️"}), "it watches its users"),
    ("not trusted", listed(tls={"grade": "A+, T"}), "its certificate is not good"),
    ("a certificate with an error", listed(tls={"error": "expired"}), "its certificate is not good"),
    ("often down", listed(uptime=89.9), "it is up 90 % of the time"),
    ("slow", listed(response_s=5.01), "it takes 5.0 s to answer"),
    ("nothing at all", {}, "its version is not known"),
    ("of another type", [1, 2], "its version is not known"),
    ("null", None, "its version is not known"),
]


@each_row(("entry", "reason"), [row[1:] for row in EXCLUDED])
def test_an_instance_that_is_not_good_enough_is_told_with_its_reason(entry: object, reason: str) -> None:
    assert judged(entry) == Excluded(BASE, reason)


TAKEN = [
    ("no uptime", listed(uptime=None)),
    ("uptime of another type", listed(**{"uptime": "99 %"})),
    ("no network type", without("network_type")),
    ("no certificate", without("tls")),
    ("no timing", without("timing")),
    ("no analytics told", without("analytics")),
    ("just enough uptime", listed(uptime=90.0)),
    ("just quick enough", listed(response_s=5.0)),
    ("a status that is not told", listed(http={"status_code": None, "error": None, "grade": "A"})),
    ("a certificate of no known grade", listed(tls={"grade": "?"})),
    ("fields of any type", listed(timing=[1], html="V", tls=7, engines=None, comments={})),
    ("times that are no numbers", listed(timing={"search": {"all": {"median": True, "mean": "fast", "value": None}}})),
]


@each_row("entry", [row[1] for row in TAKEN])
def test_what_the_list_does_not_tell_counts_for_an_instance(entry: object) -> None:
    assert isinstance(judged(entry), ListedInstance)


@each_row(
    ("uptime", "percent"),
    [
        ({"uptimeDay": 1.0, "uptimeWeek": 2.0, "uptimeMonth": 99.0, "uptimeYear": 3.0}, 99.0),
        ({"uptimeDay": 1.0, "uptimeWeek": 98.0, "uptimeMonth": None}, 98.0),
        ({"uptimeYear": 97}, 97.0),
        ({"uptimeMonth": float("inf"), "uptimeDay": 96}, 96.0),
        ({"uptimeMonth": 10**400, "uptimeDay": 95}, 95.0),
    ],
)
def test_the_uptime_of_a_month_counts_where_it_is_told(uptime: object, percent: float) -> None:
    found = judged({**listed(), "uptime": uptime})
    assert isinstance(found, ListedInstance)
    assert found.uptime == percent


@each_row(
    ("timing", "ms"),
    [
        ({"search": {"all": {"median": 1.5, "mean": 9}}, "initial": {"all": {"value": 0.1}}}, 1500),
        ({"search": {"all": {"mean": 2}}}, 2000),
        ({"search": {"all": None, "error": "no result"}, "initial": {"all": {"value": 0.1}}}, 100),
        ({"search": {"all": {"value": 0.25}}}, 250),
        ({"search": 3}, None),
    ],
)
def test_the_time_of_a_search_counts_and_else_that_of_the_front_page(timing: object, ms: int | None) -> None:
    found = judged(listed(timing=timing))
    assert isinstance(found, ListedInstance)
    assert found.response_ms == ms


@each_row(
    "url",
    [
        "elm.example",
        "javascript:alert(1)",
        "ftp://elm.example/",
        "https://user:secret@elm.example/",
        "https://elm.example/?next=https://evil.example",
        "https://elm.example/#fragment",
        "https://elm.example/" + 200 * "a",
        "https://el\x1b[31mm.example/",
        100 * "\U0001f441",
    ],
)
def test_an_address_that_is_none_is_told_in_plain_characters(url: str) -> None:
    found = judged(listed(), url)
    assert isinstance(found, Excluded)
    assert (found.reason, found.url.isascii() and found.url.isprintable()) == ("its address is not valid", True)
    assert len(found.url) <= 200
    assert found.url[0] == ascii(url)[1]


def test_plain_http_is_for_pairs_that_the_operator_allows() -> None:
    assert judged(listed(), "http://127.0.0.1:8080/a") == Excluded("http://127.0.0.1:8080/a", "it is not on https")
    assert isinstance(judged(listed(), "http://127.0.0.1:8080/a", "127.0.0.1:8080"), ListedInstance)
    assert isinstance(judged(listed(), "http://127.0.0.1:8081/a", "127.0.0.1:8080"), Excluded)


def test_an_instance_may_be_in_a_folder() -> None:
    assert judged(listed(), "https://elm.example/searx/").url == "https://elm.example/searx"


def test_without_any_grade_all_are_of_the_last_tier() -> None:
    """Whoever gives grades was out of order that day; that must not cost us all instances."""
    entries = grade_list(published(elm=listed(None), fir=listed(None), yew=listed(None, analytics=True)))
    assert entries is not None
    assert [each.grade for each in entries.usable] == ["B", "B"]
    assert entries.excluded == (Excluded("https://yew.example", "it watches its users"),)


@each_row(
    "body", [b"", b"<html>", b"[]", b"{}", b'{"instances": []}', b'{"instances": {}}', b"[" * 100_000, b"\xff\xfe"]
)
def test_what_is_no_list_is_none(body: bytes) -> None:
    assert grade_list(body) is None


def test_a_list_of_absurd_length_is_cut() -> None:
    entries = grade_list(
        json.dumps({"instances": {f"https://i{number}.example/": {} for number in range(5000)}}).encode()
    )
    assert entries is not None
    assert len(entries.excluded) == 2000


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(st.text(max_size=8), children, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(sorted(listed())), JSON), st.text(max_size=40))
def test_no_list_can_make_the_reader_fail(changes: dict[str, object], url: str) -> None:
    body = json.dumps({"instances": {URL: {**listed(), **changes}, url: changes}}).encode()
    assert isinstance(grade_list(body), Entries)
