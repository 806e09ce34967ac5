"""Runs cases of one SDK and prints what each gave, or which exception it raised, as one JSON object.

Usage: drive.py SDK BASE TOKEN SITE CASE...
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path


def run(case: Callable[[str, str, str], object], base: str, token: str, site: str) -> object:
    try:
        return {"value": case(base, token, site)}
    except Exception as error:  # what a user of the SDK would catch
        kind = type(error)
        status = getattr(error, "status_code", None) or getattr(getattr(error, "response", None), "status_code", None)
        return {"error": kind.__name__, "status": status, "said": str(error)}


def main() -> None:
    name, base, token, site, *cases = sys.argv[1:]
    sys.path.insert(0, str(Path(__file__).parent))
    module = vars(importlib.import_module(f"use_{name}"))
    results = {case: run(module[case], base, token, site) for case in cases}
    sys.stdout.write("\n" + json.dumps(results) + "\n")


main()
