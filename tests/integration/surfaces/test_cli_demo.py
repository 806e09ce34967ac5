"""`dowse demo`: the real server and a real client on a small web on loopback, without key or internet."""

import asyncio
import os
import re
import signal
import socket
import sys
from pathlib import Path

import aiohttp
import pytest

from dowse.demo.web import DEFAULT_PORT, DemoWeb
from dowse.surfaces.cli.main import main
from dowse.surfaces.clients import MAIN

README = Path(__file__).resolve().parents[3] / "README.md"


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
    assert "\n  make install\n" in shown
    assert "<repo>" not in shown
    for client in MAIN:
        assert f"\n{client.title} — {client.where}\n" in shown


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_it_serves_its_web_until_a_signal_and_prints_the_line_that_points_a_shell_at_it(number: int) -> None:
    demo = (sys.executable, "-m", "dowse", "demo")
    process = await asyncio.create_subprocess_exec(
        *demo, "--serve", "--port", "0", stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        lines = [(await asyncio.wait_for(process.stdout.readline(), 30)).decode().strip() for _ in range(4)]
        port = lines[2].removeprefix('eval "$(dowse demo --exports --port ').removesuffix(')"')
        search = f"eval \"$('{sys.executable}' -m dowse demo --exports --port {port})\" && '{sys.executable}' -m dowse"
        shell = await asyncio.create_subprocess_shell(
            f"{search} search 'harbour bridge' -n 1", stdout=asyncio.subprocess.PIPE
        )
        found, _ = await asyncio.wait_for(shell.communicate(), 60)
        async with aiohttp.ClientSession() as http, http.get(f"http://127.0.0.1:{port}/nowhere") as response:
            assert response.status == 404
    finally:
        process.send_signal(number)
    _, errors = await asyncio.wait_for(process.communicate(), 30)
    assert "1 result from serper" in found.decode()
    assert "Nordhaven" in found.decode()
    assert (process.returncode, errors) == (0, b"")


async def test_the_example_of_the_readme_is_printed_as_it_stands_there() -> None:
    example = re.search(r"```console\n\$ eval[^\n]+\n\$ (.+?)\n(.+?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert example
    command, shown = (part.replace("dowse search", f"{sys.executable} -m dowse search") for part in example.groups())
    async with DemoWeb() as web:
        environment = {**os.environ, **web.environment(), "DOWSE_STATE": "memory:"}
        shell = await asyncio.create_subprocess_shell(command, stdout=asyncio.subprocess.PIPE, env=environment)
        printed, _ = await asyncio.wait_for(shell.communicate(), 60)
    found = printed.decode().replace(f":{web.port}/", f":{DEFAULT_PORT}/")
    assert re.sub(r"\d+ ms", "N ms", found) == re.sub(r"\d+ ms", "N ms", shown)


def test_a_port_that_is_taken_or_none_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert main(["demo", "--serve", "--port", port]) == 2
        assert f"Port {port} cannot be used" in capsys.readouterr().err
    assert main(["demo", "--port", "80"]) == 2
    assert main(["demo", "--exports", "--port", "0"]) == 2
    assert "--port goes with --serve or --exports." in capsys.readouterr().err
    for wrong in ("x", "-1", "65536"):
        with pytest.raises(SystemExit):
            main(["demo", "--serve", "--port", wrong])
