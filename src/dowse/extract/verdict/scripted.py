"""Pages that a browser may get past: challenge pages (bot checks) of known vendors, and empty shells."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain

from dowse.core.errors import PageUnreadable
from dowse.core.models import Onward, Status
from dowse.core.reasons import FailureReason
from dowse.extract.verdict.outline import NOTICE_WORDS, PageOutline, make_verdict
from dowse.extract.verdict.wording import LITTLE_ELSE, SOME_ELSE, either, holds, other_words
from dowse.language.scripts import count_words

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
# Other words of a shell: the name of the site, a footer.
_MAX_LEFT_WORDS = 6
_MAX_LINKED_WORDS = 40
# Longest page that asks for JavaScript, with help about browsers.
_ASKING_WORDS = 120
_SCRIPT = r"(?:java ?script|js)"
_ASKS = either(
    rf"(?:enable|turn on|activate|requires?|needs?|supports?|supported) (?:your )?{_SCRIPT}\b",
    rf"\b{_SCRIPT} (?:is |seems to be |appears to be |must be |to be |has been )?(?:not )?"
    r"(?:disabled|enabled|required|needed|available|supported|deactivated|turned off|blocked)",
    r"(?:browser|version) (?:is )?(?:not|no longer|isn't) supported|unsupported browser|update your browser",
    rf"{_SCRIPT} (?:aktivieren|einschalten|ist deaktiviert|wird benötigt|erforderlich|muss aktiviert)",
    rf"(?:aktivieren|benötigt|benötigen) (?:sie )?(?:bitte )?{_SCRIPT}",
    rf"activ(?:er|ez) (?:le )?{_SCRIPT}|{_SCRIPT} (?:est )?(?:désactivé|nécessaire|requis)",
    rf"(?:habilit[ae]r?|activ[ae]r?|necesitas?) (?:el |o )?{_SCRIPT}",
    rf"{_SCRIPT} (?:está )?(?:deshabilitado|desactivado|desativado)",
    rf"(?:abilita|attiva)(?:re)? {_SCRIPT}|{_SCRIPT} (?:è )?(?:disabilitato|disattivato)",
    rf"schakel {_SCRIPT} in|{_SCRIPT} (?:inschakelen|is uitgeschakeld)|включите {_SCRIPT}",
    rf"{_SCRIPT} ?(?:を有効|が無効)|(?:启用|開啟|开启) ?{_SCRIPT}",
)
_WAITING = re.compile(
    r"(?:loading|please wait|one moment|redirecting|you are being redirected|starting|initiali[sz]ing"
    r"|wird geladen|lädt|laden|bitte warten|weiterleitung|chargement(?: en cours)?|veuillez patienter|redirection"
    r"|cargando|espere|caricamento|attendere|carregando|aguarde|bezig met laden|even geduld"
    r"|読み込み中|ロード中|加载中|正在加载|載入中|загрузка)"
    r"(?P<for_what> .{1,30})?"
)
_ROOT = either(
    r"<(?:app-root|ytd-app|router-outlet|my-app|root)\b",
    r"\bid\s{0,9}=\s{0,9}[\"']?(?:root|app|__next|__nuxt|___gatsby|react-root|app-root|svelte|main-app|application"
    r"|app-mount|q-app|ember-app|reactroot|react-app|mount|app-container)[\"'\s>]",
)
_SOURCE = re.compile(r"\bsrc\s{0,9}=\s{0,9}[\"']?([^\"'<>\s]{1,300})")
_BUNDLES = ("main", "app", "bundle", "index", "runtime", "vendor", "chunk", "polyfills", "_next", "_nuxt", "assets")
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s?")
_LEAVES = re.compile(r"location(?:\.href)?\s{0,9}=[^=]|location\.(?:replace|assign)\(")
# A heading and a line below it.
_FEW_WORDS = 15
# The frame of an application: a line about it, a footer.
_FRAME_WORDS = 60


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


def may_be_shell(page: PageOutline) -> bool:
    """Whether a long text may be that of a shell: it repeats one thing."""
    return _words_left(page) <= _MAX_LEFT_WORDS


def judge_shell(page: PageOutline) -> PageUnreadable | None:
    """An empty shell: no readable content without a browser."""
    left = _words_left(page)
    if not _is_empty(page, left) and not _is_about_itself(page, left):
        return None
    return PageUnreadable(Status.ERROR, onward=Onward.ANY_READER, reason=FailureReason.NO_READABLE_CONTENT)


def _words_left(page: PageOutline) -> int:
    """Number of words outside the sentences of shells."""
    sentences = list(chain.from_iterable(map(_SENTENCE_END.split, page.lines)))
    return sum(count_words(sentence) for sentence in sentences if not _is_of_a_shell(sentence, page.title))


def _is_empty(page: PageOutline, left: int) -> bool:
    """Whether next to no other words are left, for a known reason."""
    if left > _MAX_LEFT_WORDS or sum(map(count_words, page.links)) > _MAX_LINKED_WORDS:
        return False
    asks = any(map(_ASKS.search, (page.title, page.markup.noscript, *page.lines, *page.headings)))
    only_waits = not left and any(map(_is_waiting, page.lines))
    return asks or only_waits or _is_made_by_script(page) or _only_leads_on(page)


def _is_about_itself(page: PageOutline, left: int) -> bool:
    """Whether the page begins by asking for JavaScript, and says little else."""
    if page.words > _ASKING_WORDS or not any(map(_ASKS.search, (page.title, *page.headings, *page.lines[:1]))):
        return False
    if has_root(page):
        return page.other_words <= SOME_ELSE
    return left <= page.words // 2 and page.other_words <= LITTLE_ELSE


def _is_of_a_shell(sentence: str, title: str) -> bool:
    return sentence in title or _is_waiting(sentence) or _ASKS.search(sentence) is not None


def _is_waiting(line: str) -> bool:
    found = _WAITING.fullmatch(line.strip(" .…"))
    # "Loading your workspace" is a wait; "loading ramp closed" is not.
    return found is not None and other_words(found["for_what"] or "") <= 1


def _is_made_by_script(page: PageOutline) -> bool:
    bundle = any(map(is_bundle, page.markup.scripts))
    signs = (bundle, has_root(page), any(map(_is_waiting, page.lines)))
    return bool(page.markup.scripts) and sum(map(bool, signs)) > 1


def has_root(page: PageOutline) -> bool:
    """Whether the page has a root element of a framework."""
    return _ROOT.search(page.markup.tags) is not None


def is_bundle(attributes: str) -> bool:
    """Whether a script is an application bundle, by its file name."""
    source = _SOURCE.search(attributes)
    return "module" in attributes or (source is not None and holds(source[1], _BUNDLES))


def _only_leads_on(page: PageOutline) -> bool:
    if any("refresh" in meta and holds(meta, ("url", ";")) for meta in page.markup.metas):
        return True
    is_waiting = any(map(_is_waiting, (page.title, *page.lines)))
    return is_waiting and _LEAVES.search(page.markup.marks) is not None


def is_thin(page: PageOutline) -> bool:
    """Whether the text is so short that scripts may add to it. Link labels do not count as text."""
    if page.words > _FRAME_WORDS:
        return False
    programs = [attributes for attributes in page.markup.scripts if "json" not in attributes]
    if not programs or page.words <= _FEW_WORDS:
        return bool(programs)
    return has_root(page) or any(map(is_bundle, programs))
