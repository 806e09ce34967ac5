"""URLs by the WHATWG rules: one parser for the SSRF guard, connections, comparison and citations."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

import can_ada

from dowse.core.text import enclose

# Parameters that name a campaign or a click, never the document.
_TRACKING = frozenset(
    (
        "fbclid", "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "msclkid", "twclid", "ttclid", "igshid", "yclid",
        "ysclid", "li_fat_id", "mc_cid", "mc_eid", "_ga", "_gl", "_hsenc", "_hsmi", "hsctatracking", "mkt_tok",
        "oly_anon_id", "oly_enc_id", "vero_id", "wickedid", "s_cid", "srsltid", "gad_source", "gad_campaignid",
        "ref_src", "ref_url", "guccounter", "guce_referrer", "guce_referrer_sig", "amp_js_v", "amp_gsa", "usqp",
    )
)  # fmt: skip
# On code hosts `ref` names a branch or a tag.
_CODE_HOSTS = ("github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "gitea.com", "sr.ht")
# A URL is parsed several times in a call, and recurs; absurdly long ones are not cached.
_CACHED_URLS, _CACHED_CHARS = 512, 2048
_PAGE_PORTS = {"http": 80, "https": 443}
# Host labels of the variants of a site for other devices.
_DEVICE_LABELS = ("m", "mobile", "amp")
# Second-level domains of countries: `amp.com.au` is a company.
_SECOND_LEVELS = frozenset("ac co com edu go gob gov gouv ltd ne net nom or org sch".split())
# Their label for phones comes behind the one for the language.
_WIKIS = frozenset(
    "mediawiki.org wikibooks.org wikidata.org wikimedia.org wikinews.org wikipedia.org wikiquote.org wikisource.org "
    "wikiversity.org wikivoyage.org wiktionary.org".split()
)
# Caches of AMP pages have the URL of the page in their path; an `s` stands for https.
_AMP_CACHES = ("cdn.ampproject.org", "bing-amp.com")
_CACHED = re.compile(r"/[cv]/(?:s/)?([^/]{1,253}\.[^/]{1,253}/.*)")
_GOOGLE_CACHED = re.compile(r"/amp/(?:s/)?([^/]{1,253}\.[^/]{1,253}/.*)")
_AMP_PARTS = frozenset("amp amp= amp=1 amp=true _amp=1 _amp=true outputtype=amp output=amp".split())
# Behind these path segments and on these hosts `amp` is a name.
_NAMED_BEHIND = frozenset(
    "c categories category crate crates d gem gems label labels package packages plugin plugins product products "
    "project projects r search subject subjects t tag tagged tags topic topics u user users w wiki wikis".split()
)
_NAMED_ON = ("api", "developer", "developers", "doc", "docs", "help", "learn", "support")
_YEAR_OR_NUMBER = re.compile(r"\d{4}")
_INDEX = re.compile(r"/(?:index\.(?:html?|php|shtml|jsp|aspx?)|default\.(?:html?|aspx?))$", re.IGNORECASE)
_ESCAPED = re.compile("%[0-9A-Fa-f]{2}")
_NEVER_ESCAPED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!'()*,:@$")


@dataclass(frozen=True, slots=True)
class Url:
    """A parsed URL; `href` is its canonical spelling."""

    href: str
    scheme: str
    host: str
    port: int
    has_userinfo: bool
    path: str = "/"
    query: str = ""

    @property
    def name(self) -> str:
        """The host in lower case without a final dot, for comparison."""
        return self.host.rstrip(".").lower()

    @property
    def is_page(self) -> bool:
        """Whether it is a public page: at the default port of its scheme, without credentials."""
        return self.port == _PAGE_PORTS.get(self.scheme) and not self.has_userinfo

    def is_page_of(self, *hosts: str) -> bool:
        """Whether it is a public page of exactly one of these hosts."""
        return self.is_page and self.name in hosts


def parse(text: str, base: str = "") -> Url | None:
    """Parse as a browser does; `None` for an invalid URL or one without a host."""
    return _parse_cached(text, base) if len(text) + len(base) <= _CACHED_CHARS else _parse(text, base)


def parse_web(text: str, base: str = "") -> Url | None:
    """Parse a web address; `None` also for other schemes than http and https."""
    parsed = parse(text, base)
    return parsed if parsed and parsed.scheme in _PAGE_PORTS else None


def host_of(url: str) -> str:
    """The host of a URL; empty for an invalid one."""
    parsed = parse(url)
    return parsed.host if parsed else ""


def link(href: str, base: str) -> str:
    """The target of a link on a page, without tracking parameters and user name; empty for other schemes than HTTP.

    It does not split the URL into parts, which is most of the work of `parse`: a page has many links.
    """
    parsed = _resolve(href, base)
    if parsed is None or parsed.protocol not in ("http:", "https:"):
        return ""
    target = without_userinfo(parsed.href) if parsed.username or parsed.password else parsed.href
    return _without_tracking(target, parsed.hostname) if parsed.search else target


def _parse(text: str, base: str) -> Url | None:
    parsed = _resolve(text, base)
    if parsed is None or not parsed.hostname:
        return None
    scheme = parsed.protocol.removesuffix(":")
    port = int(parsed.port) if parsed.port else _PAGE_PORTS.get(scheme, 0)
    has_userinfo = bool(parsed.username or parsed.password)
    query = parsed.search.removeprefix("?")
    return Url(parsed.href, scheme, parsed.hostname, port, has_userinfo, parsed.pathname, query)


_parse_cached = lru_cache(_CACHED_URLS)(_parse)


def _resolve(text: str, base: str) -> can_ada.URL | None:
    try:
        return can_ada.parse(base) + text if base else can_ada.parse(text)
    except (ValueError, TypeError):  # a TypeError for text that does not encode, such as a lone surrogate
        return None


def without_userinfo(url: str) -> str:
    """Remove the user name and password, for display."""
    before, mark, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    return before + mark + authority.rpartition("@")[2] + slash + path


def without_tracking(url: str) -> str:
    """Remove campaign and click parameters; other parameters stay byte for byte."""
    parsed = parse(url)
    return url if parsed is None else _without_tracking(parsed.href, parsed.host)


def _without_tracking(href: str, host: str) -> str:
    address, hash_mark, fragment = href.partition("#")
    before, _, query = address.partition("?")
    keeps_ref = is_below(host, *_CODE_HOSTS)
    kept = [part for part in query.split("&") if part and not _is_tracking(part, keeps_ref=keeps_ref)]
    return before + enclose("?", "&".join(kept)) + hash_mark + fragment


def fragment(href: str) -> str:
    """The name of a place on a page; empty for a page of an application, and without a text to highlight."""
    name = href.partition("#")[2].partition(":~:")[0]
    return "" if name.startswith(("!", "/")) else name


def identity(url: str) -> str:
    """The canonical form of a URL; for comparison only, never for fetching.

    URLs for phones, for AMP and in caches of AMP pages have the identity of the page itself.
    """
    return _identity_cached(url) if len(url) <= _CACHED_CHARS else _identity(url)


def _identity(url: str) -> str:
    parsed = parse(without_tracking(url))
    if parsed is None:
        return url
    if parsed.scheme not in _PAGE_PORTS or parsed.has_userinfo:
        return parsed.href.partition("#")[0]
    fragment = parsed.href.partition("#")[2]
    page = _find_original(parsed) or parsed
    host = _site(page.name) + ("" if page.port in _PAGE_PORTS.values() else f":{page.port}")
    query = "&".join(_parts(page))
    # A fragment is a page of an application, or else a place on the page.
    is_route = fragment.startswith(("!", "/")) and fragment.strip("!/")
    return host + _path(page) + enclose("?", query) + (f"#{_unescape(fragment)}" if is_route else "")


_identity_cached = lru_cache(_CACHED_URLS)(_identity)


def is_copy(url: str) -> bool:
    """Whether a URL is for phones, for AMP or in a cache of AMP pages, and not the page's own."""
    parsed = parse(url)
    return parsed is not None and (
        _find_original(parsed) is not None
        or _site(parsed.name) != parsed.name.removeprefix("www.")
        or _without_amp(parsed.path.rstrip("/"), parsed.name) != parsed.path.rstrip("/")
        or any(_is_for_a_device(part, parsed.name) for part in parsed.query.split("&"))
    )


def is_below(name: str, *hosts: str) -> bool:
    """Whether a host is one of these or a subdomain of one."""
    return any(name == host or name.endswith("." + host) for host in hosts)


def _find_original(parsed: Url) -> Url | None:
    """The page behind a URL of an AMP cache."""
    is_google = parsed.name in ("google.com", "www.google.com")
    if not is_google and not is_below(parsed.name, *_AMP_CACHES):
        return None
    found = (_GOOGLE_CACHED if is_google else _CACHED).match(parsed.path)
    return parse(f"https://{found[1]}?{parsed.query}") if found else None


def _site(name: str) -> str:
    """The host without labels for devices; `m.tv` and `amp.com.au` are names."""
    labels = name.split(".")
    if ".".join(labels[-2:]) in _WIKIS:
        labels = [label for label in labels if label != "m"]
    while (labels[0] == "www" and len(labels) > 2) or (labels[0] in _DEVICE_LABELS and _is_name(labels[1:])):
        del labels[0]
    return ".".join(labels)


def _is_name(labels: list[str]) -> bool:
    """Whether these labels can be registered as a name."""
    is_suffix = len(labels) == 2 and labels[0] in _SECOND_LEVELS and len(labels[1]) == 2
    return len(labels) > 1 and not is_suffix


def _path(page: Url) -> str:
    path = _INDEX.sub("", _unescape(page.path).rstrip("/"))
    return _INDEX.sub("", _without_amp(path.rstrip("/"), page.name)).rstrip("/")


def _without_amp(path: str, name: str) -> str:
    """The path of the page itself for `/story/amp`, `/amp/news/a-long-story` and `/story.amp.html`."""
    if is_below(name, *_CODE_HOSTS) or name.partition(".")[0] in _NAMED_ON:
        return path
    for ending, own in ((".amp.html", ".html"), (".amp", "")):
        if path.endswith(ending):
            return path.removesuffix(ending) + own
    before = path.removesuffix("/amp")
    if before not in ("", path) and before.rpartition("/")[2].lower() not in _NAMED_BEHIND:
        return before
    return path.removeprefix("/amp") if path.startswith("/amp/") and _looks_like_an_article(path) else path


def _looks_like_an_article(path: str) -> bool:
    return path.count("-") + path.count("_") > 1 or _YEAR_OR_NUMBER.search(path) is not None


def _parts(page: Url) -> list[str]:
    """The parameters in alphabetical order; several values of one keep their order."""
    parts = (_unescape(part.replace("+", "%20")) for part in page.query.split("&"))
    # An empty value is the same as none.
    named = (part.removesuffix("=") if part.find("=") == len(part) - 1 else part for part in parts)
    return sorted((part for part in named if part and not _is_for_a_device(part, page.name)), key=_name)


def _is_for_a_device(part: str, name: str) -> bool:
    return part.lower() in _AMP_PARTS or (part == "m=1" and ".blogspot." in name)


def _name(part: str) -> str:
    return part.partition("=")[0]


def _unescape(text: str) -> str:
    """Remove needless escapes, and write the others in capitals."""
    return _ESCAPED.sub(_shortest, text) if "%" in text else text


def _shortest(escape: re.Match[str]) -> str:
    character = chr(int(escape[0][1:], 16))
    return character if character in _NEVER_ESCAPED else escape[0].upper()


def _is_tracking(part: str, *, keeps_ref: bool) -> bool:
    name = _name(part).lower()
    return name.startswith("utm_") or name in _TRACKING or (name == "ref" and not keeps_ref)
