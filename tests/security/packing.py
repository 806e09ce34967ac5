"""Bodies packed in every coding, whole or as bombs that are made piece by piece."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Iterable

import brotli

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MIB = 1024 * 1024
ZEROS = bytes(MIB)


def deflated(pieces: Iterable[bytes], window_bits: int) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, window_bits)
    return b"".join([*map(packer.compress, pieces), packer.flush()])


def gzip(pieces: Iterable[bytes]) -> bytes:
    return deflated(pieces, 31)


def deflate(pieces: Iterable[bytes]) -> bytes:
    return deflated(pieces, 15)


def raw_deflate(pieces: Iterable[bytes]) -> bytes:
    return deflated(pieces, -15)


def br(pieces: Iterable[bytes]) -> bytes:
    packer = brotli.Compressor(quality=5)
    return b"".join([*map(packer.process, pieces), packer.finish()])


def zstandard(pieces: Iterable[bytes], *, window_log: int = 0) -> bytes:
    packer = zstd.ZstdCompressor(options={zstd.CompressionParameter.window_log: window_log} if window_log else {})
    return b"".join([*map(packer.compress, pieces), packer.flush()])


def skippable(content: bytes, kind: int = 0) -> bytes:
    """A zstd frame that readers pass over."""
    return bytes([0x50 + kind]) + b"\x2a\x4d\x18" + len(content).to_bytes(4, "little") + content


Pack = Callable[[Iterable[bytes]], bytes]
CODINGS: dict[str, tuple[str, Pack]] = {
    "gzip": ("gzip", gzip),
    "deflate": ("deflate", deflate),
    "raw deflate": ("deflate", raw_deflate),
    "br": ("br", br),
    "zstd": ("zstd", zstandard),
}
