"""Bounded decompression of response bodies: at most one step is held beyond the size limit.

A few hundred bytes can expand to gigabytes, so the limit sits inside the decoder, between all of its stages.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from dowse.core.wire_errors import WireFailed, WireTooLarge

ACCEPTED = "gzip, deflate, br, zstd"
SMALL_CODINGS = "gzip, deflate"
"""Codings with a window of kilobytes. A decoder of the others may hold 16 MiB, regardless of the limit of the body."""

_STEP_IN, _STEP_OUT = 16_384, 65_536
_MAX_CODINGS = 2
# Values that servers send for plain bodies; browsers read such pages as they are.
_NO_CODINGS = ("", "identity", "none", "binary", "utf-8", "utf8", "aws-chunked")
# Each member costs time even if it is empty; usual bodies have one, those of parallel packers a few hundred.
_MAX_MEMBERS = 1000
# A page may request a window of gigabytes; browsers stop at 8 MiB, as in RFC 9659.
_ZSTD_WINDOW_LOG = 23
# The longest magic number of a further member.
_MARK_BYTES = 4


class Decoder:
    """Decodes one body. `feed` yields decoded pieces, `finish` raises for a truncated body."""

    def __init__(self, content_encoding: str, max_bytes: int, accepted: str = ACCEPTED) -> None:
        codings = _codings(content_encoding, accepted)
        # Incompressible data grows a little by packing, so packed bytes may be a little more than plain ones.
        self.max_packed_bytes = max_bytes + max_bytes // 8 + 1024 if codings else max_bytes
        limits = [self.max_packed_bytes] * (len(codings) - 1) + [max_bytes]
        self._wire = _Allowance(self.max_packed_bytes)
        # The last coding is undone first.
        self._stages = [_Stage(*stage) for stage in zip(reversed(codings), limits, strict=False)]

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The next pieces of the body. Some are empty: after each, the caller may yield to other tasks."""
        return self._through(self._stages, self._wire.take(data))

    def finish(self) -> None:
        if any(stage.is_within_a_member for stage in self._stages):
            raise WireFailed("the answer broke off")

    def _through(self, stages: list[_Stage], data: bytes) -> Iterator[bytes]:
        if not stages or not data:
            yield data
            return
        for piece in stages[0].feed(data):
            yield from self._through(stages[1:], piece)


class _Allowance:
    def __init__(self, max_bytes: int) -> None:
        self._left = max_bytes

    def take(self, data: bytes) -> bytes:
        self._left -= len(data)
        if self._left < 0:
            raise WireTooLarge("the answer is larger than the limit")
        return data


class _Member(Protocol):
    """One compressed stream; a body may hold several in a row."""

    @property
    def has_more(self) -> bool:
        """Whether more output is available without further input."""

    @property
    def has_ended(self) -> bool: ...

    @property
    def rest(self) -> bytes:
        """The input after the end of the stream."""

    def step(self, data: bytes) -> bytes:
        """About a step of output."""


class _Deflated:
    def __init__(self, window_bits: int) -> None:
        self._stream = zlib.decompressobj(window_bits)
        self._is_full = False

    @property
    def has_more(self) -> bool:
        return not self.has_ended and (self._is_full or bool(self._stream.unconsumed_tail))

    @property
    def has_ended(self) -> bool:
        return self._stream.eof

    @property
    def rest(self) -> bytes:
        return self._stream.unused_data

    def step(self, data: bytes) -> bytes:
        try:
            out = self._stream.decompress(self._stream.unconsumed_tail + data, _STEP_OUT)
        except zlib.error as error:
            raise _damaged() from error
        self._is_full = len(out) == _STEP_OUT
        return out


class _Brotli:
    # The library itself rejects bytes after the end.
    rest = b""

    def __init__(self) -> None:
        import brotli

        self._error: type[Exception] = brotli.error
        self._stream = brotli.Decompressor()
        self._is_full = False

    @property
    def has_more(self) -> bool:
        # It also reports that it accepts more while output is pending.
        return not self.has_ended and (self._is_full or not self._stream.can_accept_more_data())

    @property
    def has_ended(self) -> bool:
        return bool(self._stream.is_finished())

    def step(self, data: bytes) -> bytes:
        try:
            out: bytes = self._stream.process(data, output_buffer_limit=_STEP_OUT)
        except self._error as error:
            raise _damaged() from error
        self._is_full = len(out) >= _STEP_OUT
        return out


class _Zstd:
    def __init__(self) -> None:
        if sys.version_info >= (3, 14):  # pragma: no cover (coverage is measured with Python 3.11)
            from compression import zstd
        else:
            from backports import zstd

        self._error = zstd.ZstdError
        self._stream = zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: _ZSTD_WINDOW_LOG})

    @property
    def has_more(self) -> bool:
        return not self.has_ended and not self._stream.needs_input

    @property
    def has_ended(self) -> bool:
        return self._stream.eof

    @property
    def rest(self) -> bytes:
        return self._stream.unused_data

    def step(self, data: bytes) -> bytes:
        try:
            return self._stream.decompress(data, _STEP_OUT)
        except self._error as error:
            raise _damaged() from error


@dataclass(frozen=True, slots=True)
class _Coding:
    """Start of a member: `begin` receives its first bytes, `marks` tell a further one from padding."""

    begin: Callable[[bytes], _Member]
    marks: tuple[bytes, ...] = ()


def _begin_deflate(data: bytes) -> _Member:
    # By RFC 9110 a zlib stream, whose first byte ends in 8; many servers send a raw stream, whose first byte cannot.
    return _Deflated(zlib.MAX_WBITS if data[0] & 0x0F == 8 else -zlib.MAX_WBITS)


_GZIP = _Coding(lambda _: _Deflated(16 + zlib.MAX_WBITS), (b"\x1f\x8b",))
# A frame, or one of the sixteen kinds of skippable frames.
_ZSTD_MARKS = (b"\x28\xb5\x2f\xfd", *(bytes([0x50 + kind]) + b"\x2a\x4d\x18" for kind in range(16)))
_CODINGS = {
    "gzip": _GZIP,
    "x-gzip": _GZIP,
    "deflate": _Coding(_begin_deflate),
    "br": _Coding(lambda _: _Brotli()),
    "zstd": _Coding(lambda _: _Zstd(), _ZSTD_MARKS),
}


class _Stage:
    """Decoder of one coding."""

    def __init__(self, coding: _Coding, max_bytes: int) -> None:
        self._coding = coding
        self._allowance = _Allowance(max_bytes)
        self._member: _Member | None = None
        self._members = 0
        self._held = b""

    @property
    def is_within_a_member(self) -> bool:
        return self._member is not None

    def feed(self, data: bytes) -> Iterator[bytes]:
        for start in range(0, len(data), _STEP_IN):
            yield from self._decode(data[start : start + _STEP_IN])

    def _decode(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self._member is None:
                data, self._held = self._held + data, b""
                self._member = self._next_member(data)
                if self._member is None:
                    # Skipped, but it took time.
                    yield b""
                    return
            yield self._allowance.take(self._member.step(data))
            while self._member.has_more:
                yield self._allowance.take(self._member.step(b""))
            data = self._member.rest
            if self._member.has_ended:
                self._member = None

    def _next_member(self, data: bytes) -> _Member | None:
        """The member that begins here; `None` for padding, and for the beginning of a mark."""
        if self._members and not data.startswith(self._coding.marks):
            self._held = data[:_MARK_BYTES]
            return None
        self._members += 1
        if self._members > _MAX_MEMBERS:
            raise _damaged()
        return self._coding.begin(data)


def _codings(content_encoding: str, accepted: str) -> list[_Coding]:
    """The codings of the body, in the order of their application."""
    names = [name for part in content_encoding.lower().split(",") if (name := part.strip()) not in _NO_CODINGS]
    known = {name for name in _CODINGS if name.removeprefix("x-") in accepted.split(", ")}
    if len(names) > _MAX_CODINGS or not all(name in known for name in names):
        raise WireFailed("the answer is in a coding we do not read")
    return [_CODINGS[name] for name in names]


def _damaged() -> WireFailed:
    return WireFailed("the answer is damaged")
