"""URLs by the WHATWG rules: one parser decides what is judged, dialled, compared and cited."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import can_ada

# Parameters that name a campaign or a click, never the document.
_TRACKING = frozenset(
    [
        "fbclid",
        "gclid",
        "gclsrc",
        "dclid",
        "gbraid",
        "wbraid",
        "msclkid",
        "twclid",
        "ttclid",
        "igshid",
        "yclid",
        "ysclid",
        "mc_cid",
        "mc_eid",
        "_ga",
        "_gl",
        "_hsenc",
        "_hsmi",
        "hsctatracking",
        "mkt_tok",
        "oly_anon_id",
        "oly_enc_id",
        "vero_id",
        "wickedid",
        "s_cid",
        "srsltid",
    ]
)
# On code hosts `ref` names a branch or a tag.
_CODE_HOSTS = ("github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "gitea.com", "sr.ht")
_REMEMBERED_CHARS = 2048
_PAGE_PORTS = {"http": 80, "https": 443}


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
    # A link is looked at several times on its way; absurdly long ones are not worth the memory.
    return _remembered(text, base) if len(text) + len(base) <= _REMEMBERED_CHARS else _parse(text, base)


def _parse(text: str, base: str) -> Url | None:
    try:
        parsed = can_ada.parse(base) + text if base else can_ada.parse(text)
    except (ValueError, TypeError):  # a TypeError for text that does not encode, such as a lone surrogate
        return None
    scheme = parsed.protocol.removesuffix(":")
    port = int(parsed.port) if parsed.port else _PAGE_PORTS.get(scheme, 0)
    if not parsed.hostname:
        return None
    has_userinfo = bool(parsed.username or parsed.password)
    query = parsed.search.removeprefix("?")
    return Url(parsed.href, scheme, parsed.hostname, port, has_userinfo, parsed.pathname, query)


_remembered = lru_cache(maxsize=512)(_parse)


def without_userinfo(url: str) -> str:
    """The address without a user name and password, for people to look at."""
    before, mark, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    return before + mark + authority.rpartition("@")[2] + slash + path


def without_tracking(url: str) -> str:
    """The same document without campaign and click parameters; other parameters stay byte for byte."""
    parsed = parse(url)
    if parsed is None:
        return url
    address, hash_mark, fragment = parsed.href.partition("#")
    before, _, query = address.partition("?")
    keeps_ref = any(parsed.host == host or parsed.host.endswith("." + host) for host in _CODE_HOSTS)
    kept = [part for part in query.split("&") if part and not _is_tracking(part, keeps_ref=keeps_ref)]
    return before + ("?" + "&".join(kept) if kept else "") + hash_mark + fragment


def identity(url: str) -> str:
    """Two spellings of one document have one identity; for comparison only, never for fetching."""
    parsed = parse(without_tracking(url))
    if parsed is None:
        return url
    address = parsed.href.partition("#")[0].partition("://")[2]
    return address.removeprefix("www.").rstrip("/")


def _is_tracking(part: str, *, keeps_ref: bool) -> bool:
    name = part.partition("=")[0].lower()
    return name.startswith("utm_") or name in _TRACKING or (name == "ref" and not keeps_ref)
