"""What a store gets to see: hashes, and values that only open for who asks for the same thing."""

from dowse.cache.entries import Sealed
from tests.support.tables import each_row

NAME = "how to tune a harpsichord"


def test_a_value_opens_for_the_same_name_only() -> None:
    wrapped = Sealed("search", NAME).wrap(b"results")
    assert Sealed("search", NAME).unwrap(wrapped) == b"results"
    for other in (Sealed("page", NAME), Sealed("search", NAME + "s"), Sealed("search", NAME, b"other settings")):
        assert other.unwrap(wrapped) is None


def test_neither_key_nor_value_holds_what_was_asked_or_answered() -> None:
    sealed = Sealed("search", NAME)
    wrapped = sealed.wrap(NAME.encode() * 10)
    assert NAME.encode() not in wrapped
    assert NAME not in sealed.key.digest
    assert sealed.wrap(b"same") != sealed.wrap(b"same"), "equal values cannot be told by looking"


def test_names_that_differ_only_in_where_they_are_split_are_different() -> None:
    assert Sealed("a", "bc").key.digest != Sealed("ab", "c").key.digest


@each_row("name", ["", "\ud800", "日本語", "x" * 100_000, "nul\0nul"])
def test_any_text_is_a_name(name: str) -> None:
    sealed = Sealed("search", name)
    assert sealed.unwrap(sealed.wrap(b"")) == b""


@each_row("position", [0, 11, 12, 20, -1])
def test_a_value_that_was_changed_does_not_open(position: int) -> None:
    sealed = Sealed("search", NAME)
    wrapped = bytearray(sealed.wrap(b"results of a search"))
    wrapped[position] ^= 1
    assert sealed.unwrap(bytes(wrapped)) is None


@each_row("value", [b"", b"x", b"x" * 12, b"x" * 27, b"\x80\x04K\x01.", b'{"hits": []}'])
def test_what_was_never_wrapped_does_not_open(value: bytes) -> None:
    assert Sealed("search", NAME).unwrap(value) is None
