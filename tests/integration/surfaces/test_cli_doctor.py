"""`dowse doctor` without `--probe` sends no request."""

from tests.support.command_line import Examine, Point


def test_nothing_is_asked_without_being_told_to(point: Point, examine: Examine) -> None:
    web = point("serper", "exa", "tavily", "searxng")
    found = examine()
    assert found.code == 0
    assert not any(double.requests for double in web.doubles)
    assert [check["state"] for check in found.checks if check["group"] == "probe"] == ["off"]
