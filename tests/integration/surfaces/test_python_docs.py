"""The examples of docs/python.md give what the page shows, and its tables name what there is."""

from __future__ import annotations

import asyncio
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

from dowse import AsyncClient, errors
from dowse.demo import DemoWeb
from dowse.demo.web import DEFAULT_PORT

PAGE = Path(__file__).resolve().parents[3] / "docs" / "python.md"
TEXT = PAGE.read_text(encoding="utf-8")
_EXAMPLES = re.compile(r"^```pycon\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_ROW = re.compile(r"^\| (`[^|]+`) \| ([^|]+) \|$", re.MULTILINE)
_NAME = re.compile(r"`(\w+)`")


async def test_the_examples_give_what_the_page_shows(tmp_path: Path) -> None:
    examples = "\n".join(_EXAMPLES.findall(TEXT))
    assert examples.count(">>> ") > 15
    async with DemoWeb() as web:
        (tmp_path / "examples.txt").write_text(examples.replace(f":{DEFAULT_PORT}/", f":{web.port}/"), "utf-8")
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-W", "error", "-m", "doctest", "examples.txt"),
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={
                "HOME": str(tmp_path),
                "PATH": os.environ["PATH"],
                "DOWSE_BROWSER": "off",
                **web.environment(),
            },
        )
        out, _ = await asyncio.wait_for(process.communicate(), 60)
    assert (out.decode(), process.returncode) == ("", 0)


def test_the_table_of_arguments_has_every_method_with_its_arguments_in_order() -> None:
    table = {method.strip("`"): _NAME.findall(names) for method, names in _ROW.findall(TEXT)}
    public = [name for name in vars(AsyncClient) if not name.startswith("_") and name != "close"]
    assert {name: table[name] for name in public} == {
        name: [parameter for parameter in inspect.signature(vars(AsyncClient)[name]).parameters if parameter != "self"]
        for name in public
    }


def test_every_error_that_the_page_names_can_be_imported() -> None:
    named = [name for first, _ in _ROW.findall(TEXT) for name in _NAME.findall(first) if name[0].isupper()]
    assert len(named) > 8
    assert [name for name in named if name not in vars(errors)] == []
