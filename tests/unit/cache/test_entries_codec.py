"""Values in the store outlive the version that wrote them."""

from __future__ import annotations

import json

from dowse.cache.entries import Codec
from dowse.core.models import Text


def test_a_text_with_a_field_of_an_earlier_version_is_read_and_has_to_be_allowed_anew() -> None:
    codec = Codec(Text)
    encoded = codec.encode(Text("# Otters", is_allowed_by_robots=True))
    assert encoded is not None
    fields = json.loads(encoded)
    fields["heeded_robots"] = fields.pop("is_allowed_by_robots")
    assert codec.decode(json.dumps(fields).encode()) == Text("# Otters", is_allowed_by_robots=False)
    assert codec.decode(b'{"markdown": 1}') is None
