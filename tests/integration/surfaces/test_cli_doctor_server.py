"""`dowse doctor` reads from the store how much of a budget searches have spent."""

import pytest

from dowse.surfaces.cli.main import main
from tests.support.command_line import Examine, Point

Captured = pytest.CaptureFixture[str]


@pytest.mark.parametrize(("spent", "state"), [(3, "ok"), (4, "warning"), (5, "problem")])
def test_a_budget_is_told_with_what_is_spent_of_it(
    point: Point, examine: Examine, capsys: Captured, monkeypatch: pytest.MonkeyPatch, spent: int, state: str
) -> None:
    """What searches have spent is there in the next process: it is in the store."""
    point("serper")
    monkeypatch.setenv("DOWSE_BUDGET_SERPER", "5calls/month")
    for number in range(spent):
        assert main(["search", f"python {number}", "--no-content"]) == 0
    capsys.readouterr()
    found = examine()
    check = found.one("provider.serper")
    assert (check["state"], found.code) == (state, 1 if state == "problem" else 0)
    assert f"{spent} of its budget of 5 calls/month are spent" in check["summary"]
    assert check["details"]["spent"]["calls"] == spent
    assert ("DOWSE_BUDGET_SERPER" in check["fix"]) is (state != "ok")


@pytest.mark.parametrize(("budget", "state"), [("0.0024usd/month", "problem"), ("0.003usd/month", "ok")])
def test_a_budget_that_no_further_search_fits_into_is_a_problem(
    point: Point, examine: Examine, capsys: Captured, monkeypatch: pytest.MonkeyPatch, budget: str, state: str
) -> None:
    """Serper's search is 0.1 cents: two leave less than one more, whatever share is used."""
    point("serper")
    monkeypatch.setenv("DOWSE_BUDGET_SERPER", budget)
    for number in range(2):
        assert main(["search", f"python {number}", "--no-content"]) == 0
    capsys.readouterr()
    found = examine().one("provider.serper")
    assert found["state"] == state
    assert ("another search does not fit, so it counts as out of quota" in found["summary"]) is (state == "problem")
    assert "0.002 of its budget" in found["summary"]
