"""Runs in a network of its own: microsocks and tinyproxy, a provider and pages behind them, and the product."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path

PROVIDER, PAGE = "8.8.8.8", "93.184.216.34"
USER, PASSWORD = "ada", "canary-Pa55w0rd"
SOCKS_PORT, HTTP_PORT = 1080, 8888
PROXIES = {
    "microsocks": f"socks5://{USER}:{PASSWORD}@127.0.0.1:{SOCKS_PORT}",
    "tinyproxy": f"http://{USER}:{PASSWORD}@127.0.0.1:{HTTP_PORT}",
}
WRONG = {name: url.replace(PASSWORD, "canary-wrong") for name, url in PROXIES.items()}
_SENTENCE = "The harbour of Vellmar freezes in February, and ferries stop for eleven days."
_HITS = {"organic": [{"title": "Harbour", "link": f"http://{PAGE}/harbour", "snippet": "About a harbour."}]}
_HTML = f"<html><title>Harbour</title><body><article><h1>Harbour</h1><p>{_SENTENCE}</p></article></body></html>"
_SHELL = """<html><title>App</title><body><div id=root></div><script>
const text = 'Written by a script. '.repeat(30)
document.getElementById('root').innerHTML = `<article><h1>App</h1><p>${text}</p></article>`
</script></body></html>"""
_CONFIGURATION = f"""
Port {HTTP_PORT}
Listen 127.0.0.1
Timeout 60
LogLevel Connect
BasicAuth {USER} {PASSWORD}
"""


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """The provider and both pages, by path."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    path = head.split(" ")[1]
    kind, body = "text/html", _SHELL if path == "/app" else _HTML
    if path == "/search":
        kind, body = "application/json", json.dumps(_HITS)
    status = "404 Not Found" if path == "/robots.txt" else "200 OK"
    writer.write(f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n".encode())
    writer.write(f"Connection: close\r\n\r\n{body}".encode())
    writer.close()


async def _run(*arguments: str, environment: Mapping[str, str]) -> dict[str, object]:
    running = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "dowse", *arguments, env={**os.environ, **environment},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    out, err = await running.communicate()
    return {"code": running.returncode, "out": out.decode(), "err": err.decode()}


async def _listening(port: int) -> None:
    """Return as soon as the port accepts connections."""
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.02)
            continue
        writer.close()
        return


async def main(folder: Path) -> None:
    configuration = folder / "tinyproxy.conf"
    configuration.write_text(_CONFIGURATION)
    commands = {
        "microsocks": ["microsocks", "-i", "127.0.0.1", "-p", str(SOCKS_PORT), "-u", USER, "-P", PASSWORD],
        "tinyproxy": ["tinyproxy", "-d", "-c", str(configuration)],
    }
    logs = {name: folder / f"{name}.log" for name in commands}
    report: dict[str, object] = {}
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(await asyncio.start_server(_answer, ["0.0.0.0", "::"], 80))
        for name, command in commands.items():
            log = stack.enter_context(logs[name].open("wb"))
            proxy = await asyncio.create_subprocess_exec(*command, stdout=log, stderr=log)
            stack.push_async_callback(proxy.wait)
            stack.callback(proxy.kill)
        await _listening(SOCKS_PORT)
        await _listening(HTTP_PORT)
        for name, url in PROXIES.items():
            base = {
                "DOWSE_PROXY": url,
                "DOWSE_LOG_LEVEL": "debug",
                "SERPER_API_KEY": "k",
                "SERPER_SEARCH_ENDPOINT": f"http://{PROVIDER}/search",
            }
            shell = {"DOWSE_BROWSER": "auto", "DOWSE_BROWSER_SANDBOX": "off"}
            report[name] = {
                "search": await _run("search", "--json", "harbour", environment=base),
                "browser": await _run("read", "--raw", f"http://{PAGE}/app", environment=base | shell),
                "denied": await _run("read", "--raw", "http://10.0.0.1/", environment=base),
                "wrong": await _run("search", "harbour", environment=base | {"DOWSE_PROXY": WRONG[name]}),
                "log": logs[name].read_text(),
            }
    print(json.dumps(report))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
