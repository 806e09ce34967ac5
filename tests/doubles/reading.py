"""A double of a scrape API: reads the corpus, makes up any other page, and fails at the pages a test names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from dowse.document.clean import to_plain_text
from tests.doubles import corpus
from tests.doubles.double import Double


@dataclass(frozen=True, slots=True)
class Reading:
    """A page as a scrape API gives it back."""

    title: str
    markdown: str

    @property
    def text(self) -> str:
        """The same as plain text."""
        return to_plain_text(self.markdown)


class ReaderDouble(Double):
    """What every double of a scrape API can be told to read."""

    def __init__(self, key: str, origin: Callable[[], str]) -> None:
        super().__init__(key, origin)
        self._pages: dict[str, Reading] = {}
        self._unreadable: dict[str, str] = {}

    def reads(self, url: str, markdown: str, *, title: str = "") -> Self:
        """Give this for a page instead of what would be made up."""
        self._pages[url] = Reading(title, markdown)
        return self

    def cannot_read(self, url: str, error: str = "Failed to fetch url") -> Self:
        """Answer well, and say in the answer that this page could not be had."""
        self._unreadable[url] = error
        return self

    def works(self) -> Self:
        self._pages.clear()
        self._unreadable.clear()
        return super().works()

    def failure(self, url: str) -> str:
        return self._unreadable.get(url, "")

    def reading(self, url: str) -> Reading:
        """Its own name is in what is made up, so that a test can tell who read the page."""
        document = corpus.document(url.removeprefix(self._origin()))
        title, about = (document.title, document.description) if document else (f"Page at {url}", "Nobody wrote it.")
        made_up = Reading(title, f"# {title}\n\n{about} Read by **{self.name}** for [you]({url}).")
        return self._pages.get(url, made_up)
