"""Changes the tokens file in place: what people wrote into it stays as it is, comments included."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from dowse.auth import tokens
from dowse.core.errors import ConfigError

_NEW_FILE = "# Who may call this dowse over HTTP. Written by `dowse token`; the tokens themselves are not in here.\n"


def entry_text(name: str, digest: str, contracts: list[str], limits: Mapping[str, str]) -> str:
    """An entry as TOML. Everything in it was checked before, so nothing needs to be escaped."""
    # A dot outside quotes would make a table inside a table.
    lines = [f'["{name}"]' if "." in name else f"[{name}]", f'hash = "sha256:{digest}"']
    if contracts:
        lines.append(f"contracts = [{', '.join(_quoted(each) for each in contracts)}]")
    if limits:
        lines.append(f"limits = {{ {', '.join(f'{tool} = {_quoted(each)}' for tool, each in limits.items())} }}")
    return "\n".join(lines) + "\n"


def append(path: Path, entry: str) -> None:
    """Put an entry at the end of the file, which is made if there is none."""
    with _alone(path):
        old = tokens.read_text(path) if path.exists() else _NEW_FILE
        before, added = tokens.tables(path, old), tomllib.loads(entry)
        (name,) = added
        if name in before:
            raise ConfigError(f"{name} is in {path} already; `dowse token revoke {name}` takes it out.")
        gap = "\n" if old.endswith("\n") or not old else "\n\n"
        new = f"{old}{gap}{entry}"
        # Read back before it is written: the server must be able to read whatever is there afterwards.
        tokens.entries(_changed(path, new, {**before, **added}), path)
        _replace(path, new)


def remove(path: Path, name: str) -> None:
    """Take an entry out of the file; comments above the next one stay with it."""
    with _alone(path):
        old = tokens.read_text(path)
        before = tokens.tables(path, old)
        if name not in before:
            raise ConfigError(f"The tokens file {path} has no entry {name}.")
        new = _without(old, name)
        _changed(path, new, {key: table for key, table in before.items() if key != name})
        _replace(path, new)


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Nobody else changes the file meanwhile: of two changes to the same text, one would be lost."""
    if sys.platform == "win32":  # pragma: no cover (Windows has no `flock`)
        yield
        return
    import fcntl

    # The folder is locked, as the file itself is replaced by another one.
    try:
        folder = os.open(path.resolve().parent, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise _unwritable(path, error) from None
    try:
        # Some network file systems lock no folders; a change is worth more there than the lock.
        with contextlib.suppress(OSError):
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _changed(path: Path, text: str, expected: Mapping[str, object]) -> dict[str, object]:
    """What the new text says, which has to be the change that was meant and nothing else."""
    try:
        changed = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        changed = {}
    if changed != expected:
        raise ConfigError(f"The tokens file {path} is written in a way that cannot be edited safely; edit it by hand.")
    return changed


def _without(text: str, name: str) -> str:
    kept: list[str] = []
    inside = False
    removed: list[str] = []
    for line in text.splitlines(keepends=True):
        owner = _table_name(line)
        if owner is not None:
            if inside:
                kept += _lead_in(removed)
            inside, removed = owner == name, []
        (removed if inside else kept).append(line)
    return "".join(kept)


def _table_name(line: str) -> str | None:
    """The first part of a table's name if the line opens a table: `[ci.limits]` belongs to `ci`."""
    if not line.lstrip().startswith("["):
        return None
    try:
        return next(iter(tomllib.loads(line)), None)
    except tomllib.TOMLDecodeError:
        return None


def _lead_in(lines: list[str]) -> list[str]:
    """The comments at the end of an entry: they stand above the next one and speak of it."""
    start = len(lines)
    while start and (not lines[start - 1].strip() or lines[start - 1].lstrip().startswith("#")):
        start -= 1
    return [line for line in lines[start:] if line.strip()]


def _replace(path: Path, text: str) -> None:
    """Old or new, never half of it, for a server that may read at any moment; strangers never may."""
    target = path.resolve()
    temporary = ""
    try:
        descriptor, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            _keep_owner(target, file.fileno())
            os.fsync(file.fileno())
        Path(temporary).replace(target)
    except OSError as error:
        if temporary:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
        raise _unwritable(path, error) from None


def _unwritable(path: Path, error: OSError) -> ConfigError:
    return ConfigError(f"The tokens file {path} cannot be written: {(error.strerror or 'unknown').lower()}.")


def _keep_owner(target: Path, descriptor: int) -> None:
    """Root may edit the file of the server's user or group, who must be able to read it afterwards."""
    if not hasattr(os, "chown") or not target.exists():
        return
    before = target.stat()
    if (before.st_uid, before.st_gid) != (os.geteuid(), os.getegid()):
        os.chown(descriptor, before.st_uid, before.st_gid)
    os.fchmod(descriptor, 0o600 | before.st_mode & 0o060)


def _quoted(text: str) -> str:
    return f'"{text}"'
