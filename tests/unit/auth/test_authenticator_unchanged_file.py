"""A tokens file that stays as it is, while tokens are looked up."""

from __future__ import annotations

from pathlib import Path

from dowse.auth.authenticator import LOOK_EVERY_S, TokenBook
from dowse.auth.tokens import digest
from tests.fakes import FakeClock


def test_an_unchanged_tokens_file_is_not_parsed_again(tmp_path: Path, clock: FakeClock) -> None:
    """Every call with a token looks for changes: parsing the file each time would make wrong tokens expensive."""
    file = tmp_path / "tokens.toml"
    file.write_text(f'[ci]\nhash = "sha256:{digest("ci-token")}"\n')
    file.chmod(0o600)
    book = TokenBook({}, file, clock)
    parsed = book.entries

    clock.advance(LOOK_EVERY_S)
    found = book.find("ci-token")

    assert found is not None
    assert found.name == "ci"
    assert book.entries is parsed
