"""No setting does nothing: each value is read by some part of dowse."""

from __future__ import annotations

import re
from pathlib import Path

import dowse
from dowse.settings.model import Settings

PACKAGE = Path(dowse.__file__).parent
# Names are contracts: a setting whose part was removed is still accepted.
WITHOUT_EFFECT = {"semantic"}


def test_every_setting_is_read_by_a_part_outside_of_the_settings() -> None:
    used = {
        name
        for path in PACKAGE.rglob("*.py")
        if path.relative_to(PACKAGE).parts[0] != "settings"
        for name in re.findall(r"settings\.(\w+)", path.read_text(encoding="utf-8"))
    }
    model = (PACKAGE / "settings" / "model.py").read_text(encoding="utf-8") + (
        PACKAGE / "settings" / "server.py"
    ).read_text(encoding="utf-8")
    derived = set(re.findall(r"\bself\.(\w+)", model))
    assert set(Settings.model_fields) - used - derived == WITHOUT_EFFECT
