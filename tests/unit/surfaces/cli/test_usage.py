"""`dowse usage`: calls and cost of today and this month, by provider, caller or day."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from dowse.core.runtime import SystemClock
from dowse.stores import open_store
from dowse.stores.ledger import CallCount, Tally
from dowse.surfaces.cli.main import main

pytestmark = pytest.mark.promise("usage")

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DOWSE_STATE", f"sqlite:///{tmp_path}/state.db")
    return tmp_path / "state.db"


def today() -> date:
    return datetime.now(UTC).date()


def keep(state: Path, counts: Sequence[CallCount]) -> None:
    async def write() -> None:
        store = open_store(f"sqlite:///{state}", SystemClock())
        await store.count_calls(counts)
        await store.close()

    asyncio.run(write())


def counts() -> list[CallCount]:
    return [
        CallCount(today(), "tavily", "alice", Tally(1, 8000)),
        CallCount(today(), "serper", "alice", Tally(2, 2000)),
        CallCount(today(), "serper", "bob", Tally(1, 1000)),
    ]


def rows(capsys: Captured, *arguments: str) -> list[dict[str, object]]:
    assert main(["usage", "--json", *arguments]) == 0
    found: list[dict[str, object]] = json.loads(capsys.readouterr().out)["rows"]
    return found


def test_calls_and_cost_by_provider_caller_and_day(state: Path, capsys: Captured) -> None:
    keep(state, counts())
    serper = {"calls": 3, "usd": 0.003, "calls_today": 3, "usd_today": 0.003}
    tavily = {"calls": 1, "usd": 0.008, "calls_today": 1, "usd_today": 0.008}
    assert rows(capsys) == rows(capsys, "--by", "provider")
    assert rows(capsys) == [{"provider": "serper", **serper}, {"provider": "tavily", **tavily}]
    assert [(row["caller"], row["calls"], row["usd"]) for row in rows(capsys, "--by", "caller")] == [
        ("alice", 3, 0.01),
        ("bob", 1, 0.001),
    ]
    assert rows(capsys, "--by=day") == [{"day": str(today()), "calls": 4, "usd": 0.011}]


def test_the_object_names_its_period_and_holds_the_total(state: Path, capsys: Captured) -> None:
    keep(state, counts())
    assert main(["usage", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["today"], found["month"], found["by"]) == (str(today()), f"{today():%Y-%m}", "provider")
    assert found["state"] == f"sqlite:///{state}"
    assert found["total"] == {"calls": 4, "usd": 0.011, "calls_today": 4, "usd_today": 0.011}


def test_other_days_of_the_month_are_not_today(state: Path, capsys: Captured) -> None:
    first = today().replace(day=1)
    other = first if first != today() else today() - timedelta(days=1)
    keep(state, [*counts(), CallCount(other, "serper", "bob", Tally(5, 5000))])
    is_same_month = other.month == today().month
    (serper, _) = rows(capsys)
    assert (serper["calls"], serper["calls_today"]) == (8 if is_same_month else 3, 3)
    assert len(rows(capsys, "--by", "day")) == (2 if is_same_month else 1)


def test_people_see_a_table(state: Path, capsys: Captured) -> None:
    keep(state, counts())
    assert main(["usage"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"sqlite:///{state}"
    assert [line.split() for line in lines[2:6]] == [
        ["provider", "today", "cost", f"{today():%Y-%m}", "cost"],
        ["serper", "3", "0.003", "3", "0.003"],
        ["tavily", "1", "0.008", "1", "0.008"],
        ["all", "4", "0.011", "4", "0.011"],
    ]
    assert main(["usage", "--by", "day"]) == 0
    assert [line.split() for line in capsys.readouterr().out.splitlines()[2:4]] == [
        ["day", "calls", "cost"],
        [str(today()), "4", "0.011"],
    ]


def test_without_a_store_there_is_nothing_and_none_is_made(
    state: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["usage"]) == 0
    assert "the usage is empty" in capsys.readouterr().err
    assert rows(capsys) == []
    assert not state.exists()
    monkeypatch.setenv("DOWSE_STATE", "memory:")
    assert main(["usage"]) == 0
    assert "private to each process, so there is no usage to show" in capsys.readouterr().err


def test_another_grouping_is_refused_with_the_known_ones(capsys: Captured) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["usage", "--by", "month"])
    assert caught.value.code == 2
    assert "--by takes one of provider, caller, day" in capsys.readouterr().err
