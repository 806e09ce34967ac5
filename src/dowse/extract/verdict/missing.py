"""Soft 404s: pages that say there is no such page, and say it with a success."""

from __future__ import annotations

import re

from dowse.core.errors import PageUnreadable
from dowse.core.models import Onward, Status
from dowse.extract.verdict.outline import NAME_ONLY_WORDS, Outline
from dowse.extract.verdict.phrases import agreeing, either, holds, matter
from dowse.extract.verdict.stock import LITTLE_ELSE, SOME_ELSE, other_words

# How long a notice may be, and one with the teasers of other pages below it.
_PLAIN_404_WORDS = 100
_TEASING_404_WORDS = 150
_THING = (
    r"(?:page|web ?page|file|url|document|article|post|content|product|item|resource|site|story|video|profile|account"
    r"|user|question|topic|thread|listing|job|job posting|offer|address|link|entry|repository|channel|community|event)"
)
_NAME = either(
    rf"(?:the |this |that |your |requested ){{0,2}}{_THING}(?: you.{{1,40}}| requested)?"
    r"(?: (?:was|is|has|has been|could|can|does|did|may))?"
    r" (?:not|cannot|can't|couldn't|doesn't|isn't|wasn't|no longer)(?: be| longer)?"
    r" (?:found|exists?|available|here)(?: any ?more)?",
    rf"(?:the |this |that )?{_THING} (?:is |has |has been |was |may have been )?"
    r"(?:missing|gone|removed|deleted|unavailable|expired|moved or deleted)",
    r"we (?:can't|cannot|can not|couldn't|could not|were unable to|are unable to)(?: seem to)? find"
    rf" (?:the |that |this |your |what )?(?:{_THING}|you).{{0,40}}",
)
# Short enough to mean anything, unless the page has no other name.
_WEAK_NAME = either(
    r"not found|nothing found|nothing here|there(?:'s| is) nothing here|nothing to see here",
    r"are you lost\??|lost\??|you (?:seem to be|are|look) lost",
)
_CODE = re.compile(
    r"(?:(?:error|http|http error|fehler|erreur|errore|erro|błąd|ошибка)\W{1,3})?404(?:\W{1,3}(?:error|fehler))?"
)
_FOREIGN = either(
    r"(?:seite|inhalt|artikel|dokument).{0,30} nicht.{0,20} (?:gefunden|verfügbar)",
    r"(?:seite|artikel).{0,20} (?:existiert|gibt es) nicht",
    r"(?:page|contenu|document|article).{0,30} (?:introuvable|non trouvée?|inexistante?)",
    r"page.{0,30} n'(?:existe|est plus)",
    r"p[aá]gina.{0,30} (?:no|não|nao|non).{0,20} (?:encontrad[ao]|trovata|existe|esiste|dispon[ií]\w{1,6})",
    r"no (?:se )?.{0,12}encontr\w{1,6} .{0,12}p[aá]gina|contenuto non trovato|conteúdo não encontrado",
    r"pagina.{0,30} (?:niet|kon).{0,20} (?:gevonden|beschikbaar)|pagina.{0,20} bestaat niet",
    r"ページ(?:が|は).{0,10}(?:見つかりません|存在しません)|(?:页面|网页|頁面|内容)(?:不存在|未找到|找不到)",
    r"(?:找不到|无法找到)(?:该|此)?(?:页面|网页|頁面)|(?:无此页面|無此頁面)|페이지를 찾을 수 없습니다",
    r"страниц\w.{0,20} не (?:найдена|существует)|nie znaleziono strony|strona.{0,20} nie istnieje",
    r"sidan.{0,20} (?:kunde inte hittas|hittades inte|finns inte)|siden.{0,20} (?:ikke fundet|findes ikke|ikke funnet)",
    r"sivua ei löyt|stránka (?:nenalezena|nebyla nalezena)|sayfa bulunamadı",
)
_TEXT = (
    *("you are looking for", "you're looking for", "you were looking for", "you requested", "you tried to"),
    *("you are trying to", "you're trying to", "does not exist", "doesn't exist", "no longer exists"),
    *("no longer available", "have been moved", "has been moved", "may have moved", "have been removed"),
    *("could not be found", "couldn't be found", "cannot be found", "can't find", "couldn't find", "cannot find"),
    *("could not find", "was not found", "link may be broken", "broken link", "link you followed", "mistyped"),
    *("check the url", "check the address", "has been removed", "has been deleted", "may have been deleted"),
    *("at this location", "at this address", "back to the home", "return home", "go home", "incorrect url"),
    *("gesuchte seite", "angeforderte seite", "existiert nicht", "nicht mehr verfügbar", "verschoben"),
    *("vous recherchez", "vous cherchez", "demandée", "n'existe pas", "n'existe plus", "déplacée", "supprimée"),
    *("que buscas", "que busca", "está buscando", "estás buscando", "no existe", "ya no está", "eliminada", "movida"),
    *("stai cercando", "che cerchi", "non esiste", "spostata", "rimossa"),
    *("que procura", "está procurando", "não existe", "foi removida", "foi movida"),
    *("die u zoekt", "die je zoekt", "u zocht", "je zocht", "bestaat niet", "niet meer beschikbaar"),
    *("お探しの", "削除された", "移動した", "存在しません", "您访问的", "你访问的", "不存在", "已被删除", "已删除"),
    *("не существует", "nie istnieje", "finns inte"),
)
_ADDRESS = re.compile(r"/(?:404|error-?404|page-?not-?found|not-?found|notfound|error/404)(?:[./]|$)")


def judge(page: Outline) -> PageUnreadable | None:
    """Not found, for everybody: the site answered, and has no such page."""
    if page.words > _TEASING_404_WORDS:
        return None
    is_weak = any(map(_is_weak, page.title_names)) and any(map(_is_weak, page.heading_names))
    signs = agreeing(
        title=is_weak or any(map(_says_missing, page.title_names)),
        heading=is_weak or any(map(_says_missing, page.heading_names)),
        text=holds(page.text, _TEXT) or any(map(_says_missing, page.line_names)),
        unlisted=page.is_unlisted,
        address=bool(_ADDRESS.search(page.path)),
        opening=_opens_with_notice(page),
    )
    if not _is_sure(set(signs), page.words, page.other_words) or (page.explains and "address" not in signs):
        return None
    return PageUnreadable(Status.NOT_FOUND, f"soft 404 ({', '.join(signs)})", Onward.NOBODY)


def _is_sure(signs: set[str], words: int, other: int) -> bool:
    if not signs & {"title", "heading"} or len(signs) < 2:
        return False
    if {"title", "heading", "opening"} <= signs:
        return True
    if signs == {"title", "heading"}:
        return words <= NAME_ONLY_WORDS and other <= LITTLE_ELSE
    return words <= _PLAIN_404_WORDS and other <= (SOME_ELSE if "address" in signs else LITTLE_ELSE)


def _opens_with_notice(page: Outline) -> bool:
    """Whether the first line below its headings is a notice and nothing else; whatever follows is there for comfort."""
    first = next((line for line in page.lines if line not in page.headings), "")
    return holds(first, _TEXT) and not other_words(first)


def _says_missing(name: str) -> bool:
    if _CODE.fullmatch(name) or _NAME.fullmatch(matter(name)) or _FOREIGN.search(name):
        return True
    return "404" in name and _is_weak(name)


def _is_weak(name: str) -> bool:
    return _WEAK_NAME.fullmatch(matter(name)) is not None
