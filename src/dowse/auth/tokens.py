"""Bearer tokens: generation, hashing, and parsing of the tokens file."""

from __future__ import annotations

import hashlib
import re
import secrets
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dowse.core.allowances import Rate
from dowse.core.errors import ConfigError
from dowse.core.models import Principal
from dowse.core.text import one_line
from dowse.settings.contracts import CONTRACTS, TOOL_LIMITS
from dowse.settings.types import rate

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
TOOLS = tuple(TOOL_LIMITS)
_HASH = re.compile(r"sha256:([0-9a-f]{64})")
_KEYS = ("hash", "contracts", "limits")


@dataclass(frozen=True, slots=True)
class TokenEntry:
    """Entry of one token: name, limits and contracts. Of the token itself only the digest is stored."""

    name: str
    digest: str = field(repr=False)
    limits: Mapping[str, Rate] = field(default_factory=dict)
    contracts: frozenset[str] | None = None

    @property
    def principal(self) -> Principal:
        return Principal(self.name, self.limits, self.contracts)


def mint() -> str:
    """Generate a token: a prefix by which scanners recognise a leaked one, and 256 random bits."""
    return f"dowse_{secrets.token_urlsafe(32)}"


def digest(token: str) -> str:
    """Hash of a token. An unsalted hash suffices: 256 random bits cannot be guessed."""
    return hashlib.sha256(token.encode()).hexdigest()


def read_tokens_file(path: Path) -> tuple[TokenEntry, ...]:
    """The entries of a tokens file; `ConfigError` names the file, the entry and what is wrong with it."""
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


def limits(value: object) -> dict[str, Rate]:
    """Rates by tool; `ValueError` for a tool that cannot be limited."""
    if not isinstance(value, Mapping) or not all(tool in TOOLS for tool in value):
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
    try:
        allowed = contracts(table["contracts"]) if "contracts" in table else None
    except ValueError:
        raise _WrongError(f"takes contracts out of {', '.join(CONTRACTS)} in a list") from None
    try:
        limited = limits(table.get("limits", {}))
    except ValueError:
        raise _WrongError(f'takes limits such as {{ web_search = "20/10m" }} for {", ".join(TOOLS)}') from None
    return TokenEntry(name, matched[1], limited, allowed)


def _quote_name(name: str) -> str:
    """A name for a message; a long one may be a misplaced secret, and is not shown."""
    return one_line(name) if len(name) <= 32 else "an entry"
