"""Tells a bot check from a page: by its title, its vendor's script or form, and how little it has to say."""

from __future__ import annotations

from dataclasses import dataclass

from dowse.models import Body, Status

_MAX_BYTES = 65_536  # larger pages have something to say
# The wordiest check, Anubis with its explanation, stays below; articles about such checks do not.
_MAX_WORDS = 300
# Where only the words give it away, a page has to be as short as the checks are.
_FEW_WORDS = 60
_RAW_TEXT = (b"script", b"style")


@dataclass(frozen=True, slots=True)
class _Sign:
    """One vendor's check: each group must be met by one of its members; an empty group by any page.

    Marks are looked for in tags and scripts, phrases in the visible text.
    """

    marks: tuple[bytes, ...] = ()
    titles: tuple[bytes, ...] = ()
    further_marks: tuple[bytes, ...] = ()
    phrases: tuple[bytes, ...] = ()

    @property
    def max_words(self) -> int:
        return _MAX_WORDS if self.marks else _FEW_WORDS


_ROBOT_TITLES = (b"robot", b"captcha", b"human", b"security check", b"verif", b"unusual traffic", b"access denied")
_SIGNS = (
    # Cloudflare. Its plain `/cdn-cgi/challenge-platform/` script is on ordinary pages too.
    _Sign(
        marks=(
            b"_cf_chl_opt",
            b"cf-chl-",
            b'id="challenge-form"',
            b"id='challenge-form'",
            b"cf-error-details",
            b"cf-browser-verification",
            b"cf-challenge-running",
            b"challenge-platform/h/b/orchestrate/",
        ),
        titles=(b"just a moment", b"attention required", b"please wait"),
    ),
    _Sign(
        titles=(b"just a moment", b"please wait", b"one moment"),
        phrases=(
            b"checking your browser",
            b"javascript and cookies to continue",
            b"you are human",
            b"security of your connection",
        ),
    ),
    # DataDome puts the site's own title there, so it takes the script and its configuration or its one sentence.
    _Sign(marks=(b"captcha-delivery.com",), further_marks=(b"var dd={", b"var dd = {")),
    _Sign(marks=(b"captcha-delivery.com",), phrases=(b"please enable js and disable any ad blocker",)),
    # PerimeterX, now HUMAN.
    _Sign(marks=(b"_pxappid", b"px-captcha"), titles=(b"access to this page has been denied", b"robot", b"human")),
    # Akamai: the proof of work, and the page that reloads itself.
    _Sign(marks=(b"sec-if-cpt-container",), further_marks=(b"/_sec/cp_challenge/",)),
    _Sign(marks=(b"bm-verify=",), further_marks=(b"triggerinterstitialchallenge",)),
    _Sign(titles=(b"access denied",), phrases=(b"reference #", b"reference&#32;&#35;", b"permission to access")),
    # DuckDuckGo.
    _Sign(marks=(b"anomaly-modal",)),
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
    _Sign(
        titles=_ROBOT_TITLES,
        phrases=(
            b"complete the captcha",
            b"solve the captcha",
            b"not a robot",
            b"verify you are human",
            b"unusual traffic",
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class _Outline:
    title: bytes
    markup: bytes
    words: tuple[bytes, ...]

    @property
    def text(self) -> bytes:
        return b" ".join(self.words)


def classify(body: Body) -> Status | None:
    """`BLOCKED` for a challenge page, `None` for anything that may be content."""
    if len(body.data) > _MAX_BYTES or "html" not in body.media_type:
        return None
    head = body.data.lower()
    suspected = [sign for sign in _SIGNS if _has(head, sign.marks or sign.titles)]
    if not suspected:
        return None
    outline = _outline(head)
    return Status.BLOCKED if any(_shows(outline, sign) for sign in suspected) else None


def _shows(outline: _Outline, sign: _Sign) -> bool:
    return (
        len(outline.words) <= sign.max_words
        and _has(outline.markup, sign.marks)
        and _has(outline.title, sign.titles)
        and _has(outline.markup, sign.further_marks)
        and _has(outline.text, sign.phrases)
    )


def _has(text: bytes, members: tuple[bytes, ...]) -> bool:
    return not members or any(member in text for member in members)


def _outline(page: bytes) -> _Outline:
    """Title, tags with scripts, and the visible words, in one pass that no page can make slow."""
    before, *pieces = page.split(b"<")
    title, markup, words, raw = b"", [], before.split(), b""
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
            words += text.split()
    return _Outline(title, b"\n".join(markup), tuple(words))
