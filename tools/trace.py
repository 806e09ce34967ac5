"""Call tracer: the files one cold tool call passes in the server process, in order.

`python -m tools.trace web_search` starts the stdio server over the pocket web, makes one call under a profiler, and
prints the path. Start-up, imports and the worker processes do not count. `--docs` writes the paths of both tools to
`docs/architecture.md`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import signal
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType

from tests.doubles import PocketWeb
from tests.stdio import serving
from tests.test_architecture import LEVEL

ROOT = Path(__file__).resolve().parent.parent
SRC = ROOT / "src" / "dowse"
DOCS = ROOT / "docs" / "architecture.md"
KETTLE = "/products/kettle"
CALLS = ("web_search", "get_content")
# Code objects without this flag are bodies of modules and classes, which run at import.
_OPTIMIZED = 0x1


@dataclass(frozen=True, slots=True)
class Hop:
    """One function of the path, with the function that called it, if that is one of dowse's."""

    file: str
    function: str
    caller: str

    @property
    def is_upward(self) -> bool:
        """Whether the call enters a folder above that of its caller."""
        return bool(self.caller) and _level(self.file) > _level(self.caller)


@dataclass(frozen=True, slots=True)
class Trace:
    """The distinct hops of one call in order of their first execution, and how often each file was entered."""

    hops: tuple[Hop, ...]
    entered: Mapping[str, int]

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(hop.file for hop in self.hops))

    @property
    def upward(self) -> tuple[Hop, ...]:
        """Calls into a folder above; a loop counts once."""
        return tuple(hop for hop in self.hops if hop.is_upward)

    def render(self) -> str:
        """The path as text: a line per file with its first function and the number of calls that entered it."""
        first = {hop.file: hop.function for hop in reversed(self.hops)}
        lines = [f"{len(self.files)} files, {len(self.upward)} calls into a folder above"]
        lines += [f"{self.entered[file]:>5}  {file}  {first[file]}" for file in self.files]
        lines += [f"  up   {hop.caller} -> {hop.file}  {hop.function}" for hop in self.upward]
        return "\n".join(lines)


def documented(tool: str) -> re.Pattern[str]:
    """The block of docs/architecture.md that shows the path of a tool: its text is group 2."""
    return re.compile(rf"(<!-- trace: {tool} -->\n```text\n)(.*?)(```\n)", re.DOTALL)


def shown_files(text: str, tool: str) -> set[str]:
    """The files of the path that the page shows."""
    shown = documented(tool).search(text)
    return {word for word in shown[2].split() if word.endswith(".py")} if shown else set()


def shown_count(text: str, tool: str) -> int:
    """The number of files that the first line of the path states."""
    shown = documented(tool).search(text)
    stated = re.match(r"(\d+) files,", shown[2]) if shown else None
    return int(stated[1]) if stated else 0


def _replace(text: str, tool: str, path: str) -> str:
    shown = documented(tool).search(text)
    return text if shown is None else f"{text[: shown.start(2)]}{path}\n{text[shown.end(2) :]}"


def trace(tool: str) -> Trace:
    """Trace one cold call of a tool."""
    with tempfile.TemporaryDirectory(prefix="dowse-trace-") as directory:
        record = Path(directory, "hops.json")
        asyncio.run(_call(tool, Path(directory), record))
        recorded = json.loads(record.read_text(encoding="utf-8"))
    if not recorded["hops"]:
        raise SystemExit("no call was recorded: dowse was imported from elsewhere")
    return Trace(tuple(Hop(*hop) for hop in recorded["hops"]), recorded["entered"])


async def _call(tool: str, directory: Path, record: Path) -> None:
    async with PocketWeb() as web:
        environment = {
            **web.environment("serper"),
            "PATH": os.environ["PATH"],
            "HOME": str(directory),
            "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "src"))),
            "DOWSE_STATE": f"sqlite:///{directory}/state.db",
            "DOWSE_BROWSER": "off",
        }
        url = web.page(KETTLE)
        web.serper.finds([{"title": "Kettle", "url": url, "snippet": "A kettle."}])
        arguments = {"url": url} if tool == "get_content" else {"query": "kettle", "num_results": 1}
        command = (sys.executable, "-m", "tools.trace", "--serve", str(record))
        async with serving(environment, directory / "log", command) as server:
            server.process.send_signal(signal.SIGUSR1)
            answer = await server.call(tool, **arguments)
            server.process.send_signal(signal.SIGUSR2)
            if answer["result"].get("isError"):
                raise SystemExit(str(answer["result"]["content"]))


class Profiler:
    """Records calls of dowse's functions between SIGUSR1 and SIGUSR2, also in threads that start in between."""

    def __init__(self) -> None:
        self.hops: dict[tuple[str, str, str], None] = {}
        self.entered: Counter[str] = Counter()
        # Each resumption of a coroutine is a call event of the same frame. Frames are kept so that no id is reused.
        self._seen: dict[int, FrameType] = {}
        self._is_on = False

    def start(self, *_: object) -> None:
        self._is_on = True
        threading.setprofile(self._profile)
        sys.setprofile(self._profile)

    def stop(self, *_: object) -> None:
        self._is_on = False

    def _profile(self, frame: FrameType, event: str, _argument: object) -> None:
        if not self._is_on or event != "call" or id(frame) in self._seen or not (file := _file(frame.f_code)):
            return
        if not frame.f_code.co_flags & _OPTIMIZED or _is_importing(frame):
            return
        self._seen[id(frame)] = frame
        caller = _caller(frame)
        self.entered[file] += caller != file
        self.hops.setdefault((file, frame.f_code.co_name, caller))

    def save(self, record: Path) -> None:
        record.write_text(json.dumps({"hops": list(self.hops), "entered": self.entered}), encoding="utf-8")


def _file(code: CodeType) -> str:
    path = Path(code.co_filename)
    return path.relative_to(SRC).as_posix() if path.is_relative_to(SRC) else ""


def _is_importing(frame: FrameType) -> bool:
    above: FrameType | None = frame
    while above is not None:
        if above.f_code.co_filename.startswith("<frozen importlib"):
            return True
        above = above.f_back
    return False


def _caller(frame: FrameType) -> str:
    """The nearest file of dowse on the stack, unless the event loop is in between."""
    above = frame.f_back
    while above is not None and above.f_code.co_qualname != "Handle._run":
        if file := _file(above.f_code):
            return file
        above = above.f_back
    return ""


def _level(file: str) -> int:
    return LEVEL[Path(file).parts[0].removesuffix(".py")]


def _serve(record: Path) -> None:
    from dowse.surfaces.cli.main import main

    profiler = Profiler()
    signal.signal(signal.SIGUSR1, profiler.start)
    signal.signal(signal.SIGUSR2, profiler.stop)
    sys.argv = ["dowse", "serve"]
    try:
        main()
    finally:
        profiler.save(record)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", nargs="?", choices=CALLS, default=CALLS[0])
    parser.add_argument("--docs", action="store_true", help="write the paths of all tools to docs/architecture.md")
    parser.add_argument("--serve", type=Path, metavar="RECORD", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        _serve(given.serve)
    elif given.docs:
        text = DOCS.read_text(encoding="utf-8")
        for tool in CALLS:
            traced = trace(tool)
            # The counts differ from run to run; only another path is written.
            if shown_files(text, tool) != set(traced.files) or shown_count(text, tool) != len(traced.files):
                text = _replace(text, tool, traced.render())
        DOCS.write_text(text, encoding="utf-8")
    else:
        print(trace(given.tool).render())


if __name__ == "__main__":
    main()
