"""Bearer tokens: generation and hashing; reading of the tokens file, and editing in place.

Handwritten formatting and comments in the file stay. tomlkit is imported on removal.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import TypeVar, cast

from dowse.core.allowances import Rate
from dowse.core.errors import ConfigError
from dowse.core.models import Principal
from dowse.core.text import one_line
from dowse.settings.contracts import CONTRACTS, TOOL_LIMITS
from dowse.settings.types import rate

T = TypeVar("T")

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
TOOLS = tuple(TOOL_LIMITS)
_HASH = re.compile(r"sha256:([0-9a-f]{64})")
SCOPES = ("tools", "wires", "metrics", "console")
"""Parts of the HTTP server that a token may be limited to: MCP and REST, wires, metrics, reports on the server."""
_KEYS = ("hash", "contracts", "limits", "scopes", "expires")
_NEW_FILE = "# Bearer tokens of the HTTP server, as hashes. Written by `dowse token`.\n"


@dataclass(frozen=True, slots=True)
class TokenEntry:
    """Entry of one token and its restrictions. Of the token itself only the digest is stored."""

    name: str
    digest: str = field(repr=False)
    limits: Mapping[str, Rate] = field(default_factory=dict)
    contracts: frozenset[str] | None = None
    scopes: frozenset[str] | None = None
    expires: datetime | None = None

    @property
    def principal(self) -> Principal:
        return Principal(self.name, self.limits, self.contracts, self.scopes)

    def is_expired(self, now: datetime) -> bool:
        return self.expires is not None and self.expires <= now


def mint() -> str:
    """Generate a token: a prefix by which scanners recognise a leaked one, and 256 random bits."""
    return f"dowse_{secrets.token_urlsafe(32)}"


def digest(token: str) -> str:
    """Hash of a token. An unsalted hash suffices: 256 random bits cannot be guessed."""
    return hashlib.sha256(token.encode()).hexdigest()


def read_tokens_file(path: Path) -> tuple[TokenEntry, ...]:
    """The entries of a tokens file; `ConfigError` names the file, the entry and its fault."""
    return entries(tables(path, read_text(path)), path)


def read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"The tokens file {path} cannot be read: {(error.strerror or 'unknown').lower()}.") from None
    except UnicodeDecodeError:
        raise ConfigError(f"The tokens file {path} is not UTF-8 text.") from None


def tables(path: Path, text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        # Redaction: only the place, since the message may quote a hash or a pasted token.
        where = re.search(r"at line \d+|at end of document", str(error))
        raise ConfigError(f"The tokens file {path} is not valid TOML{f' {where[0]}' if where else ''}.") from None


def entries(tables: Mapping[str, object], path: Path) -> tuple[TokenEntry, ...]:
    """Entries of the parsed file; each name and each token once."""
    found: dict[str, TokenEntry] = {}
    for name, table in tables.items():
        try:
            entry = _entry(name, table)
        except _WrongError as wrong:
            raise ConfigError(f"The tokens file {path}: {_quote_name(name)} {wrong}.") from None
        if entry.digest in found:
            raise ConfigError(f"The tokens file {path}: {found[entry.digest].name} and {name} have the same hash.")
        found[entry.digest] = entry
    return tuple(found.values())


def contracts(value: object) -> frozenset[str]:
    """Names of contracts; `ValueError` for anything else, an empty list included."""
    if (
        not isinstance(value, list)
        or not value
        or not all(isinstance(name, str) and name in CONTRACTS for name in value)
    ):
        raise ValueError
    return frozenset(value)


def scopes(value: object) -> frozenset[str]:
    """Names of scopes; `ValueError` for anything else, an empty list included."""
    if not isinstance(value, list) or not value or not all(name in SCOPES for name in value):
        raise ValueError
    return frozenset(value)


def moment(value: object) -> datetime:
    """A date or a time of a TOML file, in UTC unless it has an offset."""
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    if isinstance(value, date):
        return datetime.combine(value, time(), UTC)
    raise ValueError


def limits(value: object) -> dict[str, Rate]:
    """Rates by tool; `ValueError` for a tool that cannot be limited."""
    if not isinstance(value, Mapping) or not value.keys() <= set(TOOLS):
        raise ValueError
    return {tool: rate(each) for tool, each in value.items()}


class _WrongError(Exception):
    """Defect of an entry, as the end of a sentence that starts with its name."""


def _entry(name: str, table: object) -> TokenEntry:
    if not NAME.fullmatch(name):
        raise _WrongError("is not a valid name: it takes up to 64 letters, digits, dots, dashes and underscores")
    if not isinstance(table, dict):
        raise _WrongError(f'is not a table: it takes a line [{name}] and below it hash = "sha256:..."')
    for key in table:
        if key not in _KEYS:
            raise _WrongError(f"has the unknown key {_quote_name(key)}: it takes {', '.join(_KEYS)}")
    matched = _HASH.fullmatch(str(table.get("hash", "")))
    if not matched:
        raise _WrongError('takes hash = "sha256:" and 64 hexadecimal digits, as `dowse token new` writes it')
    return TokenEntry(
        name,
        matched[1],
        _read(table, "limits", limits, f'such as {{ web_search = "20/10m" }} for {", ".join(TOOLS)}') or {},
        _read(table, "contracts", contracts, f"out of {', '.join(CONTRACTS)} in a list"),
        _read(table, "scopes", scopes, f"out of {', '.join(SCOPES)} in a list"),
        _read(table, "expires", moment, "as a time such as 2027-01-31T12:00:00Z"),
    )


def _read(table: Mapping[str, object], key: str, read: Callable[[object], T], takes: str) -> T | None:
    try:
        return read(table[key]) if key in table else None
    except ValueError:
        raise _WrongError(f"takes {key} {takes}") from None


def _quote_name(name: str) -> str:
    """A name for a message; a long one may be a misplaced secret, and is not shown."""
    return one_line(name) if len(name) <= 32 else "an entry"


def entry_text(
    name: str,
    digest: str,
    *,
    contracts: Sequence[str] = (),
    limits: Mapping[str, str] | None = None,
    scopes: Sequence[str] = (),
    expires: datetime | None = None,
) -> str:
    """An entry as TOML. All values were validated before, so nothing needs to be escaped."""
    # A dot outside quotes would make a table inside a table.
    lines = [f'["{name}"]' if "." in name else f"[{name}]", f'hash = "sha256:{digest}"']
    if contracts:
        lines.append(f"contracts = [{', '.join(map(_quote, contracts))}]")
    if limits:
        lines.append(f"limits = {{ {', '.join(f'{tool} = {_quote(each)}' for tool, each in limits.items())} }}")
    if scopes:
        lines.append(f"scopes = [{', '.join(map(_quote, scopes))}]")
    if expires:
        lines.append(f"expires = {expires:%Y-%m-%dT%H:%M:%SZ}")
    return "\n".join(lines) + "\n"


def append(path: Path, entry: str) -> None:
    """Put an entry at the end of the file, which is created if there is none."""
    with _lock(path):
        old = read_text(path) if path.exists() else _NEW_FILE
        before, added = tables(path, old), tomllib.loads(entry)
        (name,) = added
        if name in before:
            raise ConfigError(f"{name} is in {path} already; `dowse token revoke {name}` takes it out.")
        gap = "\n" if old.endswith("\n") or not old else "\n\n"
        new = f"{old}{gap}{entry}"
        # Read back before it is written: the server must be able to read the new file.
        entries(tables(path, new), path)
        _replace(path, new)


def remove(path: Path, name: str) -> None:
    """Take an entry out of the file; comments above the next one stay."""
    with _lock(path):
        old = read_text(path)
        before = _tables_with(path, old, name)
        _write_checked(path, _without(old, name), {key: table for key, table in before.items() if key != name})


def rotate(path: Path, name: str, digest: str, expires: datetime | None) -> None:
    """Put another hash into an entry, and another end if there is one; all the rest stays."""
    import tomlkit

    changes: dict[str, object] = {"hash": f"sha256:{digest}", **({"expires": expires} if expires else {})}
    with _lock(path):
        old = read_text(path)
        before = _tables_with(path, old, name)
        entries(before, path)
        document = tomlkit.parse(old)
        document[name].update(changes)
        _write_checked(path, tomlkit.dumps(document), {**before, name: {**before[name], **changes}})


def _tables_with(path: Path, text: str, name: str) -> dict[str, dict[str, object]]:
    """The tables of a file that has an entry of this name."""
    before = tables(path, text)
    if name not in before:
        raise ConfigError(f"The tokens file {path} has no entry {name}.")
    return cast(dict[str, dict[str, object]], before)


def _write_checked(path: Path, new: str, expected: Mapping[str, object]) -> None:
    """Write only the intended change: a revoked token must not stay, nor another one go."""
    if tables(path, new) != expected:
        raise ConfigError(f"The tokens file {path} is written in a way that cannot be edited safely; edit it by hand.")
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
    return "".join(filter(str.strip, lines[start:]))


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
