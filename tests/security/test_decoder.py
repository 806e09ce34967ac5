"""The decoder by itself: what browsers read is read, the rest is one of our errors, and no step is ever large."""

from __future__ import annotations

import random
import zlib
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.core.wire_errors import WireFailed, WireTooLarge
from dowse.net.decode import ACCEPTED, Decoder
from tests.security.packing import CODINGS, MIB, ZEROS, Pack, br, deflate, gzip, raw_deflate, skippable, zstandard
from tests.support.tables import each_row

LIMIT = 8 * MIB
# What does not shrink, what repeats only far behind, what shrinks a little, and what shrinks a lot: every way through
# the steps is taken, and the whole window is used.
NOISE = random.Random(4).randbytes(30_000)
TEXT = NOISE * 2 + b"The quick brown fox. " * 2000 + bytes(300_000)
each_coding = pytest.mark.parametrize(("coding", "pack"), CODINGS.values(), ids=CODINGS.keys())


def pieces(content_encoding: str, body: bytes, *, at_a_time: int = 65_536, max_bytes: int = LIMIT) -> list[bytes]:
    decoder = Decoder(content_encoding, max_bytes)
    fed = [body[start : start + at_a_time] for start in range(0, len(body), at_a_time)]
    given = [piece for part in fed for piece in decoder.feed(part)]
    decoder.finish()
    return given


def decoded(content_encoding: str, body: bytes, *, at_a_time: int = 65_536, max_bytes: int = LIMIT) -> bytes:
    return b"".join(pieces(content_encoding, body, at_a_time=at_a_time, max_bytes=max_bytes))


@pytest.mark.parametrize("at_a_time", [1, 3, 16_383, 16_385, LIMIT])
@each_coding
def test_body_is_read_however_it_is_cut(coding: str, pack: Pack, at_a_time: int) -> None:
    assert decoded(coding, pack([TEXT]), at_a_time=at_a_time) == TEXT


@each_row(("inner", "outer"), list(product(CODINGS, CODINGS)))
def test_two_codings_are_undone_in_the_right_order(inner: str, outer: str) -> None:
    (first, pack), (second, pack_again) = CODINGS[inner], CODINGS[outer]
    assert decoded(f"{first}, {second}", pack_again([pack([TEXT])])) == TEXT


@each_row(
    "spelling", ["gzip", "GZIP", " gzip ", "x-gzip", "X-Gzip", "identity, gzip", "gzip,identity", "gzip,", ",gzip"]
)
def test_name_of_a_coding_is_read_generously(spelling: str) -> None:
    assert decoded(spelling, gzip([TEXT])) == TEXT


@each_row("spelling", ["", "identity", "Identity", " , identity,", "none", "binary", "UTF-8", "utf8", "aws-chunked"])
def test_body_without_a_coding_is_left_alone(spelling: str) -> None:
    assert pieces(spelling, TEXT, at_a_time=LIMIT) == [TEXT]


@each_row(
    "spelling",
    [
        *("compress", "x-compress", "gzip2", "gzip br", "lzma", "*", "aes128gcm", "dcb", "identity;q=1"),
        *("gzip, gzip, gzip", "br, zstd, gzip", "gzip, compress", "gzip, identity, br, zstd", ", ".join(["gzip"] * 20)),
    ],
)
def test_unknown_coding_or_a_third_one_is_refused(spelling: str) -> None:
    with pytest.raises(WireFailed, match="a coding we do not read"):
        Decoder(spelling, LIMIT)


def test_codings_that_are_asked_for_are_those_that_are_read() -> None:
    assert ACCEPTED == "gzip, deflate, br, zstd"
    for coding in ACCEPTED.split(", "):
        Decoder(coding, LIMIT)


@each_coding
def test_empty_body_is_empty_in_any_coding(coding: str, pack: Pack) -> None:
    """Many servers name the coding of a body that is not there."""
    assert decoded(coding, b"") == b""
    assert decoded(coding, pack([])) == b""


@each_coding
@pytest.mark.parametrize("missing", [1, 5, 1000])
def test_body_that_breaks_off_is_a_failure(coding: str, pack: Pack, missing: int) -> None:
    with pytest.raises(WireFailed, match="broke off"):
        decoded(coding, pack([TEXT])[:-missing])


@each_coding
def test_body_that_breaks_off_at_its_first_byte_is_a_failure(coding: str, pack: Pack) -> None:
    with pytest.raises(WireFailed, match="broke off"):
        decoded(coding, pack([TEXT])[:1])


def test_outer_coding_that_is_whole_does_not_hide_an_inner_one_that_is_not() -> None:
    for coding, pack in CODINGS.values():
        with pytest.raises(WireFailed, match="broke off"):
            decoded(f"{coding}, gzip", gzip([pack([TEXT])[:-1]]))


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_damaged_body_is_a_failure(coding: str) -> None:
    with pytest.raises(WireFailed, match="damaged") as failure:
        decoded(coding, b"\x78\xff" * 50)
    assert failure.value.__cause__ is not None


def test_wrong_checksum_is_a_failure() -> None:
    packed = bytearray(gzip([TEXT]))
    packed[-5] ^= 1
    with pytest.raises(WireFailed, match="damaged"):
        decoded("gzip", bytes(packed))


def test_preset_dictionary_is_a_failure() -> None:
    packer = zlib.compressobj(zdict=b"The quick brown fox.")
    with pytest.raises(WireFailed, match="damaged"):
        decoded("deflate", packer.compress(b"The quick brown fox.") + packer.flush())


@each_row("at_a_time", [1, 2, 3, 7, 65_536])
@each_row(("coding", "pack"), [("gzip", gzip), ("zstd", zstandard)])
def test_members_in_a_row_are_one_body(coding: str, pack: Pack, at_a_time: int) -> None:
    parts = [pack([TEXT[start:end]]) for start, end in pairwise([0, 10, 10, 5000, 90_000])]
    assert decoded(coding, b"".join(parts), at_a_time=at_a_time) == TEXT[:90_000]


@each_row("at_a_time", [1, 65_536])
@each_row("kind", range(16))
def test_skippable_frames_are_skipped(kind: int, at_a_time: int) -> None:
    body = skippable(b"note", kind) + zstandard([b"one "]) + skippable(b"", kind) + zstandard([b"two"])
    assert decoded("zstd", body, at_a_time=at_a_time) == b"one two"


@each_row("at_a_time", [1, 65_536])
@each_row("padding", [b"\0", b"\0" * 100, b"\x1f", b"\x1e\x8b", b"\x28\xb5\x2f", b"\x60\x2a\x4d\x18", b"<!-- -->"])
@each_row(("coding", "pack"), [("gzip", gzip), ("zstd", zstandard), ("deflate", deflate)])
def test_padding_behind_the_end_is_ignored(coding: str, pack: Pack, padding: bytes, at_a_time: int) -> None:
    packed = pack([TEXT[:1000]])
    assert decoded(coding, packed + padding, at_a_time=at_a_time) == TEXT[:1000]
    if coding != "deflate" and not padding.startswith((b"\x1f", b"\x28")):
        # Nothing begins behind padding.
        assert decoded(coding, packed + padding + packed, at_a_time=at_a_time) == TEXT[:1000]


@pytest.mark.parametrize("at_a_time", [1, 3, 65_536])
def test_mark_that_begins_within_padding_is_none(at_a_time: int) -> None:
    padding = b"\x28\xb5\x2f\x00\xfd" + zstandard([b"two"])[4:]
    assert decoded("zstd", zstandard([b"one"]) + padding, at_a_time=at_a_time) == b"one"


def test_gzip_is_not_mistaken_for_its_relatives() -> None:
    for pack in (deflate, raw_deflate):
        with pytest.raises(WireFailed, match="damaged"):
            decoded("gzip", pack([b"one"]))


def test_second_member_is_not_expected_where_the_coding_has_none() -> None:
    for pack in (deflate, raw_deflate):
        assert decoded("deflate", pack([b"one"]) + pack([b"two"])) == b"one"


@pytest.mark.parametrize(("coding", "pack"), [("gzip", gzip), ("zstd", zstandard)])
def test_damage_in_a_later_member_is_a_failure(coding: str, pack: Pack) -> None:
    second = bytearray(pack([TEXT]))
    second[4:12] = b"\xff" * 8
    with pytest.raises(WireFailed):
        decoded(coding, pack([b"one"]) + bytes(second))


@pytest.mark.parametrize(("coding", "pack"), [("gzip", gzip), ("zstd", zstandard)])
def test_a_thousand_members_are_read_and_one_more_is_not(coding: str, pack: Pack) -> None:
    """Each costs time although it may hold nothing."""
    assert decoded(coding, pack([b"x"]) * 1000) == b"x" * 1000
    with pytest.raises(WireFailed, match="damaged"):
        decoded(coding, pack([b"x"]) * 1001)


def test_window_of_zstd_ends_at_eight_mebibytes() -> None:
    body = [b"page"] + [ZEROS] * 20
    assert decoded("zstd", zstandard(body, window_log=23), max_bytes=32 * MIB) == b"".join(body)
    with pytest.raises(WireFailed, match="damaged"):
        decoded("zstd", zstandard(body, window_log=24), max_bytes=32 * MIB)


@each_coding
def test_body_of_exactly_the_limit_is_read_and_one_byte_more_is_not(coding: str, pack: Pack) -> None:
    for size in (0, 1, 65_536, 100_000):
        assert len(decoded(coding, pack([bytes(size)]), max_bytes=size)) == size
        with pytest.raises(WireTooLarge, match="larger than the limit"):
            decoded(coding, pack([bytes(size + 1)]), max_bytes=size)


def test_plain_body_of_exactly_the_limit_is_read_and_one_byte_more_is_not() -> None:
    assert decoded("", bytes(100), max_bytes=100, at_a_time=7) == bytes(100)
    with pytest.raises(WireTooLarge):
        decoded("", bytes(101), max_bytes=100, at_a_time=7)


@each_coding
def test_body_that_does_not_shrink_is_read_up_to_the_limit(coding: str, pack: Pack) -> None:
    noise = random.Random(7).randbytes(300_000)
    packed = pack([noise])
    assert len(packed) > len(noise)
    assert decoded(coding, packed, max_bytes=len(noise)) == noise
    assert decoded(f"{coding}, gzip", gzip([packed]), max_bytes=len(noise)) == noise


def test_packed_bytes_are_limited_too() -> None:
    """Behind the padding nothing is read, so the limit of the decoded bytes would never be met."""
    limit = 8000 + 1000 + 1024
    body = gzip([b"x"]) + bytes(limit)
    assert Decoder("gzip", 8000).max_packed_bytes == limit
    assert Decoder("", 8000).max_packed_bytes == 8000
    assert decoded("gzip", body[:limit], max_bytes=8000) == b"x"
    with pytest.raises(WireTooLarge):
        decoded("gzip", body[: limit + 1], max_bytes=8000)


def test_bytes_between_two_codings_are_limited_too() -> None:
    limit = 8000 + 1000 + 1024
    inner = gzip([b"x"]) + bytes(limit)
    assert decoded("gzip, br", br([inner[:limit]]), max_bytes=8000) == b"x"
    with pytest.raises(WireTooLarge):
        decoded("gzip, br", br([inner[: limit + 1]]), max_bytes=8000)


@each_coding
def test_no_step_is_large(coding: str, pack: Pack) -> None:
    """brotli gives a little more than it is asked for; one page of 6 MiB comes in many pieces all the same."""
    given = pieces(coding, pack([ZEROS] * 6))
    assert max(map(len, given)) <= 131_072
    assert sum(map(len, given)) == 6 * MIB


@each_coding
def test_bomb_is_left_at_the_limit(coding: str, pack: Pack) -> None:
    """What was given out until then is the limit and no more than a step."""
    bomb = pack([ZEROS] * 32)
    for content_encoding, body in ((coding, bomb), (f"{coding}, gzip", gzip([bomb]))):
        decoder, given = Decoder(content_encoding, MIB), 0
        with pytest.raises(WireTooLarge):
            for start in range(0, len(body), 1000):
                for piece in decoder.feed(body[start : start + 1000]):
                    given += len(piece)
        assert MIB - 131_072 <= given <= MIB


def test_others_may_work_while_padding_is_passed_over() -> None:
    body = deflate([b"x"]) + ZEROS
    assert len(pieces("deflate", body)) > 60
    assert len(pieces("deflate, gzip", gzip([body]))) > 60


def test_others_may_work_while_empty_members_are_read() -> None:
    """Each gives a piece, although an empty one, so that the reader can let go between them."""
    body = gzip([]) * 500
    assert pieces("gzip", body) == [b""] * 500
    assert len(pieces("br, gzip", body)) == 500


@given(st.binary(max_size=300), st.sampled_from(["gzip", "deflate", "br", "zstd", "gzip, br", "zstd, deflate"]))
def test_any_bytes_are_read_or_refused(body: bytes, coding: str) -> None:
    decoder = Decoder(coding, 100_000)
    try:
        given = sum(len(piece) for piece in decoder.feed(body))
        decoder.finish()
    except (WireFailed, WireTooLarge):
        return
    assert given <= 100_000


@given(st.lists(st.binary(max_size=2000), max_size=5), st.sampled_from([*CODINGS]), st.integers(1, 600))
def test_what_was_packed_comes_back(parts: list[bytes], name: str, at_a_time: int) -> None:
    coding, pack = CODINGS[name]
    assert decoded(coding, pack(parts), at_a_time=at_a_time) == b"".join(parts)
