"""Consent walls, login walls and paywalls: pages that ask for something where the content should be."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dowse.core.errors import PageUnreadable
from dowse.core.models import Onward, Status
from dowse.core.reasons import FailureReason
from dowse.extract.verdict.outline import MANY_WORDS, NOTICE_WORDS, PageOutline, make_verdict
from dowse.extract.verdict.wording import LITTLE_ELSE, SOME_ELSE, agreeing, either, holds
from dowse.language.scripts import count_words

# Other words of a consent wall: purposes, a greeting. An article above a banner has more.
_MAX_OTHER_WORDS = 120
_FEW_OTHER_WORDS = 30
_CONSENT_PATHS = ("/consent", "/cookiewall")
_NOUN = (
    r"(?:privacy|cookie|consent|privatsphäre|datenschutz|zustimmung|vie privée|confidentialité|consentement"
    r"|privacidade?|riservatezza|toestemming|consentimiento|consenso)"
)
_YOUR = r"(?:your|ihre?|deine?|votre|vos|tus?|tua|sus?|sua|je|jouw|uw)"
_CONSENT_NAME = either(
    r"before you (?:continue|proceed)(?: to .{1,40})?",
    # With a possessive: articles explain cookies, walls ask about your cookies.
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
# Text alone has lost its buttons, but mentions their labels.
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
# Recipes have cookies too, but no data.
_DATA = tuple(subject for subject in _SUBJECT if subject not in ("cookie", "クッキー", "partners", "partner"))
_CONSENT_VENDORS = (
    *("consent.google.", "consent.youtube.", "consent.yahoo.", "onetrust", "didomi", "usercentrics", "cookiebot"),
    *("sp_message", "sourcepoint", "qc-cmp", "quantcast", "truste", "trustarc", "cookielaw", "consentmanager"),
    *("cmpbox", "iubenda", "axeptio", "klaro", "osano", "termly", "cookieyes", "fundingchoices", "fc-consent"),
    *("consent-wall", "consentwall", "cookiewall", "cookie-wall", "collectconsent", "cookie-consent", "gdpr"),
    "consent-form",
)
# Longest login wall, and longest one with an offer to register.
_SHORT_FORM_WORDS = 80
_LONG_FORM_WORDS = 160
_LOGIN_NAME = either(
    r"(?:please |first )?(?:log|sign)[ -]?(?:in|on|into|up)"
    r"(?: (?:to|into|with|for|or|and) .{1,60}|, .{1,40}| / .{1,30})?",
    r"log into .{1,40}|login(?: .{1,30})?|.{1,30} (?:login|sign[ -]?in|log[ -]?in|authentication)",
    r"(?:authentication|login|sign-in) required|members only|welcome back|join .{1,30}",
    r"create (?:an |your )?account|register(?: .{1,30})?|see (?:more|posts).{1,60}",
    r"(?:jetzt |bitte |bei .{1,30} )?(?:anmelden|einloggen)|anmeldung(?: (?:erforderlich|bei .{1,30}))?",
    r"melde dich .{1,40}|registrieren",
    r"(?:se )?connecter|connexion(?: .{1,30})?|connectez-vous.{0,40}|identifiez-vous|s'identifier|s'inscrire",
    r"(?:iniciar|inicia|inicio de|inicie) sesión.{0,40}|acceder|entrar(?: .{1,30})?|regístrate.{0,30}",
    r"accedi.{0,40}|accesso|iniciar sessão.{0,30}|(?:fazer|faça) login.{0,30}|inloggen.{0,30}|aanmelden.{0,30}",
    r".{0,20}ログイン.{0,20}|サインイン|会員登録|.{0,12}(?:登录|登陆|登入|登錄).{0,12}|로그인.{0,20}",
    r"вход.{0,30}|войти.{0,30}|авторизация|zaloguj się.{0,30}|logowanie|logga in.{0,30}|log ind|logg inn|giriş yap",
)
_DEMAND = either(
    r"(?:log|sign)[ -]?in to (?:continue|view|see|read|access|proceed|keep|your|use)|to continue, (?:log|sign) in",
    r"you (?:must|need to|have to|will need to) (?:be (?:logged|signed) in|(?:log|sign)[ -]?in|login|join|register)",
    r"(?:please|you should) (?:log|sign)[ -]?in|you(?:'re| are) not (?:logged|signed) in|login required|for members",
    r"join .{1,60} to (?:view|see|continue|read)|sign up to (?:continue|view|see|read)|(?:view|see) .{1,30}, join",
    r"(?:available|visible|restricted) (?:only )?to (?:registered|logged|signed|members)",
    r"requires (?:a login|authentication)|new to .{1,40}\?|don't have an account\?",
    r"(?:forg[oe]t|lost).{0,20} (?:password|account|email)|remember me|keep me (?:logged|signed) in",
    r"melde(?:n sie)? (?:dich|sich) (?:bitte )?an|bitte (?:melden|loggen|anmelden|einloggen)|angemeldet sein",
    r"(?:passwort|kennwort) vergessen|angemeldet bleiben|mot de passe (?:oublié|perdu)",
    r"connectez-vous pour|vous devez (?:être connecté|vous connecter)",
    r"inicia sesión para|debes iniciar sesión|olvid.{0,20} contraseña|accedi per|devi (?:effettuare|accedere)",
    r"password dimenticata|faça login para|esquec.{0,20} senha|wachtwoord vergeten",
    r"(?:moet|moeten) (?:ingelogd|inloggen)|ログインしてください|ログインが必要|パスワードをお忘れ",
    r"请登录|请先登录|登录后|忘记密码|忘記密碼|забыли пароль",
)
_PASSWORD = re.compile(r"type\s{0,9}=\s{0,9}[\"']?password")
_IDENTITY = either(
    r"autocomplete\s{0,9}=\s{0,9}[\"']?(?:username|email)",
    r"(?:name|id)\s{0,9}=\s{0,9}[\"']?(?:user(?:name)?|login|email|identifier|session_key|account)\b",
)
_PROVIDER = either(
    r"(?:continue|sign in|log in|sign up) with .{1,30}",
    r"(?:weiter|anmelden) mit .{1,30}|continuer avec .{1,30}|continuar con .{1,30}|continuar com .{1,30}",
)
_LOGIN_PATH = re.compile(
    r"/(?:log-?in|sign-?in|sign-?up|register|auth(?:wall|enticate|orize)?|sso|sessions?/new|checkpoint|anmelden"
    r"|connexion|wp-login|oauth2?|identifier|servicelogin|inloggen)(?=[./]|$)"
)
_RETURN = re.compile(
    r"(?:^|&)(?:next|continue|return|return_?(?:to|url|path)|redirect(?:_?(?:to|uri|url))?|session_?redirect"
    r"|dest(?:ination)?|service|goto|came_from|back(?:url)?|from|target|url)="
)
# A longer beginning of an article is content, even if the rest is behind a paywall.
_TEASER_WORDS = NOTICE_WORDS
_UNMARKED_TEASER_WORDS = 200
_NOT_FREE = re.compile(r"""isaccessibleforfree["']?\s{0,9}[:=]\s{0,9}["']?(?:https?://schema\.org/)?false""")
_SOLD = re.compile(r"""article:content_tier["'\s]{1,9}content\s{0,9}=\s{0,9}["'](?:locked|metered)""")
_CONTAINERS = (
    *("paywall", "pay-wall", "regwall", "reg-wall", "subscription-wall", "subscriber-only", "premium-wall"),
    *("offerwall", "barrier-page", "o-barrier", "piano-", "tp-modal", "tp-container", "poool"),
    *("zephr", "abo-wall", "gateway-content", "meteredcontent", "locked-content", "article-lock", "plus-wall"),
)
_READERS = r"(?:our |paid |paying |digital ){0,2}(?:subscribers|members)"
_OFFER = either(
    r"(?:subscribe|sign up|register|join|upgrade|log in|sign in|become a (?:member|subscriber))[^.]{0,40}"
    r" to (?:continue|keep|finish) (?:reading|with)",
    r"to (?:continue|keep) reading(?: this (?:article|story|post))?|(?:continue|keep) reading (?:with|for|your)",
    r"(?:this|the) (?:article|story|post|content|newsletter) is"
    rf" (?:for|only for|available to|reserved for|exclusive to|exclusively for) {_READERS}",
    r"subscribers[- ]only|for subscribers only|exclusive to subscribers|member-only story|for paid subscribers",
    r"(?:subscribe|upgrade) to (?:unlock|read)|unlock (?:this|the full) (?:article|story|post)",
    r"(?:read|get) the rest of (?:this|the) (?:story|article)|to read the full (?:story|article)",
    r"available to .{1,30} members only",
    r"you(?:'ve| have) (?:reached|read|used) (?:your|all|the) .{1,40}articles?",
    r"(?:weiterlesen|lesen sie weiter) mit|jetzt (?:abonnieren|weiterlesen|freischalten)",
    r"diesen artikel (?:weiterlesen|freischalten)|exklusiv für abonnenten|mit .{1,20}abo weiterlesen",
    r"(?:artikel|inhalt|text) ist (?:nur )?(?:für abonnenten|exklusiv|kostenpflichtig)",
    r"réservée? (?:à nos|aux) abonnés|pour lire la suite|il vous reste .{1,20}% de cet article",
    r"abonnez-vous pour (?:lire|continuer|accéder)|suscríbete para (?:seguir|continuar|leer)",
    r"(?:contenido|artículo) (?:exclusivo|solo) para suscriptores|para seguir leyendo",
    r"(?:riservato|solo) (?:agli|per gli) abbonati|abbonati per (?:continuare|leggere)|per continuare a leggere",
    r"(?:exclusivo|apenas) para assinantes|assine para (?:continuar|ler)",
    r"(?:alleen|exclusief) voor abonnees|lees verder met",
    r"有料会員(?:限定|の方)|会員限定(?:記事)?です|残り.{0,10}文字|続きを読むには|この記事は.{0,20}会員",
    r"(?:订阅|会员)(?:后|才能)(?:阅读|继续)|会员专享|付费阅读",
)
_SENTENCE = re.compile(r"[.!?…](?=[\s”»\"“]|$)|[。！？]")
_PRICE = re.compile(r"[$€£]\s?\d|\d\s?[€£]")
_LEAST_PARAGRAPH, _STANDFIRST = 25, 3
_SUBSCRIBE = either(
    r"(?:subscribe|upgrade|join)(?: (?:now|today|for|from|as) .{1,40}| now| today)?|become a member",
    r"start (?:your )?(?:free )?trial|see (?:subscription )?(?:options|plans)|get (?:full )?access",
    r"create (?:an )?account",
    r"already a (?:paid )?subscriber\?|schon abonnent\?|déjà abonné ?\?|¿ya eres suscriptor\?",
    r"(?:jetzt )?abonnieren|zum abo|angebote? ansehen|(?:je )?m'abonner?|s'abonner|suscr[ií]bete|suscribirse",
    r"abbonati|assine(?: agora)?|abonneren|abonneer|購読する|会員登録|申し込む|(?:立即)?订阅",
)
_CUT = ("…", "...", "[…]", "[...]")
_WORD_COUNT = re.compile(r"wordcount[\"']\s{0,9}:\s{0,9}[\"']?(\d{2,6})")


def may_be_consent_wall(page: PageOutline) -> bool:
    """Whether a text may be that of a consent wall."""
    return page.words <= MANY_WORDS and page.words - _words_about_it(page) <= _MAX_OTHER_WORDS


def judge_consent_wall(page: PageOutline) -> PageUnreadable | None:
    """A consent wall, worth a browser: it may press the button, and other readers may sit in other jurisdictions."""
    if not _offers_choice(page) or not may_be_consent_wall(page):
        return None
    about = _words_about_it(page)
    signs = _find_consent_signs(page, about)
    if len(signs) < (2 if page.words <= 2 * about else 3):
        return None
    if signs == ["vendor", "nothing else"]:
        return _banner(page)
    if not holds(page.text, _DATA) and {"address", "vendor"}.isdisjoint(signs):
        return None
    return make_verdict(Status.BLOCKED, FailureReason.CONSENT_WALL, signs, Onward.ANY_READER)


def _find_consent_signs(page: PageOutline, about: int) -> list[str]:
    """The signs of a consent wall on a page with so many words about consent."""
    return agreeing(
        title=any(map(_CONSENT_NAME.fullmatch, page.title_names)),
        heading=any(map(_CONSENT_NAME.fullmatch, page.heading_names)),
        address=page.host.startswith("consent.") or holds(page.path, _CONSENT_PATHS),
        vendor=holds(page.markup.marks, _CONSENT_VENDORS),
        nothing_else=about > 0 and page.words - about <= _FEW_OTHER_WORDS,
    )


def _offers_choice(page: PageOutline) -> bool:
    return any(map(_ACCEPT.fullmatch, page.controls)) or holds(page.text, _ACCEPT_WORDS)


def _words_about_it(page: PageOutline) -> int:
    return sum(count_words(line) for line in page.lines if holds(line, _SUBJECT))


def _banner(page: PageOutline) -> PageUnreadable | None:
    """A vendor's notice is the wall if the page has no other text; else extraction lost the rest."""
    if not all(holds(heading, _SUBJECT) for heading in page.headings):
        return None
    if page.markup.text_chars < 2 * len(page.text):
        return make_verdict(Status.BLOCKED, FailureReason.CONSENT_WALL, ["vendor", "nothing else"], Onward.ANY_READER)
    return PageUnreadable(Status.ERROR, onward=Onward.ANY_READER, reason=FailureReason.NO_READABLE_CONTENT)


def judge_login_wall(page: PageOutline) -> PageUnreadable | None:
    """A login wall; no other reader is tried, as the content is for members."""
    if page.words > _LONG_FORM_WORDS or page.has_code:
        return None
    signs = agreeing(
        title=any(map(_LOGIN_NAME.fullmatch, page.title_names)),
        heading=any(map(_LOGIN_NAME.fullmatch, page.heading_names)),
        password=any(map(_PASSWORD.search, page.markup.inputs)),
        identity=any(map(_IDENTITY.search, page.markup.inputs)),
        provider=any(map(_PROVIDER.fullmatch, page.controls)),
        control=any(map(_LOGIN_NAME.fullmatch, page.controls)),
        demand=_DEMAND.search(" ".join((page.text, *page.headings, *page.links))) is not None,
        address=bool(_LOGIN_PATH.search(page.path)),
        return_address=bool(_RETURN.search(page.query)),
    )
    if not _is_login_wall(set(signs), page.words, page.other_words):
        return None
    return make_verdict(Status.LOGIN_REQUIRED, FailureReason.LOGIN_WALL, signs, Onward.NONE)


def _is_login_wall(signs: set[str], words: int, other: int) -> bool:
    is_named = bool(signs & {"title", "heading"})
    leads_back = {"address", "return address"} <= signs
    if "password" in signs and (is_named or leads_back):
        is_short = words <= _SHORT_FORM_WORDS or bool(signs & {"demand", "return address"})
        return is_short and (leads_back or other <= SOME_ELSE)
    return words <= _SHORT_FORM_WORDS and _is_short_login_wall(signs, other, is_named=is_named)


def _is_short_login_wall(signs: set[str], other: int, *, is_named: bool) -> bool:
    # A single one may belong to a newsletter, or to a page that explains logging in.
    if is_named and len(signs & {"identity", "provider", "address", "return address"}) > 1:
        return other <= SOME_ELSE
    if {"password", "provider", "control", "demand"} <= signs:
        return other <= SOME_ELSE
    # With words as the only sign, the page must say nothing else.
    return "demand" in signs and (is_named or "control" in signs) and other <= LITTLE_ELSE


def is_declared_sold(page: PageOutline) -> bool:
    """Whether structured data, or a container with an offer, says that the article is for subscribers."""
    if _is_sold_by_data(page.markup.marks):
        return True
    return holds(page.markup.tags, _CONTAINERS) and bool(_offers(page))


def _is_sold_by_data(marks: str) -> bool:
    # Most pages have neither word, and a pattern takes longer to find that.
    if "isaccessibleforfree" not in marks and "article:content_tier" not in marks:
        return False
    return bool(_NOT_FREE.search(marks) or _SOLD.search(marks))


def is_offer(line: str) -> bool:
    """Whether a line offers a subscription, or names a price."""
    return _OFFER.search(line) is not None or _PRICE.search(line) is not None


def is_readable(lines: Sequence[str]) -> bool:
    """Whether the free lines of a sold article are worth reading: two paragraphs, and more than a standfirst."""
    sentences = [len(_SENTENCE.findall(line)) for line in lines if len(line) > _LEAST_PARAGRAPH]
    return len(sentences) > 1 and sum(sentences) > _STANDFIRST


def judge_paywall(page: PageOutline) -> PageUnreadable | None:
    """A paywall; no other reader is tried, as the article is for subscribers."""
    if page.words > _TEASER_WORDS:
        return None
    is_sold = _is_sold_by_data(page.markup.marks)
    has_container = holds(page.markup.tags, _CONTAINERS)
    is_cut = _is_cut(page)
    has_subscription = any(map(_SUBSCRIBE.fullmatch, page.controls))
    # Offers alone make no paywall, and take the longest to search.
    if not (is_sold or has_container or is_cut or has_subscription):
        return None
    offers = _offers(page)
    signs = agreeing(
        structured_data=is_sold,
        container=has_container,
        offer=bool(offers),
        second_offer=len(offers) > 1,
        cut=is_cut,
        subscription=has_subscription,
    )
    if not _is_paywall(set(signs), page.words):
        return None
    return make_verdict(Status.LOGIN_REQUIRED, FailureReason.PAY_WALL, signs, Onward.NONE)


def _is_paywall(signs: set[str], words: int) -> bool:
    if "structured data" in signs:
        return bool(signs & {"offer", "cut"})
    further = len(signs & {"container", "second offer", "cut", "subscription"})
    return "offer" in signs and further > 1 and ("container" in signs or words <= _UNMARKED_TEASER_WORDS)


def _offers(page: PageOutline) -> set[str]:
    """Offers in any part of the page: extraction often drops them as advertisements."""
    texts = (page.title, page.text, *page.controls, page.markup.text)
    return {found[0] for found in _OFFER.finditer(" ".join(texts))}


def _is_cut(page: PageOutline) -> bool:
    """Whether one paragraph breaks off, or the declared word count is much larger."""
    # Several are the teasers of a list.
    if sum(len(line) > 40 and line.endswith(_CUT) for line in page.lines) == 1:
        return True
    claimed = _WORD_COUNT.search(page.markup.marks)
    return claimed is not None and int(claimed[1]) > 2 * page.words
