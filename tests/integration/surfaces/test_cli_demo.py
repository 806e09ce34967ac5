"""`dowse demo`: the real server and a real client on a web in a box, without key or internet."""

from pathlib import Path

import pytest

from dowse.surfaces.cli.main import main
from dowse.surfaces.clients import MAIN


@pytest.fixture(autouse=True)
def no_chromium(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is shown with one, tests/flows proves."""
    monkeypatch.setenv("PATH", "/nowhere")


def test_a_broken_configuration_of_the_user_does_not_show(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """It is what people try before anything of theirs is set up, and when nothing of theirs works."""
    for path in (tmp_path / "dowse.toml", tmp_path / ".config" / "dowse" / "dowse.toml"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("[[broken")
    assert main(["demo"]) == 0
    assert "engine: tavily" in capsys.readouterr().out


def test_it_shows_a_search_that_survives_an_outage_and_how_to_use_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo"]) == 0
    shown = capsys.readouterr().out
    assert "tools: web_search, get_content" in shown
    assert "engine: tavily" in shown
    assert "attempt: serper -> unavailable (HTTP 500" in shown
    assert "attempt: tavily -> ok, " in shown
    assert "install Chromium or set DOWSE_BROWSER_PATH" in shown
    assert "[ok]" in shown or "[truncated]" in shown
    for client in MAIN:
        assert f"\n{client.title} — {client.where}\n" in shown
