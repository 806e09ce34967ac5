"""The notebook of the documentation runs with the installed package, and its outputs are those that it shows."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from dowse.demo import DemoWeb
from tests.clients.packaging import ROOT, build_wheel, uv

NOTEBOOK = ROOT / "docs" / "notebook.ipynb"
_PORT = re.compile(r"127\.0\.0\.1:\d+")
END_S = 300.0


def shown(notebook: Path) -> list[list[str]]:
    """The outputs of each cell as text, without ports."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return [[_PORT.sub("127.0.0.1", _text(output)) for output in cell.get("outputs", ())] for cell in cells]


def _text(output: dict[str, Any]) -> str:
    assert output["output_type"] != "error", output
    return "".join(output["text"] if output["output_type"] == "stream" else output["data"]["text/plain"])


@pytest.mark.promise("python-notebook")
async def test_the_notebook_runs_and_shows_what_it_says(tmp_path: Path) -> None:
    place, python = tmp_path / "env", tmp_path / "env" / "bin" / "python"
    await asyncio.to_thread(uv, "venv", "--quiet", "--python", sys.executable, place)
    locked = ("--require-hashes", "-r", ROOT / "requirements" / "notebook.txt")
    await asyncio.to_thread(uv, "pip", "install", "--quiet", "--python", python, *locked)
    wheel = await asyncio.to_thread(build_wheel, tmp_path)
    await asyncio.to_thread(uv, "pip", "install", "--quiet", "--no-deps", "--python", python, wheel)
    async with DemoWeb() as web:
        process = await asyncio.create_subprocess_exec(
            python,
            *("-m", "nbconvert", "--to", "notebook", "--execute", "--output-dir", tmp_path, "--output", "done.ipynb"),
            NOTEBOOK,
            cwd=tmp_path,
            stderr=asyncio.subprocess.PIPE,
            env={
                "HOME": str(tmp_path),
                "PATH": os.environ["PATH"],
                "DOWSE_BROWSER": "off",
                "DOWSE_STATE": "memory:",
                # A warning in a cell would be an output that the notebook does not show.
                "PYTHONWARNINGS": "default",
                **web.environment(),
            },
        )
        _, err = await asyncio.wait_for(process.communicate(), END_S)
    assert process.returncode == 0, err.decode()
    assert shown(tmp_path / "done.ipynb") == shown(NOTEBOOK)
