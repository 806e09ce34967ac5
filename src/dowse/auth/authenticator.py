"""Bearer authentication: tokens of the settings and of the tokens file, else JSON Web Tokens."""

from __future__ import annotations

import hashlib
import hmac
import logging
import os
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from pydantic import SecretStr

from dowse.auth.jwt import JwtVerifier
from dowse.auth.tokens import TokenEntry, digest, read_tokens_file
from dowse.core.errors import ConfigError
from dowse.core.models import Clock, Principal
from dowse.core.runtime import Background
from dowse.stores.fail_soft import FailSoftStore
from dowse.stores.store import Key, Store
from dowse.telemetry.log import event


class BearerAuthenticator:
    """Authenticates both kinds of bearer tokens."""

    def __init__(self, book: TokenBook, jwt: JwtVerifier | None = None, uses: LastUses | None = None) -> None:
        self._book = book
        self._jwt = jwt
        self._uses = uses

    async def authenticate(self, token: str) -> Principal | None:
        entry = self._book.find(token)
        if entry is not None:
            if self._uses:
                self._uses.record(entry)
            return entry.principal
        if self._jwt is None or token.count(".") != 2:
            return None
        return await self._jwt.principal(token)


SHORTEST_TOKEN = 16
LOOK_EVERY_S = 1.0
WRITE_EVERY_S = 60.0
_USE_KEPT_S = 400 * 86_400.0
_OTHERS = 0o077
_State = tuple[int, int, int]


class TokenBook:
    """Entries of the settings and of the tokens file, which is read again when it changes.

    The constructor raises `ConfigError` for an invalid file.
    """

    def __init__(self, given: Mapping[str, SecretStr], file: Path | None, clock: Clock) -> None:
        self._given = tuple(TokenEntry(name, digest(token.get_secret_value())) for name, token in given.items())
        self._file = file
        self._clock = clock
        self._state = self._complained_of = _state(file)
        self._looked_at = clock.now()
        self.entries = self._read()
        _warn(given, file, self.entries)

    def find(self, token: str) -> TokenEntry | None:
        """The valid entry of a token, in constant time."""
        self._look()
        entry = _matching(digest(token), self.entries)
        if entry is not None and entry.is_expired(self._clock.utc()):
            event(logging.WARNING, "expired token refused", caller=entry.name, fix=f"dowse token rotate {entry.name}")
            return None
        return entry

    def _read(self) -> tuple[TokenEntry, ...]:
        return _join(self._given, read_tokens_file(self._file) if self._file else (), self._file)

    def _look(self) -> None:
        """Read the file again if it has changed; an invalid one changes nothing."""
        now = self._clock.now()
        if self._file is None or now - self._looked_at < LOOK_EVERY_S:
            return
        self._looked_at = now
        # Before the file is read: a change in between is noticed by the next check.
        state = _state(self._file)
        if state == self._state:
            return
        try:
            self.entries = self._read()
        except ConfigError as error:
            # Tried again in a second: it may be half written, or this process be out of descriptors.
            if state != self._complained_of:
                event(logging.ERROR, "tokens file ignored, the previous tokens stay valid", detail=str(error))
            self._complained_of = state
        else:
            self._state = self._complained_of = state
            event(logging.INFO, "tokens file read again", tokens=len(self.entries))


class LastUses:
    """Times of the last use of tokens, in the store: written at most once a minute for each, and at the end."""

    def __init__(self, store: FailSoftStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._used: dict[Key, float] = {}
        self._written: dict[Key, float] = {}
        self._writes = Background()

    def record(self, entry: TokenEntry) -> None:
        key, now = _use_key(entry), self._clock.utc().timestamp()
        self._used[key] = now
        if now - self._written.get(key, 0.0) >= WRITE_EVERY_S:
            self._writes.start(self._write(key))

    async def close(self) -> None:
        """Write the uses that are not written yet."""
        await self._writes.finish()
        for key, used in self._used.items():
            if used != self._written.get(key):
                await self._write(key)

    async def _write(self, key: Key) -> None:
        self._written[key] = self._used[key]
        await self._store.put(key, b"%d" % self._used[key], _USE_KEPT_S)


async def read_last_use(store: Store, entry: TokenEntry) -> datetime | None:
    """The time of the last use, to about a minute; `None` if none is known. Raises `StoreFailed`."""
    kept = await store.get(_use_key(entry))
    return datetime.fromtimestamp(int(kept.value), UTC) if kept and kept.value.isdigit() else None


def _use_key(entry: TokenEntry) -> Key:
    """By name and token, so that a rotated token has not been used yet; hashed, so that neither can be guessed."""
    named = hashlib.blake2b(entry.digest.encode(), key=entry.name.encode(), person=b"dowse uses", digest_size=16)
    return Key("token", named.hexdigest())


def _matching(presented: str, entries: Iterable[TokenEntry]) -> TokenEntry | None:
    """Compare every entry in constant time, so that the duration reveals nothing."""
    found: TokenEntry | None = None
    for entry in entries:
        if hmac.compare_digest(entry.digest, presented):
            found = entry
    return found


def _join(given: tuple[TokenEntry, ...], read: tuple[TokenEntry, ...], file: Path | None) -> tuple[TokenEntry, ...]:
    """Join both lists; raises `ConfigError` for a name or a token in both."""
    names = {entry.name for entry in given}
    digests = {entry.digest: entry.name for entry in given}
    for entry in read:
        if entry.name in names:
            raise ConfigError(f"The tokens file {file}: {entry.name} is in DOWSE_TOKENS too; keep one of them.")
        if entry.digest in digests:
            raise ConfigError(
                f"The tokens file {file}: {entry.name} has the token of {digests[entry.digest]} in DOWSE_TOKENS."
            )
    return (*given, *read)


def _state(file: Path | None) -> _State | None:
    """Modification time, size and inode of the file; `None` for a missing one."""
    try:
        found = file.stat() if file else None
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size, found.st_ino) if found else None


def find_short(given: Mapping[str, SecretStr]) -> list[str]:
    """The callers with tokens that are short enough to be guessed."""
    return [name for name, token in given.items() if len(token.get_secret_value()) < SHORTEST_TOKEN]


def _warn(given: Mapping[str, SecretStr], file: Path | None, entries: tuple[TokenEntry, ...]) -> None:
    """Log warnings about weak tokens and file permissions at the start."""
    for name in find_short(given):
        event(logging.WARNING, "token is short enough to be guessed", caller=name, fix=f"dowse token new {name}")
    # Windows has no such bits.
    if file and os.name == "posix" and file.stat().st_mode & _OTHERS:
        event(logging.WARNING, "tokens file is readable by other users", file=str(file), fix=f"chmod 600 {file}")
    if file and not entries:
        event(logging.WARNING, "tokens file has no entry", file=str(file), fix="dowse token new NAME")
