"""Reads one page with the sandbox required, and prints how the renderers are confined; runs as a process of a user."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from dowse.core.runtime import SystemClock
from dowse.fetch.browser.launch import Launcher
from dowse.fetch.browser.pool import BrowserPool
from tests.browser.answering import answering, title
from tests.processes import chromiums


async def main() -> None:
    clock = SystemClock()
    pool = BrowserPool(Launcher(clock, sandbox="on"), clock)
    async with answering() as proxy, pool.tab(proxy, 60) as tab:
        shown = await title(tab.session)
        renderers = [process for process in chromiums() if process.is_renderer]
        confined = [_seccomp(process.pid) for process in renderers]
    await pool.close()
    print(json.dumps({"title": shown, "seccomp": confined, "left": [process.command for process in chromiums()]}))


def _seccomp(pid: int) -> str:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(line.split()[1] for line in lines if line.startswith("Seccomp:"))


asyncio.run(main())
