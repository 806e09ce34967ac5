"""URLs by the WHATWG rules: one parser decides what is judged, dialled, compared and cited."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

import can_ada

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
# A link is looked at several times on its way, and comes again; absurdly long ones are not worth the memory.
_REMEMBERED, _REMEMBERED_CHARS = 512, 2048
_PAGE_PORTS = {"http": 80, "https": 443}
# What stands before the name of a site where it shows its pages to another device.
_DEVICE_LABELS = ("m", "mobile", "amp")
# Below a country's code a name may begin a level deeper: `amp.com.au` is a company.
_SECOND_LEVELS = frozenset("ac co com edu go gob gov gouv ltd ne net nom or org sch".split())
# They have the label for phones behind the one for the language.
_WIKIS = frozenset(
    "mediawiki.org wikibooks.org wikidata.org wikimedia.org wikinews.org wikipedia.org wikiquote.org wikisource.org "
    "wikiversity.org wikivoyage.org wiktionary.org".split()
)
# Caches of AMP pages have the address of the page in their path; an `s` says that it is read by https.
_AMP_CACHES = ("cdn.ampproject.org", "bing-amp.com")
_CACHED = re.compile(r"/[cv]/(?:s/)?([^/]{1,253}\.[^/]{1,253}/.*)")
_GOOGLE_CACHED = re.compile(r"/amp/(?:s/)?([^/]{1,253}\.[^/]{1,253}/.*)")
_AMP_PARTS = frozenset("amp amp= amp=1 amp=true _amp=1 _amp=true outputtype=amp output=amp".split())
# Behind these and on these hosts `amp` is the name of something.
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
        """The host without the dot that may end it, for comparison with names of ours."""
        return self.host.rstrip(".").lower()

    @property
    def is_page(self) -> bool:
        """Whether it is where a site shows its pages to everybody: at its scheme's own port, without a password."""
        return self.port == _PAGE_PORTS.get(self.scheme) and not self.has_userinfo

    def is_page_of(self, *hosts: str) -> bool:
        """The same for a page of one of these hosts; one that only looks like them is none of theirs."""
        return self.is_page and self.name in hosts


def parse(text: str, base: str = "") -> Url | None:
    """Parse as a browser would; `None` for what a browser would refuse or has no host."""
    return _remembered(text, base) if len(text) + len(base) <= _REMEMBERED_CHARS else _parse(text, base)


def link(href: str, base: str) -> str:
    """Where a link on a page leads, without tracking; empty where it is no address of the web.

    The parts of an address are not asked for: a page has many links, and taking them apart is most of the work.
    """
    parsed = _resolved(href, base)
    if parsed is None or parsed.protocol not in ("http:", "https:"):
        return ""
    return _without_tracking(parsed.href, parsed.hostname) if parsed.search else parsed.href


def _parse(text: str, base: str) -> Url | None:
    parsed = _resolved(text, base)
    if parsed is None or not parsed.hostname:
        return None
    scheme = parsed.protocol.removesuffix(":")
    port = int(parsed.port) if parsed.port else _PAGE_PORTS.get(scheme, 0)
    has_userinfo = bool(parsed.username or parsed.password)
    query = parsed.search.removeprefix("?")
    return Url(parsed.href, scheme, parsed.hostname, port, has_userinfo, parsed.pathname, query)


_remembered = lru_cache(_REMEMBERED)(_parse)


def _resolved(text: str, base: str) -> can_ada.URL | None:
    try:
        return can_ada.parse(base) + text if base else can_ada.parse(text)
    except (ValueError, TypeError):  # a TypeError for text that does not encode, such as a lone surrogate
        return None


def without_userinfo(url: str) -> str:
    """The address without a user name and password, for people to look at."""
    before, mark, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    return before + mark + authority.rpartition("@")[2] + slash + path


def without_tracking(url: str) -> str:
    """The same document without campaign and click parameters; other parameters stay byte for byte."""
    parsed = parse(url)
    return url if parsed is None else _without_tracking(parsed.href, parsed.host)


def _without_tracking(href: str, host: str) -> str:
    address, hash_mark, fragment = href.partition("#")
    before, _, query = address.partition("?")
    keeps_ref = is_below(host, *_CODE_HOSTS)
    kept = [part for part in query.split("&") if part and not _is_tracking(part, keeps_ref=keeps_ref)]
    return before + ("?" + "&".join(kept) if kept else "") + hash_mark + fragment


def identity(url: str) -> str:
    """Two spellings of one document have one identity; for comparison only, never for fetching.

    Also an address for phones, for AMP or in a cache of AMP pages is a spelling of the page's own.
    """
    return _remembered_identity(url) if len(url) <= _REMEMBERED_CHARS else _identity(url)


def _identity(url: str) -> str:
    parsed = parse(without_tracking(url))
    if parsed is None:
        return url
    if parsed.scheme not in _PAGE_PORTS or parsed.has_userinfo:
        return parsed.href.partition("#")[0]
    fragment = parsed.href.partition("#")[2]
    page = _cached(parsed) or parsed
    host = _site(page.name) + ("" if page.port in _PAGE_PORTS.values() else f":{page.port}")
    query = "&".join(_parts(page))
    # Applications name their pages behind the mark; elsewhere it is a place on the page.
    is_route = fragment.startswith(("!", "/")) and fragment.strip("!/")
    return host + _path(page) + (f"?{query}" if query else "") + (f"#{_unescaped(fragment)}" if is_route else "")


_remembered_identity = lru_cache(_REMEMBERED)(_identity)


def is_copy(url: str) -> bool:
    """Whether the address is one for phones, for AMP or in a cache of AMP pages, and not the page's own."""
    parsed = parse(url)
    return parsed is not None and (
        _cached(parsed) is not None
        or _site(parsed.name) != parsed.name.removeprefix("www.")
        or _without_amp(parsed.path.rstrip("/"), parsed.name) != parsed.path.rstrip("/")
        or any(_is_for_a_device(part, parsed.name) for part in parsed.query.split("&"))
    )


def is_below(name: str, *hosts: str) -> bool:
    """Whether a host is one of these, or has a name below theirs."""
    return any(name == host or name.endswith("." + host) for host in hosts)


def _cached(parsed: Url) -> Url | None:
    """The page that a cache of AMP pages shows under this address."""
    is_google = parsed.name in ("google.com", "www.google.com")
    if not is_google and not is_below(parsed.name, *_AMP_CACHES):
        return None
    found = (_GOOGLE_CACHED if is_google else _CACHED).match(parsed.path)
    return parse(f"https://{found[1]}?{parsed.query}") if found else None


def _site(name: str) -> str:
    """The host without labels for devices; but `m.tv` is a name, and so is `amp.com.au`."""
    labels = name.split(".")
    if ".".join(labels[-2:]) in _WIKIS:
        labels = [label for label in labels if label != "m"]
    while (labels[0] == "www" and len(labels) > 2) or (labels[0] in _DEVICE_LABELS and _is_name(labels[1:])):
        del labels[0]
    return ".".join(labels)


def _is_name(labels: list[str]) -> bool:
    """Whether somebody can have these labels as a name, and not only something below them."""
    is_suffix = len(labels) == 2 and labels[0] in _SECOND_LEVELS and len(labels[1]) == 2
    return len(labels) > 1 and not is_suffix


def _path(page: Url) -> str:
    path = _INDEX.sub("", _unescaped(page.path).rstrip("/"))
    return _INDEX.sub("", _without_amp(path.rstrip("/"), page.name)).rstrip("/")


def _without_amp(path: str, name: str) -> str:
    """The path of the page itself: `/story/amp`, `/amp/news/a-long-story` and `/story.amp.html` have one without."""
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
    """The parameters in alphabetical order; of one with several values these keep theirs."""
    parts = (_unescaped(part.replace("+", "%20")) for part in page.query.split("&"))
    # An empty value is no value.
    named = (part.removesuffix("=") if part.find("=") == len(part) - 1 else part for part in parts)
    return sorted((part for part in named if part and not _is_for_a_device(part, page.name)), key=_name)


def _is_for_a_device(part: str, name: str) -> bool:
    return part.lower() in _AMP_PARTS or (part == "m=1" and ".blogspot." in name)


def _name(part: str) -> str:
    return part.partition("=")[0]


def _unescaped(text: str) -> str:
    """Without escapes of characters that mean the same without; those of others in capitals."""
    return _ESCAPED.sub(_shortest, text) if "%" in text else text


def _shortest(escape: re.Match[str]) -> str:
    character = chr(int(escape[0][1:], 16))
    return character if character in _NEVER_ESCAPED else escape[0].upper()


def _is_tracking(part: str, *, keeps_ref: bool) -> bool:
    name = _name(part).lower()
    return name.startswith("utm_") or name in _TRACKING or (name == "ref" and not keeps_ref)
