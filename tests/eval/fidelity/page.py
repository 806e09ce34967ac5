"""A page to be converted, and the sites that make pages of Markdown in their own way."""

from __future__ import annotations

import functools
import html
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.eval.fidelity.generator import Generator
from tests.eval.fidelity.structure import Heading, Structure, one_line, read

_HERE = Path(__file__).parent
TEXTS = tuple(sorted(path.stem for path in (_HERE / "texts").glob("*.md")))
_BODY, _TITLE, _URL = "@BODY@", "@TITLE@", "@URL@"
# A line of a shell that may be taken for content or not: who wrote the page, and when.
_EITHER = "<!-- either -->"
_CHROME = re.compile(r">([^<>@]{8,300})<")


@dataclass(frozen=True, slots=True)
class Page:
    """A whole page and its truth. Nothing of `chrome` belongs to its content."""

    name: str
    family: str
    url: str
    html: str
    truth: Structure
    chrome: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a page as it is marked up, and the Markdown that says what it is."""

    html: str
    truth: Structure

    def __add__(self, other: Part) -> Part:
        return Part(f"{self.html}\n{other.html}", self.truth + other.truth)


@dataclass(frozen=True, slots=True)
class Site:
    """A template with its generator: `shells/NAME.html` is all that is around the content."""

    name: str
    url: str
    generator: type[Generator] = Generator
    family: str = ""

    def part(self, markdown: str) -> Part:
        """A text as this site marks it up."""
        generator = self.generator()
        truth = read(markdown, self.url)
        truth.code = [generator.shown(block) for block in truth.code]
        truth.headings = [Heading(generator.level(level), words) for level, words in truth.headings]
        return Part(generator.write(markdown), truth)

    def raw(self, name: str) -> Part:
        """Markup that is nobody's but this site's, and the Markdown that has to come of it: two files in `parts`."""
        markup, markdown = (_HERE / "parts" / f"{name}.{kind}" for kind in ("html", "md"))
        return Part(markup.read_text(encoding="utf-8"), read(markdown.read_text(encoding="utf-8"), self.url))

    def post(self, markdown: str, frame: str = "") -> Part:
        """A text with what the site puts around each post, which is in `posts`."""
        written = self.part(markdown)
        around = (_HERE / "posts" / f"{frame or self.name}.html").read_text(encoding="utf-8")
        return Part(around.replace(_BODY, written.html), written.truth)

    def thread(self, name: str, title: str) -> Page:
        """A page with the posts of a thread under a heading."""
        return self.page(name, self.part(f"# {title}\n"), *map(self.post, posts(name)))

    def page(self, name: str, *parts: Part, title: str = "") -> Page:
        """A whole page; its title is its first heading."""
        body = functools.reduce(Part.__add__, parts)
        title = title or next((heading.text for heading in body.truth.headings), name)
        shell = (_HERE / "shells" / f"{self.name}.html").read_text(encoding="utf-8")
        markup = shell.replace(_TITLE, html.escape(title)).replace(_URL, self.url).replace(_BODY, body.html)
        return Page(
            f"{self.name}-{name}", self.family or self.name, self.url, markup, body.truth, tuple(_chrome(shell))
        )

    def pages(self, *names: str) -> list[Page]:
        """One page of each text."""
        return [self.page(name, self.part(text(name))) for name in names]


def text(name: str) -> str:
    """A text of the collection."""
    return (_HERE / "texts" / f"{name}.md").read_text(encoding="utf-8")


def posts(name: str) -> list[str]:
    """The posts of a thread: texts with a line of `=====` between them."""
    return [post.strip() for post in text(name).split("\n=====\n")]


def _chrome(shell: str) -> Iterable[str]:
    lines = [line for line in shell.split("\n") if _EITHER not in line and "<title>" not in line]
    for found in _CHROME.findall(re.sub(r"(?si)<(script|style|head)\b.*?</\1>", "", "\n".join(lines))):
        phrase = one_line(html.unescape(found))
        if len(phrase.split()) > 2:
            yield phrase
