"""A recorded pair of a described provider: one request and its answer without the key, as tests replay them."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from dowse.core.models import Category
from dowse.flows.try_provider import MASKED_KEY, Sent, Trial, show_path
from dowse.settings.described.model import Description

_ERROR = {"error": {"code": "{status}", "message": "{message}"}}
"""The usual shape of an error; a trial that succeeded has seen none of the API's own."""


def record(folder: Path, trial: Trial, description: Description, category: Category) -> Path:
    """Write the pair into `NAME.json`, beside the other pairs of the provider; raises `OSError`."""
    file = folder / f"{trial.provider}.json"
    folder.mkdir(parents=True, exist_ok=True)
    pairs = _read(file)
    own = pairs.setdefault(trial.provider, {})
    name = category.value if category in description.variants else trial.operation
    own[name] = make_pair(trial, description, category)
    if description.then and len(trial.requests) > 1:
        own["then"] = _pair(trial.requests[1], description, "", Category.GENERAL)
    file.write_text(json.dumps(pairs, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return file


def make_pair(trial: Trial, description: Description, category: Category) -> dict[str, object]:
    """The request with the limits of the description, and the answer with its results."""
    shape = description.shape_of(category)
    if trial.operation == "read":
        text_path = [*shape.results, *description.shape.fields["text"].paths[0]]
        pair = _pair(trial.requests[0], description, "", category)
        return pair | {"text": trial.text, "title": trial.title, "text_path": ".".join(text_path)}
    where = show_path(description.then.ids if description.then else shape.results)
    pair = _pair(trial.requests[0], description, where, category)
    hits = [[hit.title, hit.url, hit.snippet, hit.published] for hit in trial.hits]
    return pair | {"hits": hits, "empty": _emptied(pair["response"], where)}


def _pair(sent: Sent, description: Description, where: str, category: Category) -> dict[str, object]:
    auth, values = description.auth, _values(sent)
    values.pop(auth.name if auth else "", None)
    flat = _flatten(values)
    return {
        "category": category.value,
        "request": _request(sent, description) | {"sent": values},
        "accepts": {name: _accepted(name, value, description) for name, value in flat.items()},
        "required": [name for name in description.query.fields if name in flat],
        "when": {},
        "count": description.count.field,
        "list": where,
        "response": sent.answer,
        "error": _ERROR,
        "key_optional": bool(auth and auth.is_optional),
    }


def _request(sent: Sent, description: Description) -> dict[str, object]:
    headers = {name.lower(): value for name, value in sent.headers.items() if MASKED_KEY not in value}
    path = urlsplit(sent.address).path
    return {"method": sent.method, "path": path, "auth": _auth(sent, description), "headers": headers}


def _values(sent: Sent) -> dict[str, object]:
    """The parameters of a GET, or the fields of a POST."""
    if sent.method == "GET":
        return dict(parse_qsl(urlsplit(sent.address).query))
    return dict(sent.body) if isinstance(sent.body, dict) else {}


def _auth(sent: Sent, description: Description) -> dict[str, str] | None:
    """Where the key was, if one was sent."""
    auth = description.auth
    if not auth or MASKED_KEY not in json.dumps(asdict(sent)):
        return None
    if auth.place == "basic":
        return {"in": "header", "name": "authorization", "value": f"Basic {MASKED_KEY}"}
    name = auth.name.lower() if auth.place == "header" else auth.name
    return {"in": auth.place, "name": name, "value": f"{auth.prefix}{MASKED_KEY}"}


def _accepted(name: str, value: object, description: Description) -> object:
    """Pattern of a parameter for a double; the vendor's documentation may allow more."""
    if name in description.query.fields:
        return rf"\S.{{0,{description.query.max_chars - 1}}}"
    if name == description.count.field:
        return f"int 1..{description.count.most}"
    if isinstance(value, list):
        return list(map(_constant, value[:1])) or [".*"]
    return _constant(value)


def _constant(value: object) -> str:
    """The pattern of a constant: this value and no other."""
    if isinstance(value, bool):
        return "true|false"
    return f"int {value}..{value}" if isinstance(value, int) else re.escape(str(value))


def _flatten(values: Mapping[str, object], above: str = "") -> dict[str, object]:
    flat: dict[str, object] = {}
    for name, value in values.items():
        flat |= _flatten(value, f"{above}{name}.") if isinstance(value, dict) else {f"{above}{name}": value}
    return flat


def _emptied(answer: object, path: str) -> object:
    """The answer with nothing in its list."""
    if path == ".":
        return []
    emptied = copy.deepcopy(answer)
    *parents, last = path.split(".")
    place = emptied
    for name in parents:
        place = place.get(name) if isinstance(place, dict) else None
    if isinstance(place, dict):
        place[last] = []
    return emptied


def _read(file: Path) -> dict[str, dict[str, object]]:
    """The pairs of the file; one of another kind is not changed."""
    if not file.exists():
        return {}
    try:
        pairs = json.loads(file.read_text(encoding="utf-8"))
    except ValueError:
        raise OSError(0, "it is no file of recorded pairs") from None
    return dict(pairs) if isinstance(pairs, dict) else {}
