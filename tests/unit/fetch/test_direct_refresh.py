"""Pages that only lead to another one are followed as redirects are, and no further."""

from __future__ import annotations

from dowse.fetch.direct import find_refresh
from tests.support.tables import each_row

URL = "https://site.example/old/page?a=1"
HTML = {"content-type": "text/html; charset=utf-8"}


@each_row(
    ("tag", "target"),
    [
        ('<meta http-equiv="refresh" content="0; url=https://new.example/a">', "https://new.example/a"),
        ("<META HTTP-EQUIV=Refresh CONTENT='0;URL=/new'>", "https://site.example/new"),
        ('<meta content="5, url=new" http-equiv="refresh">', "https://site.example/old/new"),
        ("""<meta http-equiv="refresh" content="0; url='../up'">""", "https://site.example/up"),
        ('<meta http-equiv="refresh" content="0; /.well-known/x">', "https://site.example/.well-known/x"),
        ('<meta http-equiv="refresh" content="0;url=/a?b=1&amp;c=2">', "https://site.example/a?b=1&c=2"),
        ('<meta http-equiv="refresh" content="0.5;url=//other.example">', "https://other.example/"),
    ],
)
def test_the_address_of_a_refresh_is_found(tag: str, target: str) -> None:
    page = f"<!doctype html><html><head><title>Moved</title>{tag}</head><body><a href=x>Moved here</a></body></html>"

    assert find_refresh(URL, HTML, page.encode()) == target


def test_the_header_says_the_same() -> None:
    assert find_refresh(URL, HTML | {"refresh": "0; url=/new"}, b"") == "https://site.example/new"


@each_row(
    "page",
    [
        '<meta http-equiv="refresh" content="300">',
        '<meta http-equiv="refresh" content="6; url=/new">',
        '<meta http-equiv="refresh" content="0; url=https://">',
        '<meta http-equiv="refresh" content="0; url=/old/page?token=2">',
        '<meta name="refresh" content="0; url=/new">',
        '<!-- <meta http-equiv="refresh" content="0; url=/new"> -->',
        '<meta http-equiv="refresh" content="0; url=/new"><p>' + "A page with something to say. " * 20,
        '<meta http-equiv="refresh" content="0; url=/new">' + " " * 8192,
        " " * 4096 + '<meta http-equiv="refresh" content="0; url=/new">',
        "<p>nothing of the kind",
        "",
    ],
)
def test_other_pages_lead_nowhere(page: str) -> None:
    assert find_refresh(URL, HTML, page.encode()) == ""


@each_row("content_type", ["Text/HTML", "TEXT/HTML; Charset=UTF-8", "application/xhtml+xml", ""])
def test_a_page_is_one_however_its_type_is_written(content_type: str) -> None:
    page = b'<meta http-equiv="refresh" content="0; url=/new">'

    assert find_refresh(URL, {"content-type": content_type}, page) == "https://site.example/new"


@each_row(
    ("content_type", "head", "codec"),
    [
        ("text/html; charset=utf-8", "", "utf-8"),
        ("text/html; charset=ISO-8859-2", "", "iso8859-2"),
        ("text/html", '<meta charset="iso-8859-2">', "iso8859-2"),
        ("text/html", "", "utf-8"),
        ("text/html", "", "cp1252"),
        ("text/html; charset=klingon", "", "cp1252"),
        ("text/html; charset=utf-8", "", "cp1252"),
    ],
)
def test_the_address_is_read_in_the_charset_of_its_page(content_type: str, head: str, codec: str) -> None:
    page = f'{head}<meta http-equiv="refresh" content="0; url=/zámek">'.encode(codec)

    assert find_refresh(URL, {"content-type": content_type}, page) == "https://site.example/z%C3%A1mek"


def test_text_that_shows_such_a_page_leads_nowhere() -> None:
    page = b'<meta http-equiv="refresh" content="0; url=/new">'

    assert find_refresh(URL, {"content-type": "text/plain"}, page) == ""


HOSTILE = ("<meta ", "<meta http-equiv=refresh ", "<!--", "<script", "content=", "0;")


@each_row("piece", HOSTILE)
def test_forged_beginnings_lead_nowhere(piece: str) -> None:
    assert find_refresh(URL, HTML | {"refresh": piece * 2000}, (piece * 8192)[:8192].encode()) == ""


@each_row(
    "markup",
    [
        "<noscript><meta http-equiv=refresh content='0;url=/nojs'></noscript><div id=root></div>",
        """<script>const tag = '<meta http-equiv="refresh" content="0;url=/x">';</script>""",
        """<script>if (a<b) write("it's"); s = '<meta http-equiv=refresh content="0;url=/x">'</script>""",
        """<iframe srcdoc='<meta http-equiv="refresh" content="0;url=/x">'></iframe>""",
        "<textarea><meta http-equiv=refresh content='0;url=/x'></textarea>",
        "<style>/* <meta http-equiv=refresh content='0;url=/x'> ",
    ],
)
def test_what_is_no_tag_of_the_page_leads_nowhere(markup: str) -> None:
    assert find_refresh("https://site.example/", {"content-type": "text/html"}, markup.encode()) == ""


def test_a_tag_behind_a_script_leads_on() -> None:
    markup = b"<script>let s = '</b>' + \"<\";</script><META HTTP-EQUIV='Refresh' CONTENT='0; url=/there'>"
    assert find_refresh("https://site.example/", {"content-type": "text/html"}, markup) == "https://site.example/there"
