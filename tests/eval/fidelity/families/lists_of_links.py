"""Pages that are lists of links: collections, blogrolls, directories, link posts, tables of sources."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Sequence

from tests.eval.fidelity.page import Page, Part, Site
from tests.eval.fidelity.structure import read

_URL = "https://links.example.org/lists/boats.html"
Entries = Sequence[tuple[str, Sequence[tuple[str, str, str]]]]
_ENGLISH: Entries = (
    (
        "Learning to sail",
        (
            ("First lessons in a dinghy", "https://slow-sails.example/lessons", "twelve short texts with drawings"),
            ("The wind and how to read it", "https://weathered.example/wind", "what clouds say about the afternoon"),
            ("Knots you will really use", "https://knots.example/seven", "seven of them, each with a film"),
            ("A glossary for beginners", "/glossary", "from abaft to yaw"),
        ),
    ),
    (
        "Repair",
        (
            ("Epoxy without tears", "https://boatyard.example/epoxy", "mixing, heat and patience"),
            ("Patching a sail by hand", "https://loft.example/patch?size=small", "needle, palm and waxed thread"),
            ("Outboard motors in winter", "https://motors.example/winter", "what to drain and what to leave"),
            ("Ask the yard", "mailto:yard@boatyard.example", "they answer on Mondays"),
        ),
    ),
    (
        "Maps and tides",
        (
            ("Tide tables of the bay", "https://tides.example/bay", "free, and right most of the time"),
            ("Old charts, scanned", "https://charts.example/1890", "not for navigation"),
            ("Light list", "../lights/", "all lighthouses with their signs"),
        ),
    ),
)
_GERMAN: Entries = (
    (
        "Brot backen",
        (
            ("Sauerteig in fünf Tagen", "https://krume.example/sauerteig", "ein Tagebuch mit Fotos"),
            ("Mehltypen erklärt", "https://muehle.example/typen", "was die Zahlen bedeuten"),
            ("Backen ohne Waage", "https://krume.example/tasse", "geht, aber nicht immer"),
        ),
    ),
    (
        "Garten",
        (
            ("Kompost im Winter", "https://beet.example/kompost", "was noch hineindarf"),
            ("Alte Bohnensorten", "https://saatgut.example/bohnen?seite=2", "mit Tauschbörse"),
            ("Schnecken ohne Gift", "https://beet.example/schnecken", "Laufenten und Geduld"),
            ("Aussaatkalender", "kalender.html", "nach Monaten"),
        ),
    ),
)


def bullet_list(entries: Entries) -> str:
    """Headings with lists below, as in most collections."""
    return "\n".join(
        f"<h2>{title}</h2><ul>" + "".join(f"<li>{_link(*each[:2])} - {each[2]}</li>" for each in links) + "</ul>"
        for title, links in entries
    )


def bare_list(entries: Entries) -> str:
    """Nothing but links."""
    return "\n".join(
        f"<h2>{title}</h2><ul>" + "".join(f"<li>{_link(*each[:2])}</li>" for each in links) + "</ul>"
        for title, links in entries
    )


def blogroll(entries: Entries) -> str:
    """Links in one paragraph, with breaks."""
    return "\n".join(
        f"<h3>{title}</h3><p>" + "<br>".join(_link(*each[:2]) for each in links) + "</p>" for title, links in entries
    )


def cards(entries: Entries) -> str:
    """A grid of cards."""
    return "\n".join(
        f'<section><h2>{title}</h2><div class="grid">'
        + "".join(f'<div class="card"><h3>{_link(*each[:2])}</h3><p>{each[2]}</p></div>' for each in links)
        + "</div></section>"
        for title, links in entries
    )


def definitions(entries: Entries) -> str:
    """A list of terms."""
    return "\n".join(
        f"<h2>{title}</h2><dl>" + "".join(f"<dt>{_link(*each[:2])}</dt><dd>{each[2]}</dd>" for each in links) + "</dl>"
        for title, links in entries
    )


def table(entries: Entries) -> str:
    """A table of sources."""
    return "\n".join(
        f"<h2>{title}</h2><table><thead><tr><th>Source</th><th>About</th></tr></thead><tbody>"
        + "".join(f"<tr><td>{_link(*each[:2])}</td><td>{each[2]}</td></tr>" for each in links)
        + "</tbody></table>"
        for title, links in entries
    )


def paragraphs(entries: Entries) -> str:
    """Link posts: a paragraph for each."""
    return "\n".join(
        f"<h2>{title}</h2>" + "".join(f"<p>{_link(*each[:2])}: {each[2]}.</p>" for each in links)
        for title, links in entries
    )


def divisions(entries: Entries) -> str:
    """Divisions without any list, as builders of sites write them."""
    return "\n".join(
        f'<div class="w-head"><div>{title}</div></div>'
        + "".join(f'<div class="w-row"><div class="w-cell">{_link(*each[:2])}</div></div>' for each in links)
        for title, links in entries
    )


_WAYS: tuple[Callable[[Entries], str], ...] = (
    *(bullet_list, bare_list, blogroll, cards, definitions, table, paragraphs, divisions),
)
_HEADINGS: dict[Callable[[Entries], str], int] = {blogroll: 3, divisions: 0}
_SITES = ("gutenberg", "jekyll", "mediawiki-old", "homepage-1999")


def _link(name: str, target: str) -> str:
    return f'<a href="{html.escape(target)}">{name}</a>'


def _truth(entries: Entries, level: int) -> str:
    lines = []
    for title, links in entries:
        lines += [f"{'#' * level} {title}" if level else title]
        # In paragraphs: how the links are arranged is not judged here.
        lines += [f"[{name}](<{target}>)" for name, target, _ in links]
    return "\n\n".join(lines)


def pages() -> Iterator[Page]:
    """Each way on two sites."""
    for number, way in enumerate(_WAYS):
        for place, (entries, title) in enumerate(((_ENGLISH, "Boats: a list of links"), (_GERMAN, "Lesenswertes"))):
            site = Site(_SITES[(number + 2 * place) % len(_SITES)], _URL, family="link lists")
            markup = f"<h1>{title}</h1>\n{way(entries)}"
            truth = read(f"# {title}\n\n{_truth(entries, _HEADINGS.get(way, 2))}", _URL)
            yield site.page(f"links-{way.__name__}-{place}", Part(markup, truth), title=title)
