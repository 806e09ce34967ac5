"""Challenge pages (bot checks), recognised by title, vendor script or form, and little text."""

from __future__ import annotations

from dataclasses import dataclass

from dowse.core.errors import PageUnreadable
from dowse.core.models import Onward, Status
from dowse.core.reasons import FailureReason
from dowse.extract.verdict.outline import NOTICE_WORDS, PageOutline, make_verdict
from dowse.extract.verdict.wording import LITTLE_ELSE, SOME_ELSE, either, holds

# The longest challenge page, Anubis with its explanation, stays below; articles about such pages do not.
_MARKED_CHECK_WORDS = NOTICE_WORDS
# Without marks in its code, a page has to be as short as challenge pages are.
_UNMARKED_CHECK_WORDS = 60
_ROBOT_NAME = either(
    r"(?:re|h)?captcha|robot (?:check|challenge).{0,20}|(?:please )?prove (?:that )?you(?:'re| are) (?:a )?human",
    r"are you (?:a |not a )?(?:robot|human|bot)\??|.{0,20}(?:human|bot|browser) (?:verification|check|challenge)",
    r"(?:please )?(?:verify|confirm|verifying|checking|making sure) (?:that )?you(?:'re| are) .{0,30}",
    r".{0,20}security (?:check|verification|challenge|checkpoint)|verification required|client challenge",
    r"unusual traffic|(?:just )?one more step.{0,30}|checking your browser.{0,40}|verifying your browser",
    r"attention required|access denied|sicherheits(?:über)?prüfung|sind sie ein (?:mensch|roboter)\??",
    r".{0,30}kein roboter.{0,20}",
    r"vérification(?: de sécurité)?|êtes-vous un (?:robot|humain) ?\??",
    r"verificación(?: de seguridad)?|¿eres (?:un )?humano\?",
    r"verifica(?: di sicurezza)?|verificação(?: de segurança)?|beveiligingscontrole",
    r"セキュリティ(?:チェック|確認|認証)|.{0,10}(?:安全|人机|人機)(?:验证|驗證)",
    r"(?:вы|вы точно) не робот\??|проверка(?: браузера)?",
)
_ROBOT_PHRASES = (
    *("complete the captcha", "solve the captcha", "not a robot", "verify you are human", "unusual traffic"),
    *("verify that you are human", "prove you are human", "you are a human", "you are human", "you're human"),
    *("confirm you are human", "not a bot", "complete the security check", "characters you see"),
    *("security of your connection", "checking your browser"),
    *("dass sie kein roboter", "dass sie ein mensch", "pas un robot", "êtes un humain", "no eres un robot"),
    *("no soy un robot", "que eres humano", "non sei un robot", "não é um robô", "geen robot", "ロボットではない"),
    *("不是机器人", "完成验证", "人間であること", "не робот"),
)
_WIDGETS = (
    *("hcaptcha.com", "h-captcha", "recaptcha/api.js", "recaptcha/enterprise.js", "g-recaptcha", "cf-turnstile"),
    *("smartcaptcha", "geetest", "arkoselabs", "funcaptcha", "friendlycaptcha", "frc-captcha", "mtcaptcha"),
    *("captcha-form", "/checkcaptcha"),
)
_WAITING_TITLES = ("just a moment", "please wait", "one moment", "einen moment", "un momento", "un instant", "請稍候")


@dataclass(frozen=True, slots=True)
class _Sign:
    """Signs of one vendor's challenge page: one member of each group must match; an empty group always does.

    Marks are searched in tags and scripts, phrases in the visible text.
    """

    vendor: str
    marks: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    further_marks: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    max_words: int = _MARKED_CHECK_WORDS
    max_other_words: int = _MARKED_CHECK_WORDS


_SIGNS = (
    # The plain `/cdn-cgi/challenge-platform/` script is on ordinary pages too.
    _Sign(
        "Cloudflare",
        marks=(
            "_cf_chl_opt",
            "cf-chl-",
            'id="challenge-form"',
            "id='challenge-form'",
            "cf-browser-verification",
            "cf-challenge-running",
            "challenge-platform/h/b/orchestrate/",
        ),
        titles=(*_WAITING_TITLES, "attention required"),
    ),
    _Sign("Cloudflare", marks=("cf-error-details",), titles=("attention required",)),
    _Sign("Cloudflare", titles=("attention required! | cloudflare",), phrases=("security service", "security check")),
    _Sign(
        "Cloudflare",
        titles=_WAITING_TITLES,
        phrases=(
            "checking your browser",
            "javascript and cookies to continue",
            "you are human",
            "security of your connection",
        ),
        max_words=_UNMARKED_CHECK_WORDS,
        # Songs and stories have such titles too.
        max_other_words=SOME_ELSE,
    ),
    # DataDome keeps the site's own title: script and configuration, or script and sentence, have to match.
    _Sign("DataDome", marks=("captcha-delivery.com",), further_marks=("var dd={", "var dd = {")),
    _Sign("DataDome", marks=("captcha-delivery.com",), phrases=("please enable js and disable any ad blocker",)),
    # PerimeterX until 2022.
    _Sign("HUMAN", marks=("_pxappid", "px-captcha"), titles=("access to this page has been denied", "robot", "human")),
    _Sign("HUMAN", marks=("_pxappid",), further_marks=("px-captcha",)),
    # The proof of work, and the self-reloading page.
    _Sign("Akamai", marks=("sec-if-cpt-container",), further_marks=("/_sec/cp_challenge/",)),
    _Sign("Akamai", marks=("bm-verify=",), further_marks=("triggerinterstitialchallenge",)),
    _Sign("Imperva", marks=("_incapsula_resource",), further_marks=("main-iframe", "incident_id=", "xinfo=")),
    _Sign("AWS WAF", marks=("gokuprops", "awswafcookiedomainlist"), further_marks=("awswaf.com", "challenge.js")),
    _Sign("Kasada", marks=("kpsdk",), further_marks=("/ips.js",)),
    _Sign("Sucuri", marks=("sucuri_cloudproxy_js",), titles=("being redirected",)),
    _Sign("F5", marks=("/tspd/", "bobcmn"), phrases=("your support id is", "enable javascript")),
    _Sign("Fastly", marks=("/_fs-ch-",), titles=("client challenge",)),
    _Sign("DDoS-Guard", marks=("ddos-guard",), titles=("ddos-guard", "just a moment")),
    _Sign("Vercel", titles=("vercel security checkpoint",), phrases=("verifying your browser", "security checkpoint")),
    _Sign(
        "Anubis", titles=("making sure you're not a bot",), phrases=("set up anubis", "loading...", "calculating...")
    ),
    _Sign("SiteGround", marks=("/.well-known/sgcaptcha/",)),
    _Sign("DuckDuckGo", marks=("anomaly-modal",)),
    _Sign(
        "Anubis",
        marks=("anubis_challenge", "/.within.website/x/cmd/anubis/"),
        titles=("making sure you", "anubis", "oh noes"),
    ),
    # The title of Google's interstitial is the requested address.
    _Sign("Google", marks=('id="captcha-form"',), further_marks=("g-recaptcha",)),
    _Sign("Google", titles=("://www.google.",), phrases=("unusual traffic",), max_words=2 * _UNMARKED_CHECK_WORDS),
    _Sign("Amazon", marks=("/errors/validatecaptcha",)),
    _Sign("Amazon", phrases=("sorry, we just need to make sure you're not a robot",), max_words=_UNMARKED_CHECK_WORDS),
)


def judge_challenge(page: PageOutline) -> PageUnreadable | None:
    """Blocked, and worth a browser: some challenges let browsers through."""
    seen = " ".join((page.text, page.markup.noscript, *page.headings))
    signs = (sign for sign in _SIGNS if _is_short_enough(page, sign) and _shows(page, seen, sign))
    vendor = next((sign.vendor for sign in signs), "captcha" if _is_captcha(page, seen) else "")
    if not vendor:
        return None
    return make_verdict(Status.BLOCKED, FailureReason.CHALLENGE_PAGE, [vendor], Onward.ANY_READER)


def _is_short_enough(page: PageOutline, sign: _Sign) -> bool:
    return page.words <= sign.max_words and page.other_words <= sign.max_other_words


def _shows(page: PageOutline, seen: str, sign: _Sign) -> bool:
    marks = page.markup.marks
    # The shortest text first: marks are searched in up to 200,000 characters.
    return (
        _has(page.title, sign.titles)
        and _has(seen, sign.phrases)
        and _has(marks, sign.marks)
        and _has(marks, sign.further_marks)
    )


def _has(text: str, members: tuple[str, ...]) -> bool:
    return not members or holds(text, members)


def _is_captcha(page: PageOutline, seen: str) -> bool:
    """Whether it is the challenge page of an unknown vendor: a typical name, with a puzzle or a demand for proof."""
    if page.words > _UNMARKED_CHECK_WORDS:
        return False
    is_titled = any(map(_ROBOT_NAME.fullmatch, page.title_names))
    if not is_titled and not any(map(_ROBOT_NAME.fullmatch, page.heading_names)):
        return False
    # A heading alone may be a question that the page answers.
    asks = is_titled and holds(seen, _ROBOT_PHRASES) and page.other_words <= LITTLE_ELSE
    return asks or holds(page.markup.marks, _WIDGETS)
