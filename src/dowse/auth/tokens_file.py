"""Editing of the tokens file in place: handwritten formatting and comments stay. tomlkit is imported on removal."""

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

_NEW_FILE = "# Bearer tokens of the HTTP server, as hashes. Written by `dowse token`.\n"


def entry_text(name: str, digest: str, contracts: list[str], limits: Mapping[str, str]) -> str:
    """An entry as TOML. All values were validated before, so nothing needs to be escaped."""
    # A dot outside quotes would make a table inside a table.
    lines = [f'["{name}"]' if "." in name else f"[{name}]", f'hash = "sha256:{digest}"']
    if contracts:
        lines.append(f"contracts = [{', '.join(map(_quote, contracts))}]")
    if limits:
        lines.append(f"limits = {{ {', '.join(f'{tool} = {_quote(each)}' for tool, each in limits.items())} }}")
    return "\n".join(lines) + "\n"


def append(path: Path, entry: str) -> None:
    """Put an entry at the end of the file, which is created if there is none."""
    with _lock(path):
        old = tokens.read_text(path) if path.exists() else _NEW_FILE
        before, added = tokens.tables(path, old), tomllib.loads(entry)
        (name,) = added
        if name in before:
            raise ConfigError(f"{name} is in {path} already; `dowse token revoke {name}` takes it out.")
        gap = "\n" if old.endswith("\n") or not old else "\n\n"
        new = f"{old}{gap}{entry}"
        # Read back before it is written: the server must be able to read the new file.
        tokens.entries(tokens.tables(path, new), path)
        _replace(path, new)


def remove(path: Path, name: str) -> None:
    """Take an entry out of the file; comments above the next one stay."""
    with _lock(path):
        old = tokens.read_text(path)
        before = tokens.tables(path, old)
        if name not in before:
            raise ConfigError(f"The tokens file {path} has no entry {name}.")
        new = _without(old, name)
        # Only the intended change may be written: a revoked token must not stay, nor another one go.
        if tokens.tables(path, new) != {key: table for key, table in before.items() if key != name}:
            raise ConfigError(
                f"The tokens file {path} is written in a way that cannot be edited safely; edit it by hand."
            )
        _replace(path, new)


def _without(text: str, name: str) -> str:
    import tomlkit
    from tomlkit.items import Whitespace

    document = tomlkit.parse(text)
    for place, (key, item) in enumerate(document.body):
        # More than once where a table inside it comes later.
        if key is not None and key.key == name:
            document.body[place] = (None, Whitespace(_closing_comments(item.as_string())))
    return tomlkit.dumps(document)


def _closing_comments(entry: str) -> str:
    """The comments at the end of an entry: they stand above the next one and belong to it."""
    lines = entry.splitlines(keepends=True)
    start = len(lines)
    while start and (not lines[start - 1].strip() or lines[start - 1].lstrip().startswith("#")):
        start -= 1
    return "".join(line for line in lines[start:] if line.strip())


@contextlib.contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Keep other processes from editing the file meanwhile: of two edits of the same text, one would be lost."""
    if sys.platform == "win32":  # pragma: no cover (Windows has no `flock`)
        yield
        return
    import fcntl

    # The folder is locked, since the file itself is replaced by another one.
    try:
        folder = os.open(path.resolve().parent, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise _unwritable(path, error) from None
    try:
        # Some network file systems lock no folders; an unlocked edit is better there than none.
        with contextlib.suppress(OSError):
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _replace(path: Path, text: str) -> None:
    """Replace the file atomically, since a server may read it at any moment, and keep it private."""
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


def _keep_owner(target: Path, descriptor: int) -> None:
    """Root may edit the file of the server's user or group, which must be able to read it afterwards."""
    if not hasattr(os, "chown") or not target.exists():
        return
    before = target.stat()
    if (before.st_uid, before.st_gid) != (os.geteuid(), os.getegid()):
        os.chown(descriptor, before.st_uid, before.st_gid)
    os.fchmod(descriptor, 0o600 | before.st_mode & 0o060)


def _unwritable(path: Path, error: OSError) -> ConfigError:
    return ConfigError(f"The tokens file {path} cannot be written: {(error.strerror or 'unknown').lower()}.")


def _quote(text: str) -> str:
    return f'"{text}"'
