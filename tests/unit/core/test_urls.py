"""URLs: parsed as a browser would, cited without tracking, compared by identity."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.core import urls
from dowse.core.urls import Url
from tests.support.tables import each_row

PARTS = st.lists(
    st.sampled_from(["a=1", "utm_source=x", "ref=main", "gclid=9", "q=%C3%BC", "", "b", "UTM_Medium=", "x=a?b", "é=ü"]),
    max_size=6,
)


def test_a_url_is_taken_apart_and_spelled_canonically() -> None:
    assert urls.parse(" HTTPS://User:pw@EXAMPLE.org:8443/a/../b?x=1#f ") == Url(
        "https://User:pw@example.org:8443/b?x=1#f",
        "https",
        "example.org",
        8443,
        has_userinfo=True,
        path="/b",
        query="x=1",
    )
    bare = urls.parse("http://Example.ORG.")
    assert bare is not None
    assert (bare.path, bare.query, bare.name) == ("/", "", "example.org")


@each_row(
    ("text", "host", "port"),
    [
        ("http://example.org", "example.org", 80),
        ("https://example.org", "example.org", 443),
        ("https://example.org:80", "example.org", 80),
        ("http://0x7f.1/", "127.0.0.1", 80),
        ("http://[::1]/", "[::1]", 80),
        ("http://bücher.example", "xn--bcher-kva.example", 80),
        ("ws://example.org", "example.org", 0),
    ],
)
def test_host_and_port_are_what_would_be_dialled(text: str, host: str, port: int) -> None:
    parsed = urls.parse(text)
    assert parsed is not None
    assert (parsed.host, parsed.port) == (host, port)


@each_row("text", ["", "example.org", "/path", "http://", "http://a b/", "mailto:a@b.c", "file:///etc"])
def test_what_has_no_host_is_no_url(text: str) -> None:
    assert urls.parse(text) is None


def test_a_relative_reference_needs_its_base() -> None:
    parsed = urls.parse("../x?y#z", "https://example.org/a/b/c")
    assert parsed is not None
    assert parsed.href == "https://example.org/a/x?y#z"
    assert urls.parse("x", "not a base") is None


@given(st.text())
def test_any_text_parses_or_is_refused(text: str) -> None:
    parsed = urls.parse(text)
    assert parsed is None or urls.parse(parsed.href) == parsed


@each_row(
    ("url", "expected"),
    [
        ("https://a.example/p?utm_source=x&id=7&fbclid=1", "https://a.example/p?id=7"),
        ("https://a.example/p?gclid=1&msclkid=2&UTM_Campaign=3", "https://a.example/p"),
        ("https://a.example/p?utm_source=x#part", "https://a.example/p#part"),
        ("https://a.example/p?ref=home", "https://a.example/p"),
        ("https://github.com/o/r?ref=main", "https://github.com/o/r?ref=main"),
        ("https://api.github.com/o/r?ref=main&utm_id=1", "https://api.github.com/o/r?ref=main"),
        ("https://notgithub.com/o/r?ref=main", "https://notgithub.com/o/r"),
        ("https://a.example/p?reference=1&xutm_a=2", "https://a.example/p?reference=1&xutm_a=2"),
        ("https://a.example/p?b=%2F&a=+", "https://a.example/p?b=%2F&a=+"),
        ("https://a.example/#/route?ref=1&&b=2", "https://a.example/#/route?ref=1&&b=2"),
        ("https://a.example", "https://a.example/"),
        ("no address", "no address"),
    ],
)
def test_tracking_goes_and_everything_else_stays(url: str, expected: str) -> None:
    assert urls.without_tracking(url) == expected


@each_row(
    ("href", "expected"),
    [
        ("../pier?utm_source=mail&day=2", "https://ferry.example/pier?day=2"),
        ("//other.example/a", "https://other.example/a"),
        ("#times", "https://ferry.example/line/4#times"),
        ("?ref=1", "https://ferry.example/line/4"),
        ("https://bank.example@evil.example/in?a=1&utm_source=x", "https://evil.example/in?a=1"),
        ("//ana:secret@other.example/@ana", "https://other.example/@ana"),
        ("javascript:void(0)", ""),
        ("ftp://ferry.example/list", ""),
        ("https://[", ""),
        ("/\ud800", ""),
    ],
)
def test_a_link_leads_to_a_page_of_the_web_or_nowhere(href: str, expected: str) -> None:
    assert urls.link(href, "https://ferry.example/line/4") == expected


@given(PARTS, st.sampled_from(["", "#top", "#/x?ref=1&utm_a=b"]), st.sampled_from(["github.com", "shop.example"]))
def test_a_url_without_tracking_has_none_to_lose(parts: list[str], fragment: str, host: str) -> None:
    url = urls.without_tracking(f"https://{host}/p?{'&'.join(parts)}{fragment}")
    assert urls.without_tracking(url) == url
    assert url.endswith(fragment)
    assert "utm_" not in url.partition("#")[0].lower()


@given(st.text())
def test_dropping_tracking_is_idempotent_on_any_text(text: str) -> None:
    once = urls.without_tracking(text)
    assert urls.without_tracking(once) == once


ONE_DOCUMENT = {
    "https://example.org/page": [
        "http://example.org/page",
        "https://www.example.org/page/",
        "HTTPS://EXAMPLE.ORG./page#section",
        "https://example.org:443/page?utm_source=mail",
        "https://example.org/a/../page?",
        "https://example.org/%70age?&gclid=1&",
        "https://m.example.org/page",
        "https://mobile.example.org/page/index.html",
        "https://amp.example.org/page",
        "https://example.org/page/amp/",
        "https://example.org/page.amp",
        "https://example.org/page?amp=1",
        "https://example.org/page?outputType=amp",
        "https://example-org.cdn.ampproject.org/c/s/example.org/page",
        "https://www-example-org.cdn.ampproject.org/v/s/www.example.org/page/amp?amp_js_v=0.1#origin=x",
        "https://www.google.com/amp/s/amp.example.org/page",
    ],
    "https://example.org/2024/a-long-story.html": [
        "https://example.org/2024/a-long-story.amp.html",
        "https://example.org/amp/2024/a-long-story.html",
    ],
    "https://example.org/?b=2&a=1 1&c": [
        "https://example.org/index.php?c&a=1+1&b=2",
        "http://example.org/default.aspx?c=&&b=2&a=1%201",
    ],
    "https://en.wikipedia.org/wiki/Stream_(computing)": ["https://en.m.wikipedia.org/wiki/Stream_%28computing%29"],
    "https://example.org/~ana/ü": ["https://example.org/%7Eana/%c3%bc"],
    "https://example.org/#!/inbox": ["http://www.example.org#!/inbox"],
    "https://example.org/": ["https://example.org/#/", "https://example.org/#top"],
    "https://garden.blogspot.com/2024/05/beans.html": ["http://garden.blogspot.com/2024/05/beans.html?m=1"],
}
OTHER_DOCUMENTS = [
    ("https://example.org/page", "https://example.org/Page"),
    ("https://example.org/page", "https://example.org/page?id=1"),
    ("https://example.org/page", "https://b.org/page"),
    ("https://example.org/page", "https://example.org:8443/page"),
    ("https://example.org/page", "https://example.org/page#/route"),
    ("https://example.org/page", "https://example.org/page?m=1"),
    ("https://example.org/page", "ftp://example.org/page"),
    ("https://example.org/list?page=1", "https://example.org/list?page=2"),
    ("https://example.org/list?tag=a&tag=b", "https://example.org/list?tag=b&tag=a"),
    ("https://example.org/p?lang=de", "https://example.org/p?lang=en"),
    ("https://example.org/a%2Fb", "https://example.org/a/b"),
    ("https://example.org/?q=a%26b", "https://example.org/?q=a&b"),
    ("https://de.wikipedia.org/wiki/Stream", "https://en.wikipedia.org/wiki/Stream"),
    ("https://m.tv/", "https://tv/"),
    ("https://amp.com.au/", "https://com.au/"),
    ("https://example.org/", "https://example.org/amp"),
    ("https://github.com/otter", "https://github.com/otter/amp"),
    ("https://example.org/tags", "https://example.org/tags/amp"),
    ("https://docs.example.org/install", "https://docs.example.org/install/amp"),
    ("https://example.org/install", "https://example.org/amp/install"),
    ("https://example.org/guide/index.html", "https://example.org/guide.html"),
    ("https://example.org/page", "https://example.org/page.amp.html"),
    ("https://example.org/page", "https://google.example/amp/s/example.org/page"),
    ("https://overview/", "https://www.google.com/amp/overview/"),
]


@each_row(("page", "others"), ONE_DOCUMENT.items())
def test_other_spellings_of_a_document_have_its_identity(page: str, others: list[str]) -> None:
    assert {urls.identity(other) for other in others} == {urls.identity(page)}


@each_row(("one", "other"), OTHER_DOCUMENTS)
def test_other_documents_have_another_identity(one: str, other: str) -> None:
    assert urls.identity(one) != urls.identity(other)


@each_row(
    ("url", "is_copy"),
    [
        ("https://m.example.org/page", True),
        ("https://en.m.wikipedia.org/wiki/Stream", True),
        ("https://example.org/page/amp/", True),
        ("https://example.org/page?amp=1", True),
        ("https://example-org.cdn.ampproject.org/c/s/example.org/page", True),
        ("https://www.example.org/page/?b=1", False),
        ("https://m.tv/", False),
        ("https://github.com/otter/amp", False),
        ("not a url", False),
    ],
)
def test_a_copy_for_phones_is_told_from_the_page_itself(url: str, is_copy: bool) -> None:
    assert urls.is_copy(url) is is_copy


@given(
    st.sampled_from(["", "www.", "m.", "amp.", "www.m."]),
    st.lists(st.sampled_from(["a", "amp", "b-c-d", "%7e%2F", "ü", "index.html", "x.amp.html"]), max_size=4),
    PARTS,
    st.sampled_from(["", "#top", "#/x", "#!"]),
)
def test_an_identity_is_the_same_in_any_scheme_and_order_and_has_no_other(
    label: str, path: list[str], parts: list[str], fragment: str
) -> None:
    url = f"{label}example.org/{'/'.join(path)}?{{}}{fragment}"
    identity = urls.identity("https://" + url.format("&".join(parts)))
    assert urls.identity(identity) == identity
    several = len({part.partition("=")[0] for part in parts}) < len(parts)
    assert several or urls.identity("http://" + url.format("&".join(reversed(parts)))) == identity


@given(st.text())
def test_any_text_has_an_identity(text: str) -> None:
    assert urls.identity(urls.identity(f"https://example.org/{text}")) == urls.identity(f"https://example.org/{text}")
    assert urls.identity(urls.identity(text)) == urls.identity(text)
    assert urls.is_copy(text) in (True, False)


def test_also_addresses_of_absurd_length_are_compared_by_identity() -> None:
    page = "https://example.org/" + "a" * 3000
    assert urls.identity(f"{page}?b=1&a=2") == urls.identity(f"http://www.{page[8:]}/?a=2&b=1&utm_source=x")


def test_what_is_no_url_is_its_own_identity() -> None:
    assert urls.identity("not a url") == "not a url"


def test_absurdly_long_addresses_are_parsed_and_not_kept() -> None:
    before = urls._parse_cached.cache_info().currsize
    long = "https://example.org/" + "x" * 1_000_000
    parsed = urls.parse(long)
    assert parsed and parsed.href == long
    assert urls._parse_cached.cache_info().currsize == before


@each_row(
    ("text", "is_its_page"),
    [
        ("https://example.org/a", True),
        ("http://www.example.org", True),
        ("https://EXAMPLE.org.:443/", True),
        ("http://example.org:443/", False),
        ("https://example.org:80/", False),
        ("https://example.org:8443/", False),
        ("https://ana@example.org/", False),
        ("https://:secret@example.org/", False),
        ("ftp://example.org/", False),
        ("ws://example.org/", False),
        ("https://a.example.org/", False),
        ("https://example.org.evil.example/", False),
        ("https://notexample.org/", False),
    ],
)
def test_a_page_of_a_site_is_on_its_host_at_the_usual_port_and_public(text: str, is_its_page: bool) -> None:
    parsed = urls.parse(text)
    assert parsed is not None
    assert parsed.is_page_of("example.org", "www.example.org") is is_its_page


@pytest.mark.parametrize("text", ["ftp://example.org/", "javascript:alert(1)", "example.org", ""])
def test_only_http_and_https_are_web_addresses(text: str) -> None:
    assert urls.parse_web(text) is None
    assert urls.parse_web("a", "https://example.org/b/") == urls.parse("https://example.org/b/a")


def test_an_invalid_address_has_no_host() -> None:
    assert (urls.host_of("https://example.org:8443/a"), urls.host_of("no address")) == ("example.org", "")
