"""Tells a bot check from a page: by its title, its vendor's script or form, and how little it has to say."""

from __future__ import annotations

from dataclasses import dataclass

from dowse.models import Body, Status

_MAX_BYTES = 65_536  # larger pages have something to say
# The wordiest check, Anubis with its explanation, stays below; articles about such checks do not.
_MAX_WORDS = 300
_RAW_TEXT = (b"script", b"style")


@dataclass(frozen=True, slots=True)
class _Sign:
    """One vendor's check: each group must be met by one of its members; no titles means any title."""

    marks: tuple[bytes, ...]
    titles: tuple[bytes, ...] = ()
    further_marks: tuple[bytes, ...] = ()


_ROBOT_TITLES = (b"robot", b"captcha", b"human", b"security check", b"verif", b"unusual traffic", b"access denied")
_SIGNS = (
    # Cloudflare. Its plain `/cdn-cgi/challenge-platform/` script is on ordinary pages too.
    _Sign(
        marks=(b"_cf_chl_opt", b"cf-chl-", b'id="challenge-form"', b"cf-error-details"),
        titles=(b"just a moment", b"attention required", b"please wait"),
    ),
    # DataDome puts the site's own title there, so it takes the script and its configuration.
    _Sign(marks=(b"captcha-delivery.com",), further_marks=(b"var dd={", b"var dd = {")),
    # PerimeterX, now HUMAN.
    _Sign(marks=(b"_pxappid", b"px-captcha"), titles=(b"access to this page has been denied", b"robot", b"human")),
    # Akamai: the proof of work, and the page that reloads itself.
    _Sign(marks=(b"sec-if-cpt-container",), further_marks=(b"/_sec/cp_challenge/",)),
    _Sign(marks=(b"bm-verify=",), further_marks=(b"triggerinterstitialchallenge",)),
    # Anubis.
    _Sign(
        marks=(b"anubis_challenge", b"/.within.website/x/cmd/anubis/"),
        titles=(b"making sure you", b"anubis", b"oh noes"),
    ),
    # Google's own interstitial has the searched address as its title.
    _Sign(marks=(b'id="captcha-form"',), further_marks=(b"g-recaptcha",)),
    _Sign(
        marks=(b"hcaptcha.com/1/api.js", b"h-captcha", b"recaptcha/api.js", b"g-recaptcha", b"cf-turnstile"),
        titles=_ROBOT_TITLES,
    ),
)


@dataclass(frozen=True, slots=True)
class _Outline:
    title: bytes
    markup: bytes
    words: int


def classify(body: Body) -> Status | None:
    """`BLOCKED` for a challenge page, `None` for anything that may be content."""
    if len(body.data) > _MAX_BYTES or "html" not in body.media_type:
        return None
    head = body.data.lower()
    suspected = [sign for sign in _SIGNS if any(mark in head for mark in sign.marks)]
    if not suspected:
        return None
    outline = _outline(head)
    if outline.words > _MAX_WORDS or not any(_shows(outline, sign) for sign in suspected):
        return None
    return Status.BLOCKED


def _shows(outline: _Outline, sign: _Sign) -> bool:
    return (
        _has(outline.markup, sign.marks)
        and (not sign.titles or _has(outline.title, sign.titles))
        and (not sign.further_marks or _has(outline.markup, sign.further_marks))
    )


def _has(text: bytes, members: tuple[bytes, ...]) -> bool:
    return any(member in text for member in members)


def _outline(page: bytes) -> _Outline:
    """Title, tags with scripts, and the number of visible words, in one pass that no page can make slow."""
    before, *pieces = page.split(b"<")
    title, markup, words, raw = b"", [], len(before.split()), b""
    for piece in pieces:
        tag, _, text = piece.partition(b">")
        if raw and not tag.startswith(b"/" + raw):
            markup.append(piece)
            continue
        raw = next((name for name in _RAW_TEXT if tag.startswith(name)), b"")
        markup.append(tag)
        if raw:
            markup.append(text)
        elif tag.startswith(b"title"):
            title = title or text.strip()
        else:
            words += len(text.split())
    return _Outline(title, b"\n".join(markup), words)
