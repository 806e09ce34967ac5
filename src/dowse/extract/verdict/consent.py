"""Consent walls: a whole page about cookies where the page should be."""

from __future__ import annotations

from dowse.core.errors import PageUnreadable
from dowse.core.models import NO_READABLE_CONTENT, Onward, Status
from dowse.extract.verdict.outline import MANY_WORDS, Outline
from dowse.extract.verdict.phrases import agreeing, either, holds
from dowse.language.scripts import count_words

# What a wall may say besides: the list of purposes, a greeting. An article above a banner says more.
_MAX_OTHER_WORDS = 120
_FEW_OTHER_WORDS = 30
_NOUN = (
    r"(?:privacy|cookie|consent|privatsphäre|datenschutz|zustimmung|vie privée|confidentialité|consentement"
    r"|privacidade?|riservatezza|toestemming|consentimiento|consenso)"
)
_YOUR = r"(?:your|ihre?|deine?|votre|vos|tus?|tua|sus?|sua|je|jouw|uw)"
_NAME = either(
    r"before you (?:continue|proceed)(?: to .{1,40})?",
    # Who speaks of your cookies wants something from you; who speaks of cookies may be explaining them.
    rf"(?:.{{0,40}}\b)?{_YOUR} .{{0,40}}{_NOUN}.{{0,40}}",
    r"(?:manage )?(?:your )?consent|about cookies on this site",
    r"(?:cookie|privacy|consent) (?:consent|settings|preferences|choices|center|notice|manager|wall)",
    r"cookies on .{1,40}|(?:this (?:site|website)|we|.{1,40}) uses? cookies.{0,60}",
    r"bevor (?:sie|du) .{1,60}|.{1,40} mit werbung.{0,40}",
    r"(?:datenschutz|cookie|privatsphäre)-?einstellungen|privacy gate",
    r"(?:einwilligung|zustimmung).{0,40}|avant (?:de continuer|d'accéder|de poursuivre).{0,60}|gestion des cookies",
    r"antes de (?:continuar|ir|acceder).{0,60}",
    r"prima di (?:continuare|procedere).{0,60}",
    r"voordat (?:je|u) .{1,60}",
    r"cookie-?instellingen|続行する前に.{0,40}|.{0,30}に進む前に|クッキーの使用.{0,20}",
    r"继续.{0,10}之前.{0,20}|在继续.{0,20}|隐私设置|我们重视您的隐私",
)
_ACCEPT = either(
    r"(?:i )?(?:accept|agree|allow)(?: (?:all|to all|and (?:close|continue)|everything|cookies|all cookies))?",
    r"(?:reject|decline)(?: all)?(?: cookies)?|got it|more options|cookie settings",
    r"manage (?:options|preferences|choices|settings|cookies)",
    r"(?:alles? )?(?:cookies )?(?:akzeptieren|ablehnen|zulassen|zustimmen|annehmen|accepteren|weigeren)",
    r"(?:akzeptieren|zustimmen) und weiter(?:lesen)?|einstellungen(?: verwalten)?|akkoord",
    r"(?:tout )?(?:accepter|refuser)(?: et fermer| tout)?|continuer sans accepter|j'accepte",
    r"(?:aceptar|rechazar)(?: todo| todas)?|aceptar y continuar|(?:accetta|rifiuta)(?: tutto| tutti)?",
    r"(?:aceitar|rejeitar|recusar)(?: tudo| todos)?",
    r"すべて(?:に?同意|承諾|拒否|受け入れる)(?:する)?|同意する|全部(?:接受|拒绝)|接受(?:全部|所有)?|同意并继续",
)
# Text alone has lost its buttons, but speaks of them.
_ACCEPT_WORDS = (
    *("accept all", "reject all", "alle akzeptieren", "alle ablehnen", "tout accepter", "aceptar todo"),
    *("accetta tutto", "aceitar tudo", "alles accepteren", "すべて同意", "全部接受"),
)
_SUBJECT = (
    *("cookie", "consent", "privacy", "personal data", "your data", "partners", "advertis", "personali", "tracking"),
    *("datenschutz", "einwillig", "zustimm", "personenbezogen", "privatsphäre", "werbung", "partner"),
    *("vie privée", "consentement", "données", "publicité", "privacidad", "consentimiento", "datos", "publicidad"),
    *("consenso", "dati personali", "pubblicità", "privacidade", "consentimento", "dados", "publicidade"),
    *("toestemming", "gegevens", "advertenties", "クッキー", "同意", "プライバシー", "データ", "隐私", "广告", "数据"),
)
# There are cookies to eat as well, but nobody asks for consent to them.
_DATA = tuple(subject for subject in _SUBJECT if subject not in ("cookie", "クッキー", "partners", "partner"))
_MARKS = (
    *("consent.google.", "consent.youtube.", "consent.yahoo.", "onetrust", "didomi", "usercentrics", "cookiebot"),
    *("sp_message", "sourcepoint", "qc-cmp", "quantcast", "truste", "trustarc", "cookielaw", "consentmanager"),
    *("cmpbox", "iubenda", "axeptio", "klaro", "osano", "termly", "cookieyes", "fundingchoices", "fc-consent"),
    *("consent-wall", "consentwall", "cookiewall", "cookie-wall", "collectconsent", "cookie-consent", "gdpr"),
    "consent-form",
)


def is_conceivable(page: Outline) -> bool:
    """Whether a page may be such a wall, going by its text alone."""
    return page.words <= MANY_WORDS and page.words - _words_about_it(page) <= _MAX_OTHER_WORDS


def judge(page: Outline) -> PageUnreadable | None:
    """Blocked, and worth a browser: it may press the button, and others may read from where nobody has to ask."""
    offers_choice = any(map(_ACCEPT.fullmatch, page.controls)) or holds(page.text, _ACCEPT_WORDS)
    if not offers_choice or not is_conceivable(page):
        return None
    about = _words_about_it(page)
    other = page.words - about
    signs = agreeing(
        title=any(map(_NAME.fullmatch, page.title_names)),
        heading=any(map(_NAME.fullmatch, page.heading_names)),
        address=page.host.startswith("consent.") or "/consent" in page.path or "/cookiewall" in page.path,
        vendor=holds(page.shape.marks, _MARKS),
        nothing_else=about > 0 and other <= _FEW_OTHER_WORDS,
    )
    if len(signs) < (2 if other <= about else 3):
        return None
    if signs == ["vendor", "nothing else"]:
        return _banner(page)
    if not {"address", "vendor"} & set(signs) and not holds(page.text, _DATA):
        return None
    return PageUnreadable(Status.BLOCKED, f"consent wall ({', '.join(signs)})", Onward.ANYBODY)


def _words_about_it(page: Outline) -> int:
    return sum(count_words(line) for line in page.lines if holds(line, _SUBJECT))


def _banner(page: Outline) -> PageUnreadable | None:
    """A vendor's notice is the wall where it is all of a page; where the rest was lost, there is nothing to deliver."""
    if not all(holds(heading, _SUBJECT) for heading in page.headings):
        return None
    if page.shape.text_chars < 2 * len(page.text):
        return PageUnreadable(Status.BLOCKED, "consent wall (vendor, nothing else)", Onward.ANYBODY)
    return PageUnreadable(Status.ERROR, NO_READABLE_CONTENT, Onward.ANYBODY)
