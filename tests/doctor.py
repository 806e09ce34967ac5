"""What `dowse doctor --json` answers, held against its shape, for tests to look findings up in."""

from __future__ import annotations

import json
from typing import Any

import jsonschema

from dowse import __version__

Finding = dict[str, Any]

SCHEMA = {
    "type": "object",
    "required": ["version", "ok", "checks"],
    "additionalProperties": False,
    "properties": {
        "version": {"const": __version__},
        "ok": {"type": "boolean"},
        "checks": {
            "type": "array",
            "minItems": 10,
            "items": {
                "type": "object",
                "required": ["name", "group", "state", "summary", "fix", "details"],
                "additionalProperties": False,
                "properties": {
                    "name": {"type": "string", "pattern": "^[a-z_]+(\\.[a-z_]+)?$"},
                    "group": {
                        "enum": ["installation", "configuration", "search", "reading", "server", "callers", "probe"]
                    },
                    "state": {"enum": ["ok", "off", "warning", "problem"]},
                    "summary": {"type": "string", "minLength": 1},
                    "fix": {"type": "string"},
                    "details": {"type": "object"},
                },
                # Whatever is not well says what to do about it.
                "if": {"properties": {"state": {"const": "ok"}}},
                "then": {"properties": {"fix": {"const": ""}}},
                "else": {"properties": {"fix": {"minLength": 1}}},
            },
        },
    },
}


def examined(code: int | None, out: str, err: str = "") -> Examined:
    """The answer of one run, after the checks that every answer has to pass."""
    assert err == ""
    assert "\x1b" not in out
    found = json.loads(out)
    jsonschema.validate(found, SCHEMA)
    assert found["ok"] is (code == 0)
    return Examined(code, found["checks"])


class Examined:
    def __init__(self, code: int | None, checks: list[Finding]) -> None:
        self.code = code
        self.checks = checks

    def all(self, name: str) -> list[Finding]:
        return [check for check in self.checks if check["name"] == name]

    def one(self, name: str) -> Finding:
        (check,) = self.all(name)
        return check

    def told(self, name: str) -> tuple[str, str, str]:
        check = self.one(name)
        return check["state"], check["summary"], check["fix"]
