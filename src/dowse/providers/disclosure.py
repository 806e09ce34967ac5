"""Discloses third parties that receive queries without having been configured, and how to change that."""

from __future__ import annotations

from dowse.core import urls
from dowse.settings.providers import list_credentials


def party(vendor: str, url: str) -> str:
    """A vendor with the host that the query is really sent to."""
    endpoint = urls.parse(url)
    return f"{vendor} ({endpoint.host})" if endpoint else vendor


class Disclosure:
    """Implements `protocols.Disclosures`. Members of the keyless pool report to it before a query leaves."""

    def __init__(self) -> None:
        self._named: set[str] = set()
        self._waiting: dict[str, str] = {}

    def tell(self, party: str, member: str) -> None:
        """`party` is about to receive a query, because `member` was asked."""
        if party not in self._named:
            self._waiting.setdefault(party, member)

    def news(self) -> tuple[str, ...]:
        if not self._waiting:
            return ()
        parties, members = list(self._waiting), sorted(set(self._waiting.values()))
        self._named.update(parties)
        self._waiting.clear()
        names = " and ".join(filter(None, [", ".join(parties[:-1]), parties[-1]]))
        return (
            f"no search provider of your own answers, so the query was sent to {names}; set {list_credentials()} "
            f"to choose one, leave members such as {members[0]} out of DOWSE_KEYLESS_ORDER, or set DOWSE_KEYLESS=off",
        )
