"""The page that shows the OpenAPI document: plain HTML without scripts, images or anything from elsewhere."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping
from functools import cache
from html import escape
from typing import cast

CONTENT_TYPE = "text/html; charset=utf-8"
_STYLE = """\
:root{color-scheme:light dark;--line:#8884;--soft:#8881;--mark:#0a6}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.6rem;margin:0}h2{font-size:1.15rem;margin:2.5rem 0 .25rem}h3{font-size:.95rem;margin:1rem 0 .25rem}
code,pre{font:.85rem/1.45 ui-monospace,monospace}
pre{background:var(--soft);padding:.75rem;overflow:auto;border-radius:6px}
table{border-collapse:collapse;width:100%;font-size:.9rem}
td,th{border-top:1px solid var(--line);padding:.3rem .6rem .3rem 0;text-align:left;vertical-align:top}
.method{color:var(--mark);font-weight:700}nav a{margin-right:.8rem}summary{cursor:pointer}"""
_PAGE = """\
<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>{title}</title><style>{style}</style></head>
<body><main><h1>{title} <small>{version}</small></h1><p>{about}</p>
<p>Base address: <code>{server}</code> · <a href="openapi.json">openapi.json</a></p><nav>{links}</nav>
{operations}
</main></body></html>
"""
_OPERATION = """\
<section id="{anchor}"><h2><span class="method">{method}</span> <code>{path}</code></h2><p>{summary}. {about}</p>
{arguments}{request}<details><summary>Reply</summary><h3>Example</h3><pre>{reply}</pre><h3>Schema</h3>
<pre>{schema}</pre></details></section>"""

Json = Mapping[str, object]


def write_security_policy() -> str:
    """The Content-Security-Policy of the page: its own style sheet and nothing else."""
    return f"default-src 'none'; style-src 'sha256-{_digest()}'; base-uri 'none'; frame-ancestors 'none'"


def render(document: Json) -> str:
    """The page; every text of the document is escaped."""
    info, operations = _get(document, "info"), list(_operations(document))
    (server,) = cast("list[Json]", document["servers"])
    return _PAGE.format(
        style=_STYLE,
        title=escape(str(info["title"])),
        version=escape(str(info["version"])),
        about=escape(str(info["description"])),
        server=escape(str(server["url"])),
        links="".join(f'<a href="#{anchor}">{escape(path)}</a>' for anchor, path, _ in operations),
        operations="\n".join(section for *_, section in operations),
    )


@cache
def _digest() -> str:
    return base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()


def _operations(document: Json) -> Iterator[tuple[str, str, str]]:
    """Anchor, path and section of each operation."""
    schemas = _get(document, "components", "schemas")
    for path, methods in _get(document, "paths").items():
        for method, operation in cast("dict[str, Json]", methods).items():
            anchor = str(operation["operationId"])
            yield anchor, path, _section(anchor, method.upper(), path, operation, schemas)


def _section(anchor: str, method: str, path: str, operation: Json, schemas: Json) -> str:
    reply = _get(operation, "responses", "200", "content", "application/json")
    return _OPERATION.format(
        anchor=anchor,
        method=method,
        path=escape(path),
        summary=escape(str(operation["summary"])),
        about=escape(str(operation["description"])),
        arguments=_arguments(operation),
        request=_request(operation),
        reply=_show(reply["example"]),
        schema=_show(schemas[path.strip("/")]),
    )


def _arguments(operation: Json) -> str:
    """A table of the arguments, wherever they are sent."""
    if "requestBody" in operation:
        schema = _get(operation, "requestBody", "content", "application/json", "schema")
        rows = [(name, cast("Json", each)) for name, each in _get(schema, "properties").items()]
    else:
        listed = cast("list[Json]", operation.get("parameters", []))
        rows = [(str(each["name"]), _get(each, "schema")) for each in listed if each["in"] == "query"]
    cells = "".join(
        f"<tr><td><code>{escape(name)}</code></td><td>{escape(str(schema['type']))}</td><td>{_about(schema)}</td></tr>"
        for name, schema in rows
    )
    return f"<h3>Arguments</h3><table>{cells}</table>" if cells else ""


def _about(schema: Json) -> str:
    """The description of an argument, its choices and its default."""
    parts = [str(schema.get("description", ""))]
    if choices := schema.get("enum"):
        parts.append(f"One of {', '.join(map(str, cast('list[object]', choices)))}.")
    if "default" in schema:
        parts.append(f"Default: {json.dumps(schema['default'])}.")
    return escape(" ".join(filter(None, parts)))


def _request(operation: Json) -> str:
    if "requestBody" not in operation:
        return ""
    example = _get(operation, "requestBody", "content", "application/json")["example"]
    return f"<h3>Body</h3><pre>{_show(example)}</pre>"


def _show(value: object) -> str:
    return escape(json.dumps(value, indent=2, ensure_ascii=False))


def _get(value: Json, *names: str) -> Json:
    for name in names:
        value = cast("Json", value[name])
    return value
