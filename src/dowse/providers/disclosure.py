"""Discloses third parties that receive queries without having been configured, and how to change that."""

from __future__ import annotations

import logging
from collections.abc import Collection

from dowse.core import urls
from dowse.settings.providers import list_credentials
from dowse.telemetry.log import event


def party(vendor: str, url: str) -> str:
    """A vendor with the host that the query is really sent to."""
    endpoint = urls.parse(url)
    return f"{vendor} ({endpoint.host})" if endpoint else vendor


class Disclosure:
    """Implements `protocols.Disclosures`. Members of the keyless pool report to it before a query leaves.

    Every party is in the log once; the first answer of a run tells the caller, and later ones do not repeat it.
    """

    def __init__(self, chosen: Collection[str] = ()) -> None:
        """`chosen` members are named by the order of search providers: their queries are no surprise."""
        self._chosen = chosen
        self._parties: dict[str, str] = {}
        self._is_reported = False

    def tell(self, party: str, member: str) -> None:
        """`party` is about to receive a query, because `member` was asked."""
        if party not in self._parties and member not in self._chosen:
            self._parties[party] = member
            event(logging.INFO, "query sent to a keyless provider", engine=member, party=party)

    def news(self) -> tuple[str, ...]:
        if self._is_reported or not self._parties:
            return ()
        self._is_reported = True
        parties, member = list(self._parties), min(self._parties.values())
        names = " and ".join(filter(None, [", ".join(parties[:-1]), parties[-1]]))
        return (
            f"no search provider of your own answers, so the query was sent to {names}; set {list_credentials()} "
            f"to choose one, leave members such as {member} out of DOWSE_KEYLESS_ORDER, or set DOWSE_KEYLESS=off",
        )
