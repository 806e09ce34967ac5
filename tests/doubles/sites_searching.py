"""What the sites' doubles that can be searched share: the corpus, or what a test says they find."""

from __future__ import annotations

from datetime import UTC, datetime

from tests.doubles.listings import Listing, Wanted, overlap
from tests.doubles.searching import SearchDouble
from tests.doubles.sites import SiteDouble


class SearchedSite(SiteDouble, SearchDouble):
    """Unlike a web search it finds nothing where nothing fits."""

    def matches(self, text: str, most: int, *, since: str = "", until: str = "") -> list[Listing]:
        found = self.listings(Wanted(text, since=since, until=until))
        return [listing for listing in found if self.scripted or overlap(text, listing)][:most]


def seconds(listing: Listing) -> int:
    """When it was published, as Unix counts; a listing without a date is as old as Unix."""
    return int(moment(listing).timestamp())


def stamp(listing: Listing) -> str:
    return moment(listing).strftime("%Y-%m-%dT%H:%M:%SZ")


def moment(listing: Listing) -> datetime:
    return datetime.fromisoformat(listing.published or "1970-01-01").replace(tzinfo=UTC)


def day(unix_seconds: str, *, before: bool = False) -> str:
    """The date of a filter in Unix seconds; empty for none. One that excludes its moment ends the day before."""
    if not unix_seconds:
        return ""
    return datetime.fromtimestamp(int(unix_seconds) - int(before), UTC).date().isoformat()
