"""Pay walls: the beginning of an article, and the offer to sell the rest."""

from __future__ import annotations

import re

from dowse.core.errors import PageUnreadable
from dowse.core.models import Onward, Status
from dowse.extract.verdict.outline import NOTICE_WORDS, Outline
from dowse.extract.verdict.phrases import agreeing, either, holds

# More of an article than this is worth having, even where the rest is sold.
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


def judge(page: Outline) -> PageUnreadable | None:
    """Login required, and nobody is asked further: the article is for those who pay for it."""
    if page.words > _TEASER_WORDS:
        return None
    marks = page.shape.marks
    is_sold = bool(_NOT_FREE.search(marks) or _SOLD.search(marks))
    has_container = holds(page.shape.tags, _CONTAINERS)
    is_cut = _is_cut(page)
    has_subscription = any(map(_SUBSCRIBE.fullmatch, page.controls))
    # Offers alone make no wall, and take the longest to look for.
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
    if not _is_wall(set(signs), page.words):
        return None
    return PageUnreadable(Status.LOGIN_REQUIRED, f"pay wall ({', '.join(signs)})", Onward.NOBODY)


def _is_wall(signs: set[str], words: int) -> bool:
    if "structured data" in signs:
        return bool(signs & {"offer", "cut"})
    further = len(signs & {"container", "second offer", "cut", "subscription"})
    return "offer" in signs and further > 1 and ("container" in signs or words <= _UNMARKED_TEASER_WORDS)


def _offers(page: Outline) -> set[str]:
    """What is offered, in any part of the page: it is often taken for an advertisement, and not delivered."""
    texts = (page.title, page.text, *page.controls, page.shape.text)
    return {found[0] for found in _OFFER.finditer(" ".join(texts))}


def _is_cut(page: Outline) -> bool:
    """Whether a paragraph breaks off, or the page says that the article is much longer."""
    # Where many do, they are the teasers of a list.
    if sum(len(line) > 40 and line.endswith(_CUT) for line in page.lines) == 1:
        return True
    claimed = _WORD_COUNT.search(page.shape.marks)
    return claimed is not None and int(claimed[1]) > 2 * page.words
