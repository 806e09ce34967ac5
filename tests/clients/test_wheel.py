"""What is shipped: the package, its types and its data, and nothing of the tests."""

from __future__ import annotations

import zipfile
from pathlib import Path

from dowse import __version__
from tests.clients.packaging import ROOT


def test_the_wheel_carries_the_pages_of_the_demo_the_scripts_its_types_and_nothing_else(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    folders = [ROOT / "src/dowse/demo/pages", ROOT / "src/dowse/fetch/browser/scripts"]
    files = {str(file.relative_to(ROOT / "src")) for place in folders for file in place.rglob("*") if file.is_file()}
    assert "dowse/fetch/browser/scripts/dom.js" in files
    assert [name for name in files if name.startswith("dowse/demo/pages/")]
    assert names >= files | {"dowse/py.typed"}
    assert {name.partition("/")[0] for name in names} == {"dowse", f"dowse-{__version__}.dist-info"}
    assert [name for name in names if "__pycache__" in name or "pocketweb" in name] == []
