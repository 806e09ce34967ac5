"""Content that a browser may have more of: little text, and scripts that could make some."""

from __future__ import annotations

from dowse.core.models import Body
from dowse.extract.convert import to_text
from tests.support.tables import each_row

INLINE = "<script>fetch('/entries.json').then(show)</script>"
BUNDLE = '<script src="/static/app.4f1c.js"></script>'
LINE = "Ferries leave every hour from the old pier, in all weathers but fog. "


def is_thin(body: str) -> bool:
    markup = f"<!DOCTYPE html><html><head><title>Tideboard</title></head><body>{body}</body></html>"
    return to_text(Body("https://site.example/", markup.encode(), "text/html", "utf-8")).is_thin


@each_row(
    "body",
    [
        f"<h1>Log of the lighthouse</h1><div id=entries></div>{INLINE}",
        f"<h1>Static heading</h1><div id=app></div>{INLINE}",
        f"<main><h1>Timetable</h1><p>{LINE}</p><div id=root></div></main>{BUNDLE}",
        f"<nav><a href=/a>Home</a> <a href=/b>Harbours</a></nav><h1>Harbours of the coast</h1>{BUNDLE}",
    ],
)
def test_a_heading_above_scripts_may_have_more_below(body: str) -> None:
    assert is_thin(body)


@each_row(
    "body",
    [
        "<h1>Log of the lighthouse</h1><p>Nothing happened today.</p>",
        f'<h1>Timetable</h1><p>{LINE}</p><script type="application/ld+json">{{"@type": "Trip"}}</script>',
        f"<h1>Timetable</h1><p>{LINE * 2}</p>{INLINE}",
        f"<main><h1>Timetable</h1><p>{LINE * 8}</p><div id=root></div></main>{BUNDLE}",
    ],
)
def test_text_without_programs_or_with_enough_to_say_is_the_page(body: str) -> None:
    assert not is_thin(body)
