"""URLs: parsed as a browser would, cited without tracking, compared by identity."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse import urls
from dowse.urls import Url

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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize("text", ["", "example.org", "/path", "http://", "http://a b/", "mailto:a@b.c", "file:///etc"])
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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    "other",
    [
        "http://example.org/page",
        "https://www.example.org/page/",
        "HTTPS://EXAMPLE.ORG/page#section",
        "https://example.org:443/page?utm_source=mail",
        "https://example.org/a/../page",
    ],
)
def test_other_spellings_of_a_document_have_its_identity(other: str) -> None:
    assert urls.identity(other) == urls.identity("https://example.org/page")


@pytest.mark.parametrize("other", ["https://example.org/Page", "https://example.org/page?id=1", "https://b.org/page"])
def test_other_documents_have_another_identity(other: str) -> None:
    assert urls.identity(other) != urls.identity("https://example.org/page")


def test_what_is_no_url_is_its_own_identity() -> None:
    assert urls.identity("not a url") == "not a url"


def test_absurdly_long_addresses_are_parsed_and_not_kept() -> None:
    before = urls._remembered.cache_info().currsize
    long = "https://example.org/" + "x" * 1_000_000
    parsed = urls.parse(long)
    assert parsed and parsed.href == long
    assert urls._remembered.cache_info().currsize == before


@pytest.mark.parametrize(
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
def test_a_page_of_a_site_is_on_its_host_at_the_usual_port_and_open_to_everybody(text: str, is_its_page: bool) -> None:
    parsed = urls.parse(text)
    assert parsed is not None
    assert parsed.is_page_of("example.org", "www.example.org") is is_its_page
